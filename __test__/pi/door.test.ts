// The last door: every way a call can take on a real pi session, and what other parties do around it.
import { describe, expect, test } from "vitest";

import { attachToPi } from "../../dist/adapters/pi.js";
import type { Decision, ToolCall } from "../../index.js";
import { type ExtensionApi, type PiEnvironment, builtIn, createPi, inline, tool } from "./session.mts";

interface Ran {
  name: string;
  input: unknown;
}

/** A tool that records its input. */
const recording = (name: string, ran: Ran[], extra: Record<string, unknown> = {}) =>
  tool(name, [], {
    execute: async (_id: string, input: unknown) => {
      ran.push({ name, input });
      return { content: [{ type: "text", text: `${name} ran` }], details: {} };
    },
    ...extra,
  });

/** A tool that calls another one, as code mode does. */
const calling = (name: string, other: string, input: Record<string, unknown> = {}) =>
  tool(name, [], {
    execute: async (
      _id: string,
      _input: unknown,
      _signal: unknown,
      _update: unknown,
      ctx: {
        executeTool: (
          name: string,
          input: unknown,
        ) => Promise<{ isError: boolean; result: { content: { text: string }[] } }>;
      },
    ) => {
      const { isError, result } = await ctx.executeTool(other, input);
      return {
        content: [{ type: "text", text: `${isError ? "refused" : "ran"}: ${result.content[0]?.text}` }],
        details: {},
      };
    },
  });

async function session(options: Parameters<typeof createPi>[0]): Promise<PiEnvironment> {
  const environment = await createPi(options);
  await environment.bind();
  return environment;
}
const register =
  (...tools: Parameters<ExtensionApi["registerTool"]>[0][]) =>
  (pi: ExtensionApi): void => {
    for (const each of tools) pi.registerTool(each);
  };

describe("the door", () => {
  test("a direct and a nested call come to the same decision, once each", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [
        inline("alpha", register(recording("alpha_do", ran), calling("alpha_via", "alpha_do", { q: "nested" }))),
      ],
      steps: [[{ name: "alpha_do", args: { q: "direct" } }, "alpha_via"], "done"],
    });
    const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha"] });
    const decisions: { call: Readonly<ToolCall>; decision: Decision }[] = [];
    const asked: string[] = [];
    scope.on("decision", (event) => void decisions.push(event));
    scope.on("before_tool_call", ({ id }) => void asked.push(id));
    await environment.session.prompt("go");
    expect(ran.map(({ input }) => input)).toEqual([{ q: "direct" }, { q: "nested" }]);
    expect(asked.sort()).toEqual(["ext:alpha/alpha_do", "ext:alpha/alpha_do", "ext:alpha/alpha_via"]);
    expect(decisions.map(({ decision }) => decision.via).sort()).toEqual(["code", "direct", "direct"]);
    const nested = decisions.find(({ decision }) => decision.via === "code");
    expect(nested?.call.parentCallId).toBe(decisions.find(({ call }) => call.name === "alpha_via")?.call.callId);
  });

  test("what is out of scope is refused with the scope's reason, directly and nested", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [
        inline("alpha", register(calling("alpha_via", "beta_do"))),
        inline("beta", register(recording("beta_do", ran, { exposure: "deferred" }))),
      ],
      steps: [["beta_do", "alpha_via"], "done"],
    });
    attachToPi(environment.session, { allow: ["ext:alpha"] });
    await environment.session.prompt("go");
    expect(ran).toEqual([]);
    for (const { name, ok, text } of environment.calls) {
      if (name === "beta_do")
        expect({ ok, text }).toMatchObject({ ok: false, text: expect.stringMatching(/not available in this session/) });
    }
    expect(environment.calls.find(({ name }) => name === "alpha_via")?.text).toMatch(
      /^refused: .*not available in this session/,
    );
  });

  test("a veto holds on both paths", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [inline("alpha", register(recording("alpha_do", ran), calling("alpha_via", "alpha_do")))],
      steps: [["alpha_do", "alpha_via"], "done"],
    });
    const { session: scope } = attachToPi(environment.session, {});
    scope.on("before_tool_call", ({ id }) =>
      id === "ext:alpha/alpha_do" ? { block: true, reason: "not today" } : undefined,
    );
    await environment.session.prompt("go");
    expect(ran).toEqual([]);
    expect(environment.calls.filter(({ name }) => name === "alpha_do").map(({ text }) => text)).toEqual([
      "not today",
      "not today",
    ]);
  });

  test("earlier hooks run first, in their order; one that somebody assigns later runs too", async () => {
    const order: string[] = [];
    const ran: Ran[] = [];
    const hook = (name: string) => (pi: ExtensionApi) => void pi.on("tool_call", async () => void order.push(name));
    const environment = await session({
      extensions: [
        inline("first", hook("first")),
        inline("alpha", register(recording("alpha_do", ran))),
        inline("beta", register(recording("beta_do", ran))),
        inline("second", hook("second")),
      ],
      steps: [["alpha_do", "beta_do"], "done", ["alpha_do", "beta_do"], "done"],
    });
    const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha"] });
    scope.on("before_tool_call", () => void order.push("scope"));
    await environment.session.prompt("one");
    expect(order).toEqual(["first", "second", "scope"]);

    const { agent } = environment.session;
    const before = agent.beforeToolCall;
    agent.beforeToolCall = async (...given) => {
      order.push("assigned");
      return before?.(...given);
    };
    order.length = 0;
    await environment.session.prompt("two");
    expect(order).toEqual(["assigned", "first", "second", "scope"]);
    // One that drops what was there drops pi's handlers, as it does without toolscope, and not the door.
    environment.script(["alpha_do", "beta_do"], "done");
    agent.beforeToolCall = async () => void order.push("replaced");
    order.length = 0;
    await environment.session.prompt("three");
    expect(order).toEqual(["replaced", "scope"]);
    expect(ran.map(({ name }) => name)).toEqual(["alpha_do", "alpha_do", "alpha_do"]);
  });

  test("a handler that rewrites approved input does not get past the decision", async () => {
    const ran: Ran[] = [];
    let held: { q?: string } = {};
    const environment = await session({
      extensions: [
        inline("alpha", register(recording("alpha_do", ran))),
        inline("rewriter", (pi) => {
          pi.on("tool_call", async ({ input }) => {
            held = input as { q?: string };
            held.q = "rewritten";
          });
        }),
      ],
      steps: [[{ name: "alpha_do", args: { q: "given" } }], "done"],
    });
    const { session: scope } = attachToPi(environment.session, {});
    const seen: unknown[] = [];
    scope.on("before_tool_call", async ({ input }) => {
      seen.push(structuredClone(input));
      // While the decision waits, for a person say, whoever holds the arguments writes to them once more.
      held.q = "rewritten again";
      await new Promise((resolve) => setTimeout(resolve, 5));
    });
    await environment.session.prompt("go");
    expect(seen).toEqual([{ q: "rewritten" }]);
    expect(ran.map(({ input }) => input)).toEqual(seen);
  });

  test("an `execute` taken from the live map, or from pi's registry, is behind the door", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [
        inline("alpha", register(recording("alpha_do", ran))),
        inline("beta", register(recording("beta_do", ran))),
      ],
      customTools: [recording("report", ran)],
    });
    const attachment = attachToPi(environment.session, { allow: ["ext:alpha"] });
    const take = (name: string): ((...given: unknown[]) => Promise<unknown>) => {
      const definition = environment.session.getToolDefinition(name) as {
        execute: (...given: unknown[]) => Promise<unknown>;
      };
      return definition.execute;
    };
    const live = environment.session.resourceLoader
      .getExtensions()
      .extensions.find(({ path }) => path === "<inline:beta>");
    const taken = live?.tools.get("beta_do")?.definition.execute as unknown as (
      ...given: unknown[]
    ) => Promise<unknown>;
    for (const execute of [taken, take("beta_do"), take("report"), take("read")]) {
      await expect(execute("call", { path: "x" }, undefined, undefined, {})).rejects.toThrow(
        /not available in this session/,
      );
    }
    await take("alpha_do")("call", { q: 1 }, undefined, undefined, {});
    expect(ran).toEqual([{ name: "alpha_do", input: { q: 1 } }]);
    const kept = take("alpha_do");
    environment.session.dispose();
    await expect(kept("call", {}, undefined, undefined, {})).rejects.toThrow(/over|disposed/);
    expect(attachment.session.state).toBe("disposed");
  });

  test("one that wraps `execute` on the live map wraps the door", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [inline("alpha", register(recording("alpha_do", ran)))],
      steps: [["alpha_do"], "done"],
    });
    const { session: scope } = attachToPi(environment.session, {});
    const entry = environment.session.resourceLoader.getExtensions().extensions[0]?.tools.get("alpha_do") as {
      definition: { execute: unknown };
    };
    const original = entry.definition.execute as (...given: unknown[]) => unknown;
    entry.definition.execute = async (id: string, input: object, ...rest: unknown[]) =>
      original(id, { ...input, q: "wrapped" }, ...rest);
    await environment.session.prompt("go");
    expect(ran).toEqual([{ name: "alpha_do", input: { q: "wrapped" } }]);
    scope.setScope({ allow: [] });
    await expect((entry.definition.execute as (...given: unknown[]) => Promise<unknown>)("id", {})).rejects.toThrow(
      /not available in this session/,
    );
  });

  test("a scope that narrows while a turn runs holds for the calls of that turn", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [
        inline("alpha", register(recording("alpha_do", ran), recording("alpha_code", ran, { exposure: "codemode" }))),
        builtIn.codemode,
      ],
      paths: ["builtin:codemode"],
      steps: [],
    });
    const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha", "ext:codemode"] });
    environment.session.setActiveToolsByName([...environment.session.getActiveToolNames(), "codemode"]);
    environment.script(() => {
      scope.setScope({ allow: ["ext:codemode"] });
      return ["alpha_do", { name: "codemode", args: { code: "return ALL_TOOLS.map((t) => t.name)" } }];
    }, "done");
    await environment.session.prompt("go");
    expect(environment.shown[0]).toContain("alpha_do");
    expect(ran).toEqual([]);
    expect(environment.calls.find(({ name }) => name === "alpha_do")?.text).toMatch(/not available in this session/);
    expect(environment.calls.find(({ name }) => name === "codemode")?.text).not.toContain("alpha");
    expect(environment.shown[1]).toEqual(["codemode"]);
  });

  test("a scope that widens while a turn runs is shown on the next one", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [
        inline("alpha", register(recording("alpha_do", ran))),
        inline("beta", register(recording("beta_do", ran))),
      ],
    });
    const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha"] });
    environment.script(() => (scope.setScope({ allow: ["ext:alpha", "ext:beta"] }), ["alpha_do"]), ["beta_do"], "done");
    await environment.session.prompt("go");
    expect(environment.shown).toEqual([["alpha_do"], ["alpha_do", "beta_do"], ["alpha_do", "beta_do"]]);
    expect(ran.map(({ name }) => name)).toEqual(["alpha_do", "beta_do"]);
  });

  test("attached in the middle of a turn, it holds for the calls of that turn", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [
        inline("alpha", register(recording("alpha_do", ran))),
        inline("beta", register(recording("beta_do", ran))),
      ],
      customTools: [recording("report", ran)],
      steps: [],
    });
    const decided: string[] = [];
    environment.script(() => {
      const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha", "builtin:read"] });
      scope.on("decision", ({ call }) => void decided.push(call.name));
      return ["alpha_do", "beta_do", "report", { name: "read", args: { path: "none" } }];
    }, "done");
    await environment.session.prompt("go");
    expect(ran.map(({ name }) => name)).toEqual(["alpha_do"]);
    expect(decided.sort()).toEqual(["alpha_do", "beta_do", "read", "report"]);
    expect([...(environment.shown[1] as string[])].sort()).toEqual(["alpha_do", "read"]);
  });

  test("an abort does not wait for a decision that hangs", async () => {
    const ran: Ran[] = [];
    const environment = await session({
      extensions: [inline("alpha", register(recording("alpha_do", ran)))],
      steps: [["alpha_do"], "done"],
    });
    const { session: scope } = attachToPi(environment.session, {});
    scope.on("before_tool_call", () => {
      setTimeout(() => void environment.session.abort(), 5);
      return new Promise<void>(() => {});
    });
    const started = performance.now();
    await environment.session.prompt("go");
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(environment.calls[0]).toMatchObject({ ok: false, text: "Operation aborted" });
    expect(ran).toEqual([]);
  });
});
