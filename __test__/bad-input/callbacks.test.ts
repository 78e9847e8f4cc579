// Callbacks that fail, hang or end the session: a clear error or a diagnostic, and everything else as it was.
import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { controlled, diagnosticsOf, expectRejection, tools, verdict } from "../fixture.js";
import { junk } from "./junk.js";

describe("a predicate that fails", () => {
  const list = ["one"];
  delete list[0];
  test.each<[string, unknown, RegExp]>([
    ["throws", () => { throw new Error("boom"); }, /boom/],
    ["throws nothing", () => { throw undefined; }, /undefined/],
    ["throws a trap", () => { throw new Proxy(new Error(), { get: () => { throw new Error(); } }); }, /./],
    ["returns a promise", async () => true, /promise/],
    ["returns a promise that rejects", () => Promise.reject(new Error("boom")), /promise/],
    ["returns nothing", () => undefined, /neither/],
    ["returns a number", () => 1, /neither/],
    ["returns a string", () => "one", /neither/],
    ["returns a set", () => new Set(["one"]), /neither/],
    ["returns a list of other things", () => ["one", 5], /neither/],
    ["returns a list with holes", () => list, /neither/],
    ["returns a list that is a trap", () => new Proxy(["one"], { get: (_, key) => { if (key === "0") throw new Error("boom"); return Reflect.get(["one"], key) as unknown; } }), /boom/],
    ["changes its view", (view: { tools: string[] }) => { view.tools.push("x"); return true; }, /./],
  ])("one that %s refuses that source's tools, and those alone", async (_what, narrow, said) => {
    const { session, works } = controlled();
    const heard = diagnosticsOf(session);
    session.start();
    session.setScope({ narrow: (view) => (view.name === "x" ? junk<typeof narrow & ((view: unknown) => boolean)>(narrow)(view) : true) });
    const source = session.addSource({ kind: "ext", name: "x", tools: tools("one", "two") });
    for (const name of ["one", "two"]) expect(session.checkScope(name)).toMatchObject({ code: "guard_error", by: "narrow" });
    expect(await session.beforeToolCall({ name: "one" })).toMatchObject({ code: "guard_error" });
    const told = heard.filter(({ code }) => code === "narrow_failed");
    expect(told).toMatchObject([{ level: "error", source: "ext:x", message: expect.stringMatching(said) }]);
    expect(session.endTurn().active).not.toContain("one");
    await works();
    // It is asked again when the map changes, and on refresh().
    source.add({ name: "three" });
    expect(verdict(session, "three")).toBe("guard_error");
    session.setScope({ narrow: () => true });
    expect(verdict(session, "one")).toBe("allowed");
  });

  test("names that it lists and the source has not are nothing", async () => {
    const { session, works } = controlled();
    session.setScope({ narrow: (view) => ["one", "nope", "__proto__", "control", "\u{d800}", ...view.tools.filter((name) => name.startsWith("late"))] });
    session.addSource({ kind: "ext", name: "x", tools: tools("one", "two") });
    expect(verdict(session, "one")).toBe("allowed");
    expect(verdict(session, "two")).toBe("out_of_scope");
    await works();
  });

  test("one that changes sources while it is asked is asked about each new map, and the host lives", async () => {
    const { session, works } = controlled();
    const asked: string[][] = [];
    session.addSource({ kind: "ext", name: "x", tools: tools("one") });
    session.setScope({
      narrow: ({ id, tools: names }) => {
        if (id !== "ext:x") return true;
        asked.push([...names]);
        if (names.length < 4) session.source("ext:x")?.add({ name: `more${names.length}` });
        return true;
      },
    });
    expect(asked).toEqual([["one"], ["one", "more1"], ["one", "more1", "more2"], ["one", "more1", "more2", "more3"]]);
    for (const name of ["one", "more1", "more3"]) expect(verdict(session, name)).toBe("allowed");
    await works();
  });

  test("one that changes its source each time is cut off, closed", async () => {
    const { session, works } = controlled();
    const source = session.addSource({ kind: "ext", name: "x", tools: tools("one") });
    let times = 0;
    session.setScope({ narrow: ({ id }) => { if (id === "ext:x") source.add({ name: `n${times++}` }); return true; } });
    expect(verdict(session, "one")).toBe("guard_error");
    expect(times).toBeLessThan(1_000);
    source.close();
    await works();
  });
});

describe("listeners that fail", () => {
  const proxy = new Proxy(() => {}, { get: () => { throw new Error("boom"); } });
  const bad: [string, () => unknown][] = [
    ["throws", () => { throw new Error("boom"); }],
    ["throws nothing", () => { throw undefined; }],
    ["throws a trap", () => { throw proxy; }],
    ["rejects", () => Promise.reject(new Error("boom"))],
    ["hangs", () => new Promise(() => {})],
    ["returns a thenable that throws", () => ({ then: () => { throw new Error("boom"); } })],
    ["returns a thenable whose then throws", () => Object.defineProperty({}, "then", { get: () => { throw new Error("boom"); } })],
  ];
  const wrong: [string, () => unknown][] = [
    ["returns a number", () => 5],
    ["returns null", () => null],
    ["returns false", () => false],
    ["returns text", () => "block"],
    ["returns an empty object", () => ({})],
    ["returns block: false", () => ({ block: false })],
    ["returns block: 1", () => ({ block: 1 })],
    ["returns a reason that is no text", () => ({ block: true, reason: 5 })],
    ["returns a block that throws", () => ({ get block(): never { throw new Error("boom"); } })],
    ["resolves to a number", async () => 5],
  ];

  test.each([...bad, ...wrong])("a guard that %s refuses the call, is named, and harms nothing else", async (_what, guard) => {
    const { session, works } = controlled({ limits: { listenerMs: 20 } });
    const heard = diagnosticsOf(session);
    const off = session.on("before_tool_call", junk(guard), { name: "bad" });
    let after = 0;
    const offAfter = session.on("before_tool_call", () => void after++);
    const { decision, ok } = await session.call({ name: "control" });
    expect({ ok, after }).toEqual({ ok: false, after: 0 });
    expect(decision).toMatchObject({ allowed: false, code: "guard_error", by: "bad" });
    expect(heard).toMatchObject([{ level: "error", code: "guard_failed", message: expect.stringContaining("`bad`") }]);
    off();
    offAfter();
    await works();
  });

  test.each(["session_start", "turn_end", "tools_changed", "decision"] as const)("listeners of %s that fail are reported and stop nobody", async (event) => {
    const { session, works } = controlled({ limits: { listenerMs: 20 } });
    const heard = diagnosticsOf(session);
    const order: string[] = [];
    for (const [what, listener] of bad) session.on(event, junk(listener), { name: what });
    session.on(event, junk(() => void order.push("last")));
    session.start();
    await session.ready();
    session.addSource({ kind: "ext", name: "x", tools: tools("one") });
    session.endTurn();
    await session.beforeToolCall({ name: "one" });
    expect(order.length).toBeGreaterThanOrEqual(1);
    await new Promise((resolve) => setTimeout(resolve, 40));
    for (const [what] of bad) {
      expect(heard).toContainEqual(expect.objectContaining({ level: "error", code: "listener_failed", message: expect.stringContaining(`\`${what}\` of \`${event}\``) }));
    }
    await works();
  });

  test("listeners of diagnostic and session_end that fail are left alone", async () => {
    const { session, works } = controlled({ limits: { listenerMs: 5 } });
    for (const [, listener] of bad) {
      session.on("diagnostic", junk(listener));
      session.on("session_end", junk(listener));
    }
    session.addSource({ kind: "ext", name: "x", tools: [junk({})] });
    await works();
    session.dispose();
    expect(session.state).toBe("disposed");
    await new Promise((resolve) => setTimeout(resolve, 10));
  });

  test("a name or reason that is odd", async () => {
    const { session } = controlled();
    const odd = Object.defineProperty(() => {}, "name", { value: 5 });
    const off = session.on("before_tool_call", odd);
    expect(await session.beforeToolCall({ name: "control" })).toMatchObject({ allowed: true });
    off();
    session.on("before_tool_call", () => ({ block: true, reason: "\u{d800}\n".repeat(100_000) }), { name: "\u{d800}" });
    expect(await session.beforeToolCall({ name: "control" })).toMatchObject({ code: "vetoed" });
    const required = new ToolSession({ scope: { requireGuards: ["\u{d800}"] } });
    required.addSource({ kind: "ext", name: "x", tools: tools("one") });
    expect(verdict(required, "one")).toBe("guard_error");
  });
});

describe("the session is disposed from inside", () => {
  const occasions: [string, (session: ToolSession, end: () => void) => unknown][] = [
    ["narrow", (session, end) => session.setScope({ narrow: () => { end(); return true; } })],
    ["session_start", (session, end) => { session.on("session_start", end); session.start(); }],
    ["turn_end", (session, end) => { session.start(); session.on("turn_end", end); session.endTurn(); }],
    ["tools_changed", (session, end) => { session.on("tools_changed", end); session.start(); }],
    ["decision", (session, end) => { session.on("decision", end); return session.call({ name: "control" }); }],
    ["diagnostic", (session, end) => { session.on("diagnostic", end); session.addSource({ kind: "ext", name: "x", tools: [junk({})] }); }],
    ["before_tool_call", (session, end) => { session.on("before_tool_call", end); return session.call({ name: "control" }); }],
    ["session_end", (session, end) => { session.on("session_end", end); session.dispose(); }],
    ["exposedName", (session, end) => session.addSource({ kind: "ext", name: "x", exposedName: (raw) => { end(); return raw; }, tools: tools("one") })],
    ["a declaration's getter", (session, end) => session.addSource({ kind: "ext", name: "x", tools: [{ get name() { end(); return "one"; } }] })],
    ["execute", (session, end) => { session.addSource({ kind: "ext", name: "x", tools: [{ name: "one", execute: end }] }); return session.call({ name: "one" }); }],
    ["load", (session, end) => { session.addSource({ kind: "ext", name: "x", declares: ["one"], load: async () => { end(); return tools("one"); } }); return session.call({ name: "one" }); }],
  ];

  test.each(occasions)("in %s", async (_what, act) => {
    const { session } = controlled();
    const other = controlled();
    let ended = 0;
    session.on("session_end", () => void ended++);
    try {
      await act(session, () => session.dispose());
    } catch (error) {
      expect(error).toMatchObject({ code: "ERR_TOOLSCOPE_SESSION_DISPOSED" });
    }
    expect(session.state).toBe("disposed");
    expect(ended).toBe(1);
    expect(verdict(session, "control")).toBe("disposed");
    expect(await session.call({ name: "control" })).toMatchObject({ ok: false, decision: { code: "disposed" } });
    await other.works();
  });

  test("a guard that disposes refuses its own call, and those after it are not asked", async () => {
    const { session } = controlled();
    let after = 0;
    session.on("before_tool_call", () => session.dispose());
    session.on("before_tool_call", () => void after++);
    expect(await session.call({ name: "control" })).toMatchObject({ ok: false, decision: { code: "disposed" } });
    expect(after).toBe(0);
  });

  test("a call that waits for a load is refused as soon as the session ends", async () => {
    const { session } = controlled();
    let signal: AbortSignal | undefined;
    session.addSource({ kind: "mcp", name: "m", declares: ["t"], load: (given) => { signal = given; return new Promise(() => {}); } });
    const call = session.call({ name: "mcp__m__t" });
    const ready = session.resolve(["mcp:m"]);
    await Promise.resolve();
    session.dispose();
    expect((await call).decision).toMatchObject({ code: "disposed" });
    await expectRejection(() => ready, "ERR_TOOLSCOPE_SESSION_DISPOSED");
    expect(signal?.aborted).toBe(true);
  });

  test("ready() ends with the session", async () => {
    const { session } = controlled();
    session.on("session_start", () => new Promise(() => {}));
    session.addSource({ kind: "mcp", name: "slow" });
    session.start();
    const ready = session.ready();
    session.dispose();
    const begun = performance.now();
    await expectRejection(() => ready, "ERR_TOOLSCOPE_SESSION_DISPOSED");
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
