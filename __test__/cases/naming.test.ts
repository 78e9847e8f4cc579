import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { activeIds, addSource, nameOf, sessionOf, tools, verdict } from "../fixture.js";

const legal = /^[A-Za-z0-9_-]{1,64}$/;

describe("hyphen-roundtrip", () => {
  test.each([
    ["one-two-three-four-five-six", "seven-eight-nine-ten-eleven-twelve"],
    ["a---b", "c___d---e"],
    ["s".repeat(80), "t-".repeat(60)],
  ])("hyphen-roundtrip: the model's name for %s/%s means that tool", async (server, raw) => {
    const session = sessionOf(undefined, { [`mcp:${server}`]: [{ name: raw, execute: (input) => input }] });
    session.start();
    const [exposed] = session.activeTools() as [string];
    expect(exposed).toMatch(legal);
    const { decision, value } = await session.call({ name: exposed, input: 7 });
    expect(decision).toMatchObject({ allowed: true, id: `mcp:${server}/${raw}` });
    expect(value).toBe(7);
  });
});

describe("overlong-poisons-session", () => {
  test.each([
    ["vendor.billing-and-cost-management-mcp-server", "billing_cost_management_get_free_tier_usage", "ok"],
    ["m", "n".repeat(300), "n"],
    ["a".repeat(200), "b", "c"],
  ])("overlong-poisons-session: both tools of %s are usable under short, stable names", (server, ...names) => {
    const seen = [names, [...names].reverse()].map((order) => {
      const session = new ToolSession();
      session.addSource({ kind: "mcp", name: server, tools: tools(...order) });
      session.start();
      expect(session.activeTools()).toHaveLength(2);
      for (const name of session.activeTools()) {
        expect(name).toMatch(legal);
        expect(verdict(session, name)).toBe("allowed");
      }
      return new Map(session.tools().map(({ id, name }) => [id, name]));
    });
    expect(new Set(seen[0]?.values()).size).toBe(2);
    expect(seen[1]).toEqual(new Map([...(seen[0] as Map<string, string>)].reverse()));
  });

  test("overlong-poisons-session: a name too long to be one fails alone", () => {
    const session = sessionOf(undefined, { "mcp:s": ["x".repeat(5_000), "ok"] });
    expect(session.source("mcp:s")?.report).toMatchObject({ added: ["ok"], quarantined: [{ reason: expect.stringContaining("bytes") }] });
    session.start();
    expect(session.activeTools()).toEqual(["mcp__s__ok"]);
  });
});

describe("double-prefix", () => {
  test.each([
    { server: "crawl", raw: "crawl_scrape", other: "crawl_map" },
    { server: "Note.Book", raw: "note_book_write", other: "note_book_read" },
  ])("double-prefix: $raw of $server is found with its own prefix once and twice", ({ server, raw, other }) => {
    const session = new ToolSession();
    session.addSource({ kind: "mcp", name: server, tools: tools(raw, other) });
    const prefix = server.toLowerCase().replace(".", "_");
    const id = session.tools()[0]?.id as string;
    expect(session.tools()).toHaveLength(2);
    for (const spelling of [raw, `${prefix}_${raw}`, `${server}/${raw}`, `mcp__${prefix}__${raw}`, id, nameOf(session, id)]) {
      expect(session.checkScope(spelling)).toMatchObject({ allowed: true, id });
    }
  });

  test("double-prefix: a spelling that fits two tools is refused, and the reason lists both", () => {
    const session = sessionOf(undefined, { "mcp:crawl": ["crawl_scrape"], "mcp:other": ["crawl_scrape"] });
    const decision = session.checkScope("crawl_scrape");
    expect(decision).toMatchObject({ allowed: false, code: "unknown" });
    for (const { name } of session.tools()) expect((decision as { reason: string }).reason).toContain(`\`${name}\``);
    expect(session.checkScope("other_crawl_scrape")).toMatchObject({ allowed: true, id: "mcp:other/crawl_scrape" });
  });

  test("double-prefix: an alias of the model's never takes the place of the tool the host will run", () => {
    const session = sessionOf(undefined, { "mcp:crawl": ["crawl_scrape"] });
    expect(session.checkScope({ name: "crawl_scrape", id: "mcp:crawl/crawl_scrape" })).toMatchObject({ allowed: false, code: "unknown" });
    expect(session.checkScope({ name: "mcp__crawl__crawl_scrape", id: "mcp:crawl/crawl_scrape" }).allowed).toBe(true);
  });
});

describe("two-name-rules", () => {
  // That a child is started by the same selector is shown with the children.
  test.each([
    ["graph", "graph_node"],
    ["graph", "node"],
    ["g_g", "g_g__g"],
  ])("two-name-rules: mcp:%s/%s selects by identity, whatever the registry calls it", (server, raw) => {
    const id = `mcp:${server}/${raw}`;
    const session = sessionOf({ allow: [id] }, { [`mcp:${server}`]: [raw, "other"] });
    session.start();
    expect(activeIds(session)).toEqual([id]);
    expect(session.report().allow).toMatchObject([{ selector: id, state: "active", ids: [id] }]);
  });

  test("two-name-rules: the host's own rule for names changes no selector", () => {
    const session = new ToolSession({ scope: { allow: ["mcp:graph/graph_node"] } });
    session.addSource({ kind: "mcp", name: "graph", exposedName: (raw) => raw.replace(/^graph_/, "g_"), tools: tools("graph_node", "graph_edge") });
    session.start();
    expect(session.activeTools()).toEqual(["g_node"]);
    addSource(session, "mcp:more", ["graph_node"]);
    expect(session.endTurn().changed).toBe(false);
  });
});
