import { describe, expect, test } from "vitest";
import { type RefusalCode, type SessionEvents, type ToolCall, ToolSession } from "../index.js";
import { addSource, door, sessionOf, tools, verdict } from "./fixture.js";

type Decided = Parameters<SessionEvents["decision"]>[0];

describe("decisions", () => {
  test("are of their moment: nobody can change another's, and what comes later changes none", () => {
    const session = sessionOf({ exclude: ["bash"] }, { builtin: ["read", "bash"] });
    for (const name of ["read", "bash", "builtin:read", "nope"]) {
      const before = structuredClone(session.checkScope(name));
      const decision = session.checkScope(name) as { allowed: boolean };
      expect(Object.isFrozen(session.checkScope(name).path)).toBe(true);
      try {
        decision.allowed = !decision.allowed;
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
      expect(session.checkScope(name)).toEqual(before);
      expect(session.checkScope({ name })).toEqual(before);
    }
    const before = session.checkScope("read");
    session.setScope({ allow: [] });
    expect(session.checkScope("read").allowed).toBe(false);
    expect(before.allowed).toBe(true);
  });

  test("of the door are frozen", async () => {
    const session = sessionOf({ exclude: ["bash"] }, { builtin: ["read", "bash"] });
    for (const name of ["read", "bash", "nope"]) {
      for (const decision of [await session.beforeToolCall({ name }), (await session.call({ name })).decision]) expect(Object.isFrozen(decision)).toBe(true);
    }
  });

  test("give no advice that cannot be followed", () => {
    const session = sessionOf(undefined, {});
    addSource(session, "ext:e", [
      { name: "zed" },
      { name: "hid", exposure: "hidden" },
      { name: "mod", exposure: "model-only" },
    ]);
    session.start();
    const reason = (call: ToolCall): string => (session.checkScope(call) as { reason: string }).reason;
    expect(reason({ name: "zed", id: "nope:x" })).toBe("`zed` is not the name of the tool that was about to run");
    for (const call of [{ name: "hid" }, { name: "hid", parentCallId: "c1" }]) expect(reason(call)).not.toMatch(/directly|from code/);
    expect(reason({ name: "mod", parentCallId: "c1" })).toMatch(/call it directly/);
  });

  test("say which tool, by which name, from where", () => {
    const session = sessionOf(undefined, { "mcp:kb": ["find"] }, { id: "root" });
    expect(session.checkScope("kb_find")).toEqual({ allowed: true, id: "mcp:kb/find", name: "mcp__kb__find", via: "direct", path: ["root"] });
    expect(session.checkScope({ name: "mcp:kb/find", parentCallId: "c1" })).toMatchObject({ via: "code" });
  });

  test("a reason says what to do and names nothing that is out of scope", () => {
    const session = sessionOf({ allow: ["read"] }, { builtin: ["read", "reed", "secret_tool"] });
    for (const name of ["raed", "secret_tol", "reads", "secret_tool"]) {
      const decision = session.checkScope(name) as { reason: string };
      expect(decision.reason).toMatch(/^[`a-z].*\S$/);
      for (const hidden of ["reed", "secret_tool"]) if (hidden !== name) expect(decision.reason).not.toContain(hidden);
    }
    expect((session.checkScope("raed") as { reason: string }).reason).toContain("`read`");
  });

  test("each refusal has its code", async () => {
    const session = new ToolSession({ scope: { allow: ["*"], exclude: ["bad"] } });
    const source = session.addSource({
      kind: "ext",
      name: "x",
      declares: ["soon"],
      tools: [
        ...tools("ok", "bad", "ruined"),
        { name: "code", exposure: "code" },
        { name: "model", exposure: "model-only" },
        { name: "hidden", exposure: "hidden" },
        { name: "deferred", exposure: "deferred" },
      ],
    });
    source.add({ name: "ruined", inputSchema: 5 as never });
    addSource(session, "ext:y", ["ok"]);
    const codes = (name: string): string[] =>
      [session.checkScope(name), session.checkScope({ name, parentCallId: "c" })].map((decision) => (decision.allowed ? "allowed" : decision.code));
    expect(codes("ok")).toEqual(["allowed", "allowed"]);
    expect(codes("nope")).toEqual(["unknown", "unknown"]);
    expect(codes("soon")).toEqual(["pending", "pending"]);
    expect(codes("ruined")).toEqual(["quarantined", "quarantined"]);
    expect(codes("bad")).toEqual(["excluded", "excluded"]);
    expect(codes("ext:y/ok")).toEqual(["shadowed", "shadowed"]);
    expect(codes("code")).toEqual(["not_exposed", "allowed"]);
    expect(codes("model")).toEqual(["allowed", "not_exposed"]);
    expect(codes("hidden")).toEqual(["not_exposed", "not_exposed"]);
    expect(codes("deferred")).toEqual(["not_loaded", "allowed"]);
    session.setScope({ allow: [] });
    expect(codes("ok")).toEqual(["out_of_scope", "out_of_scope"]);
    source.fail("down");
    session.setScope({});
    expect(codes("ok")).toEqual(["pending", "pending"]);
    for (const name of ["nope", "soon", "ext:y/ok"]) expect(await door(session, name)).toBe(verdict(session, name));
  });
});

describe("a call whose host says which tool it will run", () => {
  const session = sessionOf({ exclude: ["ext:b/t"] }, { "ext:a": ["t"], "ext:b": ["t", "u"], "mcp:m": ["x"] });
  test.each<[ToolCall, string]>([
    [{ name: "t", id: "ext:a/t" }, "allowed"],
    [{ name: "ext:a/t", id: "ext:a/t" }, "allowed"],
    [{ name: "t", id: "ext:b/t" }, "excluded"],
    [{ name: "u", id: "ext:a/t" }, "unknown"],
    [{ name: "t", id: "ext:b/u" }, "unknown"],
    [{ name: "x", id: "mcp:m/x" }, "unknown"],
    [{ name: "mcp__m__x", id: "mcp:m/x" }, "allowed"],
    [{ name: "t", id: "t" }, "unknown"],
    [{ name: "t", id: "" }, "unknown"],
    [{ name: "t", id: "ext:c/t" }, "unknown"],
  ])("%j is %s, at the door, too", async (call, expected) => {
    const decision = session.checkScope(call);
    expect(decision.allowed ? "allowed" : decision.code).toBe(expected);
    const passed = await session.beforeToolCall(call);
    expect(passed.allowed ? "allowed" : passed.code).toBe(expected);
    if (passed.allowed) expect(passed.id).toBe(call.id);
  });
});

describe("guards", () => {
  test("are asked in their order, and the first refusal ends it", async () => {
    const session = sessionOf(undefined, { builtin: ["bash"] });
    const asked: string[] = [];
    session.on("before_tool_call", () => void asked.push("a"));
    session.on("before_tool_call", async () => { asked.push("b"); return { block: true, reason: "not on Sundays" }; }, { name: "calendar" });
    session.on("before_tool_call", () => void asked.push("c"));
    expect(await session.beforeToolCall({ name: "bash" })).toMatchObject({ allowed: false, code: "vetoed", by: "calendar", reason: "not on Sundays" });
    expect(asked).toEqual(["a", "b"]);
  });

  test("are named after their function, else after the event", async () => {
    for (const [listener, name] of [[function noBash() { return { block: true } as const; }, "noBash"], [() => ({ block: true }) as const, "before_tool_call"]] as const) {
      const session = sessionOf(undefined, { builtin: ["bash"] });
      session.on("before_tool_call", listener);
      const decision = await session.beforeToolCall({ name: "bash" });
      expect(decision).toMatchObject({ code: "vetoed", by: name, reason: expect.stringContaining(name) });
    }
  });

  test("see the call with its id and path and a frozen copy of its input", async () => {
    const session = sessionOf(undefined, { "mcp:kb": [{ name: "find", execute: (input) => input }] }, { id: "root" });
    const seen: unknown[] = [];
    session.on("before_tool_call", (call) => {
      expect(() => ((call.input as { q: { deep: string } }).q.deep = "evil")).toThrow(TypeError);
      expect(() => ((call as { name: string }).name = "evil")).toThrow(TypeError);
      seen.push(call);
    });
    const input = { q: { deep: "x" } };
    const pending = session.call({ name: "kb_find", input, callId: "c1", parentCallId: "c0" });
    input.q.deep = "changed by the caller";
    expect((await pending).value).toEqual({ q: { deep: "x" } });
    expect(seen).toEqual([{ name: "kb_find", id: "mcp:kb/find", path: ["root"], input: { q: { deep: "x" } }, callId: "c1", parentCallId: "c0" }]);
  });

  test("that come while a call waits for a source get a copy, too", async () => {
    const session = sessionOf(undefined, {});
    let load = (): void => {};
    session.addSource({ kind: "mcp", name: "kb", declares: ["find"], load: () => new Promise((resolve) => (load = () => resolve([{ name: "find" }]))) });
    const input = { q: { deep: "x" } };
    const pending = session.beforeToolCall({ name: "mcp:kb/find", input });
    const seen: unknown[] = [];
    session.on("before_tool_call", (call) => void seen.push(call.input));
    input.q.deep = "changed by the caller";
    await Promise.resolve();
    load();
    expect((await pending).allowed).toBe(true);
    expect(seen).toEqual([{ q: { deep: "x" } }]);
    expect(Object.isFrozen((seen[0] as typeof input).q)).toBe(true);
  });

  test("are not asked about what the scope refuses", async () => {
    const session = sessionOf({ exclude: ["bash"] }, { builtin: ["bash"] });
    let asked = 0;
    session.on("before_tool_call", () => void asked++);
    expect(await door(session, "bash")).toBe("excluded");
    expect(await door(session, "nope")).toBe("unknown");
    expect(asked).toBe(0);
  });

  test.each<[string, (session: ToolSession) => void, string]>([
    ["the scope", (session) => void session.setScope({ exclude: ["bash"] }), "excluded"],
    ["the source's state", (session) => session.source("builtin")?.fail("down"), "pending"],
    ["the map", (session) => session.source("builtin")?.remove("bash"), "unknown"],
    ["the owner of the name", (session) => void addSource(session, "host:h", ["bash"]), "changed"],
    ["the definition", (session) => void session.source("builtin")?.add({ name: "bash", description: "other" }), "changed"],
    ["the session's life", (session) => session.dispose(), "disposed"],
    ["nothing", () => {}, "allowed"],
  ])("while one waits for a person, %s may change: it is asked again", async (_what, change, expected) => {
    const ran: string[] = [];
    const session = sessionOf(undefined, { builtin: [{ name: "bash", execute: () => ran.push("bash") }] });
    session.on("before_tool_call", () => new Promise((resolve) => setTimeout(resolve, 5)));
    const pending = session.call({ name: "bash" });
    await Promise.resolve();
    change(session);
    const { decision } = await pending;
    expect(decision.allowed ? "allowed" : decision.code).toBe(expected);
    expect(ran).toEqual(expected === "allowed" ? ["bash"] : []);
  });
});

describe("call()", () => {
  test("runs the declaration's execute with a frozen copy of the input, a signal and the call", async () => {
    const given: { input?: unknown; signal?: AbortSignal; call?: ToolCall } = {};
    const session = sessionOf(undefined, {
      builtin: [{ name: "run", execute: (input, { signal, call }) => { Object.assign(given, { input, signal, call }); return "done"; } }],
    });
    const abort = new AbortController();
    const input = { list: [{ a: 1 }] };
    expect(await session.call({ name: "run", input, callId: "c" }, { signal: abort.signal })).toMatchObject({ ok: true, value: "done", decision: { allowed: true } });
    expect(given.input).toEqual(input);
    expect(given.input).not.toBe(input);
    expect(Object.isFrozen((given.input as typeof input).list[0])).toBe(true);
    expect(given.signal).toBe(abort.signal);
    expect(given.call).toMatchObject({ name: "run", callId: "c" });
    await session.call({ name: "run" });
    expect(given.input).toBeUndefined();
    expect(given.signal?.aborted).toBe(false);
  });

  test.each<[string, () => unknown, { code: string; message: string }]>([
    ["throws", () => { throw new Error("no disk"); }, { code: "ERR_TOOLSCOPE_TOOL_FAILED", message: "no disk" }],
    ["throws with a code", () => { throw Object.assign(new Error("no disk"), { code: "ENOSPC" }); }, { code: "ENOSPC", message: "no disk" }],
    ["rejects", () => Promise.reject(new Error("no disk")), { code: "ERR_TOOLSCOPE_TOOL_FAILED", message: "no disk" }],
    ["throws text", () => { throw "no disk"; }, { code: "ERR_TOOLSCOPE_TOOL_FAILED", message: "no disk" }],
    ["throws a number for a code", () => { throw Object.assign(new Error("x"), { code: -32602 }); }, { code: "-32602", message: "x" }],
    ["throws a code that is none", () => { throw Object.assign(new Error("x"), { code: {} }); }, { code: "ERR_TOOLSCOPE_TOOL_FAILED", message: "x" }],
    ["throws an object", () => { throw { message: "x", code: "gone" }; }, { code: "gone", message: "x" }],
    ["throws nothing", () => { throw undefined; }, { code: "ERR_TOOLSCOPE_TOOL_FAILED", message: "the tool failed without saying why" }],
    ["throws a trap", () => { throw Object.defineProperty(new Error("x"), "code", { get: () => { throw new Error("boom"); } }); }, { code: "ERR_TOOLSCOPE_TOOL_FAILED", message: "x" }],
  ])("a tool that %s is a failure with message and code alone", async (_what, execute, error) => {
    const session = sessionOf(undefined, { builtin: [{ name: "run", execute }] });
    const result = await session.call({ name: "run" });
    expect(result).toMatchObject({ ok: false, decision: { allowed: true } });
    expect(result.error).toEqual(error);
    expect(result).not.toHaveProperty("value");
  });

  test("without an execute says so; a refusal carries its code", async () => {
    const session = sessionOf({ exclude: ["bad"] }, { builtin: ["run", "bad"] });
    expect(await session.call({ name: "run" })).toMatchObject({ ok: false, decision: { allowed: true }, error: { code: "ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE" } });
    expect(await session.call({ name: "bad" })).toMatchObject({ ok: false, error: { code: "excluded" } });
  });

  test("a tool that is declared again runs what was declared last, or nothing", async () => {
    const session = sessionOf(undefined, { "ext:x": [{ name: "run", execute: () => 1 }] });
    const source = session.source("ext:x");
    const value = async (): Promise<unknown> => {
      const { value: given, error } = await session.call({ name: "run" });
      return given ?? error?.code;
    };
    expect(await value()).toBe(1);
    source?.add({ name: "run", execute: () => 2 });
    expect(await value()).toBe(2);
    source?.add({ name: "run", description: "other" });
    expect(await value()).toBe("ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE");
    source?.set([{ name: "run", execute: () => 3 }]);
    expect(await value()).toBe(3);
    source?.remove("run");
    expect(await value()).toBe("unknown");
    source?.add({ name: "run" });
    expect(await value()).toBe("ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE");
  });

  test("what runs is of the definition that was decided on, whatever a listener of the decision does", async () => {
    const session = sessionOf(undefined, { "ext:x": [{ name: "run", execute: () => "old" }] });
    session.on("decision", () => void session.source("ext:x")?.set([{ name: "run", description: "new", execute: () => "new" }]));
    expect((await session.call({ name: "run" })).value).toBe("old");
    expect((await session.call({ name: "run" })).value).toBe("new");
  });

  describe("nothing runs of a session that is over, or out of a scope that was narrowed, before it could", () => {
    const changes: [string, (session: ToolSession) => void, RefusalCode][] = [
      ["disposes", (session) => session.dispose(), "disposed"],
      ["excludes the tool", (session) => void session.setScope({ exclude: ["run"] }), "excluded"],
      ["allows nothing", (session) => void session.setScope({ allow: [] }), "out_of_scope"],
      ["removes the tool", (session) => session.source("ext:x")?.remove("run"), "unknown"],
      ["closes its source", (session) => session.source("ext:x")?.close(), "unknown"],
    ];
    const moments: [string, (session: ToolSession, change: () => void) => void][] = [
      ["a listener of the decision", (session, change) => void session.on("decision", change)],
      ["whoever called, right after", (_session, change) => queueMicrotask(change)],
      ["a guard", (session, change) => void session.on("before_tool_call", () => change())],
    ];
    test.each(changes.flatMap(([does, change, code]) => moments.map(([who, at]) => [who, does, change, at, code] as const)))(
      "%s %s",
      async (_who, _does, change, at, code) => {
        let ran = 0;
        const session = sessionOf(undefined, { "ext:x": [{ name: "run", execute: () => ++ran }] });
        session.start();
        let changed = false;
        at(session, () => {
          if (!changed) change(session);
          changed = true;
        });
        expect(await session.call({ name: "run" })).toMatchObject({ ok: false, decision: { allowed: false, code }, error: { code } });
        expect(ran).toBe(0);
      },
    );
  });
});

describe("decision events", () => {
  test("tell of every decision of the door, allowed ones too, and of no other", async () => {
    const session = sessionOf({ exclude: ["bad"] }, { builtin: ["run", "bad"] });
    const heard: Decided[] = [];
    session.on("decision", (event) => heard.push(event));
    session.checkScope("run");
    session.explain("run");
    session.start();
    const first = await session.beforeToolCall({ name: "run", callId: "1" });
    const { decision: second } = await session.call({ name: "bad", callId: "2" });
    const third = await session.beforeToolCall({ name: "nope", callId: "3" });
    expect(heard.map(({ decision }) => decision)).toEqual([first, second, third]);
    expect(heard.map(({ call }) => call.callId)).toEqual(["1", "2", "3"]);
    expect(heard.every(({ generation }) => generation === session.generation)).toBe(true);
    // Of a tool that is known, the definition that was decided on is told, too.
    expect(heard[0]?.fingerprint).toMatch(/^\S{16,}$/);
    expect(heard[1]?.fingerprint).toMatch(/^\S{16,}$/);
    expect(heard[2]).not.toHaveProperty("fingerprint");
  });

  test("the fingerprint is that of the definition: key order is no change, a word is", async () => {
    const session = new ToolSession();
    const source = session.addSource({ kind: "ext", name: "x" });
    const prints: (string | undefined)[] = [];
    session.on("decision", ({ fingerprint }) => prints.push(fingerprint));
    for (const inputSchema of [{ type: "object", title: "a" }, { title: "a", type: "object" }, { type: "object", title: "b" }]) {
      source.set([{ name: "t", inputSchema }]);
      await session.beforeToolCall({ name: "t" });
    }
    expect(prints[0]).toBe(prints[1]);
    expect(prints[2]).not.toBe(prints[0]);
  });
});
