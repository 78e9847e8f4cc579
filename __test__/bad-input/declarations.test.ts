// Bad declarations and names: a clear error or a diagnostic, and everything else as it was.
import { describe, expect, test } from "vitest";
import { type ToolDeclaration, ToolSession } from "../../index.js";
import { controlled, diagnosticsOf, expectError, tools, verdict } from "../fixture.js";
import { junk } from "./junk.js";

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
    ["hints in a list", { name: "bad", annotations: ["title", true, false, true, false] }],
    ["a declaration's values in a list", ["bad", "text", null, "direct"]],
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

  test("what it quarantined does not depend on which of the two was there first", () => {
    const map: ToolDeclaration[] = [{ name: "one" }, { name: "two", annotations: { readOnlyHint: true } }];
    const reportAfter = (...maps: ToolDeclaration[][]): unknown => {
      const session = new ToolSession({ scope: { allow: ["mcp:s@readOnly"], exclude: ["mcp:s@idempotent"] } });
      const source = session.addSource({ kind: "mcp", name: "s", trustHints: true, exposedName: () => "same" });
      for (const tools of maps) source.set(tools);
      return { report: session.report(), decision: verdict(session, "mcp:s/two") };
    };
    expect(reportAfter(map.slice(1), map)).toEqual(reportAfter(map));
  });
});
