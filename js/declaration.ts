import type { ToolDeclaration } from "../index.js";
import { isThenable } from "./listener.js";
import { messageOf } from "./options.js";

export type Execute = NonNullable<ToolDeclaration["execute"]>;

/** Declarations as they cross: one JSON text a line, and what stays here of each, where there is something. */
export interface Framed {
  /** Only the first `length` bytes, and only until the next tools are framed. */
  readonly lines: Uint8Array;
  readonly length: number;
  readonly executes: Map<string, Execute | undefined>;
}

const empty: Buffer = Buffer.alloc(0);
/** Where lines are written before they cross. It is kept, so that a small change allocates nothing. */
let page: Buffer = Buffer.allocUnsafe(1 << 16);
const LARGEST_KEPT = 1 << 20;

/**
 * Frames each tool by itself: a getter that throws, a cycle or a BigInt in one says nothing about the next. JSON text
 * holds no raw line break, so a line break ends a frame.
 */
export function frame(tools: readonly ToolDeclaration[], exposedName: ((raw: string) => string) | undefined): Framed {
  const executes = new Map<string, Execute | undefined>();
  let lines: Buffer = page;
  // What is read may itself frame tools; it does so on a page of its own.
  page = empty;
  let length = 0;
  for (const tool of tools) {
    const line = lineOf(tool, exposedName, executes);
    // UTF-8 takes at most three bytes for each unit of a JavaScript string.
    if (lines.length - length <= line.length * 3) lines = grown(lines, length, Buffer.byteLength(line) + 1);
    length += lines.write(line, length);
    lines[length++] = 10;
  }
  page = lines.length <= LARGEST_KEPT ? lines : empty;
  return { lines, length, executes };
}

function grown(lines: Buffer, length: number, more: number): Buffer {
  if (lines.length - length >= more) return lines;
  const larger = Buffer.allocUnsafe(Math.max(lines.length * 2, length + more));
  lines.copy(larger, 0, 0, length);
  return larger;
}

function lineOf(
  tool: ToolDeclaration,
  exposedName: ((raw: string) => string) | undefined,
  executes: Map<string, Execute | undefined>,
): string {
  let name: unknown;
  try {
    name = tool.name;
    const { execute } = tool;
    const line = text(tool, name, execute, exposedName);
    // The first of two declarations of one name stands.
    if (typeof name === "string" && !executes.has(name)) executes.set(name, execute);
    return line;
  } catch (error) {
    const said = typeof name === "string" ? name.slice(0, 2_048) : "";
    return `!${JSON.stringify([said.toWellFormed(), messageOf(error).toWellFormed()])}`;
  }
}

function text(
  tool: ToolDeclaration,
  name: unknown,
  execute: unknown,
  exposedName: ((raw: string) => string) | undefined,
): string {
  const { description, inputSchema, outputSchema, annotations, exposure, category } = tool;
  if (execute !== undefined && typeof execute !== "function") throw new TypeError("`execute` is no function; give one or none");
  refuseValidator("inputSchema", inputSchema);
  refuseValidator("outputSchema", outputSchema);
  const exposed = exposedName === undefined || typeof name !== "string" ? undefined : ownName(exposedName, name);
  return JSON.stringify({ name, description, inputSchema, outputSchema, annotations, exposure, category, exposedName: exposed });
}

/** A validator's object (zod, valibot, …) would pass as a schema that says nothing. */
function refuseValidator(key: string, schema: unknown): void {
  if (typeof schema !== "object" || schema === null || !("~standard" in schema)) return;
  throw new TypeError(`\`${key}\` is a validator, not a JSON Schema; convert it first (zod: \`z.toJSONSchema\`)`);
}

/** The host's own name for a tool. What it gives that is no string is said as such, and the default name stands. */
export function ownName(exposedName: (raw: string) => string, raw: string): string {
  try {
    const name: unknown = exposedName(raw);
    // Nobody waits for a promise: what it rejects with must not end the process.
    if (isThenable(name)) void Promise.resolve(name).catch(() => {});
    return typeof name === "string" ? name.toWellFormed() : `(${typeof name})`;
  } catch (error) {
    return `(error: ${messageOf(error)})`.toWellFormed();
  }
}
