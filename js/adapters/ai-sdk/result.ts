/** An MCP server's result as the AI SDK shows it to a model: blocks as content, not as JSON about blocks. */
import type { AiTool } from "./original.js";

type ModelOutput = Awaited<ReturnType<NonNullable<AiTool["toModelOutput"]>>>;
interface Block {
  type?: unknown;
  text?: unknown;
  data?: unknown;
  mimeType?: unknown;
}

export function modelOutputOf(output: unknown): ModelOutput {
  const { content } = (typeof output === "object" && output !== null ? output : {}) as { content?: unknown };
  if (typeof output === "string") return { type: "text", value: output };
  if (!Array.isArray(content)) return { type: "json", value: (output ?? null) as never };
  return { type: "content", value: (content as Block[]).map(partOf) } as ModelOutput;
}

function partOf({ type, text, data, mimeType, ...rest }: Block): object {
  if (type === "text" && typeof text === "string") return { type, text };
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string") {
    return { type: "file", data: { type: "data", data }, mediaType: mimeType };
  }
  return { type: "text", text: JSON.stringify({ type, text, data, mimeType, ...rest }) };
}
