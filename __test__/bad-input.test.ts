import { describe, expect, test } from "vitest";
import { type ScopeSpec, type SourceSpec, type ToolDeclaration, ToolSession } from "../index.js";
import { controlled, diagnosticsOf, expectError, expectRejection, tools, verdict } from "./fixture.js";

/** Junk in the place of something typed. */
const junk = <T>(value: unknown): T => value as T;
const INVALID = "ERR_TOOLSCOPE_INVALID_ARGUMENT";
const notStrings: unknown[] = [5, 5n, true, Symbol("s"), null, {}, [], () => {}];

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

describe("declarations that cannot be", () => {
  const cycle: Record<string, unknown> = { type: "object" };
  cycle["properties"] = { self: cycle };
  const deep = (depth: number): unknown => Array.from({ length: depth }).reduce<unknown>((inner) => ({ not: inner }), {});
  const trap = (key: string): object => Object.defineProperty({ name: "bad" }, key, { get: () => { throw new Error("boom"); }, enumerable: true });
  const proxy = new Proxy({}, { get: () => { throw new Error("boom"); }, ownKeys: () => { throw new Error("boom"); }, getPrototypeOf: () => { throw new Error("boom"); } });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["a number", 5],
    ["a string", "bad"],
    ["a list", []],
    ["an empty object", {}],
    ["a promise", Promise.resolve({ name: "bad" })],
    ["a proxy that throws at everything", proxy],
    ["a name that is no string", { name: 5 }],
    ["an empty name", { name: "" }],
    ["a name of 1 MB", { name: "n".repeat(1 << 20) }],
    ["a name with half a character", { name: "bad\u{d800}" }],
    ["a description that is no text", { name: "bad", description: 5 }],
    ["a description with half a character", { name: "bad", description: "\u{dc00}x" }],
    ["a description of 5 MB", { name: "bad", description: "d".repeat(5 << 20) }],
    ["a schema that is a string", { name: "bad", inputSchema: "object" }],
    ["a schema that is a number", { name: "bad", inputSchema: 5 }],
    ["a schema that is a list", { name: "bad", inputSchema: [] }],
    ["a schema that is null", { name: "bad", inputSchema: null }],
    ["a schema whose type is a number", { name: "bad", inputSchema: { type: 5 } }],
    ["an output schema that is none", { name: "bad", outputSchema: "x" }],
    ["properties that are no schemas", { name: "bad", inputSchema: { properties: { p: 3 } } }],
    ["a validator instead of a schema", { name: "bad", inputSchema: { "~standard": { version: 1 }, type: "object" } }],
    ["a cycle", { name: "bad", inputSchema: cycle }],
    ["a schema 130 deep", { name: "bad", inputSchema: deep(130) }],
    ["a schema 100 000 deep", { name: "bad", inputSchema: deep(100_000) }],
    ["a BigInt", { name: "bad", inputSchema: { minimum: 5n } }],
    ["half a character in a schema", { name: "bad", inputSchema: { description: "\u{d83d}" } }],
    ["half a character as a key", { name: "bad", inputSchema: { properties: { "\u{d83d}": {} } } }],
    ["toJSON that throws", { name: "bad", inputSchema: { toJSON: () => { throw new Error("boom"); } } }],
    ["toJSON that gives nothing but text", { name: "bad", inputSchema: { toJSON: () => "x" } }],
    ["a name that throws", trap("name")],
    ["a description that throws", trap("description")],
    ["a schema that throws", trap("inputSchema")],
    ["an execute that throws when read", trap("execute")],
    ["a getter that throws something unreadable", Object.defineProperty({ name: "bad" }, "category", { get: () => { throw proxy; } })],
    ["an execute that is no function", { name: "bad", execute: "rm" }],
    ["an unknown exposure", { name: "bad", exposure: "open" }],
    ["an exposure that is no text", { name: "bad", exposure: 5 }],
    ["annotations that are none", { name: "bad", annotations: 5 }],
    ["a hint that is no truth value", { name: "bad", annotations: { readOnlyHint: "yes" } }],
    ["a category that is no text", { name: "bad", category: {} }],
  ])("%s is quarantined alone", async (_what, declaration) => {
    const { session, works } = controlled();
    const heard = diagnosticsOf(session);
    session.start();
    const bad = junk<ToolDeclaration>(declaration);
    const source = session.addSource({ kind: "ext", name: "x", tools: [...tools("before"), bad, ...tools("after")] });
    expect(source.report).toMatchObject({ added: ["before", "after"], replaced: [], removed: [] });
    expect(source.report.quarantined).toHaveLength(1);
    const [{ name, reason }] = source.report.quarantined as [{ name: string; reason: string }];
    expect(reason).toMatch(/./);
    expect(reason.length).toBeLessThan(1_000);
    expect(name.length).toBeLessThan(3_000);
    expect(heard).toMatchObject([{ level: "error", code: "tool_quarantined", source: "ext:x" }]);
    expect(heard[0]?.message.length).toBeLessThan(2_000);
    expect(verdict(session, "before")).toBe("allowed");
    expect(verdict(session, "after")).toBe("allowed");
    expect(verdict(session, "bad")).not.toBe("allowed");
    expect(source.state).toBe("ready");
    // By add(), and as a redefinition: that of a tool which was good withdraws it, and nothing else.
    expect(source.add(bad).quarantined).toHaveLength(1);
    source.set(tools("before", "bad", "after"));
    expect(verdict(session, "bad")).toBe("allowed");
    source.set([...tools("before"), bad, ...tools("after")]);
    if (name === "bad") expect(verdict(session, "bad")).toBe("quarantined");
    expect(verdict(session, "bad")).not.toBe("allowed");
    expect(verdict(session, "after")).toBe("allowed");
    source.close();
    await works();
  });

  test("a thousand bad ones among a thousand good ones", async () => {
    const { session, works } = controlled();
    const mixed = Array.from({ length: 2_000 }, (_, at) => junk<ToolDeclaration>(at % 2 === 0 ? { name: `t${at}` } : { name: `t${at}`, inputSchema: { x: 1n } }));
    const { added, quarantined } = session.addSource({ kind: "mcp", name: "m", tools: mixed }).report;
    expect([added.length, quarantined.length]).toEqual([1_000, 1_000]);
    expect(session.checkScope("mcp:m/t1")).toMatchObject({ code: "quarantined" });
    await works();
  });

  test("one name twice: the first stands, with its execute", async () => {
    const { session, works } = controlled();
    const source = session.addSource({ kind: "ext", name: "x", tools: [{ name: "twice", execute: () => 1 }, { name: "twice", execute: () => 2 }] });
    expect(source.report).toMatchObject({ added: ["twice"], quarantined: [{ name: "twice" }] });
    expect(await session.call({ name: "twice" })).toMatchObject({ ok: true, value: 1 });
    source.close();
    await works();
  });

  test("changing the declaration afterwards changes nothing", async () => {
    const { session } = controlled();
    const declaration: ToolDeclaration = { name: "x", description: "a", execute: () => "old" };
    session.addSource({ kind: "ext", name: "x", tools: [declaration] });
    Object.assign(declaration, { name: "y", description: "b", execute: () => "new" });
    expect(verdict(session, "y")).toBe("unknown");
    expect((await session.call({ name: "x" })).value).toBe("old");
    expect(session.tools().find(({ id }) => id === "ext:x/x")?.description).toBe("a");
  });
});

describe("names from outside", () => {
  const odd = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "then", "\u0000", "a\nb", "a\u2028b", "\u202eevil", "💥", " ", "*", "none", "..", "a/b", "a:b", '"', "\\", "mcp__a__b", "x_ABCDEFGHIJ", "-", "_", "n".repeat(1_024)];

  test("any string is a tool's name, and means that tool alone", async () => {
    for (const kind of ["builtin", "host", "ext", "mcp"] as const) {
      const { session, works } = controlled();
      const ran: string[] = [];
      const source = session.addSource({ kind, name: "odd", tools: odd.map((name) => ({ name, execute: () => ran.push(name) })) });
      expect(source.report).toMatchObject({ added: odd, quarantined: [] });
      session.start();
      const known = session.tools().filter((tool) => tool.source === source.id);
      expect(known).toHaveLength(odd.length);
      expect(new Set(known.map(({ name }) => name)).size).toBe(odd.length);
      for (const { id, name, active } of known) {
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(Object.hasOwn(Object.prototype, name)).toBe(false);
        expect(active).toBe(true);
        expect(await session.call({ name: id })).toMatchObject({ ok: true, decision: { id } });
        expect(await session.call({ name, id })).toMatchObject({ ok: true, decision: { id } });
      }
      expect(ran).toEqual(odd.flatMap((name) => [name, name]));
      source.remove("__proto__");
      expect(source.report.removed).toEqual(["__proto__"]);
      source.close();
      await works();
    }
  });

  test("calls by names that nobody bears", async () => {
    const { session, works } = controlled();
    session.start();
    for (const name of [...odd, "\u{d800}", "x".repeat(1 << 20), ""]) {
      const decision = session.checkScope(name);
      expect(decision).toMatchObject({ allowed: false, code: "unknown" });
      expect((decision as { reason: string }).reason.length).toBeLessThan(1_000);
      expect(await session.beforeToolCall({ name, id: name })).toMatchObject({ allowed: false, code: "unknown" });
      expectError(() => session.activate(name), "ERR_TOOLSCOPE_TOOL_UNKNOWN");
      expectError(() => session.activate("control", name), "ERR_TOOLSCOPE_TOOL_UNKNOWN");
      expectError(() => session.deactivate("control", name), "ERR_TOOLSCOPE_TOOL_UNKNOWN");
      expectError(() => session.approve(name), "ERR_TOOLSCOPE_TOOL_UNKNOWN");
      expect(session.explain(name).decision.allowed).toBe(false);
      expect(session.source(name)).toBeUndefined();
    }
    expect(session.activeTools()).toContain("control");
    await works();
  });

  test.each<[string, unknown]>([
    ["throws", () => { throw new Error("boom"); }],
    ["gives nothing", () => undefined],
    ["gives a number", () => 5],
    ["gives an empty name", () => ""],
    ["gives a name too long", () => "n".repeat(65)],
    ["gives an illegal name", () => "a.b"],
    ["gives half a character", () => "\u{d800}"],
    ["gives a promise", async () => "x"],
  ])("an exposedName that %s is reported, and the default stands", async (_what, exposedName) => {
    const { session, works } = controlled();
    const heard = diagnosticsOf(session);
    session.addSource({ kind: "mcp", name: "s", exposedName: junk(exposedName), tools: tools("one") });
    expect(verdict(session, "mcp__s__one")).toBe("allowed");
    expect(heard).toMatchObject([{ code: "exposed_name_invalid", source: "mcp:s" }]);
    await works();
  });

  test("an exposedName that names two tools alike quarantines the later one", async () => {
    const { session, works } = controlled();
    const source = session.addSource({ kind: "mcp", name: "s", exposedName: () => "same", tools: tools("one", "two") });
    expect(source.report).toMatchObject({ added: ["one"], quarantined: [{ name: "two" }] });
    expect(session.checkScope("same")).toMatchObject({ id: "mcp:s/one" });
    expect(session.checkScope("mcp:s/two")).toMatchObject({ code: "quarantined" });
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
