// Everything at once, offline: a real MCP server that connects late, an agent of the AI SDK with a scope, its child with a
// narrower one from an agent file, and a plain loop over the same sessions. Whoever runs the calls, the decisions are the same.
//
//   node main.mjs
import Anthropic from "@anthropic-ai/sdk";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { ToolLoopAgent } from "ai";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ToolSession, parseAgentFile } from "toolscope";
import { scopeTools } from "toolscope/ai-sdk";
import { connectMcp } from "toolscope/mcp";
import { converse } from "../bare-loop/main.mjs";
import { scriptedAnthropic, scriptedModel } from "./models.mjs";

const require = createRequire(import.meta.url);
const manifest = require.resolve("@modelcontextprotocol/server-everything/package.json");
const server = join(dirname(manifest), require(manifest).bin["mcp-server-everything"]);

const session = new ToolSession({ id: "agent", scope: { allow: ["look", "mcp:everything"], exclude: ["mcp:everything/get-env"] } });
const client = new Client({ name: "whole-loop", version: "1.0.0" });
const { source } = connectMcp(session, client, { name: "everything" });
session.addSource({
  kind: "builtin",
  name: "example",
  tools: [
    {
      name: "look",
      description: "Looks around, which takes as long as the server takes to come.",
      async execute() {
        if (source.state === "pending") await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, "stdio"], stderr: "ignore" }));
        while (source.state !== "ready") await new Promise((resolve) => setTimeout(resolve, 5));
        return "all is well";
      },
    },
    { name: "bash", execute: () => "must never run" },
  ],
});
const { scope, name, diagnostics } = parseAgentFile(readFileSync(new URL("reader.md", import.meta.url), "utf8"));
for (const { message, line } of diagnostics) console.error(`reader.md:${line}: ${message}`);
const child = session.spawn({ name, scope });

/** What both models call, turn by turn: the late tool first when it can be there, then what the scope leaves out. */
const script = [
  [["look", {}]],
  [["mcp__everything__echo", { message: "hello" }]],
  [["mcp__everything__get-env", {}], ["bash", {}]],
];

/** Runs `act` and says what was decided meanwhile, and what ran. */
async function decisionsOf(asked, act) {
  const decisions = [];
  const off = asked.on("decision", ({ decision }) => decisions.push(`${decision.name} ${decision.allowed ? "runs" : decision.code}`));
  await act();
  off();
  return decisions;
}

try {
  for (const [title, asked] of [["agent", session], ["child", child]]) {
    const sdk = scriptedModel(script);
    const bySdk = await decisionsOf(asked, () => new ToolLoopAgent({ model: sdk.model, ...scopeTools(asked) }).generate({ prompt: "go" }));
    const plain = scriptedAnthropic(script);
    const anthropic = new Anthropic({ apiKey: "none-needed", fetch: plain.fetch });
    const byLoop = await decisionsOf(asked, () => converse({ session: asked, anthropic, model: "scripted", prompt: "go" }));
    console.log(`${title}: shown at first ${sdk.shown[0].join(", ") || "nothing"}; then ${sdk.shown[1].length} tools`);
    console.log(`  by the AI SDK:     ${bySdk.join("; ")}`);
    console.log(`  by the plain loop: ${byLoop.join("; ")}`);
    const isSame = JSON.stringify(bySdk) === JSON.stringify(byLoop) && JSON.stringify(sdk.shown[2]) === JSON.stringify(plain.shown[2]);
    console.log(`  ${isSame ? "the same" : "NOT THE SAME"}`);
    if (!isSame) process.exitCode = 1;
  }
} finally {
  await client.close();
}
