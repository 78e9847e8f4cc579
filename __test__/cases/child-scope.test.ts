import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { activeIds, addSource, diagnosticsOf, door, sessionOf, tools, verdict } from "../fixture.js";

/** A started child. */
function childOf(session: ToolSession, scope?: Parameters<ToolSession["spawn"]>[0]["scope"], name = "child"): ToolSession {
  const child = session.spawn({ name, ...(scope !== undefined && { scope }) });
  child.start();
  return child;
}

describe("empty-child-allow-falls-back", () => {
  test("empty-child-allow-falls-back: an empty list is empty, and so is one whose server is down", () => {
    const session = sessionOf(undefined, { builtin: ["read", "bash"] });
    session.addSource({ kind: "mcp", name: "down", declares: ["x"] }).fail("refused the connection");
    session.start();
    expect(session.activeTools()).toEqual(["read", "bash"]);
    const empty = session.spawn({ name: "empty", scope: { allow: [] } });
    const toldOfEmpty = diagnosticsOf(empty);
    expect(empty.start().active).toEqual([]);
    expect(toldOfEmpty).toEqual([]);
    const down = childOf(session, { allow: ["mcp:down/x"] });
    expect(down.activeTools()).toEqual([]);
    expect(down.report().allow).toMatchObject([{ selector: "mcp:down/x", state: "pending" }]);
    for (const child of [empty, down]) expect([verdict(child, "read"), verdict(child, "bash")]).toEqual(["out_of_scope", "out_of_scope"]);
  });
});

describe("no-list-plus-mcp-throws", () => {
  test("no-list-plus-mcp-throws: a child without a list has all that its parent has, servers' tools too", () => {
    const session = sessionOf(undefined, { builtin: ["read"], "mcp:idx": ["get_asset"] });
    session.start();
    for (const scope of [undefined, {}]) {
      const child = childOf(session, scope);
      expect(activeIds(child)).toEqual(["builtin:read", "mcp:idx/get_asset"]);
      expect(activeIds(childOf(child))).toEqual(["builtin:read", "mcp:idx/get_asset"]);
    }
  });
});

describe("session-visibility-leak", () => {
  test("session-visibility-leak: what one session leaves out, another one keeps; and it comes back", () => {
    const sources = { "host:app": ["create", "enter"] };
    const first = sessionOf(undefined, sources);
    const second = sessionOf(undefined, sources);
    const root = sessionOf(undefined, sources);
    const [left, right] = [root.spawn({ name: "left" }), root.spawn({ name: "right" })];
    for (const [one, other] of [[first, second], [left, right]] as const) {
      one.start();
      other.start();
      one.setScope({ narrow: ({ tools }) => tools.filter((name) => name !== "create") });
      expect(one.endTurn().active).toEqual(["enter"]);
      expect(other.endTurn().active).toEqual(["create", "enter"]);
      one.setScope({});
      one.endTurn();
      one.compact();
      expect(one.activeTools()).toEqual(["create", "enter"]);
    }
  });
});

describe("stale-deny-inherited", () => {
  test("stale-deny-inherited: a parent that is restored leaves no deny behind, in children of before and after", async () => {
    const session = sessionOf(undefined, { builtin: ["read", "bash"] });
    const before = childOf(session);
    session.start();
    session.setScope({ exclude: ["bash"] });
    const during = childOf(session);
    for (const child of [before, during]) expect(child.checkScope("bash")).toMatchObject({ code: "parent", by: session.id });
    session.setScope({});
    const after = childOf(session);
    for (const any of [session, before, during, after]) expect(await door(any, "bash")).toBe("allowed");
    expect(during.endTurn().active).toContain("bash");
  });
});

describe("bridge-star-allow", () => {
  test("bridge-star-allow: rules of its own take no limit of the parent away", () => {
    const session = sessionOf({ exclude: ["bash"] }, { builtin: ["read", "bash"] });
    session.start();
    const child = childOf(session, { allow: ["*"] });
    const check = (): void => {
      expect(child.endTurn().active).toEqual(["read"]);
      expect(child.checkScope("bash")).toMatchObject({ code: "parent", by: session.id });
    };
    check();
    for (const scope of [{ allow: ["*"] }, { allow: ["bash", "read"], required: ["bash"] }, { narrow: () => true }, {}]) {
      child.setScope(scope);
      check();
    }
  });
});

describe("child-lacks-loader", () => {
  test("child-lacks-loader: a deferred tool that the child names is declared to it", async () => {
    const session = sessionOf(undefined, { builtin: ["read"], "host:app": [{ name: "web_fetch", exposure: "deferred" }] });
    session.start();
    expect(session.activeTools()).toEqual(["read"]);
    const child = childOf(session, { allow: ["web_fetch", "read"] });
    expect([...child.activeTools()].sort()).toEqual(["read", "web_fetch"]);
    expect(await door(child, "web_fetch")).toBe("allowed");
    for (const scope of [{ allow: ["*"] }, { allow: ["host:app"] }, {}]) {
      const other = childOf(session, scope);
      expect(other.activeTools()).not.toContain("web_fetch");
      expect(await door(other, "web_fetch")).toBe("not_loaded");
    }
  });
});

describe("requested-cut-to-builtins", () => {
  test("requested-cut-to-builtins: what an extension brings after the spawn is the child's", () => {
    const session = sessionOf(undefined, { builtin: ["read", "bash"] });
    session.start();
    const child = childOf(session, { allow: ["read", "web_search"] });
    expect(child.activeTools()).toEqual(["read"]);
    expect(child.report().allow).toMatchObject([{ state: "active" }, { selector: "web_search", state: "unknown" }]);
    addSource(session, "ext:web", ["web_search", "web_other"]);
    expect(child.endTurn().active).toEqual(["read", "web_search"]);
  });
});

describe("mcp-absent-in-child", () => {
  test("mcp-absent-in-child: the parent's servers are the child's, also those that come later", () => {
    const session = sessionOf(undefined, { builtin: ["read"], "mcp:docs": ["find"] });
    session.start();
    const child = childOf(session);
    expect(activeIds(child)).toEqual(["builtin:read", "mcp:docs/find"]);
    addSource(session, "mcp:late", ["more"]);
    child.endTurn();
    expect(activeIds(child)).toEqual(["builtin:read", "mcp:docs/find", "mcp:late/more"]);
  });
});

describe("child-from-global-registry", () => {
  test("child-from-global-registry: the child of a restricted agent has no more, and no spawner unless it is named", async () => {
    const session = sessionOf({ allow: ["read", "spawn"] }, { builtin: ["read", "bash", "write"], "host:app": ["spawn"] }, { spawnTools: ["spawn"] });
    session.start();
    expect(session.activeTools()).toEqual(["read", "spawn"]);
    const children = [{}, { allow: [] }, { allow: ["bash"] }].map((scope) => childOf(session, scope));
    expect(children.map((child) => child.activeTools())).toEqual([["read"], [], []]);
    expect(children[2]?.report().allow).toMatchObject([{ selector: "bash", state: "excluded", ids: ["builtin:bash"], by: session.id }]);
    for (const child of children) {
      for (const name of ["bash", "write", "spawn"]) expect(await door(child, name)).not.toBe("allowed");
    }
    expect(childOf(session, { allow: ["spawn"] }).activeTools()).toEqual(["spawn"]);
  });
});

// Cases of other kinds whose last part is a child's.

describe("two-name-rules", () => {
  test("two-name-rules: a selector carries identity, whatever the registry calls the tool", () => {
    const session = new ToolSession();
    session.addSource({ kind: "mcp", name: "graph", tools: tools("graph_node"), exposedName: (raw) => raw.replace("graph_", "") });
    session.start();
    const child = childOf(session, { allow: ["mcp:graph/graph_node"] });
    expect(activeIds(child)).toEqual(["mcp:graph/graph_node"]);
    expect(child.activeTools()).toEqual(session.activeTools());
  });
});

describe("alias-vs-registry-name", () => {
  test("alias-vs-registry-name: the spelling the model sees is accepted; a wrong one is told, and no other tool is in", () => {
    const session = sessionOf(undefined, { builtin: ["fs.read", "web.fetch", "web_fetch2"] });
    session.start();
    expect(activeIds(childOf(session, { allow: ["fs_read", "web_fetch"] }))).toEqual(["builtin:fs.read", "builtin:web.fetch"]);
    expect(activeIds(childOf(session, { allow: ["fs.read", "web.fetch"] }))).toEqual(["builtin:fs.read", "builtin:web.fetch"]);
    // DESIGN §4 wins over the case: tool names are told apart by case.
    const child = childOf(session, { allow: ["fs_read", "WEB.FETCH"] });
    expect(activeIds(child)).toEqual(["builtin:fs.read"]);
    expect(child.report().allow[1]).toMatchObject({ selector: "WEB.FETCH", state: "unknown" });
  });
});

describe("unknown-silently-dropped", () => {
  test("unknown-silently-dropped: what a child names and nobody has is told, and nothing comes in its place", () => {
    const session = sessionOf(undefined, { builtin: ["read", "write", "glob", "hub"] });
    session.start();
    const child = session.spawn({ name: "child", scope: { allow: ["read", "find", "search"] } });
    const heard = diagnosticsOf(child);
    expect(child.start().active).toEqual(["read"]);
    const { allow } = child.report();
    expect(allow.map(({ selector, state }) => [selector, state])).toEqual([["read", "active"], ["find", "unknown"], ["search", "unknown"]]);
    expect(heard.map(({ code }) => code)).toEqual(["selector_unknown", "selector_unknown"]);
    for (const name of ["write", "hub"]) expect(verdict(child, name)).toBe("out_of_scope");
  });
});

describe("control-tool-stripped", () => {
  test("control-tool-stripped: a child's required tools stay whatever it allows, within its parent's scope", () => {
    const sources = { builtin: ["read", "bash"], "host:app": ["finish", "ask_parent"] };
    const session = sessionOf(undefined, sources);
    session.start();
    const child = childOf(session, { allow: ["read"], required: ["finish"] });
    expect([...child.activeTools()].sort()).toEqual(["finish", "read"]);
    expect(verdict(child, "ask_parent")).toBe("out_of_scope");
    const denied = childOf(session, { allow: ["read"], required: ["finish"], exclude: ["finish"] });
    expect(denied.activeTools()).toEqual(["read"]);
    expect(denied.report().required).toMatchObject([{ selector: "finish", state: "excluded", by: "finish" }]);
    const narrow = sessionOf({ allow: ["read"] }, sources);
    narrow.start();
    const bounded = childOf(narrow, { required: ["finish"] });
    expect(bounded.checkScope("finish")).toMatchObject({ code: "parent", by: narrow.id });
    expect(bounded.report().required).toMatchObject([{ state: "excluded", by: narrow.id }]);
  });
});

describe("frozen-allow-snapshot", () => {
  test("frozen-allow-snapshot: what a bridge registers at session_start is on the child's first turn", async () => {
    for (const [select, expected] of [
      ["ext:bridge", ["read", "kb_find", "kb_get"]],
      ["ext:bridge/kb_get", ["read", "kb_get"]],
    ] as const) {
      const session = sessionOf(undefined, { builtin: ["read"] });
      const bridge = session.addSource({ kind: "ext", name: "bridge" });
      session.start();
      const child = session.spawn({ name: "child", scope: { allow: ["read", select] } });
      child.on("session_start", async () => {
        await Promise.resolve();
        bridge.set(tools("kb_find", "kb_get"));
      });
      expect(child.start().active).toEqual(["read"]);
      expect((await child.ready()).active).toEqual(expected);
      for (const name of expected) expect(await door(child, name)).toBe("allowed");
    }
  });
});

describe("hooks-skip-children", () => {
  test("hooks-skip-children: the root's veto is asked for children and grandchildren, and is told the path", async () => {
    const session = sessionOf(undefined, { builtin: ["sql", "read"] }, { id: "root" });
    const paths: (readonly string[])[] = [];
    session.on("before_tool_call", ({ id, path }) => {
      if (id !== "builtin:sql") return undefined;
      paths.push(path);
      return { block: true, reason: "no databases" };
    }, { name: "no-sql" });
    const child = childOf(session);
    const grandchild = childOf(child, undefined, "grandchild");
    for (const asked of [child, grandchild]) {
      expect(await asked.beforeToolCall({ name: "sql" })).toMatchObject({ code: "vetoed", by: "no-sql", reason: "no databases", path: asked.path });
      expect(await asked.beforeToolCall({ name: "sql", parentCallId: "script" })).toMatchObject({ code: "vetoed", via: "code" });
      expect(await door(asked, "read")).toBe("allowed");
    }
    expect(paths.map((path) => path.join("/"))).toEqual(["root/child", "root/child", "root/child/grandchild", "root/child/grandchild"]);
  });
});
