/** Tools that the host wrote for the AI SDK, as a source of the session. */
import type { ToolSet } from "ai" with { "resolution-mode": "import" };
import type { JsonSchema, ToolDeclaration, ToolSource } from "../../../index.js";
import { expect, object } from "../../options.js";
import { jsonSchemaOf } from "./schema.js";

/** One tool as the AI SDK has it. */
export type AiTool = ToolSet[string];
export type AiExecute = NonNullable<AiTool["execute"]>;
export type AiExecuteOptions = Parameters<AiExecute>[1];

/** A tool of the host's with what was declared of it: shown unchanged, it is shown as it is. */
export interface Original {
  readonly tool: AiTool;
  readonly description: string;
  readonly inputSchema: JsonSchema | undefined;
}

/** By the source they were added to, so that every session of its tree finds them. */
const known = new WeakMap<ToolSource, Map<string, Original>>();

/** The host's own tool behind one of a source's tools. */
export const originalOf = (source: ToolSource | undefined, rawName: string): Original | undefined =>
  source === undefined ? undefined : known.get(source)?.get(rawName);

/** A tool with its name, and its schema or the promise of it. */
type Read = readonly [string, AiTool, JsonSchema | undefined | Promise<JsonSchema>];

/** The tools with their schemas. Throws for one whose schema cannot be read. */
export const schemasOf = (tools: ToolSet): Read[] =>
  Object.entries(tools).map(([name, tool]) => {
    expect(`tool \`${name}\``, tool, object);
    // A provider runs its own tools, by schemas of its own.
    const isOwn = tool.type === "provider" || tool.inputSchema === undefined;
    const schema = isOwn ? undefined : jsonSchemaOf(name, tool.inputSchema);
    // Whoever feeds them hears of it; until then nobody may.
    if (schema instanceof Promise) schema.catch(() => {});
    return [name, tool, schema] as const;
  });

/** Hands the tools to the source: at once where their schemas are at hand, else when they are. */
export function feed(source: ToolSource, schemas: readonly Read[]): Promise<void> {
  const originals = new Map<string, Original>();
  known.set(source, originals);
  const declare = (read: readonly (readonly [string, AiTool, JsonSchema | undefined])[]): void => {
    for (const [name, tool, inputSchema] of read) {
      const description = typeof tool.description === "string" ? tool.description : "";
      originals.set(name, { tool, description, inputSchema });
    }
    if (source.state !== "closed") source.set(read.map(([name]) => declarationOf(name, originals.get(name) as Original)));
  };
  const isThere = (schema: unknown): schema is JsonSchema | undefined => !(schema instanceof Promise);
  if (schemas.every(([, , schema]) => isThere(schema))) {
    declare(schemas as readonly (readonly [string, AiTool, JsonSchema | undefined])[]);
    return Promise.resolve();
  }
  return Promise.all(schemas.map(async ([name, tool, schema]) => [name, tool, await schema] as const)).then(declare);
}

function declarationOf(name: string, { tool, description, inputSchema }: Original): ToolDeclaration {
  const execute = tool.execute as AiExecute | undefined;
  const isAsked = Boolean(tool.needsApproval);
  return {
    name,
    ...(description !== "" && { description }),
    ...(inputSchema !== undefined && { inputSchema }),
    // A program cannot wait for a person, and what is asked of one must not run unasked.
    ...(isAsked && { exposure: "model-only" as const }),
    // For whoever calls it by the session, outside of a generation: there are no messages and no context.
    ...(execute !== undefined && {
      execute: (input, { signal, call }) =>
        lastOf(execute.call(tool, input, { toolCallId: call.callId ?? call.name, messages: [], abortSignal: signal } as never)),
    }),
  };
}

/** What a tool returns in the end, whether it returns it or streams towards it. */
export async function lastOf(output: unknown): Promise<unknown> {
  const settled = await output;
  if (!isAsyncIterable(settled)) return settled;
  let last: unknown;
  for await (const part of settled) last = part;
  return last;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === "object" && value !== null && Symbol.asyncIterator in value;
