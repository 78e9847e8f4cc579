/** The client as this adapter uses it: what both generations have in common, by shape, so that neither need be installed. */

import type { ToolProgress } from "../../../index.js";

/**
 * A client of the official TypeScript SDK: `Client` of `@modelcontextprotocol/sdk` 1.x, or of
 * `@modelcontextprotocol/client` 2.x.
 */
export interface McpClient {
  readonly transport?: object | undefined;
  connect(...args: never[]): Promise<void>;
  request(...args: never[]): Promise<unknown>;
  callTool(...args: never[]): Promise<unknown>;
  getServerCapabilities(): object | undefined;
  getInstructions(): string | undefined;
}

/** A transport's public callbacks; the client sets them when it connects. */
export interface McpTransport {
  onmessage?: ((...args: unknown[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/** How one request is sent, in both generations. */
export interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number;
  onprogress?: (progress: ToolProgress) => void;
  resetTimeoutOnProgress?: boolean;
}

type Request = (request: { method: string; params: object }, schema: object, options: RequestOptions) => Promise<unknown>;
/** 1.x has a result schema between the two; 2.x does not. */
type CallTool = (params: { name: string; arguments?: unknown }, ...rest: unknown[]) => Promise<unknown>;

/** What 2.x adds for servers of the revision 2026-07-28, which send notices only to whoever listens for them. */
interface Modern {
  getProtocolEra(): "legacy" | "modern" | undefined;
  listen(filter: { toolsListChanged: true }, options?: RequestOptions): Promise<{ close(): Promise<void>; closed: Promise<unknown> }>;
}

/**
 * Lets every result through, in the words of both generations (`parse` and `safeParse` of 1.x, Standard Schema of 2.x):
 * their own schemas refuse a whole listing for one tool they do not like.
 */
const anything: object = {
  parse: (value: unknown) => value,
  safeParse: (value: unknown) => ({ success: true, data: value }),
  "~standard": { version: 1, vendor: "toolscope", validate: (value: unknown) => ({ value }) },
};

/** One request, with whatever the server answers. */
export function send(client: McpClient, method: string, params: object, options: RequestOptions): Promise<unknown> {
  return (client.request as Request).call(client, { method, params }, anything, options);
}

/** One call of a tool as the client itself would send it. `tool` is the tool as the server listed it. */
export function sendCall(client: McpClient, tool: { readonly name: string }, input: unknown, options: RequestOptions): Promise<unknown> {
  const params = { name: tool.name, ...(input !== undefined && { arguments: input }) };
  const callTool = client.callTool as CallTool;
  if (!isSecond(client)) return callTool.call(client, params, undefined, options);
  // With the definition at hand, parameters that travel as headers need no listing of the client's own.
  return callTool.call(client, params, isModern(client) ? { ...options, toolDefinition: tool } : options);
}

const isSecond = (client: McpClient): client is McpClient & Modern =>
  typeof (client as Partial<Modern>).getProtocolEra === "function";

/** Whether the server sends notices only to whoever listens for them. */
export const isModern = (client: McpClient): client is McpClient & Modern =>
  isSecond(client) && client.getProtocolEra() === "modern" && typeof client.listen === "function";

/** Not connected; connection closed or request timed out, on this side: what the codes of 1.x mean when no server spoke. */
const NOT_FROM_THE_SERVER = new Set([-32_000, -32_001]);

/** Whether an error is the server's own word: it lives, and said no. */
export function isAnswer(error: unknown): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "number" && code < 0 && !NOT_FROM_THE_SERVER.has(code);
}

/** JSON-RPC's word for a method that the server does not have. */
export const isMethodNotFound = (error: unknown): boolean =>
  (error as { code?: unknown } | null | undefined)?.code === -32_601;
