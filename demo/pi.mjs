// The demo on pi: a real pi session, its own MCP extension on a real server, code mode on, an extension that nobody
// selected and that registers late, and a reload. What holds it to its tools is a host: toolscope, or (`--without`) what hosts write today.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { check, facts } from "./pi/checks.mjs";
import { FrozenHost, NarrowingHost, ToolscopeHost } from "./pi/hosts.mjs";
import { startPi } from "./pi/session.mjs";
import * as story from "./pi/story.mjs";
import { RunRecord } from "./run-record.mjs";

export const title = "a pi session: MCP, code mode, an extension nobody selected, a reload";

/** How long a tool of an extension takes, in ms. */
const serviceTime = 20;

/** See main.mjs for the form of a demo. */
export async function* run({ emit, without, signal }) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 19))
    throw new Error(`pi needs Node 22.19 or newer, and this is ${process.version}; run it through \`npm run demo\``);
  const folder = await mkdtemp(join(tmpdir(), "toolscope-demo-"));
  try {
    if (without) {
      yield await play("frozen", new FrozenHost(), { emit, signal, folder });
      yield await play("narrowing", new NarrowingHost(), { emit, signal, folder });
    }
    yield await play("toolscope", new ToolscopeHost(story.scope), { emit, signal, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The story once, on a session of its own. */
async function play(name, host, { emit: emitAny, signal, folder: parent }) {
  const emit = ({ event, ...rest }) => emitAny({ event, run: name, ...rest });
  const folder = join(parent, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "task.txt"), story.task);
  const secret = "a-secret-of-the-server";
  const record = new RunRecord();
  const evidence = { secret, requests: [], calls: [], nested: [], scripts: [], ran: [], runs: record.runs, rewrites: [] };
  const { getCurrentTools, fauxAssistantMessage, fauxToolCall } = await import("@earendil-works/pi-ai");
  const apis = new Map();
  const register = (at, only) => {
    for (const { extension, at: when, ...tool } of story.registrations) {
      if (when !== at || (only !== undefined && only !== extension)) continue;
      apis.get(extension).registerTool(piTool(tool, evidence.ran, record));
      emit({
        event: "source",
        turn: Math.max(1, evidence.requests.length),
        source: `ext:${extension}`,
        state: "ready",
        text: `registers ${tool.name}`,
      });
    }
  };

  let before = [];
  const answers = story.turns.map((turn, index) => (context) => {
    const tools = getCurrentTools(context.messages);
    evidence.requests.push({ tools, text: JSON.stringify(context.messages) });
    const names = tools.map((tool) => tool.name);
    record.turn = index + 1;
    emit({ event: "shown", turn: index + 1, tools: names, added: names.filter((each) => !before.includes(each)) });
    before = names;
    emit({ event: "said", turn: index + 1, text: turn.say });
    register(`turn ${index + 1}`);
    if (turn.calls === undefined) return fauxAssistantMessage(turn.say);
    const calls = turn.calls.map((call, at) =>
      fauxToolCall(call.name, call.input, { id: `call-${index + 1}-${at + 1}` }),
    );
    return fauxAssistantMessage(calls, { stopReason: "toolUse" });
  });
  const extensions = ["tickets", "notes"].map((extension) => ({
    name: extension,
    factory: (api) => {
      apis.set(extension, api);
      for (const event of ["session_start", "before_agent_start"])
        api.on(event, async () => register(event, extension));
    },
  }));

  const { session, end } = await startPi({ folder, secret, tools: host.tools, answers, extensions });
  const stop = () => void session.abort();
  signal.addEventListener("abort", stop, { once: true });
  try {
    emit({ event: "start", title: host.title, scope: story.scope });
    await session.bindExtensions({});
    // Code mode is pi's to have or not, whatever the scope.
    session.setActiveToolsByName([...session.getActiveToolNames(), "codemode"]);
    listen(session, host, evidence, emit);
    if (host.report !== undefined) emit({ event: "scope", turn: 0, report: host.report() });
    watchActiveSet(session, evidence);
    for (const { prompt, reload } of story.prompts) {
      if (reload) {
        emit({ event: "note", text: "session.reload(): every extension is loaded anew" });
        await session.reload();
      }
      await session.prompt(prompt);
      signal.throwIfAborted();
    }
    if (host.report !== undefined) emit({ event: "scope", turn: story.turns.length, report: host.report() });
  } finally {
    signal.removeEventListener("abort", stop);
    await end();
  }
  return { run: name, scoped: host.scoped, checks: check(evidence, host.scoped), facts: facts(evidence) };
}

/** Calls as pi tells its listeners, each with its decision where a host makes one. */
function listen(session, host, evidence, emit) {
  const turn = () => evidence.requests.length;
  const decisions = new Map();
  const inputs = new Map();
  host.hold(session, {
    emit,
    turn,
    decided: ({ callId, parentCallId }, decision, steps) => {
      decisions.set(callId, { decision, steps });
      if (parentCallId !== undefined) evidence.nested.push({ turn: turn(), decision });
    },
  });
  session.subscribe((event) => {
    if (event.type === "tool_execution_start") inputs.set(event.toolCallId, event.args);
    if (event.type !== "tool_execution_end") return;
    const { toolCallId: callId, toolName, isError, result, parentToolCallId } = event;
    const text = result.content.map((block) => block.text ?? `[${block.type}]`).join("\n");
    const [, at, index] = /^call-(\d+)-(\d+)$/.exec(callId) ?? [];
    const { expect: expected, why } = at === undefined ? {} : story.turns[at - 1].calls[index - 1];
    // Without toolscope nobody says why; that pi knows the tool or does not is all there is. A script that failed has run.
    const known = !isError || toolName === "codemode";
    const { decision = { allowed: known, name: toolName, ...(!known && { code: "unknown" }) }, steps } =
      decisions.get(callId) ?? {};
    const call = {
      turn: turn(),
      callId,
      name: toolName,
      input: inputs.get(callId),
      decision,
      steps,
      ok: !isError,
      result: text,
    };
    evidence.calls.push({ ...call, expected });
    if (toolName === "codemode" && !isError) evidence.scripts.push({ turn: turn(), text });
    if (toolName.startsWith("mcp__") && !isError) evidence.ran.push(toolName);
    emit({
      event: "call",
      ...call,
      ...(expected !== undefined && expected !== "fails" && { expected }),
      why,
      ...(parentToolCallId !== undefined && { agent: "script" }),
    });
  });
}

/** Nobody in the story changes the active set, so that whoever sets it does so unasked. */
function watchActiveSet(session, evidence) {
  const set = session.setActiveToolsByName.bind(session);
  session.setActiveToolsByName = (names) => {
    evidence.rewrites.push(`turn ${evidence.requests.length}`);
    set(names);
  };
}

/** A tool of an extension; it tells when it is run, and takes as long as a service would. */
const piTool = ({ name, description, exposure }, ran, record) => ({
  name,
  label: name,
  description,
  ...(exposure && { exposure }),
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: (_callId, { text = "" }) => {
    ran.push(name);
    return record.run(name, async () => {
      await setTimeout(serviceTime);
      return { content: [{ type: "text", text: `${name} ${text}: done` }], details: {} };
    });
  },
});
