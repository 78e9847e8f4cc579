// The main demo: a plain agent loop of the kind people write themselves, on a model behind the Anthropic Messages wire
// form. A real MCP server connects after the session has started, and an extension that nobody selected comes later
// still. What stands between the model and the tools is a gate: toolscope, or (`--without`) what people write today.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, facts } from "./bare-loop/checks.mjs";
import { connectEverything } from "./bare-loop/everything.mjs";
import { FrozenGate, OpenGate } from "./bare-loop/gate-today.mjs";
import { connectsInTurn, expectationOf, extensionComesInTurn, prompt, scope, script, task } from "./bare-loop/script.mjs";
import { builtinTools, notesTools } from "./bare-loop/sources.mjs";
import { startModel } from "./model/server.mjs";

export const title = "a plain agent loop, an MCP server that connects late, an extension nobody selected";

/** More than the script has: a loop that does not end is a fault of the loop. */
const mostTurns = 20;

/** See /demo/main.mjs for the form of a demo. */
export async function run({ emit, without, signal }) {
  const runs = [];
  if (without) {
    runs.push(await session("frozen", new FrozenGate(scope), emit, signal));
    runs.push(await session("open", new OpenGate(scope), emit, signal));
  }
  const { ToolscopeGate } = await import("./bare-loop/gate-toolscope.mjs");
  runs.push(await session("toolscope", new ToolscopeGate(scope), emit, signal));
  return runs;
}

/** One session of the script behind one gate. */
async function session(name, gate, emitAny, signal) {
  const emit = ({ event, ...rest }) => emitAny({ event, run: name, ...rest });
  const secret = "a-secret-of-the-server";
  const record = { secret, calls: [], deltas: [], ran: [] };
  const ran = (source) => (rawName) => record.ran.push(source === "builtin" ? `builtin:${rawName}` : `${source}/${rawName}`);
  const workspace = await mkdtemp(join(tmpdir(), "toolscope-demo-"));
  await writeFile(join(workspace, "task.txt"), task);
  const model = await startModel(script);
  let server;
  try {
    gate.addSource({ kind: "builtin", name: "demo", tools: builtinTools(workspace, ran("builtin")) });
    const everything = gate.addSource({ kind: "mcp", name: "everything" });
    gate.start();
    emit({ event: "start", title: gate.title, scope });
    if (gate.report !== undefined) emit({ event: "scope", turn: 0, report: gate.report() });

    const connect = async () => {
      let known = -1;
      const onTools = (tools) => {
        everything.set(tools);
        if (tools.length === known) return;
        known = tools.length;
        emit({ event: "source", turn: connectsInTurn, source: "mcp:everything", state: "ready", tools: known, text: "connected" });
      };
      server = await connectEverything({ secret, onTools, ran: ran("mcp:everything"), signal });
    };
    const register = () => {
      const tools = notesTools(ran("ext:notes"));
      gate.addSource({ kind: "ext", name: "notes", tools });
      const text = "registered; nobody selected it";
      emit({ event: "source", turn: extensionComesInTurn, source: "ext:notes", state: "ready", tools: tools.length, text });
    };
    /** What happens while the tools of a turn run. */
    const during = new Map([[connectsInTurn, connect], [extensionComesInTurn, register]]);
    await converse({ model, gate, record, during, emit, signal });
    if (gate.report !== undefined) emit({ event: "scope", turn: script.length, report: gate.report() });
  } finally {
    gate.dispose();
    await server?.close();
    await model.close();
    await rm(workspace, { recursive: true, force: true });
  }
  const evidence = { ...record, requests: model.requests };
  return { run: name, scoped: gate.scoped, checks: check(evidence), facts: facts(evidence) };
}

/** The agent loop itself: ask, run what is called, feed back, until the model is done. */
async function converse({ model, gate, record, during, emit, signal }) {
  const messages = [{ role: "user", content: prompt }];
  let before = [];
  for (let turn = 1; turn <= mostTurns; turn++) {
    const tools = gate.definitions();
    const names = tools.map((tool) => tool.name);
    emit({ event: "shown", turn, tools: names, added: names.filter((name) => !before.includes(name)) });
    before = names;

    const reply = await ask(model.url, { tools, messages }, signal);
    messages.push({ role: "assistant", content: reply.content });
    for (const block of reply.content) if (block.type === "text") emit({ event: "said", turn, text: block.text });
    if (reply.stop_reason !== "tool_use") return;

    const results = [];
    for (const use of reply.content.filter((block) => block.type === "tool_use")) {
      const { decision, steps, ok, value } = await gate.call(use);
      const { failed, text } = asText(value);
      const call = { turn, callId: use.id, name: use.name, input: use.input, decision, steps, ok: ok && !failed, result: text };
      record.calls.push(call);
      const { expect, why } = expectationOf(call);
      emit({ event: "call", ...call, why, expected: expect });
      results.push({ type: "tool_result", tool_use_id: use.id, content: text, is_error: !call.ok });
    }
    messages.push({ role: "user", content: results });

    await during.get(turn)?.();
    const delta = gate.endTurn();
    if (delta === undefined) continue;
    record.deltas.push(delta);
    const { active, ...change } = delta;
    emit({ event: "delta", turn, ...change });
  }
  throw new Error(`the model was not done after ${mostTurns} turns`);
}

async function ask(url, { tools, messages }, signal) {
  const response = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "none-needed", "anthropic-version": "2023-06-01" },
    body: JSON.stringify({ model: "scripted", max_tokens: 1024, tools, messages }),
    signal,
  });
  const reply = await response.json();
  if (!response.ok) throw new Error(`the model refused the request: ${reply.error.type}: ${reply.error.message}`);
  return reply;
}

/** The text of what a tool returned: a string of ours, or the result of an MCP server. */
function asText(value) {
  if (typeof value === "string") return { failed: false, text: value };
  const blocks = value?.content ?? [];
  const text = blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  return { failed: value?.isError === true, text };
}
