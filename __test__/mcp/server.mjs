// A small MCP server that does what real ones do and SDKs would not let it: it pages, changes its list with or without
// having announced that, sends malformed tools, has lists without an end, dies and comes back. It speaks JSON-RPC by
// hand, over stdio as a program of its own (`node server.mjs <options as JSON>`) and over streamable HTTP in-process.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const text = (value) => ({ content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }] });
const schema = { type: "object" };
/** A name, or a whole tool as it will be listed; `describedBy` characters stand for a description as long as that. */
function named(tool) {
  if (typeof tool === "string") return { name: tool, description: `Runs ${tool}`, inputSchema: schema };
  const { describedBy, ...rest } = tool;
  return describedBy === undefined ? rest : { ...rest, description: "x".repeat(describedBy) };
}

/**
 * @param {{
 *   tools?: (string | object)[], pageSize?: number, listChanged?: boolean, instructions?: string,
 *   endless?: "repeated" | "fresh", noticeWhileListing?: boolean, noticeAfterListing?: boolean, failLists?: number[],
 *   crash?: () => void,
 * }} options
 */
export function tinyServer(options) {
  const state = { tools: (options.tools ?? ["a", "b"]).map(named), lists: 0, calls: [], cancelled: [] };
  /** Where notices go. */
  const listeners = new Set();
  const notice = () => {
    for (const send of listeners) send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
  };

  async function list({ cursor }) {
    const first = cursor === undefined;
    if (first) state.lists += 1;
    if (options.failLists?.includes(state.lists)) throw { code: -32603, message: "cannot list just now" };
    const size = options.pageSize ?? 1_000;
    const from = Number(cursor ?? 0);
    if (options.endless === "repeated") return { tools: state.tools, nextCursor: "again" };
    if (options.endless === "fresh") return { tools: first ? state.tools : [], nextCursor: String(from + 1) };
    const tools = state.tools.slice(from, from + size);
    const answer = from + size < state.tools.length ? { tools, nextCursor: String(from + size) } : { tools };
    if (options.noticeWhileListing && state.lists === 1) {
      state.tools = [...state.tools, named("during")];
      notice();
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    if (options.noticeAfterListing) setTimeout(notice, 5);
    return answer;
  }

  async function call({ name, arguments: input, _meta }, send, id) {
    state.calls.push({ name, input });
    if (!state.tools.some((tool) => tool.name === name)) throw { code: -32602, message: `Unknown tool: ${name}` };
    if (name === "crash") return options.crash?.(), undefined;
    if (name === "stats") return text({ lists: state.lists, calls: state.calls, cancelled: state.cancelled });
    if (name === "fail") return { ...text("no such city"), isError: true };
    if (name === "failWith") return { ...input, isError: true };
    if (name === "structured") return { ...text("21 degrees"), structuredContent: { degrees: 21 } };
    if (name === "change") {
      state.tools = state.tools.filter((tool) => !input.remove?.includes(tool.name));
      state.tools.push(...(input.add ?? []).map(named));
      for (let times = 0; times < (input.notices ?? 1); times++) notice();
      return text("changed");
    }
    if (name === "wait") {
      for (const progress of [1, 2]) {
        if (_meta?.progressToken === undefined) break;
        send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: _meta.progressToken, progress, total: 3, message: `step ${progress}` } });
      }
      await new Promise((resolve) => setTimeout(resolve, input?.ms ?? 60_000).unref());
      return text("waited");
    }
    return text({ name, input });
  }

  async function answer({ id, method, params = {} }, send) {
    if (method === "initialize") {
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: options.listChanged === false ? {} : { listChanged: true } },
        serverInfo: { name: "tiny", version: "1.0.0" },
        ...(options.instructions !== undefined && { instructions: options.instructions }),
      };
    }
    if (method === "ping") return {};
    if (method === "tools/list") return list(params);
    if (method === "tools/call") return call(params, send, id);
    throw { code: -32601, message: `Method not found: ${method}` };
  }

  return {
    state,
    notice,
    /** Sends notices there until the returned function is called. */
    listen(send) {
      listeners.add(send);
      return () => listeners.delete(send);
    },
    async handle(message, send) {
      if (message.method === "notifications/cancelled") state.cancelled.push(message.params.requestId);
      if (message.id === undefined) return;
      try {
        const result = await answer(message, send);
        if (result !== undefined) send({ jsonrpc: "2.0", id: message.id, result });
      } catch ({ code = -32603, message: reason }) {
        send({ jsonrpc: "2.0", id: message.id, error: { code, message: reason } });
      }
    },
  };
}

/**
 * Serves over streamable HTTP on loopback: `stop` is a crash, with every connection cut; `start` comes back on the same
 * port with the state it had.
 */
export async function serveHttp(options) {
  let port = 0;
  let server;
  const tiny = tinyServer({ ...options, crash: () => void stop() });
  async function start() {
    server = createServer((request, response) => {
      if (request.method === "DELETE") return response.writeHead(405).end();
      const stream = () => response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
      const send = (message) => response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      if (request.method === "GET") {
        stream().flushHeaders();
        response.on("close", tiny.listen(send));
        return;
      }
      let body = "";
      request.on("data", (chunk) => (body += chunk));
      request.on("end", async () => {
        const message = JSON.parse(body);
        if (message.id === undefined) {
          await tiny.handle(message, () => {});
          return response.writeHead(202).end();
        }
        stream();
        await tiny.handle(message, send);
        response.end();
      });
    });
    await new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
    ({ port } = server.address());
  }
  async function stop() {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
  await start();
  return { ...tiny, url: new URL(`http://127.0.0.1:${port}/mcp`), start, stop };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const tiny = tinyServer({ ...JSON.parse(process.argv[2] ?? "{}"), crash: () => process.exit(1) });
  const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  tiny.listen(send);
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => void tiny.handle(JSON.parse(line), send));
  lines.on("close", () => process.exit(0));
}
