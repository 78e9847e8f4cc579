import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { activeIds, tools } from "../fixture.js";

describe("first-page-only", () => {
  const pages = [tools("a", "b"), tools("c"), tools("d")];

  test("first-page-only: a tool of a later page is there, whether pages are added or the whole map is set", () => {
    for (const allow of [["mcp:s/c"], ["mcp__s__c"]]) {
      for (const whole of [true, false]) {
        const session = new ToolSession({ scope: { allow } });
        const source = session.addSource({ kind: "mcp", name: "s" });
        session.start();
        if (whole) source.set(pages.flat());
        else for (const page of pages) source.add(...page);
        session.endTurn();
        expect(activeIds(session)).toEqual(["mcp:s/c"]);
        expect(session.tools().map(({ id }) => id)).toEqual(["mcp:s/a", "mcp:s/b", "mcp:s/c", "mcp:s/d"]);
      }
    }
  });

  test("first-page-only: what no page has is out of the registry, what only was announced is awaited", () => {
    const session = new ToolSession({ scope: { allow: ["mcp:s/c", "mcp:s/z"] } });
    const source = session.addSource({ kind: "mcp", name: "s", declares: ["c"] });
    source.add(...tools("a", "b"));
    expect(session.report().allow).toMatchObject([{ state: "pending" }, { state: "unknown" }]);
    source.add(...tools("c"));
    expect(session.report().allow).toMatchObject([{ state: "active", ids: ["mcp:s/c"] }, { state: "unknown" }]);
  });
});
