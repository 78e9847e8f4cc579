// A plain agent loop on the Anthropic Messages API, with a scope: what is out of it is neither shown nor run, and a
// server that connects while the loop is under way is there on its next request.
//
//   ANTHROPIC_API_KEY=… node main.mjs "What is in note.txt?" npx -y @modelcontextprotocol/server-everything
import Anthropic from "@anthropic-ai/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { ToolSession } from "toolscope";
import { connectMcp } from "toolscope/mcp";
import { anthropicInput, anthropicTools } from "toolscope/providers";

const file = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
export const tools = [
  { name: "read", description: "Reads a file.", inputSchema: file, execute: ({ path }) => readFile(path, "utf8") },
  { name: "bash", description: "Runs a command.", execute: () => "anything could happen here" },
];

/** Asks, runs what is called, feeds back, until the model is done. Resolves to what it said last. */
export async function converse({ session, anthropic, model, prompt, mostTurns = 20 }) {
  const messages = [{ role: "user", content: prompt }];
  if (session.state === "created") session.start();
  for (let turn = 1; turn <= mostTurns; turn++) {
    const request = await session.prepare();
    const reply = await anthropic.messages.create({
      model,
      max_tokens: 4096,
      messages,
      tools: anthropicTools(request),
      ...(request.prompt !== "" && { system: request.prompt }),
    });
    messages.push({ role: "assistant", content: reply.content });
    const calls = reply.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) return reply.content.map((block) => block.text ?? "").join("");
    const content = await Promise.all(calls.map((call) => run(session, request, call)));
    messages.push({ role: "user", content });
    session.endTurn();
  }
  throw new Error(`the model was not done after ${mostTurns} turns`);
}

/** The one door: it decides by the name the model wrote, and runs the tool where it may. */
async function run(session, request, { id, name, input }) {
  const shown = request.tools.find((tool) => tool.name === name);
  const own = shown === undefined ? input : anthropicInput(shown, input);
  const { ok, value, error } = await session.call({ name, input: own, callId: id });
  const content = ok ? textOf(value) : error.message;
  return { type: "tool_result", tool_use_id: id, content, is_error: !ok };
}

/** A string of ours, or the blocks of an MCP result. */
function textOf(value) {
  if (typeof value === "string") return value;
  const blocks = value?.content ?? [{ type: "text", text: JSON.stringify(value) }];
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [prompt = "Which tools have you got?", command, ...args] = process.argv.slice(2);
  const session = new ToolSession({ scope: { allow: ["read", "mcp:server"], exclude: ["mcp:server/get-env"] } });
  session.addSource({ kind: "builtin", name: "example", tools });
  session.on("decision", ({ decision }) => console.error(`${decision.name}: ${decision.allowed ? "runs" : decision.reason}`));
  const client = new Client({ name: "bare-loop", version: "1.0.0" });
  connectMcp(session, client, { name: "server" });
  // Nobody waits for it.
  if (command !== undefined) void client.connect(new StdioClientTransport({ command, args })).catch(console.error);
  console.log(await converse({ session, anthropic: new Anthropic(), model: process.env.MODEL ?? "claude-opus-5-5", prompt }));
  await client.close();
}
