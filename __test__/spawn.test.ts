import { describe, expect, test } from "vitest";
import { type ScopeSpec, ToolSession, ToolscopeError } from "../index.js";
import { activeIds, addSource, diagnosticsOf, door, expectError, sessionOf, tools, verdict } from "./fixture.js";

const sources = { builtin: ["read", "bash", "edit"], "host:app": ["finish"], "ext:web": ["search", "fetch"], "mcp:kb": ["find"] };

const family = (scope?: ScopeSpec, more = {}): ToolSession => {
  const session = sessionOf(scope, sources, { id: "root", ...more });
  session.start();
  return session;
};
const started = (parent: ToolSession, scope?: ScopeSpec, name = "child"): ToolSession => {
  const child = parent.spawn({ name, ...(scope !== undefined && { scope }) });
  child.start();
  return child;
};

describe("the tree has limits, each with an error that says which and how to go on", () => {
  test("depth", () => {
    const root = family(undefined, { limits: { depth: 2 } });
    const deepest = started(started(root), undefined, "grandchild");
    expectError(() => deepest.spawn({ name: "too-deep" }), "ERR_TOOLSCOPE_TREE_LIMIT", /`root\/child\/grandchild`.*`depth` 2.*limits\.depth/);
    expectError(() => family(undefined, { limits: { depth: 0 } }).spawn({ name: "any" }), "ERR_TOOLSCOPE_TREE_LIMIT", /`depth` 0/);
  });
  test("children, of one session at once", () => {
    const root = family(undefined, { limits: { children: 2 } });
    const [first] = [started(root, undefined, "a"), started(root, undefined, "b")];
    expectError(() => root.spawn({ name: "c" }), "ERR_TOOLSCOPE_TREE_LIMIT", /`children` 2.*dispose a child first/);
    started(first as ToolSession, undefined, "of-a");
    first?.dispose();
    expect(started(root, undefined, "c").path).toEqual(["root", "c"]);
  });
  test("spawned, ever in the tree", () => {
    const root = family(undefined, { limits: { spawned: 3 } });
    for (const name of ["a", "b"]) started(root, undefined, name).dispose();
    started(root, undefined, "c");
    expectError(() => root.spawn({ name: "d" }), "ERR_TOOLSCOPE_TREE_LIMIT", /`spawned` 3.*limits\.spawned/);
    expect(verdict(root, "read")).toBe("allowed");
  });
  test("a limit that is no number is none of ours", () => {
    expectError(() => new ToolSession({ limits: { depth: -1 } }), "ERR_TOOLSCOPE_INVALID_ARGUMENT", /depth/);
  });
});

describe("what spawn takes", () => {
  test("a name, and a scope that can be read", () => {
    const root = family();
    for (const given of [undefined, null, {}, { name: "" }, { name: 7 }, { name: "a", scope: [] }, { name: "a", scoop: {} }, { name: "a", scope: { allow: "read" } }]) {
      expectError(() => root.spawn(given as never), "ERR_TOOLSCOPE_INVALID_ARGUMENT");
    }
    expect(root.spawn({ name: "a" }).path).toEqual(["root", "a"]);
  });
  test("the same name twice, told apart in the path", () => {
    const root = family();
    expect([root.spawn({ name: "a" }), root.spawn({ name: "a" }), root.spawn({ name: "a-2" })].map(({ id }) => id)).toEqual(["a", "a-2", "a-2-2"]);
  });
  test("a child of a session that is over", () => {
    const root = family();
    root.dispose();
    expectError(() => root.spawn({ name: "a" }), "ERR_TOOLSCOPE_SESSION_DISPOSED");
  });
  test("no sources: they are the root's", () => {
    const child = started(family());
    expectError(() => addSource(child, "ext:own", ["tool"]), "ERR_TOOLSCOPE_NOT_ROOT", /`root`/);
    expect(child.source("ext:web")?.state).toBe("ready");
  });
});

describe("a child is never wider", () => {
  test("at any depth, and it says whose rule decided", () => {
    const root = family({ exclude: ["bash"] });
    const child = started(root, { exclude: ["edit"] });
    const grandchild = started(child, { allow: ["*"], required: ["bash", "edit"] }, "grandchild");
    expect(grandchild.checkScope("bash")).toMatchObject({ code: "parent", by: "root", path: ["root", "child", "grandchild"] });
    expect(grandchild.checkScope("edit")).toMatchObject({ code: "parent", by: "child" });
    expect(child.checkScope("edit")).toMatchObject({ code: "excluded", by: "edit" });
    expect(grandchild.explain("bash").steps.at(-1)).toMatchObject({ rule: "parent", by: "root", outcome: "refuse" });
  });
  test("it gains and loses with its ancestors in the same moment", () => {
    const root = family();
    const deepest = started(started(root), undefined, "grandchild");
    const source = root.source("ext:web");
    source?.add({ name: "late" });
    expect(verdict(deepest, "late")).toBe("allowed");
    source?.remove("late");
    expect(verdict(deepest, "late")).toBe("unknown");
    root.setScope({ allow: ["read"] });
    expect([verdict(deepest, "read"), verdict(deepest, "bash")]).toEqual(["allowed", "parent"]);
    root.setScope({});
    expect(verdict(deepest, "bash")).toBe("allowed");
    source?.fail("down");
    expect(verdict(deepest, "search")).toBe("pending");
  });
  test("setting its scope can only narrow the one it was spawned with", () => {
    const child = started(family(), { allow: ["read", "bash"] });
    child.setScope({ allow: ["*"] });
    expect([...child.endTurn().active]).toEqual(["read", "bash"]);
    child.setScope({ allow: ["read", "edit"] });
    expect(child.endTurn().active).toEqual(["read"]);
    expect(verdict(child, "edit")).toBe("out_of_scope");
    child.setScope({});
    expect([...child.endTurn().active].sort()).toEqual(["bash", "read"]);
  });
  test("what it asks for and may not have is told, with the ancestor that has not got it", () => {
    const root = family({ exclude: ["bash"] });
    const child = root.spawn({ name: "child", scope: { allow: ["read", "bash"] } });
    const heard = diagnosticsOf(child);
    child.start();
    expect(child.activeTools()).toEqual(["read"]);
    expect(child.report().allow).toMatchObject([{ selector: "read", state: "active" }, { selector: "bash", state: "excluded", by: "root", ids: ["builtin:bash"] }]);
    expect(heard.map(({ code }) => code)).toEqual(["selector_excluded"]);
    expect(heard[0]?.message).toContain("root");
  });
  test("a seal holds for those below, and a child's own seal for itself alone", () => {
    const root = family({ sealed: true });
    const child = started(root);
    root.source("ext:web")?.add({ name: "late" });
    expect([verdict(root, "late"), verdict(child, "late")]).toEqual(["out_of_scope", "parent"]);
    const open = family();
    const sealed = started(open, { sealed: true });
    const below = started(sealed, undefined, "below");
    open.source("ext:web")?.add({ name: "late" });
    expect([open, sealed, below].map((session) => verdict(session, "late"))).toEqual(["allowed", "out_of_scope", "parent"]);
  });
  test("a predicate of an ancestor holds for those below, and fails closed for them", () => {
    let broken = false;
    const root = family({
      narrow: ({ name }) => {
        if (broken) throw new Error("out of order");
        return name !== "web";
      },
    });
    const child = started(root, { narrow: ({ tools }) => tools.filter((name) => name !== "edit") });
    expect([verdict(child, "search"), verdict(child, "edit"), verdict(child, "read")]).toEqual(["parent", "out_of_scope", "allowed"]);
    broken = true;
    root.refresh();
    expect(child.checkScope("read")).toMatchObject({ code: "guard_error", by: "root" });
    broken = false;
    root.refresh();
    expect(verdict(child, "read")).toBe("allowed");
  });
  test("a guard that an ancestor requires must be there, and one that the child requires may be an ancestor's", async () => {
    const root = family({ requireGuards: ["approve"] });
    const child = started(root, { requireGuards: ["audit"] });
    expect(child.checkScope("read")).toMatchObject({ code: "guard_error" });
    child.on("before_tool_call", () => undefined, { name: "approve" });
    root.on("before_tool_call", () => undefined, { name: "audit" });
    // A child's listener guards its own calls, not its parent's, so the parent's guard is still missing.
    expect([verdict(root, "read"), verdict(child, "read")]).toEqual(["guard_error", "guard_error"]);
    const end = root.on("before_tool_call", () => undefined, { name: "approve" });
    expect(await door(child, "read")).toBe("allowed");
    end();
    expect(await door(child, "read")).toBe("guard_error");
  });
  test("a definition that the parent has not approved is the child's neither", () => {
    const root = family();
    root.pinDefinitions();
    const child = started(root);
    root.source("ext:web")?.add({ name: "search", description: "now does something else" });
    expect([verdict(root, "search"), verdict(child, "search")]).toEqual(["changed", "changed"]);
    root.approve("ext:web/search");
    expect(verdict(child, "search")).toBe("allowed");
  });
});

describe("vetoes go down the tree", () => {
  test("root first; the first refusal ends it, and says by whom", async () => {
    const root = family();
    const child = started(root);
    const asked: string[] = [];
    child.on("before_tool_call", () => void asked.push("child"), { name: "of-child" });
    root.on("before_tool_call", ({ path }) => void asked.push(`root ${path.join("/")}`), { name: "of-root" });
    expect(await door(child, "read")).toBe("allowed");
    expect(asked).toEqual(["root root/child", "child"]);
    root.on("before_tool_call", ({ id }) => (id === "builtin:read" ? { block: true } : undefined), { name: "strict" });
    expect(await child.beforeToolCall({ name: "read" })).toMatchObject({ code: "vetoed", by: "strict", path: ["root", "child"] });
    expect(asked).toHaveLength(3);
  });
  test("a child's listener is not asked for its parent or its siblings", async () => {
    const root = family();
    const [one, other] = [started(root, undefined, "one"), started(root, undefined, "other")];
    one.on("before_tool_call", () => ({ block: true }));
    expect([await door(root, "read"), await door(one, "read"), await door(other, "read")]).toEqual(["allowed", "vetoed", "allowed"]);
  });
  test("a session that ends while its guard is asked refuses the call", async () => {
    const root = family();
    const child = started(root);
    root.on("before_tool_call", async () => root.dispose());
    expect(await door(child, "read")).toBe("disposed");
  });
});

describe("disposal", () => {
  test("of a parent ends its descendants, and nobody else", () => {
    const root = family();
    const child = started(root);
    const [grandchild, brother] = [started(child, undefined, "grandchild"), started(root, undefined, "brother")];
    const ended: string[] = [];
    for (const session of [root, child, grandchild, brother]) session.on("session_end", () => void ended.push(session.id));
    child.dispose();
    child.dispose();
    expect(ended).toEqual(["grandchild", "child"]);
    expect([root, child, grandchild, brother].map(({ state }) => state)).toEqual(["started", "disposed", "disposed", "started"]);
    expect([verdict(root, "read"), verdict(child, "read"), verdict(grandchild, "read"), verdict(brother, "read")]).toEqual(["allowed", "disposed", "disposed", "allowed"]);
  });
  test("`using` disposes", () => {
    const root = family();
    let kept: ToolSession;
    {
      using child = root.spawn({ name: "child" });
      kept = child;
    }
    expect(kept.state).toBe("disposed");
    expect(ToolscopeError.isInstance(expectError(() => kept.spawn({ name: "more" }), "ERR_TOOLSCOPE_SESSION_DISPOSED"))).toBe(true);
  });
});

describe("spawn tools", () => {
  const spawner = { builtin: ["read"], "host:app": ["task"], "ext:agents": ["delegate"] };
  const rooted = (scope?: ScopeSpec): ToolSession => {
    const session = sessionOf(scope, spawner, { id: "root", spawnTools: ["task", "ext:agents"] });
    session.start();
    return session;
  };
  test("are the root's as any tool, and a child's only where it names them", () => {
    const root = rooted();
    expect(root.activeTools()).toEqual(["read", "task", "delegate"]);
    for (const scope of [undefined, {}, { allow: ["*"] }, { allow: ["read", "host:app"] }, { exclude: ["bash"] }]) {
      const child = started(root, scope);
      expect(child.activeTools()).toEqual(["read"]);
      expect(child.checkScope("task")).toMatchObject({ allowed: false, code: "out_of_scope" });
    }
    expect(started(root, { allow: ["read", "task"] }).activeTools()).toEqual(["read", "task"]);
    expect(started(root, { allow: ["read", "ext:agents/delegate"] }).activeTools()).toEqual(["read", "delegate"]);
  });
  test("are named anew at each level, and never by a scope that is set later alone", () => {
    const child = started(rooted(), { allow: ["read", "task"] });
    expect(started(child).activeTools()).toEqual(["read"]);
    expect(started(child, { allow: ["task"] }).activeTools()).toEqual(["task"]);
    const plain = started(rooted());
    plain.setScope({ allow: ["task", "read"] });
    expect(plain.endTurn().active).toEqual(["read"]);
  });
});

describe("names and order", () => {
  test("are the parent's at every level, also for what comes later", () => {
    const root = family();
    const child = started(root, { exclude: ["fetch"] });
    const grandchild = started(child, { exclude: ["bash"] }, "grandchild");
    const without = (...names: string[]): string[] => root.activeTools().filter((name) => !names.includes(name));
    expect([...child.activeTools()]).toEqual(without("fetch"));
    expect([...grandchild.activeTools()]).toEqual(without("fetch", "bash"));
    addSource(root, "ext:z", ["z"]);
    addSource(root, "ext:a", ["a"]);
    root.endTurn();
    expect([...child.endTurn().active]).toEqual(without("fetch"));
    expect([...grandchild.endTurn().active]).toEqual(without("fetch", "bash"));
    expect(activeIds(started(root, undefined, "later"))).toEqual(activeIds(root));
  });
  test("an owner's name means the same tool everywhere, also where the owner is out of scope", () => {
    const session = sessionOf(undefined, { builtin: ["read"], "ext:reader": ["read"] }, { id: "root" });
    session.start();
    const child = started(session, { exclude: ["ext:reader"] });
    expect(session.checkScope("read")).toMatchObject({ allowed: true, id: "ext:reader/read" });
    expect(child.checkScope("read")).toMatchObject({ allowed: false, code: "excluded", id: "ext:reader/read" });
    expect(child.checkScope("builtin:read")).toMatchObject({ allowed: false, code: "shadowed" });
  });
  test("exposure carries over", () => {
    const session = sessionOf(undefined, { "host:app": [{ name: "code", exposure: "code" }, { name: "only", exposure: "model-only" }, { name: "gone", exposure: "hidden" }] });
    session.start();
    const child = started(session, { allow: ["code", "only", "gone"] });
    expect(child.activeTools()).toEqual(["only"]);
    expect([verdict(child, "code"), verdict(child, "only"), verdict(child, "gone")]).toEqual(["not_exposed", "allowed", "not_exposed"]);
    expect(child.checkScope({ name: "code", parentCallId: "1" }).allowed).toBe(true);
    expect(child.checkScope({ name: "only", parentCallId: "1" }).allowed).toBe(false);
  });
});

test("a child that is spawned among many tools works like any other, and the parent goes on", () => {
  const root = sessionOf(undefined, { "ext:many": tools(...Array.from({ length: 1_000 }, (_, at) => `tool_${at}`)) });
  root.start();
  const child = started(root, { allow: ["tool_7", "ext:many/tool_99*"] });
  expect(child.activeTools()).toHaveLength(12);
  expect(root.activeTools()).toHaveLength(1_000);
});

describe("what an ancestor excludes is not shown to its descendants", () => {
  test("neither listed nor put to a predicate, and put to it once it is no longer excluded", () => {
    const root = family({ exclude: ["bash"] });
    const asked: (readonly string[])[] = [];
    const narrow: ScopeSpec["narrow"] = (source) => {
      if (source.id === "builtin") asked.push(source.tools);
      return source.tools;
    };
    const grandchild = started(started(root), { narrow }, "grandchild");
    expect(grandchild.tools().map(({ id }) => id)).not.toContain("builtin:bash");
    expect(verdict(grandchild, "builtin:bash")).toBe("parent");
    root.setScope({});
    expect(asked).toEqual([["read", "edit"], ["read", "bash", "edit"]]);
    expect(grandchild.tools().find(({ id }) => id === "builtin:bash")).toMatchObject({ inScope: true });
    root.setScope({ allow: ["read", "bash"] });
    expect(asked).toHaveLength(2);
  });
});
