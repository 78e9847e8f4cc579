import { describe, expect, test } from "vitest";
import { activeIds, addSource, door, sessionOf, verdict } from "../fixture.js";

describe("one-server-variant-only", () => {
  test("one-server-variant-only: one server's variant is denied, the other's stays", async () => {
    const session = sessionOf(
      { exclude: ["mcp:gh-b/create_pr"] },
      { "mcp:gh-a": ["create_pr", "list"], "mcp:gh-b": ["create_pr", "blame"] },
    );
    session.start();
    expect(activeIds(session)).toEqual(["mcp:gh-a/create_pr", "mcp:gh-a/list", "mcp:gh-b/blame"]);
    expect(await door(session, "mcp__gh-b__create_pr")).toBe("excluded");
    expect(await door(session, "mcp__gh-a__create_pr")).toBe("allowed");
    // Of two tools that a bare name fits, neither is guessed, the denied one counting too.
    expect(await door(session, "create_pr")).toBe("unknown");
  });

  test("one-server-variant-only: in the other order, by allow, and for a server whose name begins with the other's", () => {
    const sources = { "mcp:gh-b": ["create_pr"], "mcp:gh": ["create_pr"], "mcp:gh-a": ["create_pr"] };
    for (const id of ["mcp:gh", "mcp:gh-a", "mcp:gh-b"]) {
      const session = sessionOf({ allow: [`${id}/create_pr`] }, sources);
      session.start();
      expect(activeIds(session)).toEqual([`${id}/create_pr`]);
    }
  });
});

describe("allow-glob-mcp", () => {
  test.each([["mcp__my__*"], ["mcp__my"], ["mcp:my"], ["mcp:my/*"], ["mcp:MY/*"], ["mcp:m*"]])(
    "allow-glob-mcp: %s allows all of that server and nothing else",
    (selector) => {
      const session = sessionOf({ allow: [selector] }, { "mcp:my": ["a", "b"], "mcp:other": ["a"] });
      session.start();
      expect(activeIds(session)).toEqual(["mcp:my/a", "mcp:my/b"]);
      expect(session.report().allow).toMatchObject([{ state: "active", ids: ["mcp:my/a", "mcp:my/b"] }]);
    },
  );

  test("allow-glob-mcp: a server whose name continues the pattern's is not meant", () => {
    const session = sessionOf({ allow: ["mcp__foo__*"] }, { "mcp:foo_bar": ["x"], "mcp:foo__bar": ["x"], "mcp:foo": ["a"] });
    session.start();
    expect(activeIds(session)).toEqual(["mcp:foo/a"]);
    addSource(session, "mcp:foo-bar", ["a"]);
    expect(session.endTurn().changed).toBe(false);
  });

  test("allow-glob-mcp: one that matches nothing is reported with what is near", () => {
    const session = sessionOf({ allow: ["mcp:othr/*"] }, { "mcp:other": ["a"] });
    expect(session.report().allow).toMatchObject([{ state: "unknown", ids: [], didYouMean: ["mcp:other"] }]);
  });
});

describe("allow-deny-grammar-differs", () => {
  const sources = { "mcp:srv": ["a", "b"] };
  test.each([
    ["mcp__srv__*", []],
    ["mcp__srv", []],
    ["mcp__*", []],
    ["mcp__srv__a", ["mcp:srv/b"]],
    ["mcp:srv", []],
    ["mcp:*/a", ["mcp:srv/b"]],
    ["a", ["mcp:srv/b"]],
    ["*", []],
    ["none", ["mcp:srv/a", "mcp:srv/b"]],
  ])("allow-deny-grammar-differs: %s denies what it allows", (selector, left) => {
    const denied = sessionOf({ exclude: [selector] }, sources);
    denied.start();
    expect(activeIds(denied)).toEqual(left);
    const all = ["mcp:srv/a", "mcp:srv/b"];
    const allowed = sessionOf({ allow: [selector] }, sources);
    allowed.start();
    // A plain name never grants a server's tool; everything else grants just what it denies.
    expect(activeIds(allowed)).toEqual(selector === "a" ? [] : all.filter((id) => !(left as string[]).includes(id)));
  });

  test.each([["mcp__s*v__*"], ["mcp__srv_*"], ["mcp__s__rv__a"], ["MCP:srv/a"], ["mcp:SRV/a"]])(
    "allow-deny-grammar-differs: %s, on the deny side, is never ignored without a word",
    (selector) => {
      const session = sessionOf({ exclude: [selector] }, sources);
      const [entry] = session.report().exclude;
      const denies = session.tools().length < 2;
      expect(denies || entry?.state === "unknown" || entry?.state === "invalid").toBe(true);
      if (denies) expect(verdict(session, "mcp__srv__a")).toBe("excluded");
    },
  );
});
