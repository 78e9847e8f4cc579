import { describe, expect, test } from "vitest";
import { type ScopeSpec, type SourceView, ToolSession } from "../index.js";
import { activeIds, addSource, diagnosticsOf, door, sessionOf, tools, verdict } from "./fixture.js";

describe("((allow ∩ narrow) ∪ required) − exclude", () => {
  test("every combination of the four", () => {
    for (let bits = 0; bits < 16; bits++) {
      const [allow, narrow, required, exclude] = [1, 2, 4, 8].map((bit) => (bits & bit) !== 0);
      const session = sessionOf(
        {
          allow: allow ? ["t"] : ["none"],
          narrow: () => narrow as boolean,
          required: required ? ["t"] : [],
          exclude: exclude ? ["t"] : [],
        },
        { builtin: ["t"] },
      );
      expect(verdict(session, "t") === "allowed").toBe(((allow && narrow) || required) && !exclude);
    }
  });

  test("the order of entries never matters", () => {
    const entries = ["read", "ext:x", "ext:x/a", "mcp__m__t*", "mcp:*@readOnly", "mcp:m/u", "nope", "ext:"];
    const seen = new Set<string>();
    for (let turn = 0; turn < entries.length; turn++) {
      const order = [...entries.slice(turn), ...entries.slice(0, turn)];
      for (const list of [order, [...order].reverse()]) {
        const session = sessionOf({ allow: list }, { builtin: ["read", "edit"], "ext:x": ["a", "b"], "mcp:m": ["t", "u"] });
        session.start();
        seen.add(activeIds(session).join(" "));
      }
    }
    expect([...seen]).toEqual(["builtin:read ext:x/a mcp:m/t mcp:m/u"]);
  });

  test("setScope follows at once in every check, and says how each entry ended", () => {
    const session = sessionOf(undefined, { builtin: ["read", "edit"] });
    expect(session.setScope({ allow: ["read"] })).toMatchObject({ allow: [{ selector: "read", state: "active", ids: ["builtin:read"] }], exclude: [], required: [] });
    expect(verdict(session, "edit")).toBe("out_of_scope");
    session.setScope({});
    expect(verdict(session, "edit")).toBe("allowed");
    expect(session.report()).toEqual({ allow: [], exclude: [], required: [] });
  });
});

describe("a plain name on the grant side", () => {
  test("means a builtin tool, else a host's, else an extension's, never a server's raw one", () => {
    const session = new ToolSession({ scope: { allow: ["t"] } });
    addSource(session, "mcp:m", ["t"]);
    expect(session.report().allow[0]).toMatchObject({ state: "unknown" });
    addSource(session, "ext:e", ["t"]);
    expect(session.report().allow[0]).toMatchObject({ state: "active", ids: ["ext:e/t"] });
    expect(verdict(session, "mcp:m/t")).toBe("out_of_scope");
  });

  test("stays bound until the next setScope", async () => {
    const session = sessionOf({ allow: ["read"] }, { builtin: ["read"] });
    session.start();
    session.endTurn();
    addSource(session, "host:h", ["read"]);
    expect(await door(session, "read")).toBe("out_of_scope");
    expect(session.report().allow).toMatchObject([{ state: "shadowed", by: "host:h/read" }]);
    expect(session.endTurn().active).toEqual([]);
    session.source("host:h")?.close();
    expect(await door(session, "read")).toBe("allowed");
  });

  test("with a * is a glob over exposed names", () => {
    const session = sessionOf({ allow: ["mcp__m__g*", "re*"] }, { builtin: ["read", "reset", "edit"], "mcp:m": ["get", "put", "read"] });
    session.start();
    expect(session.activeTools()).toEqual(["read", "reset", "mcp__m__get"]);
  });
});

describe("paths", () => {
  test.each<[ScopeSpec, string[]]>([
    [{ allow: ["EXT:FOO/a"] }, ["ext:foo/a"]],
    [{ allow: ["ext:foo/A"] }, []],
    [{ allow: ["ext:*/a"] }, ["ext:foo/a", "ext:bar/a"]],
    [{ allow: ["ext:f*"] }, ["ext:foo/a", "ext:foo/b/c"]],
    [{ allow: ["ext:foo/*c"] }, ["ext:foo/b/c"]],
    [{ allow: ["ext:foo/b/c"] }, ["ext:foo/b/c"]],
    [{ allow: ["ext:*a"] }, []],
    [{ allow: ["mcp:\"@acme/kb\"/find"] }, ['mcp:"@acme/kb"/find']],
    [{ allow: ["ext:foo", "ext:foo/a"] }, ["ext:foo/a"]],
    [{ allow: ["ext:foo", "ext:foo/nope"] }, []],
    // `ext:foo` and `ext:foo/*` are the same.
    [{ allow: ["ext:foo/*", "ext:foo/a"] }, ["ext:foo/a"]],
    [{ allow: ["ext:foo/**", "ext:foo/a"] }, ["ext:foo/a"]],
    [{ allow: ["*"], exclude: ["ext:foo", "ext:foo/nope"] }, ["ext:bar/a", 'mcp:"@acme/kb"/find']],
    [{ allow: ["ext:foo/a", "none"] }, ["ext:foo/a"]],
  ])("%j", (scope, ids) => {
    const session = new ToolSession({ scope });
    session.addSource({ kind: "ext", name: "foo", tools: tools("a", "b/c") });
    session.addSource({ kind: "ext", name: "bar", exposedName: (raw) => `bar_${raw}`, tools: tools("a") });
    session.addSource({ kind: "mcp", name: "@acme/kb", tools: tools("find") });
    session.start();
    expect(activeIds(session)).toEqual(ids);
  });
});

describe("aliases of sources", () => {
  test("are other names in selectors; one that fits two grants neither and denies both", () => {
    const sources = (scope: ScopeSpec): ToolSession => {
      const session = new ToolSession({ scope });
      session.addSource({ kind: "mcp", name: "one", aliases: ["kb", "first"], tools: tools("t") });
      session.addSource({ kind: "mcp", name: "two", aliases: ["KB"], tools: tools("t") });
      session.start();
      return session;
    };
    expect(activeIds(sources({ allow: ["mcp:first/t"] }))).toEqual(["mcp:one/t"]);
    const ambiguous = sources({ allow: ["mcp:kb/t"] });
    expect(ambiguous.activeTools()).toEqual([]);
    expect(ambiguous.report().allow).toMatchObject([{ state: "ambiguous", didYouMean: ["mcp:one", "mcp:two"] }]);
    expect(activeIds(sources({ exclude: ["mcp:kb/t"] }))).toEqual([]);
    expect(activeIds(sources({ exclude: ["mcp:first"] }))).toEqual(["mcp:two/t"]);
    // A glob is never ambiguous.
    expect(activeIds(sources({ allow: ["mcp:k*/t"] }))).toEqual(["mcp:one/t", "mcp:two/t"]);
  });

  test("a source's own name goes before another's alias", () => {
    const session = new ToolSession({ scope: { allow: ["mcp:kb"] } });
    session.addSource({ kind: "mcp", name: "other", aliases: ["kb"], tools: tools("t") });
    session.addSource({ kind: "mcp", name: "kb", tools: tools("t") });
    session.start();
    expect(activeIds(session)).toEqual(["mcp:kb/t"]);
  });

  test("a joined name that is a tool's own means that tool, beside a server with that alias", async () => {
    const session = new ToolSession({ scope: { allow: ["mcp__kb__t"] } });
    session.addSource({ kind: "mcp", name: "other", aliases: ["kb"], tools: tools("t") });
    session.addSource({ kind: "mcp", name: "kb", tools: tools("t") });
    session.start();
    expect(activeIds(session)).toEqual(["mcp:kb/t"]);
    expect(session.report().allow).toMatchObject([{ state: "active", ids: ["mcp:kb/t"] }]);
    expect(await session.resolve(["mcp__kb__t"])).toMatchObject([{ state: "loaded", id: "mcp:kb/t" }]);
  });
});

describe("hints", () => {
  const session = (scope: ScopeSpec, trustHints?: boolean): ToolSession => {
    const made = new ToolSession({ scope });
    made.addSource({
      kind: "mcp",
      name: "m",
      ...(trustHints !== undefined && { trustHints }),
      tools: [
        { name: "reader", annotations: { readOnlyHint: true } },
        { name: "writer", annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false } },
        { name: "annotated", annotations: {} },
        { name: "silent" },
      ],
    });
    made.start();
    return made;
  };
  const active = (scope: ScopeSpec, trustHints?: boolean): string[] => activeIds(session(scope, trustHints)).map((id) => id.slice("mcp:m/".length));

  test("trusted, they grant and deny by MCP's defaults", () => {
    expect(active({ allow: ["mcp:*@readOnly"] }, true)).toEqual(["reader"]);
    expect(active({ allow: ["mcp:m@readOnly"] }, true)).toEqual(["reader"]);
    expect(active({ allow: ["mcp:m/*@destructive"] }, true)).toEqual(["annotated"]);
    expect(active({ allow: ["mcp:m@idempotent"] }, true)).toEqual(["writer"]);
    expect(active({ allow: ["mcp:m@openWorld"] }, true)).toEqual(["reader", "annotated"]);
    expect(active({ exclude: ["mcp:m@destructive"] }, true)).toEqual(["reader", "writer"]);
    expect(active({ exclude: ["mcp:m/silent@readOnly"] }, true)).toEqual(["reader", "writer", "annotated"]);
  });

  // By the grammar of DESIGN §4 a hint stands behind a kind alone; what is half understood denies, and grants nothing.
  test("behind a bare name or `*` they do not parse", () => {
    expect(active({ allow: ["*@readOnly"] }, true)).toEqual([]);
    expect(active({ exclude: ["*@readOnly"] }, true)).toEqual([]);
    expect(session({ allow: ["reader@readOnly"] }).report().allow).toMatchObject([{ state: "invalid", column: 7, message: expect.stringContaining("kind") }]);
  });

  test("not trusted, as by default from a server or an extension, they grant nothing and deny all", () => {
    for (const trust of [false, undefined]) {
      for (const hint of ["readOnly", "destructive", "idempotent", "openWorld"]) {
        expect(active({ allow: [`mcp:m@${hint}`] }, trust)).toEqual([]);
        expect(active({ exclude: [`mcp:m@${hint}`] }, trust)).toEqual([]);
      }
      expect(active({ exclude: ["mcp:m/reader@destructive"] }, trust)).toEqual(["writer", "annotated", "silent"]);
    }
  });

  test("builtin and host sources are trusted by default", () => {
    for (const [kind, expected] of [["builtin", 1], ["host", 1], ["ext", 0], ["mcp", 0]] as const) {
      const made = new ToolSession({ scope: { allow: [`${kind === "builtin" ? "builtin:*" : `${kind}:s`}@readOnly`] } });
      made.addSource({ kind, name: "s", tools: [{ name: "t", annotations: { readOnlyHint: true } }] });
      expect(made.start().active).toHaveLength(expected);
    }
  });
});

describe("narrow", () => {
  test("sees each source with the names that exclude leaves, frozen", () => {
    const views: SourceView[] = [];
    const session = new ToolSession({ scope: { exclude: ["ext:x/b", "builtin:*"], narrow: (view) => { views.push(view); return true; } } });
    session.addSource({ kind: "ext", name: "x", path: "/ext/x.js", aliases: ["y"], tools: tools("a", "b", "c") });
    expect(views.at(-1)).toEqual({ id: "ext:x", kind: "ext", name: "x", aliases: ["y"], path: "/ext/x.js", tools: ["a", "c"] });
    for (const value of [views.at(-1), views.at(-1)?.tools, views.at(-1)?.aliases]) expect(Object.isFrozen(value)).toBe(true);
    session.addSource({ kind: "mcp", name: "m", tools: tools("t") });
    expect(views.at(-1)).toEqual({ id: "mcp:m", kind: "mcp", name: "m", aliases: [], tools: ["t"] });
  });

  test("is asked once per changed source at the end of the change, for all on a new scope and on refresh()", () => {
    const asked: string[] = [];
    const narrow = ({ name }: SourceView): boolean => { asked.push(name); return true; };
    const taken = (): string[] => asked.splice(0).sort();
    const session = sessionOf(undefined, { "ext:a": ["1"], "ext:b": ["1"] });
    session.setScope({ narrow });
    expect(taken()).toEqual(["a", "b"]);
    session.source("ext:a")?.add(...tools("2", "3"));
    expect(taken()).toEqual(["a"]);
    session.source("ext:b")?.set(tools("1"));
    expect(taken()).toEqual([]);
    session.source("ext:b")?.remove("1");
    expect(taken()).toEqual(["b"]);
    session.refresh();
    expect(taken()).toEqual(["a", "b"]);
    session.start();
    session.endTurn();
    session.tools();
    session.report();
    session.checkScope("2");
    expect(taken()).toEqual([]);
    session.setScope({ narrow, exclude: ["2"] });
    expect(taken()).toEqual(["a", "b"]);
  });

  test("takes nothing from required and gives nothing that allow has not", () => {
    const session = sessionOf({ allow: ["a"], required: ["c"], narrow: () => ["b"] }, { "ext:x": ["a", "b", "c"] });
    session.start();
    expect(activeIds(session)).toEqual(["ext:x/c"]);
    expect(verdict(session, "b")).toBe("out_of_scope");
  });

  test("a failure of it stands until it is asked again", () => {
    let fails = true;
    const session = sessionOf({ narrow: () => { if (fails) throw new Error("boom"); return true; } }, { "ext:x": ["a"], builtin: ["r"] });
    session.start();
    expect(session.activeTools()).toEqual([]);
    fails = false;
    session.endTurn();
    expect(verdict(session, "a")).toBe("guard_error");
    expect(session.refresh().active).toEqual(["r", "a"]);
  });

  test("a list that says another thing the second time is read once", () => {
    let reads = 0;
    const answer = Object.assign(["a"], { *[Symbol.iterator]() { yield reads++ === 0 ? "a" : 5; } }) as string[];
    const session = sessionOf({ narrow: () => answer }, { "ext:x": ["a", "b"] });
    expect(session.start().active).toEqual(["a"]);
    expect(reads).toBe(1);
  });

  test("is not asked of tools that are required", () => {
    const session = sessionOf({ required: ["a"], narrow: () => { throw new Error("boom"); } }, { "ext:x": ["a", "b"] });
    expect(verdict(session, "a")).toBe("allowed");
    expect(verdict(session, "b")).toBe("guard_error");
  });
});

describe("sealed", () => {
  test("at start() what is in scope, loaded or announced, becomes the ceiling for good", async () => {
    const session = new ToolSession({ scope: { sealed: true, exclude: ["bad"] } });
    addSource(session, "builtin", ["read", "bad"]);
    const m = session.addSource({ kind: "mcp", name: "m", declares: ["soon"] });
    session.start();
    addSource(session, "ext:late", ["evil"]);
    m.set(tools("soon", "evil"));
    session.source("builtin")?.add({ name: "evil2" });
    expect(session.endTurn().active).toEqual(["read", "mcp__m__soon"]);
    for (const name of ["evil", "mcp__m__evil", "evil2"]) {
      expect(session.checkScope(name)).toMatchObject({ code: "out_of_scope", by: "sealed" });
    }
    // The registry, which others share, is live.
    expect(session.tools().map(({ id }) => id)).toContain("ext:late/evil");
    // The seal outlives the scope it came with, and what was excluded then stays out.
    session.setScope({});
    expect(await door(session, "evil")).toBe("out_of_scope");
    expect(await door(session, "bad")).toBe("out_of_scope");
    session.setScope({ exclude: ["read"] });
    expect(session.endTurn().active).toEqual(["mcp__m__soon"]);
  });

  test("a tool of the ceiling may go and come back", () => {
    const session = sessionOf({ sealed: true }, { "mcp:m": ["t"] });
    session.start();
    session.source("mcp:m")?.remove("t");
    expect(session.endTurn().active).toEqual([]);
    session.source("mcp:m")?.add({ name: "t" });
    expect(session.endTurn().active).toEqual(["mcp__m__t"]);
  });

  test("before start() nothing is sealed", () => {
    const session = sessionOf({ sealed: true }, { builtin: ["read"] });
    addSource(session, "ext:x", ["a"]);
    expect(verdict(session, "a")).toBe("allowed");
    expect(session.start().active).toEqual(["read", "a"]);
  });
});

describe("how entries end", () => {
  test("each of the seven states", () => {
    const session = new ToolSession({
      scope: { allow: ["read", "mcp:slow/t", "secret", "grep", "mcp:kb/t", "raed", "ext:"], exclude: ["secret", "nope", "edit@readOnly"] },
    });
    addSource(session, "builtin", ["read", "secret", "grep", "edit"]);
    session.addSource({ kind: "mcp", name: "slow" });
    for (const name of ["one", "two"]) session.addSource({ kind: "mcp", name, aliases: ["kb"], tools: tools("t") });
    session.start();
    session.endTurn();
    addSource(session, "ext:fast", ["grep"]);
    const { allow, exclude } = session.report();
    expect(allow.map(({ selector, state }) => `${selector} ${state}`)).toEqual([
      "read active", "mcp:slow/t pending", "secret excluded", "grep shadowed", "mcp:kb/t ambiguous", "raed unknown", "ext: invalid",
    ]);
    expect(allow[2]).toMatchObject({ by: "secret", ids: ["builtin:secret"] });
    expect(allow[5]).toMatchObject({ didYouMean: ["read"], ids: [] });
    expect(allow[6]).toMatchObject({ column: 5, ids: [] });
    expect(exclude.map(({ state }) => state)).toEqual(["active", "unknown", "invalid"]);
    expect(exclude[0]).toMatchObject({ ids: ["builtin:secret"] });
    // A bad exclude still denies what it had said until then.
    expect(exclude[2]).toMatchObject({ ids: ["builtin:edit"] });
    expect(verdict(session, "edit")).toBe("excluded");
  });

  test.each([
    ["raed", ["read"]],
    ["builtin:raed", ["builtin:read"]],
    ["ext:fo/a", ["ext:foo"]],
    ["ext:foo/abb", ["ext:foo/abc"]],
    ["foo/abc", ["ext:foo/abc"]],
    ["find", ["mcp__kb__find"]],
    ["zzzzzz", undefined],
  ])("%s is unknown and suggests %j", (selector, didYouMean) => {
    const session = sessionOf({ allow: [selector] }, { builtin: ["read", "write"], "ext:foo": ["abc"], "mcp:kb": ["find"] });
    const [entry] = session.report().allow;
    expect(entry?.state).toMatch(/unknown|invalid/);
    if (entry?.state === "unknown") expect(entry.didYouMean).toEqual(didYouMean);
  });

  test("a source that is down takes no other entry with it", () => {
    const session = sessionOf({ allow: ["mcp:a/t", "mcp:b/t"] }, { "mcp:a": ["t"], "mcp:b": ["t"] });
    session.start();
    session.source("mcp:a")?.fail("down");
    expect(session.report().allow.map(({ state }) => state)).toEqual(["pending", "active"]);
    expect(session.endTurn().active).toEqual(["mcp__b__t"]);
  });

  test("an excluded tool is remembered, explained, and appears nowhere", async () => {
    const session = sessionOf({ exclude: ["bash"] }, { builtin: ["bash", "read"] });
    const heard = diagnosticsOf(session);
    session.start();
    expect(session.tools().map(({ name }) => name)).toEqual(["read"]);
    expect(session.activeTools()).toEqual(["read"]);
    expect(await session.beforeToolCall({ name: "bash" })).toMatchObject({ code: "excluded", by: "bash", id: "builtin:bash" });
    expect(heard).toEqual([]);
  });
});
