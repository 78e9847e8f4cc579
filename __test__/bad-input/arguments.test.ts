// Bad arguments, selectors and calls: a clear error or a diagnostic, and everything else as it was.
import { describe, expect, test } from "vitest";
import { type ScopeSpec, type SourceSpec, ToolSession, UsageLog } from "../../index.js";
import { controlled, expectError, expectRejection, tools, verdict } from "../fixture.js";
import { junk, INVALID, notStrings } from "./junk.js";

describe("arguments of the wrong type", () => {
  test("a session's options", async () => {
    for (const options of [null, 5, "x", [], () => {}]) expectError(() => new ToolSession(junk(options)), INVALID);
    for (const id of notStrings) expectError(() => new ToolSession({ id: junk(id) }), INVALID, "`id` of the session");
    for (const limits of [{ listenerMs: -1 }, { listenerMs: Number.NaN }, { loadMs: 2 ** 31 }, { loadMs: "1" }, { depth: 1.5 }]) {
      expectError(() => new ToolSession({ limits: junk(limits) }), INVALID, /limits/);
    }
    expectError(() => new ToolSession({ strict: junk("yes") }), INVALID, "`strict`");
    expectError(() => new ToolSession({ scope: junk(null) }), INVALID, "`scope`");
    expectError(() => new ToolSession(junk({ scopes: {} })), INVALID, "no option `scopes`");
  });

  test.each([2 ** 32, 2 ** 32 + 1, 2 ** 33, Number.MAX_SAFE_INTEGER])("%d is a large count, and no small one", async (many) => {
    const usage = new UsageLog();
    const limits = { depth: many, children: many, spawned: many };
    const session = new ToolSession({ usage, limits, scope: { allow: ["*"] } });
    session.addSource({ kind: "ext", name: "e", tools: tools("a", "b", "c") });
    session.start();
    for (const id of ["ext:e/a", "ext:e/b"]) usage.record({ id, session: "s" });
    expect((await session.prepare({ maxTools: many })).tools.filter(({ deferred }) => deferred)).toEqual([]);
    expect(usage.rank(many)).toEqual(usage.rank());
    expect(session.search("", { limit: many }).items).toHaveLength(3);
    expect(session.search("", { offset: many }).items).toEqual([]);
    expect(session.catalog({ budget: many, pinnedLimit: many }).complete).toBe(true);
    expect(session.spawn({ name: "child" }).path).toHaveLength(2);
  });

  test("an unknown option is named, with those there are", async () => {
    const { session, works } = controlled();
    const setScope = (spec: unknown) => () => session.setScope(junk<ScopeSpec>(spec));
    expectError(setScope({ alow: [] }), INVALID, /`alow`.*`allow`/);
    expectError(() => session.addSource(junk({ kind: "ext", name: "x", tool: [] })), INVALID, /`tool`.*`tools`/);
    expectError(() => session.on("turn_end", () => {}, junk({ timeout: 5 })), INVALID, /`timeout`.*`timeoutMs`/);
    expectError(() => new ToolSession({ limits: junk({ listenerMS: 5 }) }), INVALID, /`listenerMS`/);
    await expectRejection(() => session.call({ name: "control" }, junk({ abort: 1 })), INVALID, /`abort`.*`signal`/);
    expectError(() => session.afterToolCall(junk({ id: "a", ok: true, took: 1 })), INVALID, /`took`/);
    const long = "o".repeat(1 << 20);
    expect(expectError(setScope({ [`${long}\n\u{d800}`]: [] }), INVALID).message.length).toBeLessThan(400);
    expectError(setScope(JSON.parse('{"__proto__":[]}')), INVALID, /__proto__/);
    expect(session.source("ext:x")).toBeUndefined();
    await works();
  });

  test("a scope", async () => {
    const { session, works } = controlled({ scope: { allow: ["control", "late*"], exclude: ["bash"] } });
    const before = session.report();
    for (const key of ["allow", "exclude", "required", "requireGuards"]) {
      const sparse = Array.from({ length: 2 }, () => "read");
      delete sparse[1];
      for (const value of [null, 5, "read", {}, [5], [null], [undefined], sparse, new Array(3), ["read", ["x"]], new Set(["read"])]) {
        expectError(() => session.setScope({ [key]: value }), INVALID, `\`${key}\` of the scope`);
      }
    }
    for (const narrow of [null, true, ["read"], {}]) expectError(() => session.setScope({ narrow: junk(narrow) }), INVALID, "`narrow`");
    for (const spec of [undefined, null, [], "read", 5]) expectError(() => session.setScope(junk(spec)), INVALID, "the scope");
    expectError(() => session.setScope({ sealed: junk(1) }), INVALID, "`sealed`");
    expect(session.report()).toEqual(before);
    expect(verdict(session, "bash")).toBe("unknown");
    await works();
  });

  test("an option that a class instance inherits counts as its own", async () => {
    class Restricted {
      get allow(): string[] {
        return ["control"];
      }
    }
    const { session } = controlled();
    session.addSource({ kind: "builtin", name: "b", tools: tools("bash") });
    session.setScope(new Restricted());
    expect(verdict(session, "bash")).toBe("out_of_scope");
    expect(verdict(new ToolSession(Object.create({ scope: { allow: [] } }) as object), "bash")).toBe("unknown");
    class Call {
      get name(): string {
        return "control";
      }
    }
    expect((await session.call(new Call())).ok).toBe(true);
  });

  test("a source's spec", async () => {
    const { session, works } = controlled();
    const add = (spec: unknown) => () => session.addSource(junk<SourceSpec>(spec));
    for (const spec of [undefined, null, 5, "ext:x", [], {}, { kind: "ext" }, { name: "x" }]) expectError(add(spec), INVALID);
    for (const kind of [...notStrings, "", "Ext", "plugin", "__proto__"]) expectError(add({ kind, name: "x" }), INVALID, "`kind`");
    for (const name of notStrings) expectError(add({ kind: "ext", name }), INVALID, "`name`");
    for (const name of ["", "a\nb", "\u0000", "\u007f", "x".repeat(1 << 20)]) {
      expectError(add({ kind: "ext", name }), "ERR_TOOLSCOPE_SOURCE_INVALID");
      expectError(add({ kind: "ext", name: "x", aliases: [name] }), "ERR_TOOLSCOPE_SOURCE_INVALID");
    }
    for (const more of [
      { aliases: "y" }, { aliases: [5] }, { path: 5 }, { description: {} }, { precedence: "high" }, { precedence: 1.5 },
      { precedence: Number.POSITIVE_INFINITY }, { precedence: 2 ** 40 }, { exposedName: "x" }, { trustHints: 1 },
      { tools: {} }, { tools: "x" }, { tools: new Set() }, { declares: [null] }, { declares: "x" }, { load: true }, { load: Promise.resolve([]) },
    ]) {
      expectError(add({ kind: "ext", name: "x", ...more }), INVALID, `\`${Object.keys(more)[0]}\` of the source`);
    }
    expect(session.source("ext:x")).toBeUndefined();
    expect(session.addSource({ kind: "ext", name: "x" }).id).toBe("ext:x");
    await works();
  });

  test("two sources whose ids differ only in case, and two builtin ones", async () => {
    const { session, works } = controlled();
    const first = session.addSource({ kind: "mcp", name: "Kb", tools: tools("find") });
    session.addSource({ kind: "builtin", name: "core", tools: tools("read") });
    for (const name of ["Kb", "kb", "KB"]) expectError(() => session.addSource({ kind: "mcp", name, tools: tools("drop") }), "ERR_TOOLSCOPE_SOURCE_DUPLICATE", /mcp:Kb/);
    expectError(() => session.addSource({ kind: "builtin", name: "other" }), "ERR_TOOLSCOPE_SOURCE_DUPLICATE", "`builtin`");
    expect(session.addSource({ kind: "ext", name: "kb" }).id).toBe("ext:kb");
    expect(first.state).toBe("ready");
    expect(session.tools().map(({ id }) => id)).toEqual(["builtin:read", "host:control/control", "mcp:Kb/find"]);
    await works();
  });

  test("what a source is given", async () => {
    const { session, works } = controlled();
    const source = session.addSource({ kind: "ext", name: "x", tools: tools("good") });
    for (const map of [undefined, null, 5, "good", {}, { length: 1 }, new Set(), new Map()]) expectError(() => source.set(junk(map)), INVALID);
    for (const name of notStrings) {
      expectError(() => source.remove(junk(name)), INVALID);
      expectError(() => source.fail(junk(name)), INVALID);
    }
    expectError(() => source.fail(junk(undefined)), INVALID);
    expect(source.state).toBe("ready");
    expect(verdict(session, "good")).toBe("allowed");
    source.remove("no such tool", "", "__proto__", "\u{d800}");
    expect(source.report).toEqual({ added: [], replaced: [], removed: [], quarantined: [] });
    await works();
  });

  test("names and calls", async () => {
    const { session, works } = controlled();
    session.start();
    for (const value of [undefined, ...notStrings]) {
      expectError(() => session.source(junk(value)), INVALID);
      expectError(() => session.explain(junk(value)), INVALID);
      expectError(() => session.approve(junk(value)), INVALID);
      expectError(() => session.activate(junk(value)), INVALID);
      expectError(() => session.deactivate("control", junk(value)), INVALID);
      expectError(() => session.checkScope(junk(value)), INVALID);
      expectError(() => session.checkScope({ name: junk(value) }), INVALID, "`name` of the call");
      await expectRejection(() => session.beforeToolCall(junk(value)), INVALID);
      await expectRejection(() => session.call({ name: junk(value) }), INVALID);
      await expectRejection(() => session.resolve(junk(typeof value === "object" && Array.isArray(value) ? [5] : value)), INVALID);
      if (value === undefined) continue;
      expectError(() => session.checkScope({ name: "control", id: junk(value) }), INVALID, "`id` of the call");
      await expectRejection(() => session.beforeToolCall({ name: "control", callId: junk(value) }), INVALID, "`callId`");
      await expectRejection(() => session.call({ name: "control", parentCallId: junk(value) }), INVALID, "`parentCallId`");
      if (typeof value !== "object" || value === null) await expectRejection(() => session.call({ name: "control" }, junk(value)), INVALID);
      await expectRejection(() => session.call({ name: "control" }, { signal: junk(value) }), INVALID, "`signal`");
    }
    await expectRejection(() => session.beforeToolCall(junk("control")), INVALID);
    for (const result of [undefined, null, {}, { id: "control" }, { ok: true }, { id: "x", ok: 1 }, { id: "x", ok: true, ms: -1 }]) {
      expectError(() => session.afterToolCall(junk(result)), INVALID);
    }
    for (const ms of ["5", -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, null]) await expectRejection(() => session.ready(junk(ms)), INVALID);
    expectError(() => session.on(junk<"turn_end">("turn_ended"), () => {}), INVALID, /`turn_ended`.*`turn_end`/);
    for (const event of ["toString", "__proto__", 5, undefined, null]) expectError(() => session.on(junk<"turn_end">(event), () => {}), INVALID);
    for (const listener of [undefined, null, 5, {}]) expectError(() => session.on("turn_end", junk(listener)), INVALID, "`turn_end`");
    expectError(() => session.on("turn_end", () => {}, { timeoutMs: -1 }), INVALID, "`timeoutMs`");
    expectError(() => session.on("turn_end", () => {}, { name: junk(5) }), INVALID, "`name`");
    await works();
  });

  test("a getter that answers twice is asked once", async () => {
    const { session, works } = controlled({ scope: { allow: ["control", "late*"] } });
    let asked = 0;
    const call = { get name() { return asked++ === 0 ? "control" : (5 as never); } };
    expect((await session.beforeToolCall(call)).allowed).toBe(true);
    let times = 0;
    const scope = { get allow() { return times++ === 0 ? ["control", "late*"] : (null as never); } };
    expect(session.setScope(scope).allow).toHaveLength(2);
    expect([asked, times]).toEqual([1, 1]);
    await works();
  });

  test("what the host's own getters throw passes through, and nothing has changed", async () => {
    const { session, works } = controlled();
    const trap = { get allow(): never { throw new RangeError("mine"); } };
    expect(() => session.setScope(trap)).toThrow(RangeError);
    const spec = { kind: "ext", name: "x", get tools(): never { throw new RangeError("mine"); } } as const;
    expect(() => session.addSource(spec)).toThrow(RangeError);
    expect(session.source("ext:x")).toBeUndefined();
    const list = new Proxy([{ name: "a" }], { get: (target, key, all) => { if (key === "0") throw new RangeError("mine"); return Reflect.get(target, key, all) as unknown; } });
    expect(() => session.addSource({ kind: "ext", name: "x", tools: list })).toThrow(RangeError);
    expect(session.source("ext:x")).toBeUndefined();
    await works();
  });
});

describe("selectors that do not parse", () => {
  const bad = ["", " ", "a b", "a/b", "ext:", "ext:/x", "foo:bar", "ext:a/", 'mcp:"a', "ext:a@", "ext:a@readonly", "read@", "none@readOnly", "a:b:c", "\u0000", "\u{d800}", "ext:\n/x", "mcp__", "@readOnly"];

  test.each(bad.map((text) => [text]))("%j is reported with its column, or is a name like another, and disables nothing", async (text) => {
    const { session, works } = controlled({ scope: { allow: [text, "control", "late*", text], exclude: ["bash", text], required: [text] } });
    session.addSource({ kind: "builtin", name: "b", tools: tools("bash", "read") });
    session.start();
    const report = session.report();
    for (const entry of [report.allow[0], report.exclude[1], report.required[0]]) {
      expect(["invalid", "unknown"]).toContain(entry?.state);
      if (entry?.state === "invalid") {
        expect(entry.column).toBeGreaterThanOrEqual(1);
        expect(entry.column).toBeLessThanOrEqual(text.length + 1);
        expect(entry.message).toMatch(/./);
      }
    }
    expect(verdict(session, "read")).not.toBe("allowed");
    expect(verdict(session, "bash")).toBe("excluded");
    await works();
  });

  test("strict throws instead, and keeps the old scope", async () => {
    for (const list of ["allow", "exclude", "required"] as const) {
      expectError(() => new ToolSession({ strict: true, scope: { [list]: ["ok", "ext:"] } }), "ERR_TOOLSCOPE_SELECTOR_INVALID", /`ext:`/);
    }
    const { session, works } = controlled({ strict: true, scope: { allow: ["control", "late*"] } });
    const narrow = (): never => {
      throw new Error("never to be asked");
    };
    const before = session.report();
    for (const text of ["", "ext:/x", 'mcp:"a', "a:b:c"]) {
      expectError(() => session.setScope({ exclude: ["control"], allow: [text], narrow }), "ERR_TOOLSCOPE_SELECTOR_INVALID");
    }
    expect(session.report()).toEqual(before);
    for (const parent of [session, session.spawn({ name: "child", scope: { allow: ["control"] } })]) {
      expectError(() => parent.spawn({ name: "strict", scope: { allow: ["ext:"] } }), "ERR_TOOLSCOPE_SELECTOR_INVALID");
      expectError(() => parent.setScope({ exclude: ["ext:"] }), "ERR_TOOLSCOPE_SELECTOR_INVALID");
    }
    await works();
  });

  test("selectors of any size", async () => {
    const { session, works } = controlled();
    const long = ["x".repeat(1 << 20), "*".repeat(10_000), `ext:${"a*".repeat(5_000)}/b`, `mcp__${"a__".repeat(2_000)}b`, `ext:${'"'.repeat(9_999)}`];
    const many = Array.from({ length: 5_000 }, (_, at) => `ext:s${at}/t`);
    const report = session.setScope({ exclude: [...long.filter((text) => !/^\*+$/.test(text)), ...many] });
    expect(report.exclude).toHaveLength(long.length - 1 + many.length);
    await works();
    session.setScope({ allow: [...long, "control"] });
    expect(verdict(session, "control")).toBe("allowed");
    expect((await session.resolve(long)).length).toBeGreaterThanOrEqual(long.length);
    session.setScope({});
    await works();
  });
});

describe("input of calls", () => {
  test.each<[string, unknown]>([
    ["a function", () => {}],
    ["a symbol", Symbol("s")],
    ["a getter that throws", { get x(): never { throw new Error("boom"); } }],
    ["a promise", Promise.resolve()],
    ["a proxy", new Proxy({}, { ownKeys: () => { throw new Error("boom"); } })],
    ["a weak map", new WeakMap()],
  ])("%s cannot be copied", async (_what, input) => {
    const { session, works } = controlled();
    await expectRejection(() => session.call({ name: "control", input }), INVALID, /`control`/);
    session.on("before_tool_call", () => {});
    await expectRejection(() => session.beforeToolCall({ name: "control", input }), INVALID, /`control`/);
    await works();
  });

  test("and the message is short, whatever the call's name", async () => {
    const { session, works } = controlled();
    const error = await expectRejection(() => session.call({ name: "n\n".repeat(70_000), input: () => {} }), INVALID);
    expect(error.message.length).toBeLessThan(400);
    await works();
  });

  test("cycles, BigInt, dates, bytes, maps and 10 000 levels are data", async () => {
    const { session, works } = controlled();
    const cycle: Record<string, unknown> = { n: 5n, at: new Date(0), bytes: new Uint8Array(3), map: new Map([["k", {}]]), set: new Set([1]), "\u{d800}": "\u{d800}" };
    cycle["self"] = cycle;
    const { ok, value } = await session.call({ name: "control", input: cycle });
    expect(ok).toBe(true);
    const { echoed } = value as { echoed: Record<string, unknown> };
    expect(echoed["self"]).toBe(echoed);
    expect(Object.isFrozen(echoed)).toBe(true);
    expect(Object.isFrozen(cycle)).toBe(false);
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => [inner], 1);
    const answer = await session.call({ name: "control", input: deep }).catch((error: unknown) => error);
    expect(answer instanceof Error ? (answer as { code?: string }).code : "fine").toMatch(/^(fine|ERR_TOOLSCOPE_INVALID_ARGUMENT)$/);
    await works();
  });
});
