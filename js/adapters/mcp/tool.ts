/** One tool of a server as a declaration: its own words, and nothing that would be the host's to say. */
import type { Exposure, ToolAnnotations, ToolDeclaration } from "../../../index.js";
import { isThenable } from "../../listener.js";
import { type McpClient, type RequestOptions, isAnswer, sendCall } from "./client.js";

/** What the host says of a server's tools. */
export interface ToolSettings {
  readonly exposure: Exposure | ((rawName: string) => Exposure | undefined) | undefined;
  readonly callTimeoutMs: number | undefined;
}

/** Who hears of what a declaration meets. */
export interface ToolObserver {
  /** A call failed, and the server did not say so itself. */
  lost(): void;
  /** The host could not say how a tool is exposed. */
  refused(rawName: string, problem: unknown): void;
}

/** What the host says of one tool's exposure; a tool that it could not say anything of is kept out of reach. */
function exposureOf({ exposure }: ToolSettings, name: unknown, hears: ToolObserver): Exposure | undefined {
  if (typeof exposure !== "function") return exposure;
  if (typeof name !== "string") return undefined;
  try {
    const said: unknown = exposure(name);
    if (!isThenable(said)) return said as Exposure | undefined;
    said.then(undefined, () => {});
    throw new TypeError("it returned a promise; make it synchronous");
  } catch (problem) {
    hears.refused(name, problem);
    return "hidden";
  }
}

interface CallResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Only MCP's own fields are taken: an `exposure` or a `category` that a server writes into its tool is not its to give.
 * Malformed ones are handed on as they are, and the session quarantines them.
 */
export function declarationOf(
  client: McpClient,
  listed: unknown,
  settings: ToolSettings,
  hears: ToolObserver,
): ToolDeclaration {
  if (!isObject(listed)) return listed as ToolDeclaration;
  const { name, title, description, inputSchema, outputSchema, annotations } = listed as Partial<ToolDeclaration> & { title?: unknown };
  const { callTimeoutMs } = settings;
  const exposure = exposureOf(settings, name, hears);
  const titled = typeof title === "string" && (annotations === undefined || isObject(annotations));
  const execute: ToolDeclaration["execute"] = async (input, { signal, call, onProgress }) => {
    const options: RequestOptions = {
      signal,
      ...(callTimeoutMs !== undefined && { timeout: callTimeoutMs }),
      ...(onProgress !== undefined && { onprogress: onProgress, resetTimeoutOnProgress: true }),
    };
    let result: CallResult;
    try {
      result = (await sendCall(client, listed as { name: string }, input, options)) as CallResult;
    } catch (error) {
      if (!signal.aborted && !isAnswer(error)) hears.lost();
      throw error;
    }
    if (result.isError === true) throw new Error(wordsOf(result));
    // A program is told what a tool returns by its output schema, which describes this part alone.
    const isPlain = call.parentCallId !== undefined && isObject(outputSchema) && result.structuredContent !== undefined;
    return isPlain ? result.structuredContent : result;
  };
  return {
    name,
    description,
    inputSchema,
    outputSchema,
    annotations: titled ? { title, ...(annotations as ToolAnnotations | undefined) } : annotations,
    ...(exposure !== undefined && { exposure }),
    execute,
  } as ToolDeclaration;
}

/** What a failed result says: the text of its blocks, others by their kinds; where there are none, its structure. */
function wordsOf({ content, structuredContent }: CallResult): string {
  const blocks = Array.isArray(content) ? (content as (Block | null | undefined)[]) : [];
  const words = blocks.map((block) => textOf(block) ?? `[${String(block?.type)}]`).join("\n");
  return words || (structuredContent === undefined ? "the tool failed and did not say why" : JSON.stringify(structuredContent));
}

interface Block {
  type?: unknown;
  text?: unknown;
  resource?: { text?: unknown } | null;
}

function textOf(block: Block | null | undefined): string | undefined {
  if (block?.type === "text") return String(block.text);
  const text = block?.type === "resource" ? block.resource?.text : undefined;
  return typeof text === "string" ? text : undefined;
}
