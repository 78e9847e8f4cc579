// The examples do what they say, run as a user runs them.
import Anthropic from "@anthropic-ai/sdk";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { ToolSession } from "../index.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const example = (...parts: string[]): string => join(root, "examples", ...parts);
const run = promisify(execFile);

interface Body {
  tools: { name: string }[];
  messages: { role: string; content: string | { tool_use_id?: string; content?: string; is_error?: boolean }[] }[];
}
interface Model {
  readonly url: string;
  readonly requests: readonly Body[];
  close(): Promise<void>;
}
type Script = readonly { say?: string; calls?: readonly { name: string; input: object }[] }[];
/** The demo's model, which refuses what the real API refuses. */
const { startModel } = (await import(join(root, "demo", "model", "server.mjs"))) as { startModel(script: Script): Promise<Model> };
type Converse = (options: { session: ToolSession; anthropic: Anthropic; model: string; prompt: string }) => Promise<string>;
const { converse } = (await import(example("bare-loop", "main.mjs"))) as { converse: Converse };

let model: Model | undefined;
afterEach(() => model?.close());

const resultsOf = (body: Body | undefined) => {
  const { content } = body?.messages.at(-1) ?? { content: [] };
  return Array.isArray(content) ? content.map(({ content: text, is_error }) => ({ text, failed: is_error })) : [];
};

describe("bare-loop", () => {
  test("is a loop of under 80 lines", async () => {
    expect((await readFile(example("bare-loop", "main.mjs"), "utf8")).trimEnd().split("\n").length).toBeLessThan(80);
  });

  test("as a program: refuses what is out of scope, runs the rest, and says the model's last word", async () => {
    const folder = await mkdtemp(join(tmpdir(), "toolscope-loop-"));
    try {
      const note = join(folder, "note.txt");
      await writeFile(note, "buy milk");
      model = await startModel([
        { calls: [{ name: "bash", input: { command: "ls" } }, { name: "read", input: { path: note } }] },
        { say: "It says: buy milk." },
      ]);
      // Nothing of the machine's own settings: a token among them would be sent in the key's place.
      const env = { PATH: process.env["PATH"] ?? "", HOME: folder, ANTHROPIC_API_KEY: "none-needed", ANTHROPIC_BASE_URL: model.url };
      const { stdout, stderr } = await run(process.execPath, [example("bare-loop", "main.mjs"), "What is in note.txt?"], { env });
      expect(stdout.trim()).toBe("It says: buy milk.");
      expect(stderr).toContain("read: runs");
      expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([["read"], ["read"]]);
      const [refused, read] = resultsOf(model.requests[1]);
      expect(refused).toEqual({ text: expect.stringContaining("bash"), failed: true });
      expect(read).toEqual({ text: "buy milk", failed: false });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("takes a late tool on its next request, and property names come back as the tool's own", async () => {
    model = await startModel([
      { calls: [{ name: "connect", input: {} }, { name: "mcp__kb__drop", input: {} }] },
      { calls: [{ name: "mcp__kb__search", input: { filter_id_: "7" } }] },
      { say: "found" },
    ]);
    const session = new ToolSession({ scope: { allow: ["connect", "mcp:kb/search"] } });
    const kb = session.addSource({ kind: "mcp", name: "kb" });
    const inputSchema = { type: "object", properties: { "filter[id]": { type: "string" } } };
    const tools = ["search", "drop"].map((name) => ({ name, inputSchema, execute: (input: unknown) => JSON.stringify(input) }));
    session.addSource({ kind: "builtin", name: "host", tools: [{ name: "connect", execute: () => (kb.set(tools), "connected") }] });
    const anthropic = new Anthropic({ apiKey: "none-needed", baseURL: model.url });
    expect(await converse({ session, anthropic, model: "scripted", prompt: "go" })).toBe("found");
    expect(model.requests.map(({ tools: shown }) => shown.map(({ name }) => name))).toEqual([
      ["connect"],
      ["connect", "mcp__kb__search"],
      ["connect", "mcp__kb__search"],
    ]);
    expect(resultsOf(model.requests[1]).map(({ failed }) => failed)).toEqual([false, true]);
    expect(resultsOf(model.requests[2])).toEqual([{ text: '{"filter[id]":"7"}', failed: false }]);
  });
});

test("whole-loop: a late server, an agent of the AI SDK and its child, and the plain loop decide alike", async () => {
  const { stdout } = await run(process.execPath, [example("whole-loop", "main.mjs")]);
  const agent = "look runs; mcp__everything__echo runs; mcp__everything__get-env excluded; bash out_of_scope";
  const child = "look out_of_scope; mcp__everything__echo runs; mcp__everything__get-env parent; bash parent";
  const told = (decisions: string): string[] => [`  by the AI SDK:     ${decisions}`, `  by the plain loop: ${decisions}`, "  the same"];
  expect(stdout.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^agent: shown at first look; then \d\d tools$/),
    ...told(agent),
    "child: shown at first mcp__everything__echo; then 1 tools",
    ...told(child),
  ]);
});
