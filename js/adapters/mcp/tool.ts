/** One tool of a server as a declaration: its own words, and nothing that would be the host's to say. */
import type { Exposure, ToolAnnotations, ToolDeclaration } from "../../../index.js";
import { isThenable } from "../../listener.js";
import { type Check, invalid, oneOf } from "../../options.js";
import { type McpClient, type RequestOptions, isAnswer, sendCall } from "./client.js";

/** What the host says of a server's tools. */
export interface ToolSettings {
  readonly exposure: Exposure | ((rawName: string) => Exposure | undefined) | undefined;
  readonly callTimeoutMs: number | undefined;
}

/** Which exposures there are. */
export const exposures: Check = oneOf("direct", "model-only", "code", "deferred", "hidden");

/**
 * What the host says of one tool's exposure; a tool that it could not say anything of is kept out of reach, and `unsaid`
 * told why.
 */
function exposureOf({ exposure }: ToolSettings, name: unknown, unsaid: (error: unknown) => void): Exposure | undefined {
  if (typeof exposure !== "function") return exposure;
  if (typeof name !== "string") return undefined;
  try {
    const said: unknown = exposure(name);
    if (said === undefined || exposures.is(said)) return said as Exposure | undefined;
    if (!isThenable(said)) throw invalid(`the exposure of \`${name}\``, exposures.what, said);
    // Nobody waits for it: what it rejects with must not end the process.
    void Promise.resolve(said).catch(() => {});
    throw new TypeError(`the exposure of \`${name}\` is a promise; give a function that answers at once`);
  } catch (error) {
    unsaid(error);
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
 *
 * `lost` is called where a call failed and the server did not say so itself; `unsaid` where the host could not say how
 * the tool is exposed.
 */
export function declarationOf(
  client: McpClient,
  listed: unknown,
  settings: ToolSettings,
  lost: () => void,
  unsaid: (error: unknown) => void,
): ToolDeclaration {
  if (!isObject(listed)) return listed as ToolDeclaration;
  const { name, title, description, inputSchema, outputSchema, annotations } = listed as Partial<ToolDeclaration> & { title?: unknown };
  const { callTimeoutMs } = settings;
  const exposure = exposureOf(settings, name, unsaid);
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
      if (!signal.aborted && !isAnswer(error)) lost();
      throw error;
    }
    if (result.isError === true) throw new Error(reasonOf(result));
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

interface Block {
  type?: unknown;
  text?: unknown;
  resource?: { text?: unknown } | null;
}

/** Why a tool failed: the texts of its blocks, with the others named; where there is no text, what it gave as data. */
function reasonOf({ content, structuredContent }: CallResult): string {
  const blocks = Array.isArray(content) ? (content as (Block | null | undefined)[]) : [];
  const texts = blocks.map((block) => {
    const text = block?.type === "resource" ? block.resource?.text : block?.type === "text" ? block.text : undefined;
    return typeof text === "string" ? text : undefined;
  });
  if (texts.every((text) => !text) && structuredContent !== undefined) return JSON.stringify(structuredContent);
  const lines = texts.map((text, at) => text ?? `[${String(blocks[at]?.type)}]`);
  return lines.join("\n") || "the tool failed and did not say why";
}
