import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ToolDeclaration, ToolSession } from "../index.js";
import { addSource, diagnosticsOf, door, sessionOf, tools, verdict } from "./fixture.js";

describe("ids", () => {
  test.each([
    ["builtin", "anything", "builtin"],
    ["ext", "foo", "ext:foo"],
    ["mcp", "@acme/kb", 'mcp:"@acme/kb"'],
    ["mcp", "a b", 'mcp:"a b"'],
    ["host", "a*", 'host:"a*"'],
    ["ext", "a:b", 'ext:"a:b"'],
    ["mcp", "Acme.KB", "mcp:Acme.KB"],
  ] as const)("%s %s is %s", (kind, name, id) => {
    const session = new ToolSession();
    const source = session.addSource({ kind, name, tools: tools("a/b") });
    expect(source.id).toBe(id);
    expect(session.source(id)).toBe(source);
    expect(session.source(id.toUpperCase())).toBe(source);
    const tool = kind === "builtin" ? "builtin:a/b" : `${id}/a/b`;
    expect(session.tools()).toMatchObject([{ id: tool, source: id }]);
    expect(session.checkScope(tool)).toMatchObject({ allowed: true, id: tool });
    session.setScope({ allow: [id === "builtin" ? "builtin:*" : id] });
    expect(verdict(session, tool)).toBe("allowed");
    session.setScope({ exclude: [id] });
    expect(verdict(session, tool)).toBe("excluded");
  });
});

describe("states and reports", () => {
  test("pending, ready, failed, ready, closed", () => {
    const session = new ToolSession();
    const source = session.addSource({ kind: "mcp", name: "m" });
    expect(source.state).toBe("pending");
    expect(source.report).toEqual({ added: [], replaced: [], removed: [], quarantined: [] });
    source.set([]);
    expect(source.state).toBe("ready");
    source.fail("down");
    expect(source.state).toBe("failed");
    source.add({ name: "t" });
    expect(source.state).toBe("ready");
    source.close();
    expect(source.state).toBe("closed");
    expect(session.source("mcp:m")).toBeUndefined();
    expect(session.addSource({ kind: "mcp", name: "m", tools: [] }).state).toBe("ready");
  });

  test("set replaces the whole map, add adds, remove removes, and each says what it did", () => {
    const source = new ToolSession().addSource({ kind: "ext", name: "x", tools: tools("a", "b") });
    expect(source.report).toEqual({ added: ["a", "b"], replaced: [], removed: [], quarantined: [] });
    const report = source.set([{ name: "b", description: "B" }, { name: "c" }]);
    expect(report).toEqual({ added: ["c"], replaced: ["b"], removed: ["a"], quarantined: [] });
    expect(source.report).toBe(report);
    expect(source.add({ name: "b", description: "B" }, { name: "d" })).toMatchObject({ added: ["d"], replaced: [] });
    source.remove("d", "zzz");
    expect(source.report).toEqual({ added: [], replaced: [], removed: ["d"], quarantined: [] });
    for (const value of [source.report, source.report.added, source.report.removed]) expect(Object.isFrozen(value)).toBe(true);
  });

  test("down, a source keeps its names: another's tool of that name stays shadowed", async () => {
    const session = sessionOf(undefined, { "ext:a": ["t"], "ext:b": ["t"] });
    session.source("ext:a")?.fail("down");
    expect(await door(session, "t")).toBe("pending");
    expect(await door(session, "ext:b/t")).toBe("shadowed");
    session.source("ext:a")?.close();
    expect(session.checkScope("t")).toMatchObject({ id: "ext:b/t" });
  });

  test("what a source is for can be said later, and is a change where it says something else", () => {
    const session = new ToolSession();
    const source = session.addSource({ kind: "mcp", name: "m", description: "early", tools: tools("t") });
    for (const [description, isChange] of [["early", false], ["late", true], ["late", false], [undefined, true], [undefined, false]] as const) {
      const { generation } = session;
      source.describe(description);
      expect(session.generation > generation, description).toBe(isChange);
    }
    expect(() => source.describe(1 as never)).toThrow(expect.objectContaining({ code: "ERR_TOOLSCOPE_INVALID_ARGUMENT" }));
    source.close();
    expect(() => source.describe("too late")).toThrow(expect.objectContaining({ code: "ERR_TOOLSCOPE_SOURCE_CLOSED" }));
  });

  test("an excluded owner keeps its name, too", () => {
    const session = sessionOf({ exclude: ["ext:a"] }, { "ext:a": ["t"], "ext:b": ["t"] });
    expect(verdict(session, "t")).toBe("excluded");
    expect(verdict(session, "ext:b/t")).toBe("shadowed");
  });
});

describe("inventories", () => {
  test("announce tools: pending, not in the registry, admitted when they come", async () => {
    const session = new ToolSession({ scope: { allow: ["mcp:m/t"] } });
    const source = session.addSource({ kind: "mcp", name: "m", declares: ["t", "u"] });
    session.start();
    expect(session.report().allow).toMatchObject([{ state: "pending", ids: ["mcp:m/t"] }]);
    expect(session.tools()).toEqual([]);
    expect(await door(session, "mcp__m__t")).toBe("pending");
    expect(await door(session, "mcp__m__u")).toBe("out_of_scope");
    source.set(tools("t"));
    expect(await door(session, "mcp__m__t")).toBe("allowed");
    expect(session.endTurn().active).toEqual(["mcp__m__t"]);
  });

  test("an announced name does not own: a tool that is here does", () => {
    const session = new ToolSession();
    session.addSource({ kind: "host", name: "h", declares: ["t"] });
    addSource(session, "ext:x", ["t"]);
    expect(session.checkScope("t")).toMatchObject({ allowed: true, id: "ext:x/t" });
    session.source("host:h")?.set(tools("t"));
    expect(session.checkScope("t")).toMatchObject({ allowed: true, id: "host:h/t" });
  });
});

describe("lazy sources", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  function lazy(load: (signal: AbortSignal) => Promise<readonly ToolDeclaration[]>, limits = {}): { session: ToolSession; loads: () => number } {
    let loads = 0;
    const session = new ToolSession({ limits });
    session.addSource({ kind: "mcp", name: "m", declares: ["t"], load: (signal) => { loads++; return load(signal); } });
    session.start();
    return { session, loads: () => loads };
  }

  test("load on resolve(), for a selector that could mean them, and say what each stands for", async () => {
    const { session, loads } = lazy(async () => tools("t", "u"));
    session.addSource({ kind: "mcp", name: "other", load: async () => { throw new Error("not to be loaded"); } });
    await session.ready();
    expect(await session.resolve(["ext:x", "read"])).toMatchObject([{ selector: "ext:x", state: "unknown" }, { selector: "read", state: "unknown" }]);
    expect(loads()).toBe(0);
    expect(await session.resolve(["mcp:m/t", "mcp__m__u", "mcp:m/v", "mcp:m"])).toMatchObject([
      { selector: "mcp:m/t", state: "loaded", id: "mcp:m/t", name: "mcp__m__t" },
      { selector: "mcp__m__u", state: "loaded", id: "mcp:m/u" },
      { selector: "mcp:m/v", state: "unknown" },
      { selector: "mcp:m", id: "mcp:m/t", state: "loaded" },
      { selector: "mcp:m", id: "mcp:m/u", state: "loaded" },
    ]);
    expect(loads()).toBe(1);
  });

  test("load on a call of an announced tool, and the call goes on", async () => {
    const { session, loads } = lazy(async () => [{ name: "t", execute: () => 42 }]);
    expect(verdict(session, "mcp__m__t")).toBe("pending");
    expect(loads()).toBe(0);
    expect(await session.call({ name: "mcp__m__t" })).toMatchObject({ ok: true, value: 42 });
    expect(loads()).toBe(1);
  });

  test("are not loaded for a call that the scope refuses", async () => {
    const { session, loads } = lazy(async () => tools("t"));
    session.setScope({ exclude: ["mcp:m/t"] });
    expect(await door(session, "mcp__m__t")).toBe("excluded");
    session.setScope({ allow: [] });
    expect(await door(session, "mcp__m__t")).toBe("out_of_scope");
    expect(loads()).toBe(0);
  });

  test("concurrent demands share one load", async () => {
    const { session, loads } = lazy(() => new Promise((resolve) => setTimeout(() => resolve(tools("t")), 100)));
    const all = Promise.all([session.resolve(["mcp:m"]), session.beforeToolCall({ name: "mcp__m__t" }), session.resolve(["mcp:*"]), session.call({ name: "mcp__m__t" })]);
    await vi.advanceTimersByTimeAsync(100);
    const [, decision] = await all;
    expect(decision.allowed).toBe(true);
    expect(loads()).toBe(1);
    await session.resolve(["mcp:m"]);
    expect(loads()).toBe(1);
  });

  describe("a load under way gives way to tools that the host gives meanwhile", () => {
    const endings: [string, (resolve: (tools: ToolDeclaration[]) => void, reject: (error: Error) => void) => void][] = [
      ["resolves", (resolve) => resolve(tools("t", "stale"))],
      ["rejects", (_resolve, reject) => reject(new Error("no route"))],
      ["never settles", () => {}],
    ];
    test.each(endings.flatMap(([ends, end]) => (["set", "add"] as const).map((how) => [how, ends, end] as const)))(
      "by %s(), and then %s",
      async (how, _ends, end) => {
        let aborted = false;
        let settle = (): void => {};
        const { session } = lazy((signal) => new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => { aborted = true; });
          settle = () => end(resolve, reject);
        }));
        const resolved = session.resolve(["mcp:m"]);
        const source = session.source("mcp:m");
        if (how === "set") source?.set(tools("own", "other"));
        else source?.add(...tools("own", "other"));
        settle();
        await resolved;
        await vi.advanceTimersByTimeAsync(120_000);
        expect(aborted).toBe(true);
        expect(source?.state).toBe("ready");
        expect(session.tools().map(({ id }) => id)).toEqual(["mcp:m/own", "mcp:m/other"]);
      },
    );
  });

  test("what a load is given stays as it was once it has loaded", async () => {
    let signal: AbortSignal | undefined;
    const { session } = lazy(async (given) => { signal = given; return tools("t"); });
    await session.resolve(["mcp:m"]);
    session.source("mcp:m")?.set(tools("t", "u"));
    expect(signal?.aborted).toBe(false);
  });

  test.each<[string, () => Promise<readonly ToolDeclaration[]>]>([
    ["rejects", () => Promise.reject(new Error("no route"))],
    ["throws", () => { throw new Error("no route"); }],
    ["gives no list", async () => "no route" as never],
    ["gives nothing", async () => undefined as never],
  ])("one whose load %s is failed, told of, and never a rejection", async (_what, load) => {
    const { session } = lazy(load);
    const heard = diagnosticsOf(session);
    expect(await session.resolve(["mcp:m/t"])).toMatchObject([{ state: "failed", reason: expect.stringMatching(/./) }]);
    expect(session.source("mcp:m")?.state).toBe("failed");
    expect(await door(session, "mcp__m__t")).toBe("pending");
    expect(heard).toMatchObject([{ code: "source_failed", source: "mcp:m" }]);
  });

  test("a failed one is tried again on a later demand, after 1 s, 2 s, 4 s … 60 s", async () => {
    let works = false;
    const { session, loads } = lazy(async () => { if (works) return tools("t"); throw new Error("no route"); });
    await session.resolve(["mcp:m"]);
    let tries = 1;
    for (const wait of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      await session.resolve(["mcp:m"]);
      expect(loads(), `just before ${wait}`).toBe(tries);
      await vi.advanceTimersByTimeAsync(1);
      await session.resolve(["mcp:m"]);
      expect(loads(), `after ${wait}`).toBe(++tries);
    }
    works = true;
    await vi.advanceTimersByTimeAsync(60_000);
    // Nothing is tried without a demand.
    expect(loads()).toBe(tries);
    expect(await session.resolve(["mcp:m"])).toMatchObject([{ state: "loaded" }]);
    // The next failure starts at 1 s again.
    works = false;
    session.source("mcp:m")?.fail("gone");
    await session.resolve(["mcp:m"]);
    await vi.advanceTimersByTimeAsync(1_000);
    await session.resolve(["mcp:m"]);
    expect(loads()).toBe(tries + 3);
  });

  test("one that takes longer than limits.loadMs is failed, and its signal aborted", async () => {
    for (const [limits, ms] of [[{ loadMs: 50 }, 50], [{}, 30_000]] as const) {
      let signal: AbortSignal | undefined;
      let late: ((tools: ToolDeclaration[]) => void) | undefined;
      const { session } = lazy((given) => { signal = given; return new Promise((resolve) => (late = resolve)); }, limits);
      const resolved = session.resolve(["mcp:m"]);
      await vi.advanceTimersByTimeAsync(ms - 1);
      expect(signal?.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(await resolved).toMatchObject([{ state: "failed", reason: expect.stringContaining(`${ms} ms`) }]);
      expect(signal?.aborted).toBe(true);
      // What comes too late is not taken.
      late?.(tools("t"));
      await vi.advanceTimersByTimeAsync(0);
      expect(session.source("mcp:m")?.state).toBe("failed");
    }
  });

  describe("whose load asks for itself, straight or through another, end within limits.loadMs and load once", () => {
    const asks: Record<string, (session: ToolSession, id: string) => unknown> = {
      call: (session, id) => session.call({ name: `${id}/t` }),
      door: (session, id) => session.beforeToolCall({ name: `${id}/t` }),
      resolve: (session, id) => session.resolve([id], { timeoutMs: 600_000 }),
      ready: (session) => session.ready(600_000),
      spawn: async (session, id) => {
        const child = session.spawn({ name: "child", scope: { allow: [id] } });
        await child.call({ name: `${id}/t` });
      },
    };
    test.each(Object.keys(asks).flatMap((how) => [[how, ["mcp:a"]], [how, ["mcp:b", "mcp:a"]]] as const))("by %s, to %j", async (how, asked) => {
      const session = new ToolSession({ limits: { loadMs: 50 } });
      const loads: string[] = [];
      asked.forEach((_, at) => {
        const name = "ab"[at] as string;
        session.addSource({ kind: "mcp", name, declares: ["t"], load: async () => {
          loads.push(name);
          await asks[how]?.(session, asked[at] as string);
          return tools("t");
        } });
      });
      session.start();
      const result = session.call({ name: "mcp:a/t" });
      await vi.advanceTimersByTimeAsync(50);
      expect(loads).toEqual(how === "ready" ? ["a"] : asked.map((_, at) => "ab"[at]));
      await result;
      // Of two that wait for each other, the one that ends first lets the other go on.
      const late = how === "ready" ? "a" : (loads.at(-1) as string);
      expect(session.source(`mcp:${late}`)?.state).toBe("failed");
      const [resolved] = await session.resolve([`mcp:${late}`]);
      expect(resolved).toMatchObject({ state: "failed", reason: expect.stringContaining(`\`mcp:${late}\` did not load within 50 ms`) });
      expect(session.source("mcp:a")?.state).not.toBe("pending");
    });
  });

  test("one that is closed while it loads stays closed", async () => {
    const { session } = lazy(() => new Promise((resolve) => setTimeout(() => resolve(tools("t")), 100)));
    const resolved = session.resolve(["mcp:m/t"]);
    session.source("mcp:m")?.close();
    expect(await resolved).toMatchObject([{ state: "unknown" }]);
    session.addSource({ kind: "mcp", name: "m" });
    await vi.advanceTimersByTimeAsync(200);
    expect(session.source("mcp:m")?.state).toBe("pending");
    expect(session.tools()).toEqual([]);
  });
});

describe("exposed names", () => {
  test("a function of the tool's own id, whoever else is there", () => {
    const alone = sessionOf(undefined, { "mcp:m": ["a.b"] }).tools()[0]?.name;
    const crowded = sessionOf(undefined, { "ext:e": ["a.b"], "mcp:n": ["a.b"], "mcp:m": ["a_b", "a.b"] });
    expect(crowded.tools().find(({ id }) => id === "mcp:m/a.b")?.name).toBe(alone);
  });

  test("the host's own are used as they are, looked up, and never decoded", async () => {
    const session = new ToolSession();
    session.addSource({ kind: "mcp", name: "gh", exposedName: (raw) => `gh-${raw}`, tools: [{ name: "list", execute: () => "listed" }] });
    session.start();
    expect(session.activeTools()).toEqual(["gh-list"]);
    expect((await session.call({ name: "gh-list" })).value).toBe("listed");
    expect(session.checkScope("mcp__gh__list")).toMatchObject({ allowed: true, id: "mcp:gh/list" });
    session.setScope({ allow: ["gh-*"] });
    expect(verdict(session, "gh-list")).toBe("allowed");
    session.setScope({ exclude: ["gh-list"] });
    expect(verdict(session, "mcp:gh/list")).toBe("excluded");
  });

  test("exposedName is called once for each declaration", () => {
    const asked: string[] = [];
    const session = new ToolSession();
    const source = session.addSource({ kind: "ext", name: "x", declares: ["a"], exposedName: (raw) => (asked.push(raw), raw) });
    source.set(tools("a", "b"));
    expect(asked).toEqual(["a", "a", "b"]);
    session.start();
    session.endTurn();
    session.checkScope("a");
    expect(asked).toHaveLength(3);
  });
});
