import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type ActiveDelta, ToolSession } from "../index.js";
import { addSource, diagnosticsOf, sessionOf, tools, verdict } from "./fixture.js";

describe("states", () => {
  test("created, started, disposed; nothing is active before start()", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    expect(session.state).toBe("created");
    expect(session.activeTools()).toEqual([]);
    // The scope answers in every state.
    expect(verdict(session, "read")).toBe("allowed");
    expect(session.endTurn()).toMatchObject({ changed: false, active: [] });
    expect(session.refresh().active).toEqual([]);
    expect(session.start()).toMatchObject({ changed: true, added: ["read"], active: ["read"], reset: false });
    expect(session.state).toBe("started");
    session.dispose();
    expect(session.state).toBe("disposed");
  });

  test("starting twice is starting once", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    let started = 0;
    session.on("session_start", ({ session: given }) => {
      expect(given).toBe(session);
      started++;
    });
    session.start();
    expect(session.start()).toMatchObject({ changed: false, active: ["read"] });
    expect(started).toBe(1);
  });

  test("ids: given, or numbered; the path of a root is its id", () => {
    expect(new ToolSession({ id: "agent" })).toMatchObject({ id: "agent", path: ["agent"] });
    const [one, two] = [new ToolSession(), new ToolSession()];
    expect(one.id).toMatch(/^session-\d+$/);
    expect(two.id).not.toBe(one.id);
    expect(one.checkScope("x").path).toEqual([one.id]);
  });

  test("Symbol.dispose, which `using` calls, ends a session", () => {
    const session = new ToolSession();
    session[Symbol.dispose]();
    expect(session.state).toBe("disposed");
  });

  test("turns are counted from 1", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    const heard: [number, boolean][] = [];
    session.on("turn_end", ({ turn, delta }) => heard.push([turn, delta.changed]));
    session.start();
    expect(session.turn).toBe(0);
    session.endTurn();
    session.source("builtin")?.add({ name: "edit" });
    session.endTurn();
    expect(heard).toEqual([[1, false], [2, true]]);
    expect(session.turn).toBe(2);
  });

  test("session_end is told once, in dispose(), and no listener hears anything after", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    const heard: string[] = [];
    session.on("session_end", () => heard.push(`end while ${session.state}`));
    session.on("diagnostic", () => heard.push("diagnostic"));
    session.dispose();
    session.dispose();
    expect(heard).toEqual(["end while disposed"]);
  });
});

describe("what is active", () => {
  test("changes, and tools_changed fires, only in the methods that say so", async () => {
    const session = sessionOf(undefined, { builtin: ["read", "edit"] });
    const heard: ActiveDelta[] = [];
    session.on("tools_changed", (delta) => heard.push(delta));
    session.start();
    const source = session.source("builtin");
    const quiet = (act: () => unknown): void => {
      const before = session.activeTools();
      heard.length = 0;
      act();
      expect(session.activeTools()).toBe(before);
      expect(heard).toEqual([]);
    };
    const loud = (act: () => ActiveDelta | void, active: string[]): void => {
      heard.length = 0;
      const delta = act();
      expect(session.activeTools()).toEqual(active);
      expect(heard).toHaveLength(1);
      if (delta !== undefined) expect(heard[0]).toBe(delta);
    };
    quiet(() => source?.add({ name: "new" }));
    quiet(() => session.checkScope("new"));
    quiet(() => session.tools());
    loud(() => session.endTurn(), ["read", "edit", "new"]);
    quiet(() => source?.remove("new"));
    loud(() => session.refresh(), ["read", "edit"]);
    quiet(() => session.setScope({ allow: ["edit"] }));
    loud(() => session.compact(), ["edit"]);
    quiet(() => session.setScope({}));
    loud(() => session.endTurn(), ["edit", "read"]);
    loud(() => session.deactivate("edit"), ["read"]);
    loud(() => session.activate("edit"), ["read", "edit"]);
    quiet(() => session.compact());
    quiet(() => source?.set(tools("read")));
    heard.length = 0;
    expect((await session.ready()).active).toEqual(["read"]);
    expect(heard).toHaveLength(1);
  });

  test("the list is the same frozen object until it changes", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    session.start();
    const before = session.activeTools();
    expect(Object.isFrozen(before)).toBe(true);
    expect(session.endTurn().active).toBe(before);
    expect(session.activeTools()).toBe(before);
    addSource(session, "ext:x", ["a"]);
    expect(session.endTurn().active).not.toBe(before);
    expect(before).toEqual(["read"]);
  });

  test("until the first presentation the order is canonical, and then nothing moves", async () => {
    const present: [string, (session: ToolSession) => unknown][] = [
      ["beforeToolCall", (session) => session.beforeToolCall({ name: "no such tool" })],
      ["call", (session) => session.call({ name: "no such tool" })],
      ["endTurn", (session) => session.endTurn()],
    ];
    for (const [how, act] of present) {
      const session = sessionOf(undefined, { "mcp:m": ["t"] });
      session.start();
      addSource(session, "ext:e", ["x"]);
      expect(session.refresh(), how).toMatchObject({ active: ["x", "mcp__m__t"], reset: true });
      await act(session);
      addSource(session, "builtin", ["read"]);
      expect(session.refresh(), how).toMatchObject({ active: ["x", "mcp__m__t", "read"], reset: false });
    }
  });

  test("checkScope is no presentation", () => {
    const session = sessionOf(undefined, { "mcp:m": ["t"] });
    session.start();
    session.checkScope("mcp__m__t");
    addSource(session, "builtin", ["read"]);
    expect(session.refresh().active).toEqual(["read", "mcp__m__t"]);
  });

  test("a tool that was removed takes a new place, one that was down its old one", () => {
    const session = sessionOf(undefined, { "ext:x": ["a", "b"], "ext:y": ["c"] });
    session.start();
    session.endTurn();
    const x = session.source("ext:x");
    x?.remove("a");
    expect(session.endTurn()).toMatchObject({ removed: ["a"], reset: true });
    x?.add({ name: "a" });
    expect(session.endTurn()).toMatchObject({ active: ["b", "c", "a"], reset: false });
    x?.fail("down");
    expect(session.endTurn().active).toEqual(["c"]);
    x?.set(tools("a", "b"));
    expect(session.endTurn()).toMatchObject({ active: ["b", "c", "a"], added: ["b", "a"] });
  });
});

describe("deltas", () => {
  test("are frozen through and through", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    for (const delta of [session.start(), session.endTurn(), session.compact(), session.refresh()]) {
      for (const value of [delta, delta.active, delta.added, delta.removed, delta.redefined]) expect(Object.isFrozen(value)).toBe(true);
    }
  });

  test("run from the last one that was returned", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    const first = session.start();
    addSource(session, "ext:x", ["a"]);
    session.source("ext:x")?.remove("a");
    const second = session.endTurn();
    expect(second).toMatchObject({ changed: false, added: [], removed: [], from: first.generation });
    expect(second.generation).toBe(session.generation);
    session.activate("read");
    addSource(session, "ext:y", ["b"]);
    const third = session.endTurn();
    expect(third).toMatchObject({ from: second.generation, added: ["b"] });
  });

  test("a tool with another definition is redefined, where it stands", () => {
    const session = sessionOf(undefined, { builtin: ["read", "edit"] });
    session.start();
    session.endTurn();
    session.source("builtin")?.add({ name: "read", description: "Reads" });
    expect(session.endTurn()).toMatchObject({ changed: true, active: ["read", "edit"], added: [], removed: [], redefined: ["read"], reset: false });
    session.source("builtin")?.add({ name: "read", description: "Reads" });
    expect(session.endTurn().changed).toBe(false);
  });

  test("a tool that left and came anew is neither added nor removed, but to be read again", async () => {
    const session = sessionOf(undefined, { "ext:x": ["a", "b"] });
    session.start();
    session.endTurn();
    const anew = (name: string): ActiveDelta => {
      session.source("ext:x")?.remove(name);
      session.source("ext:x")?.add({ name, description: "Another", execute: () => "anew" });
      return session.endTurn();
    };
    // The last one stands where it stood.
    expect(anew("b")).toMatchObject({ changed: true, active: ["a", "b"], added: [], removed: [], redefined: ["b"], reset: false });
    expect((await session.prepare()).tools[1]).toMatchObject({ name: "b", description: "Another" });
    expect(await session.call({ name: "b" })).toMatchObject({ ok: true, value: "anew" });
    expect(anew("a")).toMatchObject({ changed: true, active: ["b", "a"], added: [], removed: [], redefined: ["a"], reset: true });
    session.source("ext:x")?.remove("b");
    expect(anew("a")).toMatchObject({ active: ["a"], added: [], removed: ["b"], redefined: ["a"], reset: true });
    addSource(session, "ext:y", ["c"]);
    expect(anew("a")).toMatchObject({ active: ["a", "c"], added: ["c"], removed: [], redefined: ["a"], reset: false });
  });

  test("a tool under another name is redefined, and the list a new one", () => {
    let prefix = "one";
    const session = new ToolSession();
    const source = session.addSource({ kind: "ext", name: "x", exposedName: (raw) => `${prefix}_${raw}`, tools: tools("a", "b") });
    session.start();
    for (const [next, end] of [["two", () => session.refresh()], ["three", () => session.endTurn()], ["four", () => session.endTurn()]] as const) {
      prefix = next;
      source.add({ name: "b" });
      expect(end()).toMatchObject({ active: ["one_a", `${next}_b`], added: [], removed: [], redefined: [`${next}_b`], reset: true });
    }
    expect(session.endTurn().changed).toBe(false);
  });

  test("reset is true exactly where the new list is not the old one plus a suffix", () => {
    const session = sessionOf(undefined, { "ext:x": ["a", "b", "c", "d"] });
    session.start();
    session.endTurn();
    const x = session.source("ext:x");
    let before = session.activeTools();
    const steps: (() => unknown)[] = [
      () => x?.add({ name: "e" }), () => x?.remove("b"), () => x?.remove("e"), () => x?.add({ name: "a", description: "x" }),
      () => x?.fail("x"), () => x?.set(tools("a", "c", "d")), () => session.setScope({ exclude: ["d"] }), () => session.setScope({}),
      () => addSource(session, "builtin", ["a0"]), () => x?.close(),
    ];
    for (const step of steps) {
      step();
      const { reset, active } = session.endTurn();
      const isSuffixed = before.every((name, at) => active[at] === name);
      expect(reset).toBe(!isSuffixed);
      before = active;
    }
  });

  test("generation counts what changes, and stands still where nothing does", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    session.start();
    session.endTurn();
    const at = session.generation;
    session.checkScope("read");
    session.checkScope("nope");
    session.tools();
    session.report();
    session.explain("read");
    session.endTurn();
    session.source("builtin")?.set(tools("read"));
    expect(session.generation).toBe(at);
    session.source("builtin")?.add({ name: "edit" });
    expect(session.generation).toBeGreaterThan(at);
  });
});

describe("no step, no work", () => {
  test("where nothing changed, endTurn() asks no predicate and hands out the same delta", () => {
    let asked = 0;
    const session = sessionOf({ narrow: () => { asked++; return true; } }, { builtin: ["read"], "mcp:m": ["t"] });
    session.start();
    session.endTurn();
    const before = asked;
    const delta = session.endTurn();
    expect(session.endTurn()).toBe(delta);
    session.checkScope("read");
    session.checkScope("mcp__m__t");
    expect(asked).toBe(before);
    session.source("mcp:m")?.add({ name: "u" });
    expect(asked).toBe(before + 1);
    session.endTurn();
    expect(asked).toBe(before + 1);
    session.refresh();
    expect(asked).toBe(before + 3);
  });
});

describe("ready()", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  test("waits for session_start listeners, however often it is called", async () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    session.on("session_start", () => new Promise((resolve) => setTimeout(resolve, 500)));
    session.start();
    let done = 0;
    for (const promise of [session.ready(), session.ready()]) void promise.then(() => done++);
    await vi.advanceTimersByTimeAsync(499);
    expect(done).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toBe(2);
    expect((await session.ready()).active).toEqual(["read"]);
  });

  test("waits for pending sources that allow names, and only for those", async () => {
    const session = new ToolSession({ scope: { allow: ["mcp:a/x", "read"], required: ["ext:ctl/*"] } });
    for (const name of ["a", "b"]) session.addSource({ kind: "mcp", name });
    session.addSource({ kind: "ext", name: "ctl" });
    session.start();
    let ready: ActiveDelta | undefined;
    void session.ready().then((delta) => (ready = delta));
    await vi.advanceTimersByTimeAsync(100);
    session.source("ext:ctl")?.set(tools("stop"));
    await vi.advanceTimersByTimeAsync(100);
    expect(ready).toBeUndefined();
    session.source("mcp:a")?.set(tools("x", "y"));
    await vi.advanceTimersByTimeAsync(0);
    expect(ready?.active).toEqual(["stop", "mcp__a__x"]);
  });

  test("waits for all where everything is allowed, lazy ones apart, and not for one that failed or closed", async () => {
    const session = new ToolSession();
    const [a, b, c] = ["a", "b", "c"].map((name) => session.addSource({ kind: "mcp", name }));
    let loads = 0;
    session.addSource({ kind: "mcp", name: "lazy", load: async () => (loads++, []) });
    session.start();
    let done = false;
    void session.ready().then(() => (done = true));
    a?.fail("no route");
    b?.close();
    await vi.advanceTimersByTimeAsync(10);
    expect(done).toBe(false);
    c?.set([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toBe(true);
    expect(loads).toBe(0);
  });

  test("ends when time is up: after 10 s, or as said", async () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    session.addSource({ kind: "mcp", name: "never" });
    session.on("session_start", () => new Promise(() => {}));
    session.start();
    const done: string[] = [];
    void session.ready(50).then(({ active }) => done.push(`50: ${active.join()}`));
    void session.ready().then(({ active }) => done.push(`default: ${active.join()}`));
    await vi.advanceTimersByTimeAsync(49);
    expect(done).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toEqual(["50: read"]);
    await vi.advanceTimersByTimeAsync(9_949);
    expect(done).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(done).toEqual(["50: read", "default: read"]);
  });
});

describe("listeners", () => {
  test("are told in their order, and no more once they are off", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    const heard: string[] = [];
    session.on("turn_end", () => heard.push("a"));
    const off = session.on("turn_end", () => heard.push("b"));
    session.on("turn_end", () => heard.push("c"));
    session.endTurn();
    off();
    off();
    session.endTurn();
    expect(heard.join("")).toBe("abcac");
  });

  test("the same function twice is two listeners", () => {
    const session = new ToolSession();
    let times = 0;
    const listener = (): void => void times++;
    const off = session.on("turn_end", listener);
    session.on("turn_end", listener);
    session.endTurn();
    off();
    session.endTurn();
    expect(times).toBe(3);
  });

  test("have their own time, or the session's", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const session = new ToolSession({ limits: { listenerMs: 100 } });
      const heard = diagnosticsOf(session);
      session.on("turn_end", () => new Promise<void>(() => {}), { name: "own", timeoutMs: 10 });
      session.on("turn_end", () => new Promise<void>(() => {}), { name: "shared" });
      session.endTurn();
      await vi.advanceTimersByTimeAsync(10);
      expect(heard.map(({ message }) => message)).toEqual([expect.stringMatching(/`own`.*10 ms/)]);
      await vi.advanceTimersByTimeAsync(90);
      expect(heard.map(({ message }) => message)).toEqual([expect.anything(), expect.stringMatching(/`shared`.*100 ms/)]);
      // Without limits it is 30 s.
      const other = new ToolSession();
      const late = diagnosticsOf(other);
      other.on("turn_end", () => new Promise<void>(() => {}));
      other.endTurn();
      await vi.advanceTimersByTimeAsync(29_999);
      expect(late).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect(late).toHaveLength(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("diagnostics", () => {
  test("are kept, up to 100, until somebody listens, and told once", () => {
    const session = new ToolSession();
    const source = session.addSource({ kind: "ext", name: "x" });
    for (let at = 0; at < 150; at++) source.add({ name: `t${at}`, description: 5 as never });
    const heard = diagnosticsOf(session);
    expect(heard).toHaveLength(100);
    expect(heard[0]).toMatchObject({ code: "tool_quarantined", source: "ext:x", id: "ext:x/t0" });
    expect(diagnosticsOf(session)).toEqual([]);
    source.add({ name: "last", description: 5 as never });
    expect(heard.at(-1)).toMatchObject({ id: "ext:x/last" });
    expect(heard).toHaveLength(101);
  });

  test("of a child that nobody listens to yet are told to its ancestors once", () => {
    const session = sessionOf(undefined, { builtin: ["read"] });
    session.start();
    const heard = diagnosticsOf(session);
    const child = session.spawn({ name: "child", scope: { allow: ["raed"] } });
    child.start();
    expect(diagnosticsOf(child)).toMatchObject([{ code: "selector_unknown" }]);
    expect(heard).toMatchObject([{ code: "selector_unknown" }]);
  });

  test("selectors that match nothing are told of at the start and with a new scope", () => {
    const session = sessionOf({ allow: ["raed", "ext:"] }, { builtin: ["read"] });
    const heard = diagnosticsOf(session);
    expect(heard.filter(({ code }) => code === "selector_unknown")).toEqual([]);
    session.start();
    expect(heard.map(({ code }) => code).sort()).toEqual(["selector_invalid", "selector_unknown"]);
    expect(heard.find(({ code }) => code === "selector_unknown")?.message).toMatch(/`raed`.*`read`/);
    session.setScope({ exclude: ["wirte"] });
    expect(heard.at(-1)).toMatchObject({ code: "selector_unknown", message: expect.stringContaining("wirte") });
  });

  test("a source that fails is told of once for each time it goes down", () => {
    const session = new ToolSession();
    const heard = diagnosticsOf(session);
    const source = session.addSource({ kind: "mcp", name: "m", tools: tools("t") });
    source.fail("connection lost");
    source.fail("connection lost");
    source.set(tools("t"));
    source.fail("again");
    expect(heard).toMatchObject([
      { code: "source_failed", level: "warning", source: "mcp:m", message: expect.stringContaining("connection lost") },
      { code: "source_failed", message: expect.stringContaining("again") },
    ]);
  });
});
