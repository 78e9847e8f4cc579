// The main demo: a plain agent loop of the kind people write themselves, on a model behind the Anthropic Messages wire
// form. A real MCP server connects after the session has started, dies and comes back; an extension that nobody selected
// registers late too. What stands between the model and the tools is a gate: toolscope, or (`--without`) what people
// write today.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, facts } from "./bare-loop/checks.mjs";
import { FrozenGate, OpenGate } from "./bare-loop/gate-today.mjs";
import { ToolscopeGate } from "./bare-loop/gate-toolscope.mjs";
import * as story from "./bare-loop/script.mjs";
import { Surroundings } from "./bare-loop/surroundings.mjs";
import { startModel } from "./model/server.mjs";
import { RunRecord } from "./run-record.mjs";

export const title = "a plain agent loop, an MCP server that connects late and dies once, an extension nobody selected";

/** More than the script has: a loop that does not end is a fault of the loop. */
const mostTurns = 20;

/** See main.mjs for the form of a demo. */
export async function* run({ emit, without, signal }) {
  if (without) {
    yield session("frozen", new FrozenGate(story.scope), emit, signal);
    yield session("open", new OpenGate(story.scope), emit, signal);
  }
  yield session("toolscope", new ToolscopeGate(story.scope), emit, signal);
}

/** One session of the script behind one gate. */
async function session(name, gate, emitAny, signal) {
  const emit = ({ event, ...rest }) => emitAny({ event, run: name, ...rest });
  const secret = "a-secret-of-the-server";
  const record = new RunRecord();
  const said = { calls: [], deltas: [] };
  const workspace = await mkdtemp(join(tmpdir(), "toolscope-demo-"));
  await writeFile(join(workspace, "task.txt"), story.task);
  const model = await startModel(story.script);
  const surroundings = new Surroundings({ gate, record, secret, emit, workspace, signal });
  try {
    surroundings.beforeStart();
    gate.start();
    emit({ event: "start", title: gate.title, scope: story.scope });
    if (gate.report !== undefined) emit({ event: "scope", turn: 0, report: gate.report() });
    await converse({ model, gate, record, said, surroundings, emit, signal });
    if (gate.report !== undefined) emit({ event: "scope", turn: story.script.length, report: gate.report() });
  } finally {
    await surroundings.end();
    gate.dispose();
    await model.close();
    await rm(workspace, { recursive: true, force: true });
  }
  const evidence = { secret, ...said, runs: record.runs, requests: model.requests };
  return { run: name, scoped: gate.scoped, checks: check(evidence), facts: facts(evidence) };
}

/** The agent loop itself: ask, run what is called, feed back, until the model is done. */
async function converse({ model, gate, record, said, surroundings, emit, signal }) {
  const messages = [{ role: "user", content: story.prompt }];
  let before = [];
  for (let turn = 1; turn <= mostTurns; turn++) {
    const tools = gate.definitions();
    const names = tools.map((tool) => tool.name);
    emit({ event: "shown", turn, tools: names, added: names.filter((name) => !before.includes(name)) });
    before = names;
    record.turn = turn;

    const reply = await ask(model.url, { tools, messages }, signal);
    messages.push({ role: "assistant", content: reply.content });
    for (const block of reply.content) if (block.type === "text") emit({ event: "said", turn, text: block.text });
    if (reply.stop_reason !== "tool_use") return;

    const results = [];
    const uses = reply.content.filter((block) => block.type === "tool_use");
    for (const [index, use] of uses.entries()) {
      const { decision, steps, ok, value, nested = [] } = await gate.call(use, signal);
      const { failed, text } = asText(value);
      const call = {
        turn,
        callId: use.id,
        name: use.name,
        input: use.input,
        decision,
        steps,
        ok: ok && !failed,
        result: text,
      };
      const { expect: expected, why, ...rest } = story.script[turn - 1].calls[index];
      said.calls.push({ ...rest, ...call, expected });
      emit({ event: "call", ...call, expected, why });
      for (const made of nested) {
        const { expect: expected, why } = rest.nested.find(({ name }) => name === made.name) ?? {};
        const call = { turn, callId: `${use.id}/${made.name}`, ...made, result: made.decision.reason ?? "the program has it" };
        said.calls.push({ ...call, expected });
        emit({ event: "call", ...call, expected, why, agent: "program" });
      }
      results.push({ type: "tool_result", tool_use_id: use.id, content: text, is_error: !call.ok });
    }
    messages.push({ role: "user", content: results });

    await surroundings.during(turn);
    const delta = gate.endTurn();
    if (delta === undefined) continue;
    said.deltas.push(delta);
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

/** The text of what a tool returned: a string of ours, the result of an MCP server, or what became of a program. */
function asText(value) {
  if (typeof value === "string") return { failed: false, text: value };
  const blocks = value?.content;
  if (blocks === undefined) return { failed: value?.ok === false, text: JSON.stringify(value?.value ?? value?.error) };
  const text = blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
  return { failed: value?.isError === true, text };
}
