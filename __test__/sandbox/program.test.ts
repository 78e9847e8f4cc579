import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { CodeSandbox, type RunCodeOptions, type SourcedTool, ToolscopeError } from "../../index.js";

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const tools: SourcedTool[] = [
  { source: "mcp:github", name: "search-code", description: "Searches code", inputSchema: { type: "object" }, execute: (input) => ({ found: input }) },
  { source: "mcp:github", name: "list", execute: () => ["a", "b"] },
  { source: "ext:notes", name: "list", execute: () => ["note"] },
  { source: "builtin", name: "read", execute: (input) => `read ${(input as { path: string }).path}` },
  { source: "host:app", name: "secret", exposure: "hidden", execute: () => "never" },
  { source: "host:app", name: "plain", description: "No execute of its own" },
];

describe.each(["process", "thread"] as const)("isolation %s", (isolation) => {
  let sandbox: CodeSandbox;
  beforeAll(() => {
    sandbox = new CodeSandbox({ tools, isolation });
  });
  afterAll(() => sandbox.close());
  const run = (code: string, options?: RunCodeOptions) => sandbox.run(code, options);
  const value = async (code: string): Promise<unknown> => {
    const result = await run(code);
    expect(result).toMatchObject({ ok: true });
    return result.value;
  };

  test("the value is what is returned, else the last expression", async () => {
    expect(await value("1 + 1")).toBe(2);
    expect(await value("return { a: [1] }")).toEqual({ a: [1] });
    expect(await value("if (false) return 1; 'last'")).toBe("last");
    expect(await value("for (const x of [1, 2]) x * 10")).toBe(20);
    expect(await value("await Promise.resolve(5)")).toBe(5);
    expect(await value("let a = 1")).toBeUndefined();
    expect(await value("[new Map([['a', 1]]), new Set([2]), 3n, new Uint8Array([4]), new TypeError('t')]")).toEqual([
      [["a", 1]], [2], "3", [4], { name: "TypeError", message: "t" },
    ]);
  });

  test("TypeScript annotations are stripped", async () => {
    expect(await value("interface A { x: number }\nconst a: A = { x: 1 } as A;\nfunction f<T>(t: T): T { return t }\nf<number>(a.x!) satisfies number")).toBe(1);
    expect(await value("const r: string[] = await tools.github.list(); return r.length as number")).toBe(2);
    expect(await run("enum A { B }")).toMatchObject({ ok: false, error: { kind: "syntax", line: 1, suggestions: [expect.stringContaining("plain object")] } });
  });

  test("tools by source and by exposed name", async () => {
    expect(await value("await tools.github.list()")).toEqual(["a", "b"]);
    expect(await value("await tools.github['search-code']({ q: 1 })")).toEqual({ found: { q: 1 } });
    expect(await value("await tools.github.search_code({ q: 1 })")).toEqual({ found: { q: 1 } });
    expect(await value("await tools.read({ path: 'x' })")).toBe("read x");
    expect(await value("await tools.builtin.read({ path: 'y' })")).toBe("read y");
    expect(await value("const { github: { list }, notes } = tools; [await list(), await notes.list()]")).toEqual([["a", "b"], ["note"]]);
    expect(await value("Object.keys(tools)")).toEqual(["github", "notes", "builtin", "app", "search-code", "list", "read", "plain"]);
    expect(await value("const seen = []; for (const key in tools.github) seen.push(key); seen")).toEqual(["search-code", "list"]);
    expect(await value("['read' in tools, 'write' in tools, 'secret' in tools, `${tools.github.list}`]")).toEqual([true, false, false, "tools.github.list"]);
  });

  test("an unknown tool is refused with the nearest names, a slip with what to write", async () => {
    const reason = (code: string) => value(`try { await ${code} } catch (e) { [e.code, e.message] }`);
    expect(await reason("tools.github.lst()")).toEqual(["unknown", expect.stringContaining("tools.github.list")]);
    expect(await reason("tools.reed({})")).toEqual(["unknown", expect.stringContaining("tools.builtin.read")]);
    expect(await reason("tools.github.github.list()")).toEqual(["unknown", expect.stringMatching(/repeated.*tools\.github\.list/)]);
    expect(await reason("tools['github/list']()")).toEqual(["unknown", expect.stringMatching(/separator.*tools\.github\.list/)]);
    expect(await reason("tools.app.secret()")).toEqual(["not_exposed", expect.any(String)]);
  });

  test("a missing await is hinted at", async () => {
    expect(await run("const r = tools.github.list(); r.map((x) => x)")).toMatchObject({
      error: { kind: "program", line: 1, suggestions: [expect.stringMatching(/tools\.github\.list.*await/)] },
    });
    expect((await run("({ r: tools.github.list() })")).error?.message).toContain("`r` is a promise");
    const result = await run("tools.github.list(); 1");
    expect(result).toMatchObject({ ok: true, value: 1, calls: [{ name: "github.list", ok: false, code: "aborted" }] });
    expect(result.logs.join()).toContain("await");
  });

  test("errors carry the program's own line and column", async () => {
    const at = async (code: string) => {
      const { error } = await run(code);
      return [error?.kind, error?.line, error?.column];
    };
    expect(await at("const a = 1;\n  a.b.c")).toEqual(["program", 2, expect.any(Number)]);
    expect(await at("\n\n  throw new Error('x')")).toEqual(["program", 3, 13]);
    expect(await at("'日本語 🙂'; throw new Error('x')")).toEqual(["program", 1, 20]);
    expect(await at("const é: string = '🙂'; throw new Error('x'); return 1")).toEqual(["program", 1, 34]);
    expect(await at("const a: number = 1;\nreturn a.b.c")).toEqual(["program", 2, expect.any(Number)]);
    expect(await at("let x = ;")).toEqual(["syntax", 1, 9]);
    expect(await at("const f = () => {\n  throw new RangeError('deep')\n}\nf()")).toEqual(["program", 2, expect.any(Number)]);
    expect(await at("await tools.github.list();\nawait tools.nope.nope()")).toEqual(["program", 2, expect.any(Number)]);
    expect((await run("await fetch('x')")).error?.suggestions?.[0]).toContain("no network");
  });

  test("search and describe", async () => {
    expect(await value("(await search('searches')).items.map((x) => x.id)")).toEqual(["mcp:github/search-code"]);
    expect(await value("(await search('searching code', { limit: 1e6 })).items[0].path")).toBe('tools.github["search-code"]');
    expect(await value("await describe(tools.github.search_code)")).toContain("/** Searches code */");
    expect(await value("await describe('read')")).toMatch(/^declare const tools: .*read\(/s);
    expect(await value("try { await describe('secret') } catch (e) { e.message }")).toContain("no tool");
  });

  test("console goes to the logs", async () => {
    const { logs } = await run("console.log('a', 1, { b: [2n] }, undefined); console.error(new TypeError('t')); console.warn('w')");
    expect(logs).toEqual(['a 1 {"b":["2"]} undefined', "error: TypeError: t", "warning: w"]);
    const flood = await run("for (let i = 0; i < 1000; i++) console.log('x'.repeat(100)); 1", { limits: { outputBytes: 1_000 } });
    expect(flood).toMatchObject({ ok: true, truncated: true });
    expect(flood.logs.join("\n").length).toBeLessThanOrEqual(1_000);
  });

  test("each call is reported with how it ended, in the order of ending", async () => {
    const events: unknown[] = [];
    const { calls } = await run("await tools.github.list(); try { await tools.nope() } catch {} try { await tools.plain() } catch {}", {
      onCall: (event) => void events.push([event.id, event.phase, event.ok]),
    });
    expect(calls).toMatchObject([
      { id: "mcp:github/list", name: "list", ok: true }, { name: "nope", ok: false, code: "unknown" },
      { id: "host:app/plain", ok: false, code: "ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE" },
    ]);
    expect(calls.every((call) => call.ms >= 0)).toBe(true);
    expect(events.slice(0, 3)).toEqual([["mcp:github/list", "start", undefined], ["mcp:github/list", "end", true], ["", "start", undefined]]);
    const hosted = await run("await tools.plain({ a: 1 })", { call: (call) => [call.id, call.input, call.parentCallId !== undefined] });
    expect(hosted.value).toEqual(["host:app/plain", { a: 1 }, true]);
  });

  test("the input is a frozen copy", async () => {
    const seen: unknown[] = [];
    const own = new CodeSandbox({ isolation, tools: [{ source: "x", name: "take", execute: (input) => void seen.push(input) }] });
    await own.run("await tools.take({ deep: { a: 1 } })");
    expect(Object.isFrozen(seen[0]) && Object.isFrozen((seen[0] as { deep: object }).deep)).toBe(true);
    await own.close();
  });

  test("what a tool's own `execute` returns is the answer, and the host's `call` is for tools without one", async () => {
    for (const answer of [null, undefined, 0, "", false]) {
      const ran: string[] = [];
      const own = new CodeSandbox({ isolation, tools: [{ source: "x", name: "take", execute: () => (ran.push("execute"), answer) }] });
      const { value } = await own.run("[(await tools.take()) ?? `${await tools.take()}`]", { call: () => ran.push("call") });
      expect([value, ran.includes("call")]).toEqual([[answer ?? String(answer)], false]);
      await own.close();
    }
  });

  test("a tool's error keeps its code, a number as text, and a thrown primitive what it says", async () => {
    const thrown = [Object.assign(new Error("m"), { code: 404 }), Object.assign(new Error("m"), { code: -32602 }), 42, "text", true];
    const own = new CodeSandbox({ isolation, tools: thrown.map((error, index) => ({ source: "x", name: `t${index}`, execute: () => { throw error; } })) });
    const { value } = await own.run("const told = []; for (let i = 0; i < 5; i++) await tools.x[`t${i}`]().catch((e) => told.push([e.code, e.message])); told");
    const failed = "ERR_TOOLSCOPE_TOOL_FAILED";
    expect(value).toEqual([["404", "m"], ["-32602", "m"], [failed, "42"], [failed, "text"], [failed, "true"]]);
    await own.close();
  });

  test("describe takes a path in every spelling", async () => {
    for (const spelling of ['tools.github["search-code"]', "tools['github']['search-code']", 'tools["github"].search_code', "github.search-code", "tools.github.search_code", "mcp:github/search-code"]) {
      expect(await value(`JSON.stringify(await describe(${JSON.stringify(spelling)}))`), spelling).toContain("Searches code");
    }
  });

  test("console is whole, and counts its lines as JSON", async () => {
    expect((await run("for (const name of ['log','info','debug','warn','error','dir','dirxml','table','trace','assert','group','groupCollapsed','groupEnd','count','countReset','time','timeEnd','timeLog','timeStamp','clear']) console[name]('x'); 1"))).toMatchObject({ ok: true });
    for (const line of ['""', "'\\0\\n\"'.repeat(50)", "'ä€🂡'", "'x'.repeat(900)"]) {
      const result = await run(`for (let i = 0; i < 2000; i++) console.log(${line}); 1`, { limits: { outputBytes: 1_000 } });
      expect(result).toMatchObject({ ok: true, truncated: true });
      expect(Buffer.byteLength(JSON.stringify(result.logs)), line).toBeLessThanOrEqual(1_000);
    }
  });

  test("an absent input is absent", async () => {
    const seen: unknown[] = [];
    const own = new CodeSandbox({ isolation, tools: [{ source: "x", name: "take", execute: (...all) => void seen.push(all[0]) }] });
    await own.run("await tools.take(); await tools.take(null); await tools.take(undefined)");
    expect(seen).toEqual([undefined, null, undefined]);
    await own.close();
  });

  test("calls run at once up to the limit", async () => {
    let now = 0;
    let most = 0;
    const busy = async () => {
      most = Math.max(most, ++now);
      await sleep(5);
      now--;
    };
    const own = new CodeSandbox({ isolation, tools: [{ source: "x", name: "busy", execute: busy }] });
    const result = await own.run("await Promise.all(Array.from({ length: 20 }, () => tools.busy())); 'done'", { limits: { concurrency: 3 } });
    expect([result.value, most]).toEqual(["done", 3]);
    await own.close();
  });

  test("the signal ends a program at once and reaches its tools", async () => {
    const aborts: string[] = [];
    const execute: SourcedTool["execute"] = (_, { signal }) => new Promise(() => signal.addEventListener("abort", () => aborts.push("tool")));
    const own = new CodeSandbox({ isolation, tools: [{ source: "x", name: "wait", execute }] });
    const controller = new AbortController();
    const running = own.run("await tools.wait()", { signal: controller.signal });
    await sleep(30);
    const started = performance.now();
    controller.abort();
    expect(await running).toMatchObject({ ok: false, error: { kind: "aborted" }, calls: [{ code: "aborted" }] });
    expect(performance.now() - started).toBeLessThan(500);
    expect(aborts).toEqual(["tool"]);
    expect(await own.run("1", { signal: AbortSignal.abort() })).toMatchObject({ error: { kind: "aborted" } });
    const last = own.run("for (;;);");
    await own.close();
    expect(await last).toMatchObject({ error: { kind: "aborted" } });
    await expect(own.run("1")).rejects.toMatchObject({ code: "ERR_TOOLSCOPE_SANDBOX_CLOSED" });
  });

  test("programs see nothing of each other", async () => {
    await run("globalThis.leak = 1; Object.prototype.leak = 2; Array.prototype.push = null; tools.read = 3");
    expect(await value("[typeof leak, typeof Array.prototype.push, typeof {}.leak, await tools.read({ path: 'z' })]")).toEqual(["undefined", "function", "undefined", "read z"]);
  });

  test("the event loop has its turns while a program calls without a pause", { retry: 3 }, async () => {
    const gaps: number[] = [];
    let last = performance.now();
    let isOver = false;
    const turn = (): void => {
      gaps.push(performance.now() - last);
      last = performance.now();
      if (!isOver) setImmediate(turn);
    };
    turn();
    const started = performance.now();
    const result = await run("let n = 0; for (let i = 0; i < 3000; i++) n += (await tools.github.list()).length; return n", { limits: { toolCalls: 3_000 } });
    isOver = true;
    turn();
    expect(result).toMatchObject({ ok: true, value: 6_000 });
    // It is promised one a millisecond; a busy machine may keep it waiting now and then.
    const waited = gaps.filter((ms) => ms > 5).reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeLessThan((performance.now() - started) / 10);
  });

  test("long and multibyte messages come whole, however they are cut on their way", async () => {
    const text = "ä€🂡".repeat(40_000);
    const program = `const text = ${JSON.stringify("ä€🂡")}.repeat(40_000);
      let same = 0;
      for (let i = 0; i < 20; i++) {
        const { path } = (await tools.github["search-code"]({ path: text.slice(0, 1 << i) })).found;
        if (path === text.slice(0, 1 << i)) same++;
      }
      return [same, text]`;
    expect(await run(program)).toMatchObject({ ok: true, value: [20, text] });
  });

  test("a hundred programs at once", async () => {
    const results = await Promise.all(Array.from({ length: 100 }, (_, i) => run(`let n = 0; for (let i = 0; i < 1e4; i++) n += i; await tools.github.list(); ${i}`)));
    expect(results.map((result) => result.value)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });

  // Case codemode-frozen-run: a tool registered while the program runs is callable at its next call, and found by search.
});

test("wrong options throw with the value and the fix", async () => {
  expect(() => new CodeSandbox({ tools: [], limits: { timeoutMs: -1 } })).toThrow(/limits\.timeoutMs is `-1`; give a number/);
  expect(() => new CodeSandbox({ tools: [], isolation: "none" as "thread" })).toThrow(ToolscopeError);
  expect(() => new CodeSandbox({ tools: [{ source: "a", name: "b" }, { source: "a", name: "b" }] })).toThrow(/`a\/b` is given twice/);
  expect(() => new CodeSandbox({} as never)).toThrow(/options\.tools is missing/);
  const sandbox = new CodeSandbox({ tools: [], isolation: "thread" });
  await expect(sandbox.run(5 as unknown as string)).rejects.toMatchObject({ code: "ERR_TOOLSCOPE_INVALID_ARGUMENT" });
  const wrong = [null, 5, { timeoutMs: 5 }, { limits: 5 }, { limits: { timeout: 5 } }, { limits: null }, { signal: {} }, { call: 5 }, { onCall: "x" }, { isolation: "none" }];
  for (const options of wrong) {
    await expect(sandbox.run("1", options as never), JSON.stringify(options)).rejects.toMatchObject({ code: "ERR_TOOLSCOPE_INVALID_ARGUMENT" });
  }
  await expect(sandbox.run("1", { limits: { concurrency: 0 } })).rejects.toThrow(/limits\.concurrency/);
  await sandbox.close();
});
