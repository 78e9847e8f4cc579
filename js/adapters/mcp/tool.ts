/** One tool of a server as a declaration: its own words, and nothing that would be the host's to say. */
import type { Exposure, ToolAnnotations, ToolDeclaration } from "../../../index.js";
import { type McpClient, type RequestOptions, isAnswer, sendCall } from "./client.js";

/** What the host says of a server's tools. */
export interface ToolSettings {
  readonly exposure: Exposure | ((rawName: string) => Exposure | undefined) | undefined;
  readonly callTimeoutMs: number | undefined;
}

/** What the host says of one tool's exposure; a tool that it could not say anything of is kept out of reach. */
function exposureOf({ exposure }: ToolSettings, name: unknown): Exposure | undefined {
  if (typeof exposure !== "function") return exposure;
  if (typeof name !== "string") return undefined;
  try {
    return exposure(name);
  } catch {
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
 * `lost` is called where a call failed and the server did not say so itself.
 */
export function declarationOf(
  client: McpClient,
  listed: unknown,
  settings: ToolSettings,
  lost: () => void,
): ToolDeclaration {
  if (!isObject(listed)) return listed as ToolDeclaration;
  const { name, title, description, inputSchema, outputSchema, annotations } = listed as Partial<ToolDeclaration> & { title?: unknown };
  const { callTimeoutMs } = settings;
  const exposure = exposureOf(settings, name);
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
    if (result.isError === true) throw new Error(textOf(result.content) || "the tool failed and did not say why");
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

/** The text of a result's blocks; others are named. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  const blocks = content as ({ type?: unknown; text?: unknown } | null | undefined)[];
  return blocks.map((block) => (block?.type === "text" ? String(block.text) : `[${String(block?.type)}]`)).join("\n");
}
