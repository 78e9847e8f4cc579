// Programs of a session (DESIGN §15): one door, nothing out of scope, and the tool that runs them.
import { afterAll, describe, expect, it } from "vitest";
import { ToolSession } from "../index.js";

const ran: string[] = [];
const tool = (name: string, extra = {}) => ({
  name,
  description: `${name} it`,
  inputSchema: { type: "object", properties: { q: { type: "string" } } },
  execute: async (input: unknown) => {
    ran.push(name);
    return { name, input };
  },
  ...extra,
});

const sessions: ToolSession[] = [];
afterAll(() => {
  for (const session of sessions) session.dispose();
});
function started(scope = {}): ToolSession {
  const session = new ToolSession({ id: "root", scope });
  sessions.push(session);
  session.addSource({ kind: "mcp", name: "kb", tools: [tool("search"), tool("drop"), tool("ask", { exposure: "model-only" }), tool("late-bound", { exposure: "deferred" })] });
  session.addSource({ kind: "builtin", name: "agent", tools: [tool("read"), tool("bash")] });
  session.start();
  return session;
}

/** Tries every way a program has to name a tool, and says how each ended. */
const attempt = (path: string): string => `try { return { value: await ${path} } } catch (error) { return { code: error.code, message: error.message } }`;

describe.each(["thread", "process"] as const)("a program in isolation %s", (isolation) => {
  it("calls tools in scope, concurrently, and is refused what is not, each refusal with its code", async () => {
    const session = started({ exclude: ["drop", "bash"] });
    ran.length = 0;
    const result = await session.runCode(
      `const both = await Promise.all([tools.kb.search({ q: "a" }), tools.read({ q: "b" })]);
       let code; try { await tools.kb.drop({}) } catch (error) { code = error.code }
       return [both.map(({ name, input }) => [name, input.q]), code];`,
      { isolation },
    );
    expect(result).toMatchObject({ ok: true, value: [[["search", "a"], ["read", "b"]], "excluded"] });
    expect(result.calls.map(({ id, ok, code }) => [id, ok, code])).toEqual([
      ["mcp:kb/search", true, undefined],
      ["builtin:read", true, undefined],
      ["mcp:kb/drop", false, "excluded"],
    ]);
    expect(ran).toEqual(["search", "read"]);
  });
  it("cannot name, list, describe, search or call what is out of scope, in a child's child either", async () => {
    const root = started({ exclude: ["drop"] });
    const child = root.spawn({ name: "child", scope: { allow: ["mcp:kb", "read"] } });
    const grandchild = child.spawn({ name: "grandchild", scope: { exclude: ["read"] } });
    grandchild.start();
    ran.length = 0;
    const { value } = await grandchild.runCode(
      `const listed = [Object.keys(tools), Object.keys(tools.kb ?? {})].flat();
       const found = (await search("drop read bash search")).items.map(({ name }) => name);
       const told = []; for (const name of ["kb.drop", "read", "bash"]) try { told.push(await describe(name)) } catch (error) { told.push(error.code) }
       const codes = []; for (const call of [() => tools.kb.drop({}), () => tools["mcp__kb__drop"]({}), () => tools.read({}), () => tools.bash({}), () => tools.kb.ask({})])
         try { await call(); codes.push("ran") } catch (error) { codes.push(error.code ?? error.name) }
       return { listed, found, told, codes };`,
      { isolation },
    );
    const { listed, found, told, codes } = value as { listed: string[]; found: string[]; told: string[]; codes: string[] };
    expect([...listed, ...found].filter((name) => /drop|read|bash|ask/.test(name))).toEqual([]);
    expect(told).toEqual(["unknown", "unknown", "unknown"]);
    expect(codes).toEqual(["parent", "parent", "excluded", "parent", "not_exposed"]);
    expect(ran).toEqual([]);
  });
  it("codemode-frozen-run: sees tools that come and go while it runs", async () => {
    const session = started();
    const kb = session.source("mcp:kb");
    kb?.add(tool("unlock", { execute: async () => void kb.add(tool("secret")) }), tool("lock", { execute: async () => kb.remove("secret") }));
    const { value } = await session.runCode(
      `if ("secret" in tools.kb) return "early"; await tools.kb.unlock({}); if (!Object.keys(tools.kb).includes("secret")) return "late"; const here = await tools.kb.secret({}); const found = (await search("secret")).items[0]?.id;
       await tools.kb.lock({}); let code; try { await tools.kb.secret({}) } catch (error) { code = error.code }
       return [here.name, found, code];`,
      { isolation },
    );
    expect(value).toEqual(["secret", "mcp:kb/secret", "unknown"]);
  });
  it("passes every call through the guards, root first, with the program as its parent", async () => {
    const session = started();
    const asked: unknown[] = [];
    session.on("before_tool_call", ({ id, path, parentCallId, input }) => {
      asked.push([id, path.join("/"), typeof parentCallId, Object.isFrozen(input)]);
      return id === "builtin:bash" ? { block: true, reason: "not that" } : undefined;
    });
    const child = session.spawn({ name: "child" });
    child.start();
    const { value, calls } = await child.runCode(`await tools.read({ q: "x" }); ${attempt("tools.bash({})")}`, { isolation });
    expect(asked).toEqual([["builtin:read", "root/child", "string", true], ["builtin:bash", "root/child", "string", true]]);
    expect(value).toEqual({ code: "vetoed", message: "not that" });
    expect(calls[1]).toMatchObject({ ok: false, code: "vetoed" });
  });
  it("ends with the session", async () => {
    const session = started();
    setTimeout(() => session.dispose(), 50);
    expect(await session.runCode("for (;;) await null", { isolation })).toMatchObject({ ok: false, error: { kind: "aborted" } });
    await expect(session.runCode("1")).rejects.toMatchObject({ code: "ERR_TOOLSCOPE_SESSION_DISPOSED" });
  });
});

it("runs what has no execute by the host's `call`, which is asked only for what was allowed", async () => {
  const session = started({ exclude: ["secret"] });
  session.addSource({ kind: "host", name: "sdk", tools: [{ name: "remote" }, { name: "secret" }] });
  const called: string[] = [];
  const { value } = await session.runCode(`const here = await tools.remote({ q: 1 }); try { await tools.secret({}) } catch (error) { return [here, error.code] }`, {
    isolation: "thread",
    call: async ({ id, input, parentCallId }) => {
      called.push(id);
      return { input, nested: typeof parentCallId };
    },
  });
  expect(value).toEqual([{ input: { q: 1 }, nested: "string" }, "excluded"]);
  expect(called).toEqual(["host:sdk/remote"]);
});

describe("code mode", () => {
  it("is a tool like any other, put last by prepare() with the catalog as it is then", async () => {
    const session = new ToolSession();
    sessions.push(session);
    const kb = session.addSource({ kind: "mcp", name: "kb", tools: [tool("find", { exposure: "code" })] });
    session.addSource({ kind: "ext", name: "e", tools: [tool("direct")] });
    expect(session.codeMode({ name: "program" })).toMatchObject({ id: "host:toolscope/execute", name: "program" });
    session.start();
    expect(session.activeTools()).toEqual(["program", "direct"]);
    session.use((tools) => ({ tools: [...tools].reverse() }));
    const first = await session.prepare();
    expect(first.tools.map(({ name }) => name)).toEqual(["direct", "program"]);
    expect(first.tools.at(-1)?.description).toContain("find(input: { q?: string })");
    kb.add(tool("other", { exposure: "code" }));
    const second = await session.prepare();
    expect(second.tools.at(-1)?.description).toContain("other(input: { q?: string })");
    expect(second.stablePrefix).toBe(1);
    expect(await session.prepare({ maxTools: 1 })).toMatchObject({ tools: [{ name: "direct", deferred: true }, { name: "program" }] });
    const ran = await session.call({ name: "program", input: { code: "(await tools.kb.find({ q: 'x' })).name" }, callId: "c1" });
    expect(ran).toMatchObject({ ok: true, value: { ok: true, value: "find" } });
  });
  it("is put there anew where it was taken out", () => {
    const session = started();
    session.codeMode();
    session.source("host:toolscope")?.set([]);
    expect(session.endTurn().active).not.toContain("execute");
    expect(session.codeMode()).toMatchObject({ name: "execute" });
    expect(session.endTurn().active).toContain("execute");
  });
  it("is shown as it was asked for last, to the session that asked", async () => {
    const session = new ToolSession();
    sessions.push(session);
    session.addSource({ kind: "mcp", name: "kb", tools: [tool("find", { exposure: "code" })] });
    session.start();
    const description = async (of: ToolSession): Promise<string | undefined> => (await of.prepare()).tools.at(-1)?.description;
    session.codeMode();
    session.endTurn();
    expect(await description(session)).toContain("declare const tools");
    session.codeMode({ budget: 0 });
    expect(await description(session)).not.toContain("declare const tools");
    const child = session.spawn({ name: "child", scope: {} });
    child.start();
    const before = await description(child);
    child.codeMode();
    expect(await description(child)).not.toBe(before);
    const without = await description(child);
    child.on("catalog", () => ({ detail: "compact" }));
    expect(await description(child)).not.toBe(without);
  });
  it("tells sources of one name apart by their ids, in the catalog, in searches and in programs", async () => {
    const session = new ToolSession();
    sessions.push(session);
    const of = (kind: "ext" | "mcp") => ({ kind, name: "github", tools: [tool("search", { exposure: "code", execute: () => kind })] });
    session.addSource(of("mcp"));
    session.start();
    expect(session.catalog().text).toContain("\ngithub: {");
    const ext = session.addSource(of("ext"));
    const { text } = session.catalog();
    for (const label of ["ext:github", "mcp:github"]) expect(text).toContain(`\n${JSON.stringify(label)}: {`);
    expect(text).not.toContain("\ngithub: {");
    const { items } = session.search("search");
    expect(items.map(({ path }) => path).sort()).toEqual(['tools["ext:github"].search', 'tools["mcp:github"].search']);
    for (const { id, path } of items) expect(await session.runCode(`await ${path}({})`)).toMatchObject({ ok: true, value: id.split(":")[0] });
    ext.close();
    expect(session.catalog().text).toContain("\ngithub: {");
    expect(session.search("search").items.map(({ path }) => path)).toEqual(["tools.github.search"]);
    expect(await session.runCode("await tools.github.search({})")).toMatchObject({ ok: true, value: "mcp" });
  });
  it("catalog-without-bridge: a scope without the tool has neither bridge nor catalog, one with it has both", async () => {
    for (const allow of [["mcp:kb", "read"], ["mcp:kb", "read", "execute"]]) {
      const session = started({ allow });
      session.codeMode();
      session.endTurn();
      const { tools } = await session.prepare();
      const shown = tools.some(({ id }) => id === "host:toolscope/execute");
      expect(shown).toBe(allow.includes("execute"));
      expect(tools.some(({ description }) => description.includes("declare const tools") || description.includes("Runs a JavaScript program"))).toBe(shown);
      expect(session.checkScope("execute").allowed).toBe(shown);
    }
  });
  it("deferred-leaks-into-prompt: deferred tools are callable from a program and in no prompt", async () => {
    const session = new ToolSession();
    sessions.push(session);
    session.addSource({ kind: "ext", name: "a", tools: [tool("direct")] });
    session.addSource({ kind: "mcp", name: "cal", tools: ["cal_0", "cal_1", "cal_2"].map((name) => tool(name, { exposure: "deferred" })) });
    session.codeMode({ budget: 200 });
    session.start();
    const { tools, prompt } = await session.prepare();
    const text = JSON.stringify(tools.filter(({ name }) => name !== "execute")) + prompt;
    expect(text).toContain("direct");
    expect(text).not.toContain("cal_");
    expect(tools.at(-1)?.description).not.toContain("cal_1(");
    expect((await session.runCode("(await tools.cal.cal_1({})).name", { isolation: "thread" })).value).toBe("cal_1");
  });
  it("cannot be called from a program, and runs in the session that called it", async () => {
    const session = started();
    session.codeMode();
    const child = session.spawn({ name: "child", scope: { allow: ["execute", "read"] } });
    child.start();
    expect((await session.runCode(attempt(`tools.execute({ code: "1" })`), { isolation: "thread" })).value).toMatchObject({ code: "not_exposed" });
    const { value } = await child.call({ name: "execute", input: { code: attempt("tools.bash({})") } });
    expect(value).toMatchObject({ ok: true, value: { code: "out_of_scope" } });
    expect(await session.call({ name: "execute", input: {} })).toMatchObject({ ok: false, error: { message: expect.stringContaining("code") } });
  });
});
