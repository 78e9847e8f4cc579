import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { activeIds, addSource, sessionOf, tools, verdict } from "../fixture.js";

describe("late-same-name-precedence", () => {
  // The case's `sdk` is our kind `host`.
  test("late-same-name-precedence: rank decides who owns a name, never who came last", () => {
    const session = new ToolSession();
    const owner = (): string | undefined => {
      const decision = session.checkScope("note");
      return decision.allowed ? decision.id : undefined;
    };
    const sdk = addSource(session, "host:sdk", ["note"]);
    expect(owner()).toBe("host:sdk/note");
    addSource(session, "ext:a", ["note"]);
    expect(owner()).toBe("host:sdk/note");
    addSource(session, "builtin", ["note"]);
    expect(owner()).toBe("host:sdk/note");
    sdk.remove("note");
    expect(owner()).toBe("ext:a/note");
    session.source("ext:a")?.close();
    expect(owner()).toBe("builtin:note");
    sdk.add({ name: "note" });
    expect(owner()).toBe("host:sdk/note");
  });

  test("late-same-name-precedence: of equals, the one that was added first owns it, whichever registers first", () => {
    const session = new ToolSession();
    const first = session.addSource({ kind: "ext", name: "z" });
    const second = session.addSource({ kind: "ext", name: "a" });
    second.set(tools("note"));
    expect(session.checkScope("note")).toMatchObject({ id: "ext:a/note" });
    first.set(tools("note"));
    expect(session.checkScope("note")).toMatchObject({ id: "ext:z/note" });
    first.fail("connection lost");
    // Being down frees no name.
    expect(verdict(session, "note")).toBe("pending");
    first.close();
    expect(session.checkScope("note")).toMatchObject({ id: "ext:a/note" });
  });
});

describe("frozen-allow-snapshot", () => {
  test.each([
    { allow: ["read", "ext:bridge"], then: ["read", "kb_find", "kb_get"] },
    { allow: ["read", "ext:bridge/kb_get"], then: ["read", "kb_get"] },
    { allow: ["read", "ext:bridge", "ext:bridge/kb_get"], then: ["read", "kb_get"] },
    { allow: ["read", "kb_find"], then: ["read", "kb_find"] },
    { allow: ["builtin:*", "ext:br*/kb_*"], then: ["read", "kb_find", "kb_get"] },
    { allow: ["read"], then: ["read"] },
  ])("frozen-allow-snapshot: $allow finds what registers on session_start", async ({ allow, then }) => {
    const session = sessionOf({ allow }, { builtin: ["read"] });
    const bridge = session.addSource({ kind: "ext", name: "bridge" });
    session.on("session_start", async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      bridge.set(tools("kb_find", "kb_get"));
    });
    expect(session.start().active).toEqual(["read"]);
    expect((await session.ready()).active).toEqual(then);
    expect(session.endTurn().active).toEqual(then);
  });

  test("frozen-allow-snapshot: a source that nobody had heard of at the start comes in the middle of a turn", () => {
    const session = sessionOf({ allow: ["read", "mcp:kb/find"] }, { builtin: ["read"] });
    session.start();
    session.endTurn();
    addSource(session, "mcp:kb", ["find", "drop"]);
    expect(verdict(session, "mcp__kb__find")).toBe("allowed");
    expect(verdict(session, "mcp__kb__drop")).toBe("out_of_scope");
    expect(session.activeTools()).toEqual(["read"]);
    expect(session.endTurn()).toMatchObject({ added: ["mcp__kb__find"], reset: false });
    expect(activeIds(session)).toEqual(["builtin:read", "mcp:kb/find"]);
  });
});
