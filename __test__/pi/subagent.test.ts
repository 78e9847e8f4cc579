// The example extension that spawns agents from `.pi/agents/*.md`, end to end: a real session, its real children.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { attachmentOf } from "../../dist/adapters/pi.js";
import type { ToolSession } from "../../index.js";
import { installed } from "./installed.mts";
import { type Answer, type Step, builtIn, createPi, folder } from "./session.mts";

const task = (agent: string, prompt = "go"): Answer => [{ name: "task", args: { agent, prompt } }];

/** An extension in a file, so that children load it too; `ran` hears of its runs and ends. */
function extension(name: string, ran: string[]): string {
  const at = join(folder(), `${name}.mjs`);
  const key = `toolscope test ${at}`;
  (globalThis as Record<string, unknown>)[key] = ran;
  writeFileSync(
    at,
    `const ran = globalThis[${JSON.stringify(key)}];
    const tool = (name) => ({ name, label: name, description: name, parameters: { type: "object", properties: {} },
      execute: async () => (ran.push(name), { content: [{ type: "text", text: name + " ran" }], details: {} }) });
    export default (pi) => {
      pi.registerTool(tool("${name}_do"));
      pi.on("session_start", async () => pi.registerTool(tool("${name}_late")));
      pi.on("session_shutdown", async () => void ran.push("${name} shut down"));
    };`,
  );
  return at;
}

const agents = {
  reader: "name: reader\ntools: read, bash, ext:alpha, ext:beta",
  lead: "name: lead\ntools: read, ext:alpha, ext:pi-subagent/task\nallowed_subagents: reader",
  scripter: "name: scripter\ntools: ext:codemode, ext:alpha, ext:pi-subagent/task",
  broken: "name: broken\ntools: *",
};

interface Given {
  scope?: object;
  settings?: Record<string, unknown>;
}
async function start(steps: readonly Step[], { scope, settings = {} }: Given = {}) {
  const cwd = folder();
  mkdirSync(join(cwd, ".pi", "agents"), { recursive: true });
  for (const [name, front] of Object.entries(agents))
    writeFileSync(join(cwd, ".pi", "agents", `${name}.md`), `---\n${front}\n---\nYou are the ${name}.\n`);
  if (scope !== undefined) writeFileSync(join(cwd, ".pi", "scope.json"), JSON.stringify(scope));
  const ran: string[] = [];
  const environment = await createPi({
    cwd,
    settings,
    extensions: [builtIn.codemode],
    paths: [
      "builtin:codemode",
      installed("pi-subagent"),
      ...(scope === undefined ? [] : [installed("pi-extension")]),
      extension("alpha", ran),
      extension("beta", ran),
    ],
    steps,
  });
  const notes: string[] = [];
  await environment.session.bindExtensions({
    uiContext: { notify: (text: string) => notes.push(text) } as never,
    onError: ({ event, error }) => environment.errors.push(`${event}: ${error}`),
  });
  const decisions: string[] = [];
  attachmentOf(environment.session)?.session.on("decision", ({ decision }) => {
    const by = decision.path.slice(1).join("/");
    decisions.push(`${by} ${decision.name} ${decision.allowed ? "runs" : decision.code}`.trim());
  });
  return { ...environment, ran, notes, decisions };
}
/** Whether no child of the name is alive: a living one keeps its name. */
const isFree = (session: ToolSession, name: string): boolean => {
  using child = session.spawn({ name });
  return child.id === name;
};
const sorted = (names: readonly string[] | undefined) => [...(names ?? [])].sort();

test("a child has what its file and its parent both have, says its last words, and ends", async () => {
  const { session, shown, prompts, calls, errors, ran, notes, decisions } = await start([
    task("reader", "Say what beta says."),
    ["alpha_do", "beta_late", { name: "bash", args: { command: "echo" } }],
    "beta says nothing",
    "done",
  ]);
  expect(errors).toEqual([]);
  expect(notes).toEqual([expect.stringMatching(/broken\.md:3:8 /)]);
  const { session: root } = attachmentOf(session) as NonNullable<ReturnType<typeof attachmentOf>>;
  root.setScope({ exclude: ["bash", "ext:beta"] });
  await session.prompt("go");
  expect(calls).toEqual([{ name: "task", nested: false, ok: true, text: "beta says nothing" }]);
  expect(sorted(shown[1])).toEqual(["alpha_do", "alpha_late", "read"]);
  expect(prompts[1]).toContain("You are the reader.");
  expect(ran).toEqual(["alpha_do", "alpha shut down", "beta shut down"]);
  expect(sorted(decisions)).toEqual([
    "reader alpha_do runs",
    "reader bash parent",
    "reader beta_late parent",
    "task runs",
  ]);
  expect(isFree(root, "reader")).toBe(true);
  expect(errors).toEqual([]);
});

test("an agent spawns whom its file names, one level at a time, and nobody else", async () => {
  const { session, shown, errors, ran, decisions, calls } = await start([
    task("lead"),
    task("lead"),
    task("reader"),
    ["beta_do", "task"],
    ["alpha_do"],
    "read",
    "led",
    task("reader"),
    task("lead"),
    "leaf",
    "done",
  ]);
  await session.prompt("go");
  expect(sorted(shown[1])).toEqual(["alpha_do", "alpha_late", "read", "task"]);
  // Below the lead the reader has what both have, and no `task`.
  expect(sorted(shown[3])).toEqual(["alpha_do", "alpha_late", "read"]);
  expect(decisions).toEqual([
    "task runs",
    "lead task vetoed",
    "lead task runs",
    "lead/reader beta_do parent",
    "lead/reader task excluded",
    "lead/reader alpha_do runs",
    // Below the root.
    "task runs",
    "reader task excluded",
  ]);
  expect(ran.filter((name) => name.endsWith("_do"))).toEqual(["alpha_do"]);
  expect(calls.map(({ text }) => text)).toEqual(["led", "leaf"]);
  expect(errors).toEqual([]);
});

test("a scope from a settings file is the ceiling; a file that cannot be read grants nothing", async () => {
  const { session, shown, calls, errors, ran } = await start(
    [task("reader"), ["beta_do", "alpha_do"], "read", task("broken"), ["alpha_do"], "sorry", task("nobody"), "done"],
    { scope: { allow: ["ext:pi-subagent/task", "ext:beta"] } },
  );
  await session.prompt("go");
  expect(sorted(shown[0])).toEqual(["beta_do", "beta_late", "task"]);
  expect(sorted(shown[1])).toEqual(["beta_do", "beta_late"]);
  expect(shown[4]).toEqual([]);
  expect(ran.filter((name) => name.endsWith("_do"))).toEqual(["beta_do"]);
  expect(calls.map(({ ok, text }) => [ok, text])).toEqual([
    [true, "read"],
    [true, "sorry"],
    [false, expect.stringMatching(/there is no agent `nobody`/)],
  ]);
  expect(errors).toEqual([]);
});

test("a script of a child in code mode has the child's tools, and cannot spawn", async () => {
  const script = (code: string): Answer => [{ name: "codemode", args: { code } }];
  const { session, shown, decisions, ran, errors } = await start(
    [
      task("scripter"),
      script("return [ALL_TOOLS.map((t) => t.name), await tools.alpha_do({})]"),
      script("return await tools.beta_do({})"),
      script("return await tools.task({ agent: 'reader', prompt: 'go' })"),
      "scripted",
      "done",
    ],
    { settings: { defaultTools: ["+codemode"] } },
  );
  await session.prompt("go");
  expect(sorted(shown[1])).toEqual(["alpha_do", "alpha_late", "codemode"]);
  expect(ran.filter((name) => name.endsWith("_do"))).toEqual(["alpha_do"]);
  expect(new Set(decisions)).toEqual(
    new Set([
      "task runs",
      "scripter codemode runs",
      "scripter alpha_do runs",
      "scripter beta_do out_of_scope",
      "scripter task excluded",
    ]),
  );
  expect(errors).toEqual([]);
});

test("an aborted task aborts the child, and its end is clean", async () => {
  const environment = await start([]);
  const { session, ran, calls } = environment;
  const { session: root } = attachmentOf(session) as NonNullable<ReturnType<typeof attachmentOf>>;
  let wasFree = true;
  environment.script(task("reader"), () => {
    wasFree = isFree(root, "reader");
    void session.abort();
    return ["alpha_do"];
  });
  await session.prompt("go");
  expect(calls[0]?.ok).toBe(false);
  expect(ran).toEqual(["alpha shut down", "beta shut down"]);
  expect([wasFree, isFree(root, "reader")]).toEqual([false, true]);
});
