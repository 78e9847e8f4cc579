// A server of the revision 2026-07-28 over stdio, by the official SDK: it sends notices only to whoever listens for them.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

serveStdio(() => {
  const info = { name: "modern", version: "1.0.0" };
  const server = new McpServer(info, { capabilities: { tools: { listChanged: true } }, instructions: "ask it for more" });
  const inputSchema = z.object({ name: z.string() });
  const text = (value) => ({ content: [{ type: "text", text: value }] });
  server.registerTool("grow", { inputSchema }, async ({ name }) => {
    server.registerTool(name, { inputSchema: z.object({}) }, async () => text(`${name} ran`));
    return text("grown");
  });
  return server;
});
