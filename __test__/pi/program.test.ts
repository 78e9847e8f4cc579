// The session's code mode in the place of pi's: real pi sessions, whose model sends programs.
import { expect, test } from "vitest";

import { attachToPi } from "../../dist/adapters/pi.js";
import type { Decision, ToolCall } from "../../index.js";
import { type ExtensionApi, type PiEnvironment, type PiOptions, builtIn, createPi, inline, tool } from "./session.mts";

interface Run {
  name: string;
  input: unknown;
  from: number;
  to: number;
}

/** A tool that records when it ran, by counting starts and ends, and with what. */
function timed(name: string, runs: Run[], extra: Record<string, unknown> = {}): ReturnType<typeof tool> {
  const clock = (): number => runs.reduce((ticks, { to }) => ticks + 1 + (to < 0 ? 0 : 1), 0);
  return tool(name, [], {
    execute: async (_id: string, input: unknown) => {
      const run = { name, input, from: clock(), to: -1 };
      runs.push(run);
      await new Promise((resolve) => setTimeout(resolve, 20));
      run.to = clock();
      return { content: [{ type: "text", text: `${name} ran` }], details: {} };
    },
    ...extra,
  });
}

async function session(options: PiOptions): Promise<PiEnvironment> {
  const environment = await createPi({
    ...options,
    extensions: [...(options.extensions ?? []), builtIn.codemode],
    paths: ["builtin:codemode"],
  });
  await environment.bind();
  environment.session.setActiveToolsByName([...environment.session.getActiveToolNames(), "codemode"]);
  return environment;
}
const program = (code: string) => [{ name: "execute", args: { code } }];
const two = (runs: Run[]) => [
  inline("alpha", (pi: ExtensionApi) => {
    pi.registerTool(timed("alpha_do", runs));
    pi.registerTool(timed("alpha_later", runs, { exposure: "deferred" }));
  }),
  inline("beta", (pi: ExtensionApi) => pi.registerTool(timed("beta_do", runs, { exposure: "codemode" }))),
];
const scope = { allow: ["read", "ext:codemode", "ext:alpha", "host:toolscope/execute"] };

test("the model is offered our tool in the place of pi's; its calls run together, and one out of scope does not", async () => {
  const runs: Run[] = [];
  const code = `const both = await Promise.all([tools.alpha_do({ q: "1" }), tools.alpha_later({ q: "2" })]);
    const third = await tools.beta_do({}).catch((error) => error.code + ": " + error.message);
    return { both, third, all: Object.keys(tools), found: (await search("does what says")).items?.map(({ name }) => name) }`;
  const hooked: unknown[] = [];
  const watching = inline("watching", (pi) => {
    pi.on("tool_call", async ({ toolName, parentToolCallId }) => void hooked.push([toolName, parentToolCallId !== undefined]));
  });
  const environment = await session({ extensions: [...two(runs), watching], steps: [program(code), "done"] });
  const decisions: [ToolCall, Decision][] = [];
  const attachment = attachToPi(environment.session, scope, { codeMode: true });
  attachment.session.on("decision", ({ call, decision }) => decisions.push([call, decision]));
  await environment.session.prompt("go");

  expect(environment.shown[0]).toContain("execute");
  expect(environment.shown[0]).not.toContain("codemode");
  expect(environment.descriptions[0]?.get("execute"), "the catalog of what is in scope").toMatch(/sources: alpha 1$/m);

  const [first, second] = runs as [Run, Run];
  expect(runs.map(({ name, input }) => [name, input])).toEqual([
    ["alpha_do", { q: "1" }],
    ["alpha_later", { q: "2" }],
  ]);
  expect(second.from, "the second starts before the first ends").toBeLessThan(first.to);

  const told = environment.calls.find(({ name }) => name === "execute");
  expect(told).toMatchObject({ ok: true, nested: false });
  expect(JSON.parse(told?.text ?? "")).toMatchObject({
    both: ["alpha_do ran", "alpha_later ran"],
    third: expect.stringMatching(/^out_of_scope: `beta_do` is not available/),
  });
  const { all, found } = JSON.parse(told?.text ?? "") as { all: string[]; found: string[] | undefined };
  expect([...all, ...(found ?? [])].join()).not.toMatch(/beta|codemode|execute/);

  // One decision a call, whichever doors it went through; pi's own hooks have seen what ran.
  const parent = decisions[0]?.[0].callId;
  expect(decisions.map(([{ parentCallId }, decision]) => [decision.id, parentCallId, decision.allowed ? undefined : decision.code])).toEqual([
    ["host:toolscope/execute", undefined, undefined],
    ["ext:alpha/alpha_do", parent, undefined],
    ["ext:alpha/alpha_later", parent, undefined],
    ["ext:beta/beta_do", parent, "out_of_scope"],
  ]);
  expect(hooked).toEqual([
    ["execute", false],
    ["alpha_do", true],
    ["alpha_later", true],
  ]);
  expect(environment.calls.filter(({ nested }) => nested).map(({ name }) => name)).toEqual(["alpha_do", "alpha_later"]);
  expect(environment.errors).toEqual([]);
});

test("a guard sees a program's call once, and again where pi's hooks change its arguments", async () => {
  const runs: Run[] = [];
  const rewriting = inline("rewriting", (pi) => {
    pi.on("tool_call", async ({ toolName, input }) => {
      if (toolName === "alpha_later") (input as { q?: string }).q = "rewritten";
      return undefined;
    });
  });

  const code = `const said = [];
    for (const q of ["plain", "no"]) said.push(await tools.alpha_do({ q }).catch(({ code }) => code));
    said.push(await tools.alpha_later({ q: "fine" }).catch(({ message }) => message));
    return said`;
  const environment = await session({ extensions: [...two(runs), rewriting], steps: [program(code), "done"] });
  const { session: held } = attachToPi(environment.session, scope, { codeMode: true });
  const asked: unknown[] = [];
  held.on("before_tool_call", ({ id, input }) => {
    const q = (input as { q?: string }).q;
    if (id !== "host:toolscope/execute") asked.push(q);
    return q === "no" || q === "rewritten" ? { block: true, reason: `not ${q}` } : undefined;
  });
  await environment.session.prompt("go");
  expect(asked).toEqual(["plain", "no", "fine", "rewritten"]);
  expect(runs.map(({ input }) => input)).toEqual([{ q: "plain" }]);
  const said = JSON.parse(environment.calls.at(-1)?.text ?? "") as string[];
  expect(said.slice(0, 2)).toEqual(["alpha_do ran", "vetoed"]);
  expect(said[2]).toContain("not rewritten");
});

test("what pi's hooks refuse, a tool's failure and a program's slip reach the model", async () => {
  const runs: Run[] = [];
  const extensions = [
    inline("alpha", (pi) => {
      pi.registerTool(timed("alpha_do", runs));
      const execute = async (): Promise<never> => Promise.reject(new Error("it broke"));
      pi.registerTool(tool("alpha_breaks", [], { execute }));
      pi.on("tool_call", async ({ toolName }) =>
        toolName === "alpha_do" ? { block: true, reason: "a person said no" } : undefined,
      );
    }),
  ];
  const code = `const message = ({ message }) => message;
    return [await tools.alpha_do({}).catch(message), await tools.alpha_breaks({}).catch(message)]`;
  const environment = await session({ extensions, steps: [program(code), program("let x =\n= 1"), "done"] });
  attachToPi(environment.session, scope, { codeMode: true });
  await environment.session.prompt("go");
  const [good, bad] = environment.calls.filter(({ name }) => name === "execute");
  expect(JSON.parse(good?.text ?? "")).toEqual([expect.stringContaining("a person said no"), "it broke"]);
  expect(runs).toEqual([]);
  expect(bad).toMatchObject({ ok: false, text: expect.stringMatching(/^syntax error \(line 2, column \d+\)/) });
});

test("the scope leaves it out and brings it back, a reload keeps it, and pi's own returns when it is detached", async () => {
  const runs: Run[] = [];
  const environment = await session({
    extensions: two(runs),
    steps: ["one", program("return 1"), "two", "three", "four", program("return await tools.alpha_do({})"), "five"],
  });
  const attachment = attachToPi(environment.session, { allow: ["ext:codemode", "ext:alpha"] }, { codeMode: true });
  const next = async (): Promise<string[]> => {
    await environment.session.prompt("go");
    return [...(environment.shown.at(-1) as string[])].sort();
  };
  expect(await next()).toEqual(["alpha_do"]);
  expect(await next(), "and it can't be called").toEqual(["alpha_do"]);
  expect(environment.calls.at(-1)).toMatchObject({ name: "execute", ok: false, text: expect.stringContaining("not available") });
  attachment.session.setScope(scope);
  attachment.sync();
  expect(await next()).toEqual(["alpha_do", "execute", "read"]);
  await environment.session.reload();
  expect(await next()).toEqual(["alpha_do", "execute", "read"]);
  await environment.session.prompt("go");
  expect(runs.map(({ name }) => name)).toEqual(["alpha_do"]);
  attachment.dispose();
  expect(environment.session.getActiveToolNames()).toContain("codemode");
  expect(environment.session.getAllTools().map(({ name }) => name)).not.toContain("execute");
  expect(environment.errors).toEqual([]);
});

test("a child's programs are the child's, under its parent's scope", async () => {
  const [runs, childRuns]: [Run[], Run[]] = [[], []];
  const parent = await session({ extensions: two(runs) });
  const child = await session({
    extensions: two(childRuns),
    steps: [program("return [await tools.alpha_do({}), await tools.beta_do({}).catch(({ code }) => code)]"), "done"],
  });
  const options = { codeMode: true };
  const attachment = attachToPi(parent.session, scope, options);
  attachToPi(child.session, { allow: ["*"] }, { ...options, parent: attachment });
  await child.session.prompt("go");
  expect(JSON.parse(child.calls.at(-1)?.text ?? "")).toEqual(["alpha_do ran", "parent"]);
  expect([runs.length, childRuns.map(({ name }) => name)]).toEqual([0, ["alpha_do"]]);
});

test("what the host left inactive can't be run from a program, and a turn without change leaves the active set alone", async () => {
  const runs: Run[] = [];
  const idle = inline("alpha", (pi) => pi.registerTool(timed("alpha_idle", runs, { defaultActive: false })));
  const code = "return await tools.alpha_idle({}).catch(({ message }) => message)";
  const environment = await session({ extensions: [idle], steps: [program(code), "done", program("return 1"), "done"] });
  attachToPi(environment.session, scope, { codeMode: true });
  const set = environment.session.setActiveToolsByName.bind(environment.session);
  const rewrites: string[][] = [];
  environment.session.setActiveToolsByName = (names) => {
    rewrites.push(names);
    set(names);
  };
  await environment.session.prompt("go");
  await environment.session.prompt("again");
  expect(environment.calls.filter(({ name }) => name === "execute").map(({ ok, text }) => [ok, text])).toEqual([
    [true, expect.stringMatching(/alpha_idle/)],
    [true, "1"],
  ]);
  expect(runs).toEqual([]);
  expect(rewrites).toEqual([]);
});
