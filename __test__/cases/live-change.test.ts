import { describe, expect, test } from "vitest";
import { activeIds, addSource, nameOf, sessionOf, tools, verdict } from "../fixture.js";
import { ToolSession } from "../../index.js";

describe("transient-drop-permanent", () => {
  test.each([
    { server: "n", names: ["p"] },
    { server: "Data.Base", names: ["z", "a.b", "m"] },
  ])("transient-drop-permanent: $server comes back with its tools, names and places", ({ server, names }) => {
    const session = new ToolSession();
    const changes: [string[], string[]][] = [];
    session.on("tools_changed", ({ added, removed }) => changes.push([added, removed]));
    session.start();
    const source = session.addSource({ kind: "mcp", name: server, tools: tools(...names) });
    const before = session.endTurn().active;
    expect(before).toHaveLength(names.length);
    source.fail("connection lost");
    expect(session.endTurn()).toMatchObject({ active: [], removed: before });
    for (const name of before) expect(verdict(session, name)).toBe("pending");
    source.set(tools(...names));
    expect(source.state).toBe("ready");
    expect(session.endTurn().active).toEqual(before);
    expect(changes).toEqual([
      [before, []],
      [[], before],
      [before, []],
    ]);
  });

  test("transient-drop-permanent: closed and added again, a source bears the same names", () => {
    const session = sessionOf({ allow: ["mcp:n/p.q"] }, { "mcp:n": ["p.q"] });
    session.start();
    const name = nameOf(session, "mcp:n/p.q");
    session.source("mcp:n")?.close();
    expect(session.endTurn().active).toEqual([]);
    addSource(session, "mcp:n", ["p.q"]);
    expect(session.endTurn().active).toEqual([name]);
    expect(activeIds(session)).toEqual(["mcp:n/p.q"]);
  });
});
