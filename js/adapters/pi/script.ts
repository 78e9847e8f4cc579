/**
 * A script that names a tool which the scope leaves out finds no such member; this finds the names, so that the model
 * is told why.
 */
import type { PiToolDefinition } from "./host.js";

const member = /\btools\s*(?:(?:\?\.|\.)\s*([\w$]+)|(?:\?\.)?\[\s*(["'`])([^"'`\\\n]+)\2\s*\])/g;

/** The members of `tools` that the text of a call names, where the tool calls other tools by its input. */
export function namedTools(definition: PiToolDefinition, input: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  if (typeof definition.reachesTools !== "function" || typeof input !== "object" || input === null) return names;
  for (const text of Object.values(input)) {
    if (typeof text !== "string") continue;
    for (const [, plain, , quoted] of text.matchAll(member)) names.add((plain ?? quoted) as string);
  }
  return names;
}

/** Whether a script would call this tool by that member: its name, or the name as an identifier. */
export const answersTo = (name: string, memberName: string): boolean =>
  name === memberName || name.replace(/[^A-Za-z0-9_$]/g, "_") === memberName;

/** A result with a note after its own content. */
export function withNote(result: unknown, note: string): unknown {
  const { content } = result as { content?: unknown };
  return { ...(result as object), content: [...(Array.isArray(content) ? content : []), { type: "text", text: note }] };
}
