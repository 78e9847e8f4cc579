// Public cases of kinds `ordering` and `catalog` that a session's requests, catalog and search serve (DESIGN §10, §12).
import { describe, expect, it } from "vitest";
import { ToolSession } from "../../index.js";

describe("ordering", () => {
  it.each([
    [["a", "b"], ["b"], ["b", "c"]],
    [["z", "y", "x"], ["y"], ["y", "a", "z"]],
  ])("builtin-prefix-stable: churn of a server (%j, %j, %j) changes no byte before its own block", async (...turns) => {
    const session = new ToolSession();
    session.addSource({ kind: "builtin", name: "agent", tools: [{ name: "read" }, { name: "edit" }] });
    const server = session.addSource({ kind: "mcp", name: "s" });
    session.start();
    const texts: string[] = [];
    for (const turn of turns) {
      server.set(turn.map((name) => ({ name })));
      session.endTurn();
      const { tools, stablePrefix } = await session.prepare();
      texts.push(JSON.stringify(tools.slice(0, 2)));
      if (texts.length > 1) expect(stablePrefix).toBeGreaterThanOrEqual(2);
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('"read"');
  });
  it("load-mid-session-busts-cache: a tool that comes is appended, or, deferred, changes no byte of what is declared", async () => {
    const session = new ToolSession();
    const ext = session.addSource({ kind: "ext", name: "e", tools: [{ name: "a" }, { name: "b" }] });
    session.start();
    const first = await session.prepare();
    ext.add({ name: "c" });
    session.endTurn();
    const second = await session.prepare();
    expect(second.tools.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(second).toMatchObject({ stablePrefix: 2, delta: { added: [{ name: "c" }], removed: [], redefined: [], reset: false } });
    expect(JSON.stringify(second.tools.slice(0, 2))).toBe(JSON.stringify(first.tools));
    ext.add({ name: "d", exposure: "deferred" });
    expect(session.endTurn().changed).toBe(false);
    const third = await session.prepare();
    expect(third.fingerprint).toBe(second.fingerprint);
    session.activate("d");
    expect(await session.prepare()).toMatchObject({ stablePrefix: 3, delta: { added: [{ name: "d" }], reset: false } });
  });
});

describe("catalog", () => {
  it.each([200, 37])("defer-not-applied-in-child: a child of a parent with %i deferred tools declares none and finds any", (count) => {
    const parent = new ToolSession();
    const tools = Array.from({ length: count }, (_, at) => ({ name: `tool_${at}x`, description: `Handles matter ${at}x.`, exposure: "deferred" as const }));
    parent.addSource({ kind: "mcp", name: "big", tools });
    parent.start();
    const child = parent.spawn({ name: "child" });
    expect(child.start().active).toEqual([]);
    expect(child.catalog({ budget: 2_000 }).tokens).toBeLessThanOrEqual(2_000);
    for (let at = 0; at < count; at += 7) expect(child.search(`matter ${at}x`).items[0]?.id).toBe(`mcp:big/tool_${at}x`);
  });
  it.each([
    [90, 50, "mcp:task/do_it", "do_it"],
    [40, 3, "mcp__task__do_it", "do_it"],
  ])("explicit-tool-deferred-away: %i unrelated tools never push the one that is named behind search (cap %i, `%s`)", async (bulk, cap, selector, raw) => {
    const session = new ToolSession({ scope: { allow: ["mcp:bulk", selector] } });
    session.addSource({ kind: "mcp", name: "bulk", tools: Array.from({ length: bulk }, (_, at) => ({ name: `b${at}` })) });
    session.addSource({ kind: "mcp", name: "task", tools: [{ name: raw }] });
    session.start();
    const { tools } = await session.prepare({ maxTools: cap });
    const declared = tools.filter(({ deferred }) => deferred !== true);
    expect(declared).toHaveLength(cap);
    expect(declared.map(({ id }) => id)).toContain("mcp:task/do_it");
  });
});
