// Requests: discovery apart from preparation (DESIGN §10).
import { describe, expect, it, vi } from "vitest";
import { type ToolDefinition, type ToolProvider, ToolSession, ToolscopeError } from "../index.js";

const named = (...names: string[]) => names.map((name) => ({ name, description: `does ${name}` }));
const names = (tools: readonly ToolDefinition[]): string[] => tools.map((tool) => tool.name);

function started(tools: string[], scope = {}): ToolSession {
  const session = new ToolSession({ scope });
  session.addSource({ kind: "builtin", name: "agent", tools: named(...tools) });
  session.start();
  return session;
}

describe("discovery comes before loading", () => {
  const lazy = () => {
    const load = vi.fn(async () => [{ name: "search", execute: async () => "found" }, { name: "get" }]);
    const session = new ToolSession({ scope: { allow: ["mcp:kb/search", "search_all", "fs_read"] } });
    session.addSource({ kind: "mcp", name: "kb", declares: ["search", "get"], load });
    session.addSource({ kind: "ext", name: "files", declares: ["fs.read"], load: async () => [{ name: "fs.read" }] });
    session.start();
    return { session, load };
  };

  it("an allow list resolves against announced names, raw and sanitised, before anything has loaded", () => {
    const { session, load } = lazy();
    const [search, unknown, alias] = session.report().allow;
    expect(search).toMatchObject({ state: "pending", ids: ["mcp:kb/search"] });
    expect(unknown).toMatchObject({ state: "unknown" });
    expect(alias).toMatchObject({ state: "pending", ids: ["ext:files/fs.read"], aliasOf: "fs.read" });
    expect(session.checkScope("mcp__kb__search")).toMatchObject({ allowed: false, code: "pending" });
    expect(load).not.toHaveBeenCalled();
  });
  it("a command resolves a tool that no turn has loaded, and loads nothing else", async () => {
    const { session, load } = lazy();
    expect(await session.resolve(["mcp:kb/search", "mcp:kb/get", "ext:nobody/x"])).toEqual([
      { selector: "mcp:kb/search", id: "mcp:kb/search", name: "mcp__kb__search", state: "loaded" },
      { selector: "mcp:kb/get", id: "mcp:kb/get", name: "mcp__kb__get", state: "excluded", reason: "out_of_scope" },
      { selector: "ext:nobody/x", state: "unknown" },
    ]);
    expect(load).toHaveBeenCalledOnce();
    expect(session.source("ext:files")?.state).toBe("pending");
  });
  it("a call of an announced tool loads its source", async () => {
    const { session } = lazy();
    expect(await session.call({ name: "mcp__kb__search" })).toMatchObject({ ok: true, value: "found" });
  });
  it("preparing a request loads nothing", async () => {
    const { session, load } = lazy();
    expect((await session.prepare()).tools).toEqual([]);
    expect(load).not.toHaveBeenCalled();
  });
  it("concurrent demands share one load", async () => {
    const { session, load } = lazy();
    await Promise.all([session.resolve(["mcp:kb"]), session.resolve(["mcp:kb/search"]), session.call({ name: "mcp__kb__search" })]);
    expect(load).toHaveBeenCalledOnce();
  });
  it("a child that names a lazy source's tool has it loaded", async () => {
    const { session, load } = lazy();
    const child = session.spawn({ name: "child", scope: { allow: ["mcp:kb/search"] } });
    expect(child.start().active).toEqual([]);
    expect((await child.ready()).active).toEqual(["mcp__kb__search"]);
    expect(load).toHaveBeenCalledOnce();
  });
  it("a host that says what a call can reach waits for just those sources, and no longer than it says", async () => {
    const session = new ToolSession();
    const near = session.addSource({ kind: "mcp", name: "near" });
    session.addSource({ kind: "mcp", name: "never" });
    session.start();
    setTimeout(() => near.set([{ name: "a" }]), 20);
    const waited = performance.now();
    expect(await session.resolve(["mcp:near/a"], { timeoutMs: 5_000 })).toMatchObject([{ id: "mcp:near/a", state: "loaded" }]);
    expect(performance.now() - waited).toBeLessThan(2_000);
    expect(await session.resolve(["mcp:never/b"], { timeoutMs: 30 })).toEqual([{ selector: "mcp:never/b", state: "pending" }]);
  });
  it("a failed load says so, is tried again later, and takes nothing else with it", async () => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    try {
      const load = vi.fn<() => Promise<{ name: string }[]>>();
      load.mockRejectedValueOnce(new Error("no route")).mockResolvedValueOnce([{ name: "a" }]);
      const session = started(["read"]);
      session.addSource({ kind: "mcp", name: "s", declares: ["a"], load });
      expect(await session.resolve(["mcp:s/a"])).toMatchObject([{ state: "failed", reason: "no route" }]);
      expect(await session.resolve(["mcp:s/a"])).toMatchObject([{ state: "failed", reason: "no route" }]);
      expect(load).toHaveBeenCalledOnce();
      expect(session.checkScope("read").allowed).toBe(true);
      vi.advanceTimersByTime(1_001);
      expect(await session.resolve(["mcp:s/a"])).toMatchObject([{ state: "loaded" }]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a prepared request", () => {
  it("shows what providers made of a definition, and executes the declaration its source registered", async () => {
    const session = new ToolSession();
    const ran: unknown[] = [];
    const execute = (input: unknown): string => {
      ran.push(input);
      return "the original";
    };
    session.addSource({ kind: "ext", name: "e", tools: [{ name: "go", description: "old", execute }] });
    session.start();
    session.use((tools) => ({
      tools: tools.map((tool) => ({
        ...tool,
        description: "new",
        inputSchema: { type: "object", properties: { fast: { type: "boolean" } } },
        execute: () => "the provider's",
      })),
    }));
    const { tools } = await session.prepare();
    expect(tools).toEqual([
      { id: "ext:e/go", name: "go", description: "new", inputSchema: { type: "object", properties: { fast: { type: "boolean" } } } },
    ]);
    expect(await session.call({ name: "go", input: { fast: true } })).toMatchObject({ ok: true, value: "the original" });
    expect(ran).toEqual([{ fast: true }]);
  });
  it("calls providers in the order they were added, each over what the last one made", async () => {
    const session = started(["a", "b"]);
    const add = (text: string): ToolProvider => (tools) => ({
      tools: tools.map((tool) => ({ ...tool, description: `${tool.description} ${text}` })),
      prompt: text,
    });
    session.use(add("one"));
    const off = session.use(add("two"));
    const request = await session.prepare();
    expect(request.tools[0]?.description).toBe("does a one two");
    expect(request.prompt).toBe("one\n\ntwo");
    off();
    expect((await session.prepare()).prompt).toBe("one");
  });
  it("settles a name that two sources register by the source's precedence, whatever providers do", async () => {
    for (const flip of [false, true]) {
      const session = new ToolSession();
      session.addSource({ kind: "builtin", name: "agent", tools: [{ name: "grep", description: "builtin" }] });
      session.addSource({ kind: "ext", name: "fast", tools: [{ name: "grep", description: "ext" }] });
      session.start();
      const providers: ToolProvider[] = [
        (tools) => ({ tools: [...tools].reverse() }),
        (tools) => ({ tools: [{ ...(tools[0] as ToolDefinition), id: "builtin:grep", description: "stolen" }, ...tools] }),
      ];
      for (const provider of flip ? providers.reverse() : providers) session.use(provider);
      expect((await session.prepare()).tools).toMatchObject([{ id: "ext:fast/grep", description: "ext" }]);
    }
  });
  it("puts back what is required, and drops what was not handed over, renamed or repeated", async () => {
    const session = started(["a", "finish", "b"], { required: ["finish"] });
    const heard: string[] = [];
    session.on("diagnostic", ({ code }) => heard.push(code));
    session.use(
      (tools) => ({
        tools: [
          { ...(tools[2] as ToolDefinition), name: "renamed" },
          tools[2] as ToolDefinition,
          { id: "builtin:evil", name: "evil", description: "", inputSchema: {} },
          null as unknown as ToolDefinition,
        ],
      }),
      { name: "p" },
    );
    const request = await session.prepare();
    expect(names(request.tools)).toEqual(["b", "finish"]);
    const codes = ["provider_tool_repeated", "provider_tool_unknown", "provider_tool_unknown", "provider_dropped_required", "provider_rewrite_refused"];
    expect(request.diagnostics.map(({ code }) => code).sort()).toEqual([...codes].sort());
    expect(heard.sort()).toEqual([...codes].sort());
  });
  it.each([
    ["throws", () => { throw new Error("boom"); }, "boom"],
    ["rejects", async () => { throw new Error("boom"); }, "boom"],
    ["never settles", () => new Promise<never>(() => {}), "30 ms"],
    ["returns nothing", () => undefined, "tools"],
    ["returns a list", () => [], "tools"],
    ["returns a prompt that is none", (tools: readonly ToolDefinition[]) => ({ tools, prompt: 5 }), "prompt"],
  ])("fails with the provider's name where it %s, or skips it where it is optional", async (_, provider, said) => {
    const session = started(["a"]);
    const off = session.use(provider as unknown as ToolProvider, { name: "broken", timeoutMs: 30 });
    const error: unknown = await session.prepare().catch((thrown: unknown) => thrown);
    expect(ToolscopeError.isInstance(error) && error.code).toBe("ERR_TOOLSCOPE_PROVIDER_FAILED");
    expect((error as Error).message).toContain("`broken`");
    expect((error as Error).message).toContain(said);
    off();
    session.use(provider as unknown as ToolProvider, { name: "broken", timeoutMs: 30, optional: true });
    const request = await session.prepare();
    expect(names(request.tools)).toEqual(["a"]);
    expect(request.diagnostics).toMatchObject([{ code: "provider_failed" }]);
  });
  it("leaves out what fell out of scope while a provider was at work", async () => {
    const session = started(["a", "b"]);
    session.use(async (tools) => {
      session.setScope({ exclude: ["b"] });
      return { tools };
    });
    expect(names((await session.prepare()).tools)).toEqual(["a"]);
  });
  it("meets a cap by deferring, never a tool the scope names or requires", async () => {
    const session = new ToolSession({ scope: { allow: ["mcp:bulk", "mcp:task/do_it", "finish"], required: ["finish"] } });
    session.addSource({ kind: "builtin", name: "agent", tools: named("finish") });
    session.addSource({ kind: "mcp", name: "bulk", tools: named(...Array.from({ length: 90 }, (_, at) => `b${at}`)) });
    session.addSource({ kind: "mcp", name: "task", tools: named("do_it") });
    session.start();
    const { tools, diagnostics } = await session.prepare({ maxTools: 50 });
    const declared = tools.filter((tool) => tool.deferred !== true);
    expect(declared).toHaveLength(50);
    expect(names(declared)).toEqual(expect.arrayContaining(["finish", "mcp__task__do_it"]));
    expect(diagnostics).toMatchObject([{ code: "tools_deferred", message: expect.stringContaining("42 tools") }]);
    const tight = await session.prepare({ maxTools: 1 });
    expect(names(tight.tools.filter((tool) => tool.deferred !== true))).toEqual(["finish", "mcp__task__do_it"]);
    expect(tight.diagnostics.map(({ code }) => code)).toContain("tools_over_limit");
  });
  it("takes in what was asked for by name, searched for too, in the place of what was not", async () => {
    const all = Array.from({ length: 8 }, (_, at) => `tool_${at}`);
    const session = started(all);
    session.addSource({ kind: "host", name: "h", tools: [session.searchTool()] });
    session.setScope({ required: ["tool_search"] });
    session.endTurn();
    const declared = async (maxTools = 4) => names((await session.prepare({ maxTools })).tools.filter(({ deferred }) => deferred !== true));
    expect(await declared()).toEqual(["tool_0", "tool_1", "tool_2", "tool_search"]);
    session.activate("tool_7");
    expect(await declared()).toEqual(["tool_0", "tool_1", "tool_7", "tool_search"]);
    const found = await session.call({ name: "tool_search", input: { query: "tool_5", limit: 1 } });
    expect(found.value).toContain("tool_5");
    expect(await declared()).toEqual(["tool_0", "tool_5", "tool_7", "tool_search"]);
    // The one that was asked for last yields last, and asking again is asking last.
    expect(await declared(2)).toEqual(["tool_5", "tool_search"]);
    session.activate("tool_7");
    expect(await declared(2)).toEqual(["tool_7", "tool_search"]);
    session.deactivate("tool_7");
    expect(await declared(2)).toEqual(["tool_5", "tool_search"]);
    session.activate("tool_7");
    session.setScope({ required: ["tool_search"], exclude: ["tool_7"] });
    session.endTurn();
    expect(await declared(2)).toEqual(["tool_5", "tool_search"]);
  });
  it.each([["without a provider", false], ["with one", true]])("ranks what it defers anew at compact() alone, and tells of it where it changed, %s", async (_, provided) => {
    const session = started(["a", "b", "c", "d"]);
    if (provided) session.use((tools) => ({ tools }));
    const one = async () => {
      const { tools, diagnostics } = await session.prepare({ maxTools: 2 });
      return [...names(tools.filter(({ deferred }) => deferred !== true)), ...diagnostics.map(({ code }) => code)];
    };
    session.afterToolCall({ id: "builtin:c", ok: true });
    expect(await one()).toEqual(["a", "c", "tools_deferred"]);
    for (const _ of [1, 2]) session.afterToolCall({ id: "builtin:d", ok: true });
    expect(await one()).toEqual(["a", "c"]);
    session.addSource({ kind: "ext", name: "late", tools: named("e") });
    session.endTurn();
    expect(await one()).toEqual(["a", "c", "tools_deferred"]);
    session.compact();
    expect(await one()).toEqual(["c", "d", "tools_deferred"]);
    expect(await one()).toEqual(["c", "d"]);
  });
  it("lets a provider change the list it is handed, and says so where it defers with a word", async () => {
    const session = started(["a", "b"]);
    session.use((tools) => ({ tools: (tools as ToolDefinition[]).reverse() }));
    session.use((tools) => ({ tools: tools.map((tool) => ({ ...tool, description: "\ud800!", deferred: "yes" as unknown as boolean })), prompt: "\udc00" }));
    const { tools, prompt, diagnostics } = await session.prepare();
    expect(tools.map(({ name, description, deferred }) => [name, description, deferred])).toEqual([["b", "\ufffd!", undefined], ["a", "\ufffd!", undefined]]);
    expect(prompt).toBe("\ufffd");
    expect(diagnostics.map(({ code }) => code)).toEqual(["provider_rewrite_refused", "provider_rewrite_refused"]);
  });
  it("says what changed as an append or a reset, and hands over nothing that did not change", async () => {
    const session = started(["a", "b"]);
    const agent = session.source("builtin");
    const first = await session.prepare();
    expect(first).toMatchObject({ stablePrefix: 0, delta: { removed: [], redefined: [], reset: false } });
    agent?.add({ name: "c" });
    session.endTurn();
    const second = await session.prepare();
    expect(second).toMatchObject({ stablePrefix: 2, delta: { removed: [], redefined: [], reset: false } });
    expect(names(second.delta.added)).toEqual(["c"]);
    expect(second.tools[0]).toBe(first.tools[0]);
    agent?.add({ name: "a", description: "other" });
    session.endTurn();
    const third = await session.prepare();
    expect(third).toMatchObject({ stablePrefix: 0, delta: { added: [], removed: [], reset: true } });
    expect(third.delta.redefined).toEqual(["a"]);
    agent?.remove("b");
    session.endTurn();
    const fourth = await session.prepare();
    expect(fourth).toMatchObject({ stablePrefix: 1, delta: { added: [], removed: ["b"], redefined: [], reset: true } });
    expect(new Set([first, second, third, fourth].map(({ fingerprint }) => fingerprint)).size).toBe(4);
    expect(await session.prepare()).toMatchObject({ stablePrefix: 2, fingerprint: fourth.fingerprint });
  });
  it("is refused after dispose, and where dispose comes in between", async () => {
    const session = started(["a"]);
    session.use(async (tools) => {
      session.dispose();
      return { tools };
    });
    await expect(session.prepare()).rejects.toMatchObject({ code: "ERR_TOOLSCOPE_SESSION_DISPOSED" });
    await expect(session.prepare()).rejects.toMatchObject({ code: "ERR_TOOLSCOPE_SESSION_DISPOSED" });
  });
  it("waits for no provider once the session is over", async () => {
    const session = started(["a"]);
    session.use(() => new Promise<never>(() => {}), { timeoutMs: 60_000 });
    const waiting = [session.prepare(), session.prepare()];
    setTimeout(() => session.dispose(), 20);
    for (const request of waiting) await expect(request).rejects.toMatchObject({ code: "ERR_TOOLSCOPE_SESSION_DISPOSED" });
  });
});
