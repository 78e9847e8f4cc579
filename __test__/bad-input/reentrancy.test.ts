// Calls back into a session, and after its end: a clear error or a diagnostic, and everything else as it was.
import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { controlled, expectError, expectRejection, tools, verdict } from "../fixture.js";
import { junk } from "./junk.js";

describe("calls back into the session", () => {
  /** Everything that can be done to a session, done once. */
  const everything = (session: ToolSession): void => {
    const source = session.addSource({ kind: "ext", name: `re${Math.random()}`, tools: tools("re") });
    source.add({ name: "re2" }, junk({ name: 5 }));
    source.remove("re2");
    source.fail("re");
    source.set(tools("re", "re3"));
    session.checkScope("control");
    session.checkScope({ name: "re", id: "x" });
    session.report();
    session.tools();
    session.activeTools();
    session.explain("re");
    session.on("turn_end", () => {})();
    session.on("before_tool_call", () => {})();
    session.start();
    // While `narrow` is asked about it, no tool is in scope.
    if (session.checkScope("control").allowed) {
      session.deactivate("control");
      session.activate("control");
    }
    session.endTurn();
    session.refresh();
    session.compact();
    session.pinDefinitions();
    session.approve("host:control/control");
    session.afterToolCall({ id: "host:control/control", ok: true });
    void session.beforeToolCall({ name: "control" });
    void session.call({ name: "control" });
    void session.resolve(["re"]);
    void session.ready(0);
    source.close();
  };

  /** From inside a callback, once: what a callback does calls callbacks again. */
  function once(session: ToolSession): { act: () => void; acted: () => boolean; failed: unknown[] } {
    let acted = false;
    const failed: unknown[] = [];
    const act = (): void => {
      if (acted) return;
      acted = true;
      try {
        everything(session);
      } catch (error) {
        failed.push(error);
      }
    };
    return { act, acted: () => acted, failed };
  }

  const occasions: [string, (session: ToolSession, act: () => void) => unknown][] = [
    ["narrow", (session, act) => session.setScope({ narrow: () => { act(); return true; } })],
    ["session_start", (session, act) => { session.on("session_start", act); session.start(); }],
    ["turn_end", (session, act) => { session.start(); session.on("turn_end", act); session.endTurn(); }],
    ["tools_changed", (session, act) => { session.on("tools_changed", act); session.start(); }],
    ["decision", (session, act) => { session.on("decision", act); return session.call({ name: "control" }); }],
    ["diagnostic", (session, act) => { session.on("diagnostic", act); session.addSource({ kind: "ext", name: "x", tools: [junk({})] }); }],
    ["before_tool_call", (session, act) => { session.on("before_tool_call", act); return session.call({ name: "control" }); }],
    ["exposedName", (session, act) => session.addSource({ kind: "ext", name: "x", exposedName: (raw) => { act(); return raw; }, tools: tools("one") })],
    ["exposedName of an inventory", (session, act) => session.addSource({ kind: "ext", name: "x", exposedName: (raw) => { act(); return raw; }, declares: ["one"] })],
    ["a declaration's getter", (session, act) => session.addSource({ kind: "ext", name: "x", tools: [{ get name() { act(); return "one"; } }] })],
    ["toJSON", (session, act) => session.addSource({ kind: "ext", name: "x", tools: [{ name: "one", inputSchema: { toJSON: () => { act(); return {}; } } }] })],
    ["execute", (session, act) => { session.addSource({ kind: "ext", name: "x", tools: [{ name: "one", execute: act }] }); return session.call({ name: "one" }); }],
    ["load", (session, act) => { session.addSource({ kind: "ext", name: "x", declares: ["one"], load: async () => { act(); return tools("one"); } }); return session.call({ name: "one" }); }],
  ];

  test.each(occasions)("from %s", async (_what, occasion) => {
    const { session, works } = controlled();
    const { act, acted, failed } = once(session);
    await occasion(session, act);
    expect(acted()).toBe(true);
    expect(failed).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await works();
  });

  test("without end, from a listener, the stack ends it and the session goes on", async () => {
    const { session, works } = controlled();
    session.start();
    const offs = [
      session.on("turn_end", () => void session.endTurn()),
      session.on("diagnostic", () => void session.source("ext:x")?.set([junk({})])),
    ];
    session.endTurn();
    session.addSource({ kind: "ext", name: "x", tools: [junk({})] });
    for (const off of offs) off();
    session.source("ext:x")?.close();
    await works();
  });

  test("a guard that calls the tool it guards", async () => {
    const { session, works } = controlled();
    let depth = 0;
    const off = session.on("before_tool_call", async () => {
      if (depth++ < 50) expect((await session.call({ name: "control" })).ok).toBe(true);
    });
    expect((await session.call({ name: "control", input: 5 })).ok).toBe(true);
    expect(depth).toBe(51);
    off();
    await works();
  });

  test("listeners that come and go while they are told", async () => {
    const { session, works } = controlled();
    session.start();
    const told: string[] = [];
    const offs: (() => void)[] = [];
    session.on("turn_end", () => {
      told.push("first");
      offs.pop()?.();
      session.on("turn_end", () => void told.push("new"), { name: "new" });
    });
    offs.push(session.on("turn_end", () => void told.push("second")));
    session.endTurn();
    // The round that was under way is told as it began.
    expect(told).toEqual(["first", "second"]);
    session.endTurn();
    expect(told).toEqual(["first", "second", "first", "new"]);
    for (const off of offs) off();
    await works();
  });
});

describe("after dispose()", () => {
  const DISPOSED = "ERR_TOOLSCOPE_SESSION_DISPOSED";

  test("each method says so, checks refuse, and disposing twice is once", async () => {
    const { session } = controlled();
    const source = session.source("host:control");
    session.start();
    session.dispose();
    session.dispose();
    session[Symbol.dispose]();
    expect(session.state).toBe("disposed");
    const { turn, generation, id, path } = session;
    expect([typeof turn, typeof generation, typeof id, path.length]).toEqual(["number", "number", "string", 1]);
    expect(session.activeTools()).toEqual([]);
    for (const act of [
      () => session.addSource({ kind: "ext", name: "x" }),
      () => session.source("host:control"),
      () => session.setScope({}),
      () => session.report(),
      () => session.tools(),
      () => session.activate("control"),
      () => session.deactivate("control"),
      () => session.explain("control"),
      () => session.on("turn_end", () => {}),
      () => session.start(),
      () => session.endTurn(),
      () => session.refresh(),
      () => session.compact(),
      () => session.afterToolCall({ id: "x", ok: true }),
      () => session.pinDefinitions(),
      () => session.approve("host:control/control"),
      () => source?.set([]),
      () => source?.add({ name: "x" }),
      () => source?.remove("control"),
      () => source?.fail("x"),
    ]) {
      expectError(act, DISPOSED);
    }
    await expectRejection(() => session.resolve(["*"]), DISPOSED);
    await expectRejection(() => session.ready(), DISPOSED);
    source?.close();
    for (const call of ["control", { name: "control" }, { name: "control", id: "host:control/control" }, { name: "nope", parentCallId: "c" }]) {
      const decision = session.checkScope(call);
      expect(decision).toMatchObject({ allowed: false, code: "disposed", path: session.path });
      expect(decision.via).toBe(typeof call === "object" && "parentCallId" in call ? "code" : "direct");
    }
    expect(await session.beforeToolCall({ name: "control" })).toMatchObject({ code: "disposed" });
    expect(await session.call({ name: "control" })).toMatchObject({ ok: false, error: { code: "disposed" } });
  });

  test("a closed source changes no more, and its id is free", async () => {
    const { session, works } = controlled();
    const source = session.addSource({ kind: "ext", name: "x", tools: tools("one") });
    source.close();
    source.close();
    expect(source.state).toBe("closed");
    for (const act of [() => source.set([]), () => source.add({ name: "y" }), () => source.remove("one"), () => source.fail("z")]) {
      expectError(act, "ERR_TOOLSCOPE_SOURCE_CLOSED", "`ext:x`");
    }
    const again = session.addSource({ kind: "ext", name: "x", tools: tools("two") });
    expect(verdict(session, "one")).toBe("unknown");
    // The old handle is over for good, even where its place is taken again.
    expectError(() => source.set(tools("evil")), "ERR_TOOLSCOPE_SOURCE_CLOSED");
    expect(source.state).toBe("closed");
    source.close();
    expect(again.state).toBe("ready");
    expect(verdict(session, "two")).toBe("allowed");
    again.close();
    await works();
  });
});
