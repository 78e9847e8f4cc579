/**
 * A tool's result as the AI SDK shows it to a model. An MCP server's blocks become content; whatever else a tool
 * returns crosses as JSON, whole. Nothing here throws, since the SDK ends a generation where this does.
 */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../options.js";
import type { AiTool } from "./original.js";

type ModelOutput = Awaited<ReturnType<NonNullable<AiTool["toModelOutput"]>>>;
type Fields = Readonly<Record<string, unknown>>;

/** `isServers`: an MCP server said it, in the protocol's form; else it must have that form and nothing beside it. */
export function modelOutputOf(output: unknown, isServers: boolean): ModelOutput {
  try {
    if (typeof output === "string") return { type: "text", value: output };
    if (isFields(output) && (isServers ? Array.isArray(output["content"]) : isResult(output))) return ofResult(output);
    return { type: "json", value: jsonOf(output) as never };
  } catch (thrown) {
    return { type: "error-text", value: `the tool ran, and what it returned cannot be read: ${messageOf(thrown)}` };
  }
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const has = (value: Fields, ...keys: string[]): boolean => keys.every((key) => typeof value[key] === "string");
const hasOnly = (value: Fields, ...keys: string[]): boolean => Object.keys(value).every((key) => keys.includes(key));

/** MCP's kinds of blocks: what each has, and all that it may have beside `type`, `annotations` and `_meta`. */
const blocks = new Map<unknown, (block: Fields) => boolean>(Object.entries({
  text: (block: Fields) => has(block, "text") && isBlockOf(block, "text"),
  image: (block: Fields) => has(block, "data", "mimeType") && isBlockOf(block, "data", "mimeType"),
  audio: (block: Fields) => has(block, "data", "mimeType") && isBlockOf(block, "data", "mimeType"),
  resource: (block: Fields) => isFields(block["resource"]) && has(block["resource"], "uri") && isBlockOf(block, "resource"),
  resource_link: (block: Fields) =>
    has(block, "uri", "name") && isBlockOf(block, "uri", "name", "title", "description", "mimeType", "size", "icons"),
}));
const isBlockOf = (block: Fields, ...keys: string[]): boolean => hasOnly(block, "type", "annotations", "_meta", ...keys);
const isBlock = (value: unknown): boolean => isFields(value) && blocks.get(value["type"])?.(value) === true;

/** Whether a value is an MCP result without doubt. One that says `isError` is not shown as if it had succeeded. */
function isResult(output: Fields): boolean {
  const { content, structuredContent, isError } = output;
  if (!Array.isArray(content) || !Array.from(content).every(isBlock) || !hasOnly(output, "content", "structuredContent", "isError", "_meta")) return false;
  return isError !== true && (content.length > 0 || isFields(structuredContent));
}

/** Its blocks, and its structured content where no text says the same. */
function ofResult({ content, structuredContent, ...rest }: Fields): ModelOutput {
  // A copy, since a list may have holes.
  const listed: unknown[] = Array.from(content as readonly unknown[]);
  if (listed.length === 0) {
    return { type: "json", value: jsonOf(structuredContent === undefined ? { content, ...rest } : structuredContent) as never };
  }
  const shown = structuredContent === undefined || isSaid(listed, structuredContent) ? listed : [...listed, structuredContent];
  return { type: "content", value: shown.map(partOf) } as ModelOutput;
}

/**
 * Whether texts among the blocks are the structured content. Servers send it as a text, too; those that wrap what is no
 * object under one key send what they wrapped, and a list element by element.
 */
function isSaid(content: readonly unknown[], structured: unknown): boolean {
  const texts = content.flatMap((block) => (isFields(block) && typeof block["text"] === "string" ? [block["text"]] : []));
  const values = texts.flatMap((text) => {
    try {
      return [text, JSON.parse(text) as unknown];
    } catch {
      return [text];
    }
  });
  const said = (value: unknown): boolean => values.some((one) => isDeepStrictEqual(one, value));
  const [wrapped, ...others] = isFields(structured) ? Object.values(structured) : [];
  const isWrapped = wrapped !== undefined && others.length === 0;
  return said(structured) || (isWrapped && (said(wrapped) || (Array.isArray(wrapped) && wrapped.every(said))));
}

function partOf(block: unknown): object {
  const { type, text, data, mimeType } = isFields(block) ? block : ({} as Fields);
  if (type === "text" && typeof text === "string") return { type, text };
  if ((type === "image" || type === "audio") && isBase64(data) && typeof mimeType === "string" && /^\w+\/\S+$/.test(mimeType)) {
    return { type: "file", data: { type: "data", data }, mediaType: mimeType };
  }
  return { type: "text", text: JSON.stringify(jsonOf(block)) };
}

/** The SDK decodes what it takes for bytes, and throws at what is none. */
function isBase64(data: unknown): data is string {
  if (typeof data !== "string" || /[^A-Za-z0-9+/_=\s-]/.test(data)) return false;
  const digits = data.replace(/\s/g, "").replace(/={1,2}$/, "");
  return digits !== "" && !digits.includes("=") && digits.length % 4 !== 1;
}

/** What JSON says of a value, and of what it refuses (a BigInt, a cycle) a text in its place. */
function jsonOf(value: unknown): unknown {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = JSON.stringify(value, tolerant());
  }
  return text === undefined ? null : JSON.parse(text);
}

function tolerant(): (this: object, key: string, part: unknown) => unknown {
  const above: object[] = [];
  return function (_, part) {
    if (typeof part === "bigint") return String(part);
    if (typeof part !== "object" || part === null) return part;
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(part)) return "[circular]";
    above.push(part);
    return part;
  };
}
