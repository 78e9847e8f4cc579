// The official MCP client on a real MCP server over stdio, feeding a source of tools.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ResultSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const manifest = require.resolve("@modelcontextprotocol/server-everything/package.json");
const server = join(dirname(manifest), require(manifest).bin["mcp-server-everything"]);

// The client hands these to every server it starts. They are none of the model's business, and `get-env` prints them.
const inherited = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/**
 * Starts `@modelcontextprotocol/server-everything` and hands its tools to `onTools`, once before this resolves and again
 * whenever the server says that its list has changed.
 *
 * @param {{
 *   secret: string, run: (rawName: string, request: () => Promise<object>) => Promise<object>, signal?: AbortSignal,
 *   onTools: (tools: object[]) => void, onGone: (reason: string) => void,
 * }} options `secret` is put into the server's environment, where `get-env` finds it; `run` is handed each
 *   request of a call, to send it; `onGone` is called where the server ends without having been closed.
 * @returns {Promise<{ kill(): Promise<void>, close(): Promise<void> }>} `kill` ends the server as a crash would.
 */
export async function connectEverything({ secret, run, signal, onTools, onGone }) {
  const environment = { ...Object.fromEntries(inherited.map((name) => [name, ""])), DEMO_SECRET: secret };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [server, "stdio"],
    env: environment,
    stderr: "ignore",
  });
  const client = new Client({ name: "toolscope-demo", version: "1.0.0" });

  const execute = (rawName) => (input, context) => {
    // The raw name, never the one the model saw: that one is the host's own affair.
    const params = { name: rawName, arguments: input };
    const options = { signal: context?.signal };
    return run(rawName, () => client.request({ method: "tools/call", params }, ResultSchema, options));
  };
  async function list() {
    const tools = [];
    let cursor;
    do {
      // The raw result: `client.listTools()` would throw for all tools where the schema of one is not to its liking.
      const page = await client.request({ method: "tools/list", params: { cursor } }, ResultSchema, { signal });
      tools.push(...page.tools);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    onTools(tools.map((tool) => ({ ...tool, execute: execute(tool.name) })));
  }

  // One listing at a time, so that an older answer never replaces a newer one.
  let listing = Promise.resolve();
  const relist = () => (listing = listing.catch(() => {}).then(list));
  // A listing that fails leaves the last known tools.
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void relist().catch(() => {}));

  let closing = false;
  const gone = new Promise((resolve) => {
    client.onclose = () => {
      if (!closing) onGone("the server has ended");
      resolve();
    };
  });
  const close = async () => {
    closing = true;
    await client.close();
  };
  try {
    await client.connect(transport, { signal });
    await relist();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    close,
    async kill() {
      process.kill(transport.pid, "SIGKILL");
      await gone;
    },
  };
}
