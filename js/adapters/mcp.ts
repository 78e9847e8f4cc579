/**
 * `toolscope/mcp`: the tools of MCP servers, live, through the official client in both its generations
 * (`@modelcontextprotocol/sdk` 1.x and `@modelcontextprotocol/client` 2.x). It loads neither of them.
 *
 * What the host enforces: nothing. A client calls whatever it is told to, so tools are called through
 * {@link ToolSession.call} and never by `client.callTool` beside it; the declarations' `execute` is what calls the
 * server, by the tool's raw name, after the session has decided.
 */
import { type Exposure, type SourceSpec, type ToolSession, type ToolSource, ToolscopeError } from "../../index.js";
import { boolean, callable, either, expect, list, milliseconds, options as read, session, string, strings } from "../options.js";
import { Connection } from "./mcp/connection.js";
import type { McpClient } from "./mcp/client.js";
import { exposures } from "./mcp/tool.js";

export type { McpClient } from "./mcp/client.js";

/** How {@link connectMcp} connects. The host is trusted; what the server says of itself is not. */
export interface McpOptions extends Pick<SourceSpec, "name" | "aliases" | "path" | "declares" | "trustHints" | "exposedName"> {
  /** What the server is for, until it connects and wherever it sends no `instructions`. */
  description?: string;
  /** Of all its tools, or of each by its raw name; one for which it throws, or gives anything else (a promise,
   * too), is `hidden`, and `onError` hears of it. Default `"direct"`. */
  exposure?: Exposure | ((rawName: string) => Exposure | undefined);
  /** Named parts of the server for the catalog: `match` is a regular expression over raw names. */
  categories?: readonly { name: string; match: string; description: string }[];
  /** How long a call may take, and go on after each report of progress. Default: the client's, 60 000 ms. */
  callTimeoutMs?: number;
  /** Hears why a listing failed or was cut short, or a tool is hidden; the source's state follows by itself. Default: nobody. */
  onError?: (error: Error) => void;
}

/** A server as a source of a session. */
export interface McpConnection extends Disposable {
  /** Its source; `state` says whether the server is there. */
  readonly source: ToolSource;
  /** Lists the tools now, for a server that changes them and sends no notice. Never rejects: see {@link ToolSource.state}. */
  refresh(): Promise<void>;
  /** Lets go of the client, which stays the host's and open, and closes the source. Disposing the session does it, too. */
  dispose(): void;
}

const known = {
  name: string,
  aliases: strings,
  path: string,
  declares: strings,
  trustHints: boolean,
  exposedName: callable,
  description: string,
  exposure: either(exposures, callable),
  categories: list,
  callTimeoutMs: milliseconds,
  onError: callable,
};

const connections = new WeakMap<ToolSession, Map<string, Connection>>();

/**
 * Makes a server's tools a source of a session, `mcp:<name>`, and keeps it in step from then on: connected before or
 * after, changed, crashed and reconnected.
 *
 * - Every page of its list is read; a tool that cannot be one is quarantined alone.
 * - `tools/list_changed` is heard whether or not the server announced that it would be sent, also while a listing is
 *   under way; notices within 100 ms are answered by one listing.
 * - Where the connection closes, a listing is not answered or a call gets lost, the source is `failed` and its tools are
 *   `pending`, with their names and places. It is listed again when the client connects anew, and while it is connected
 *   after 1 s, 2 s, and so on to 60 s. To connect is the host's: `client.connect(transport)`, or, for a new client, this
 *   function once more under the same name. The source is the same then, with its `aliases`, `declares`, `path`,
 *   `trustHints` and `exposedName`: others of the first four are refused, another `exposedName` is not asked. A source
 *   that was closed is added anew.
 * - A call's signal and its `onProgress` reach the server; a result with `isError` is a failed call, its text the message.
 *   A call from inside code gets `structuredContent` alone where the tool declares an `outputSchema`.
 *
 * @param scope The root of a session's tree.
 * @param client Connected or not. Its handlers stay as the host set them; while connected here its `connect` and the
 *   transport's callbacks are listened to.
 * @throws {ToolscopeError} `ERR_TOOLSCOPE_HOST_UNSUPPORTED` where `client` is none; `ERR_TOOLSCOPE_INVALID_ARGUMENT`
 *   for options that are none of these; `ERR_TOOLSCOPE_SOURCE_DUPLICATE` where
 *   a source has the name that was added otherwise, or whose client is connected; and what `addSource()` throws.
 *
 * @example
 * const kb = connectMcp(session, client, { name: "kb", declares: ["search"] });
 * await client.connect(new StdioClientTransport({ command: "kb-server" })); // now or at any later time
 */
export function connectMcp(scope: ToolSession, client: McpClient, options: McpOptions): McpConnection {
  expect("the session", scope, session);
  if (!isClient(client)) {
    throw new ToolscopeError(
      "ERR_TOOLSCOPE_HOST_UNSUPPORTED",
      "this is no MCP client; give a `Client` of `@modelcontextprotocol/sdk` 1.x or `@modelcontextprotocol/client` 2.x",
    );
  }
  const { exposure, categories, callTimeoutMs, onError, ...spec } = read<McpOptions>("connectMcp()", options, known, ["name"]);
  const ofSession = connections.get(scope) ?? new Map<string, Connection>();
  connections.set(scope, ofSession);
  const key = spec.name.toLowerCase();
  const before = ofSession.get(key);
  if (before?.source.state === "closed") before.release();
  let source: ToolSource;
  let added: Omit<SourceSpec, "kind"> = spec;
  if (before !== undefined && before.source.state !== "closed" && !before.isConnected) {
    refuseOther(before, spec);
    before.release();
    ({ source, added } = before);
  } else {
    source = scope.addSource({ ...spec, kind: "mcp" });
  }
  const off =
    categories &&
    scope.on("catalog", () => ({ categories: categories.map((category) => ({ ...category, namespace: source.id })) }), {
      name: source.id,
    });
  const connection = new Connection({
    session: scope,
    client,
    source,
    added,
    description: spec.description,
    exposure,
    callTimeoutMs,
    onError,
    ended: () => {
      off?.();
      if (ofSession.get(key) === connection) ofSession.delete(key);
    },
  });
  ofSession.set(key, connection);
  connection.start();
  return {
    source,
    refresh: () => connection.refresh(),
    dispose: () => connection.dispose(),
    [Symbol.dispose]: () => connection.dispose(),
  };
}

/** What a source was added with holds for as long as it is there; to pass over another word of the host's would be a lie. */
function refuseOther({ source, added }: Connection, spec: Omit<SourceSpec, "kind">): void {
  for (const key of ["aliases", "declares", "path", "trustHints"] as const) {
    if (spec[key] === undefined || JSON.stringify(spec[key]) === JSON.stringify(added[key])) continue;
    const message = `\`${key}\` of connectMcp() is not what source \`${source.id}\` was added with; leave it out, or close the source first`;
    throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", message);
  }
}

function isClient(client: unknown): client is McpClient {
  const { connect, request, callTool } = (client ?? {}) as Partial<McpClient>;
  return [connect, request, callTool].every((method) => typeof method === "function");
}
