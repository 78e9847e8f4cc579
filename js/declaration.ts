import type { ToolDeclaration } from "../index.js";
import { messageOf } from "./options.js";

export type Execute = NonNullable<ToolDeclaration["execute"]>;

/** Declarations as they cross: one JSON text a line, and what stays here of each. */
export interface Framed {
  readonly lines: string;
  readonly executes: Map<string, Execute>;
}

/**
 * Frames each tool by itself: a getter that throws, a cycle or a BigInt in one says nothing about the next. JSON text
 * holds no raw line break, so a line break ends a frame.
 */
export function frame(tools: readonly ToolDeclaration[], exposedName: ((raw: string) => string) | undefined): Framed {
  const executes = new Map<string, Execute>();
  const lines: string[] = [];
  for (const tool of tools) {
    let name: unknown;
    try {
      name = tool.name;
      lines.push(text(tool, name, exposedName));
      const { execute } = tool;
      // The first of two declarations of one name stands.
      if (typeof execute === "function" && typeof name === "string" && !executes.has(name)) executes.set(name, execute);
    } catch (error) {
      lines.push(refused(name, messageOf(error)));
    }
  }
  return { lines: lines.length === 0 ? "" : `${lines.join("\n")}\n`, executes };
}

function text(tool: ToolDeclaration, name: unknown, exposedName: ((raw: string) => string) | undefined): string {
  const { description, inputSchema, outputSchema, annotations, exposure, category, execute } = tool;
  if (execute !== undefined && typeof execute !== "function") throw new TypeError("`execute` is no function; give one or none");
  for (const [key, schema] of [["inputSchema", inputSchema], ["outputSchema", outputSchema]] as const) {
    if (typeof schema === "object" && schema !== null && "~standard" in schema) {
      throw new TypeError(`\`${key}\` is a validator, not a JSON Schema; convert it first (zod: \`z.toJSONSchema\`)`);
    }
  }
  const exposed = exposedName === undefined || typeof name !== "string" ? undefined : ownName(exposedName, name);
  return JSON.stringify({ name, description, inputSchema, outputSchema, annotations, exposure, category, exposedName: exposed });
}

/** The host's own name for a tool. What it gives that is no string is said as such, and the default name stands. */
export function ownName(exposedName: (raw: string) => string, raw: string): string {
  try {
    const name: unknown = exposedName(raw);
    return typeof name === "string" ? name.toWellFormed() : `(${typeof name})`;
  } catch (error) {
    return `(error: ${messageOf(error)})`;
  }
}

function refused(name: unknown, reason: string): string {
  const said = typeof name === "string" ? name.slice(0, 2_048) : "";
  return `!${JSON.stringify([said.toWellFormed(), reason.toWellFormed()])}`;
}
