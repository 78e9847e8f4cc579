// Catalog, search and usage of a session (DESIGN §12–§14).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Diagnostic, type Exposure, ToolSession, ToolscopeError, UsageLog } from "../index.js";

const tool = (name: string, description: string, exposure: Exposure = "code") => ({
  name,
  description,
  exposure,
  inputSchema: { type: "object", properties: { repo: { type: "string" } }, required: ["repo"] },
  execute: async () => name,
});

const cycle: unknown[] = [];
cycle.push(cycle);

function github(scope = {}, usage?: UsageLog): ToolSession {
  const session = new ToolSession({ scope, ...(usage !== undefined && { usage }) });
  session.addSource({
    kind: "mcp",
    name: "github",
    description: "Issues and pull requests",
    tools: [
      tool("list_issues", "Lists the issues of a repository."),
      tool("create_pull_request", "Opens a pull request.", "deferred"),
      tool("read", "Reads a file.", "direct"),
      tool("secret", "Reads a secret of a repository.", "hidden"),
      tool("ask", "Asks the user about an issue.", "model-only"),
    ],
  });
  session.start();
  return session;
}

describe("the catalog of a session", () => {
  it("covers what is in scope and not declared, and follows the registry", () => {
    const session = github();
    expect(session.catalog().text).toContain("list_issues(input: { repo: string })");
    expect(session.catalog()).toMatchObject({ total: 2, complete: false });
    expect(session.catalog().text).not.toMatch(/secret|ask|read\(|create_pull/);
    expect(session.catalog({ pinned: ["mcp:github/create_*"] }).shown.map(({ id }) => id)).toContain("mcp:github/create_pull_request");
    session.source("mcp:github")?.add(tool("late", "Comes late."));
    expect(session.catalog().text).toContain("late(");
    session.setScope({ exclude: ["late"] });
    expect(session.catalog().text).not.toContain("late(");
  });
  it("says what a source is for as the source said last, and so does the search", async () => {
    const session = github();
    await session.prepare();
    for (const [said, found, before] of [["Quantum ledger", "quantum", "requests"], ["Harbour cranes", "harbour", "quantum"]] as const) {
      session.source("mcp:github")?.describe(said);
      expect(session.search(found).total).toBeGreaterThan(0);
      expect(session.search(before).total).toBeLessThan(session.search(found).total);
      expect(session.catalog().text).toContain(said);
      expect((await session.prepare()).tools.map(({ name }) => name)).toEqual(session.activeTools());
      expect(session.endTurn().changed).toBe(false);
    }
    const { generation } = session;
    session.source("mcp:github")?.describe("Harbour cranes");
    expect(session.generation).toBe(generation);
  });
  it("may be asked for by those who wish something of it, and is then made without wishes", () => {
    const session = github();
    const child = session.spawn({ name: "child" });
    const bare = session.catalog();
    const seen: string[] = [];
    for (const at of [1, 2, 3]) {
      session.on("catalog", () => {
        seen.push(session.catalog().text, child.catalog().text);
        return { categories: [{ namespace: "github", name: `c${at}`, match: "pull", description: "" }] };
      });
    }
    expect(session.catalog().categories).toHaveLength(3);
    expect(seen).toEqual(Array.from({ length: 6 }, () => bare.text));
    expect(child.catalog().categories).toHaveLength(3);
    expect(seen).toHaveLength(12);
  });
  it("is kept for several options at once", () => {
    const session = github();
    const each = () => [{}, { budget: 100 }, { budget: 200 }, { detail: "compact" as const }].map((options) => session.catalog(options));
    const first = each();
    expect(each().every((catalog, at) => catalog === first[at])).toBe(true);
    for (let budget = 300; budget < 320; budget++) session.catalog({ budget });
    expect(session.catalog({ budget: 319 })).toBe(session.catalog({ budget: 319 }));
  });
  it.each<[string, unknown]>([
    ["a cycle", { pinned: [cycle] }],
    ["a getter that throws", { get pinned() { throw new Error("boom"); } }],
    ["a symbol for a selector", { pinned: [Symbol("x")] }],
    ["a function for a selector", { pinned: [() => 1] }],
    ["a number beyond all numbers", { budget: Number.POSITIVE_INFINITY }],
    ["a big number", { budget: 5n }],
  ])("is refused with a code for options that hold %s", (_what, given) => {
    const error = expect.objectContaining({ code: "ERR_TOOLSCOPE_CATALOG_INVALID" });
    expect(() => github().catalog(given as object)).toThrow(error);
  });
  it("takes a selector with half a character for one that matches nothing", () => {
    expect(github().catalog({ pinned: ["\ud800"] }).warnings).toEqual([expect.stringContaining("matches no tool")]);
  });
  it("is the same frozen object while nothing changes", () => {
    const session = github();
    expect(session.catalog()).toBe(session.catalog());
    expect(Object.isFrozen(session.catalog().shown)).toBe(true);
    expect(session.catalog({ budget: 50 })).not.toBe(session.catalog());
  });
  it("takes plugins' wishes, drops an invalid one whole, and never lets one raise the budget or lose a tool", () => {
    const session = github();
    const heard: Diagnostic[] = [];
    session.on("diagnostic", (diagnostic) => heard.push(diagnostic));
    const plain = session.catalog().text;
    session.on("catalog", () => ({ pinned: ["create_pull_request"] }), { name: "good" });
    session.on("catalog", () => ({ pinned: ["secret"], detail: "loud" }) as never, { name: "bad" });
    session.on("catalog", () => ({ budget: 1_000_000 }) as never, { name: "greedy" });
    session.on("catalog", () => { throw new Error("boom"); }, { name: "broken" });
    session.on("catalog", (async () => ({})) as never, { name: "late" });
    const { warnings } = session.catalog();
    expect(warnings.join()).toContain("create_pull_request");
    expect(session.catalog().text).toBe(plain);
    expect(new Set(heard.map(({ code }) => code))).toEqual(new Set(["catalog_wish_dropped", "listener_failed"]));
    const messages = heard.map(({ message }) => message).join("\n");
    for (const said of ["`bad`", "detail", "`greedy`", "budget", "`broken`", "`late`"]) expect(messages).toContain(said);
    expect(session.checkScope("mcp__github__list_issues").allowed || session.checkScope({ name: "mcp__github__list_issues", parentCallId: "1" }).allowed).toBe(true);
  });
  it("loses no pin of the host's to a plugin's limit or categories", () => {
    const session = new ToolSession();
    session.addSource({ kind: "mcp", name: "kb", tools: Array.from({ length: 100 }, (_, at) => tool(`tool_${at}`, "Does.")) });
    session.start();
    const options = { budget: 100, pinned: ["mcp:kb/tool_99"] };
    const alone = session.catalog(options);
    expect(alone.shown[0]?.id).toBe("mcp:kb/tool_99");
    session.on("catalog", () => ({ pinnedLimit: 0, pinned: ["mcp:kb/tool_50"] }));
    expect(session.catalog(options)).toEqual(alone);
    const categories = Array.from({ length: 60 }, (_, at) => ({ namespace: "kb", name: `ADVERT${at}`, match: ".", description: "x".repeat(150) }));
    session.on("catalog", () => ({ categories }));
    expect(session.catalog({ ...options, budget: 1000 }).shown[0]?.id).toBe("mcp:kb/tool_99");
    expect(session.catalog({ ...options, budget: 1000 }).shown.length).toBeGreaterThan(20);
  });
  it("throws for an invalid option of the host's", () => {
    expect(() => github().catalog({ budget: -1 })).toThrow(expect.objectContaining({ code: "ERR_TOOLSCOPE_CATALOG_INVALID" }));
  });
  it("says nothing of a source that its tools in sight do not say, and pins by content", () => {
    const make = (names: string[]) => {
      const session = new ToolSession();
      session.addSource({ kind: "ext", name: "kb", tools: names.map((name) => tool(name, "Looks.")) });
      session.start();
      return session;
    };
    const [fresh, session] = [make(["a", "b", "c"]), make(["b", "a", "c"])];
    const other = session.addSource({ kind: "mcp", name: "kb", description: "Payroll", tools: [tool("find", "Finds.")] });
    expect(session.catalog().text).toContain("Payroll");
    other.describe(undefined);
    expect(session.catalog().text).not.toContain("Payroll");
    other.describe("Wages");
    session.catalog();
    other.close();
    for (const options of [{}, { pinned: ["ext:kb/*"] }, { budget: 40, pinned: ["ext:kb/*"] }]) {
      expect(session.catalog(options)).toEqual(fresh.catalog(options));
    }
  });
  it("is not changed by use of what a child has not", async () => {
    const usage = new UsageLog();
    const session = new ToolSession({ usage });
    session.addSource({ kind: "mcp", name: "db", tools: [tool("query", "Asks.")] });
    session.addSource({ kind: "mcp", name: "gh", tools: Array.from({ length: 60 }, (_, at) => tool(`gh_tool_${at}`, "Does.")) });
    session.start();
    const options = { budget: 300, detail: "adaptive", rank: "usage" } as const;
    const child = (name: string) => session.spawn({ name, scope: { allow: ["mcp:gh"] } }).catalog(options);
    const before = child("before");
    usage.record({ id: "mcp:db/query", session: "s" });
    expect(child("after").text).toBe(before.text);
  });
  it("calls a source by its name while no other one of that name has tools, and knows it by that name always", () => {
    const session = github();
    const categories = [{ namespace: "github", name: "issues", match: "issue", description: "Issues." }];
    const seen = () => [session.catalog().text, session.search("list issues").items[0]?.path];
    const alone = seen();
    expect(alone[1]).toBe("tools.github.list_issues");
    const namesake = session.addSource({ kind: "ext", name: "github" });
    expect(seen()).toEqual(alone);
    namesake.add(tool("list_issue_labels", "Lists labels."));
    expect(session.catalog().text).toContain('"mcp:github": {');
    expect(session.search("list issues").items[0]?.path).not.toBe(alone[1]);
    const { categories: counts, warnings } = session.catalog({ categories, budget: 30 });
    expect([counts[0]?.unshown, warnings.join()]).toEqual([2, expect.not.stringContaining("holds no tool")]);
    namesake.set([]);
    expect(seen()).toEqual(alone);
    namesake.set([tool("list_issue_labels", "Lists labels.")]);
    expect(seen()).not.toEqual(alone);
    namesake.remove("list_issue_labels");
    expect(seen()).toEqual(alone);
    namesake.set([tool("list_issue_labels", "Lists labels.")]);
    session.catalog();
    namesake.close();
    expect(seen()).toEqual(alone);
  });
  it("is ranked anew only after compact()", () => {
    const usage = new UsageLog();
    const session = new ToolSession({ usage });
    session.addSource({ kind: "ext", name: "e", tools: [tool("first", "Does one thing."), tool("other", "Does the other.")] });
    session.start();
    const shown = () => session.catalog({ rank: "usage", budget: 45 }).shown.map(({ id }) => id);
    usage.record({ id: "ext:e/other", session: "one" });
    expect(shown()).toEqual(["ext:e/other"]);
    for (const at of ["two", "three"]) usage.record({ id: "ext:e/first", session: at });
    expect(shown()).toEqual(["ext:e/other"]);
    session.compact();
    expect(shown()).toEqual(["ext:e/first"]);
  });
});

describe("usage", () => {
  it("counts successful calls by any door, and a script that loops no more than a few", async () => {
    const usage = new UsageLog();
    const session = github({}, usage);
    for (let round = 0; round < 50; round++) await session.call({ name: "mcp__github__read" });
    session.afterToolCall({ id: "mcp:github/list_issues", ok: true });
    session.afterToolCall({ id: "mcp:github/ask", ok: false });
    const ranked = new Map(usage.rank().map(({ id, weight }) => [id, weight]));
    expect([...ranked.keys()].sort()).toEqual(["mcp:github/list_issues", "mcp:github/read"]);
    expect(ranked.get("mcp:github/read")).toBeLessThanOrEqual(2);
    expect(session.spawn({ name: "child" }).usage).toBe(usage);
  });
  it("counts under the tool's id whatever a host calls the tool, and nothing that is no tool", () => {
    const spellings = ["mcp:github/list_issues", "mcp__github__list_issues", "list_issues", "github_list_issues"];
    for (const id of spellings) {
      const usage = new UsageLog();
      github({ exclude: ["mcp:github/list_issues"] }, usage).afterToolCall({ id, ok: true });
      github({}, usage).afterToolCall({ id, ok: true });
      expect(usage.rank().map((tool) => tool.id), id).toEqual(["mcp:github/list_issues"]);
      expect(usage.rank()[0]?.weight).toBeCloseTo(2);
    }
    const usage = new UsageLog();
    const session = github({}, usage);
    for (const id of ["", "mcp:github/nothing", "nothing", "__proto__", "mcp:github", "\ud800", "x".repeat(100_000)]) {
      session.afterToolCall({ id, ok: true });
    }
    expect(usage.rank()).toEqual([]);
  });
  it("decides which tools a cap defers, and never a scope", async () => {
    const usage = new UsageLog();
    const session = new ToolSession({ usage });
    session.addSource({ kind: "builtin", name: "agent", tools: ["a", "b", "c"].map((name) => tool(name, name, "direct")) });
    session.start();
    usage.record({ id: "builtin:c", session: "s" });
    const { tools } = await session.prepare({ maxTools: 1 });
    expect(tools.filter(({ deferred }) => deferred !== true).map(({ name }) => name)).toEqual(["c"]);
    expect(session.checkScope("a").allowed).toBe(true);
  });
});

describe("the search of a session", () => {
  it("finds what is in scope, on the first search after it registers, and nothing hidden or model-only", () => {
    const session = github();
    expect(session.search("open a pull request").items[0]).toMatchObject({
      id: "mcp:github/create_pull_request",
      name: "mcp__github__create_pull_request",
      path: "tools.github.create_pull_request",
      signature: "mcp__github__create_pull_request(repo)",
    });
    const all = session.search("repository issue secret user", { limit: 100 }).items.map(({ id }) => id);
    expect(all).not.toContain("mcp:github/secret");
    expect(all).not.toContain("mcp:github/ask");
    session.source("mcp:github")?.add(tool("secret_number", "Gives the number."));
    expect(session.search("secret number").items[0]?.id).toBe("mcp:github/secret_number");
    session.source("mcp:github")?.remove("secret_number");
    expect(session.search("secret number").items.map(({ id }) => id)).not.toContain("mcp:github/secret_number");
  });
  it("browses in canonical order, in pages, within selectors", () => {
    const session = github();
    session.addSource({ kind: "builtin", name: "agent", tools: [tool("bash", "Runs a command.", "direct")] });
    const first = session.search("", { limit: 2 });
    expect(first).toMatchObject({ total: 4, next: { offset: 2 } });
    expect(first.items.map(({ name }) => name)).toEqual(["bash", "mcp__github__list_issues"]);
    expect(session.search("", { limit: 2, offset: 2 }).next).toBeNull();
    expect(session.search("", { in: ["builtin:*"] }).items.map(({ name }) => name)).toEqual(["bash"]);
    expect(() => session.search("", { in: ["foo:bar"] })).toThrow(ToolscopeError);
  });
  it("shows every session of a tree its own scope alone, whatever came and went", () => {
    const names = ["list", "open", "close", "merge"];
    const step = fc.record({ who: fc.nat(2), exclude: fc.subarray(names), add: fc.option(fc.constantFrom(...names)), remove: fc.option(fc.constantFrom(...names)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), fc.constantFrom("", "list issues", "merge", "close the open one"), (steps, query) => {
        const root = new ToolSession();
        const source = root.addSource({ kind: "ext", name: "e", tools: names.map((name) => tool(name, `${name} issues`)) });
        root.start();
        const child = root.spawn({ name: "child", scope: { allow: ["ext:e"] } });
        const family = [root, child, child.spawn({ name: "grandchild" })];
        for (const { who, exclude, add, remove } of steps) {
          family[who]?.setScope({ exclude });
          if (add !== null) source.add(tool(add, `${add} again`));
          if (remove !== null) source.remove(remove);
          for (const session of family) {
            const page = session.search(query, { limit: 100 });
            expect(page.items).toHaveLength(page.total);
            for (const { id, name } of page.items) {
              expect(session.checkScope({ name, id, parentCallId: "code" })).toMatchObject({ allowed: true });
            }
            if (query === "") expect(page.total).toBe(session.tools().filter(({ inScope }) => inScope).length);
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("the search tool", () => {
  it("says which tools can be called from code alone", async () => {
    const session = github({ required: ["tool_search"] });
    session.addSource({ kind: "host", name: "finder", tools: [session.searchTool()] });
    session.endTurn();
    const found = String((await session.call({ name: "tool_search", input: { query: "issues pull request reads file" } })).value);
    for (const line of found.split("\n")) expect(line.endsWith("(from code alone)"), line).toBe(line.includes("list_issues"));
    expect(session.activeTools()).toEqual(expect.arrayContaining(["mcp__github__create_pull_request", "mcp__github__read"]));
  });
  const hosting = () => {
    const session = github({ exclude: ["secret_plans"] });
    session.source("mcp:github")?.add(tool("secret_plans", "Opens the secret pull request plans.", "deferred"));
    session.addSource({ kind: "host", name: "finder", tools: [session.searchTool({ budget: 100 })] });
    session.endTurn();
    return session;
  };

  it("found-but-not-callable: what is found can be called, and nothing out of scope is named", async () => {
    const session = hosting();
    expect(session.checkScope("mcp__github__create_pull_request")).toMatchObject({ code: "not_loaded" });
    const { value } = await session.call({ name: "tool_search", input: { query: "open a pull request" } });
    expect(value).toContain("mcp__github__create_pull_request(repo) — Opens a pull request.");
    expect(value).not.toContain("secret");
    expect((value as string).length).toBeLessThanOrEqual(500);
    expect(await session.call({ name: "mcp__github__create_pull_request", input: { repo: "r" } })).toMatchObject({ ok: true });
    expect(session.activeTools()).toContain("mcp__github__create_pull_request");
  });
  it("searches for the session that called it", async () => {
    const session = hosting();
    const child = session.spawn({ name: "child", scope: { allow: ["tool_search", "mcp:github/list_issues"] } });
    child.start();
    const { value } = await child.call({ name: "tool_search", input: { query: "open a pull request or list issues" } });
    expect(value).toContain("list_issues");
    expect(value).not.toContain("create_pull_request");
  });
  it("loads the tools that were found, not namesakes of theirs", async () => {
    const session = new ToolSession();
    session.addSource({ kind: "ext", name: "good", tools: [tool("weather", "Tells the weather.", "code")] });
    session.addSource({ kind: "ext", name: "bad", tools: [tool("weather", "Tells the weather.", "deferred")] });
    session.addSource({ kind: "host", name: "finder", tools: [session.searchTool()] });
    session.start();
    expect(await session.call({ name: "tool_search", input: { query: "weather" } })).toMatchObject({ ok: true, value: expect.stringContaining("weather") });
    expect(session.activeTools()).toEqual(["tool_search"]);
  });
  it("says what is wrong with its input", async () => {
    expect(await hosting().call({ name: "tool_search", input: {} })).toMatchObject({ ok: false, error: { message: expect.stringContaining("query") } });
  });
});
