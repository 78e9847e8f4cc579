import { describe, expect, test } from "vitest";
import { type Exposure, ToolSession } from "../index.js";
import { addSource, door, expectError, sessionOf, verdict } from "./fixture.js";

const UNKNOWN = "ERR_TOOLSCOPE_TOOL_UNKNOWN";
const exposures: Exposure[] = ["direct", "model-only", "code", "deferred", "hidden"];

function exposed(): ToolSession {
  const session = new ToolSession({ scope: { exclude: ["secret"] } });
  session.addSource({ kind: "builtin", name: "b", tools: [...exposures.map((exposure) => ({ name: exposure, exposure })), { name: "secret" }] });
  session.start();
  return session;
}

describe("exposure", () => {
  test("what is declared, and what can be called from where", async () => {
    const session = exposed();
    expect(session.activeTools()).toEqual(["direct", "model-only"]);
    const code = async (name: string): Promise<string> => {
      const decision = await session.beforeToolCall({ name, parentCallId: "script" });
      return decision.allowed ? decision.via : decision.code;
    };
    expect(await Promise.all(exposures.map((name) => door(session, name)))).toEqual(["allowed", "allowed", "not_exposed", "not_loaded", "not_exposed"]);
    expect(await Promise.all(exposures.map(code))).toEqual(["code", "not_exposed", "code", "code", "not_exposed"]);
    expect(session.tools().map(({ name, exposure, inScope, active }) => [name, exposure, inScope, active])).toEqual(
      exposures.map((exposure) => [exposure, exposure, true, exposure === "direct" || exposure === "model-only"]),
    );
  });

  test("one that changes is followed", () => {
    const session = sessionOf(undefined, { builtin: ["t"] });
    session.start();
    session.source("builtin")?.add({ name: "t", exposure: "code" });
    expect(verdict(session, "t")).toBe("not_exposed");
    expect(session.endTurn()).toMatchObject({ active: [], removed: ["t"] });
    session.source("builtin")?.add({ name: "t" });
    expect(session.endTurn().active).toEqual(["t"]);
  });
});

describe("activate()", () => {
  test("declares tools in scope by name or id, at once; a deferred one counts as loaded from then on", async () => {
    const session = exposed();
    session.activate("builtin:deferred");
    expect(session.activeTools()).toEqual(["direct", "model-only", "deferred"]);
    expect(await door(session, "deferred")).toBe("allowed");
    session.deactivate("deferred");
    expect(session.activeTools()).toEqual(["direct", "model-only"]);
    expect(await door(session, "deferred")).toBe("allowed");
    session.activate();
    session.activate("direct");
    expect(session.endTurn().changed).toBe(false);
  });

  test.each([
    ["a tool nobody has", ["direct", "nope"], UNKNOWN],
    ["an excluded tool", ["deferred", "secret"], UNKNOWN],
    ["a raw name that is an alias only", ["b_direct"], UNKNOWN],
    ["a code tool", ["deferred", "code"], "ERR_TOOLSCOPE_TOOL_NOT_DECLARABLE"],
    ["a hidden tool", ["hidden", "deferred"], "ERR_TOOLSCOPE_TOOL_NOT_DECLARABLE"],
  ])("throws, and changes nothing, for %s", (_what, names, code) => {
    const session = exposed();
    const before = session.generation;
    expectError(() => session.activate(...names), code, /`/);
    expect(session.activeTools()).toEqual(["direct", "model-only"]);
    expect(verdict(session, "deferred")).toBe("not_loaded");
    expect(session.endTurn().changed).toBe(false);
    expect(session.generation).toBe(before);
  });

  test("throws for what is out of scope, pending or shadowed", () => {
    const session = sessionOf({ allow: ["ext:*"] }, { builtin: ["t", "u"], "ext:a": ["t"], "ext:b": ["t"] });
    session.addSource({ kind: "ext", name: "c", declares: ["soon"] });
    for (const name of ["u", "builtin:u", "ext:b/t", "soon"]) expectError(() => session.activate(name), UNKNOWN);
  });

  test("gives no right: what leaves the scope leaves the list", () => {
    const session = exposed();
    session.activate("deferred");
    session.setScope({ exclude: ["deferred"] });
    expect(verdict(session, "deferred")).toBe("excluded");
    expect(session.endTurn().active).toEqual(["direct", "model-only", "secret"]);
  });
});

describe("deactivate()", () => {
  test("stops declaring; what is in scope stays callable; it lasts until activate()", async () => {
    const session = sessionOf(undefined, { builtin: ["a", "b", "c"] });
    session.start();
    session.endTurn();
    session.deactivate("a", "builtin:c");
    expect(session.activeTools()).toEqual(["b"]);
    for (const name of ["a", "b", "c"]) expect(await door(session, name)).toBe("allowed");
    session.refresh();
    session.setScope({});
    expect(session.endTurn().active).toEqual(["b"]);
    expect(session.compact().active).toEqual(["b"]);
    expect(session.tools().map(({ active }) => active)).toEqual([false, true, false]);
    session.activate("c", "a");
    expect([...session.activeTools()].sort()).toEqual(["a", "b", "c"]);
  });

  test("throws for a tool nobody has, and changes nothing", () => {
    const session = sessionOf(undefined, { builtin: ["a", "b"] });
    session.start();
    expectError(() => session.deactivate("a", "nope"), UNKNOWN, /`nope`/);
    expect(session.activeTools()).toEqual(["a", "b"]);
  });
});

describe("the registry as a session sees it", () => {
  test("in canonical order, with what stands in the way", () => {
    const session = sessionOf({ allow: ["ext:*"] }, { "mcp:m": ["t"], "ext:b": ["x", "y"], "ext:a": ["y"], builtin: [{ name: "r", description: "Reads" }] });
    session.start();
    expect(session.tools()).toEqual([
      { id: "builtin:r", name: "r", source: "builtin", exposure: "direct", description: "Reads", inScope: false, active: false },
      { id: "ext:b/x", name: "x", source: "ext:b", exposure: "direct", inScope: true, active: true },
      { id: "ext:b/y", name: "y", source: "ext:b", exposure: "direct", inScope: true, active: true },
      { id: "ext:a/y", name: "y", source: "ext:a", exposure: "direct", inScope: false, active: false, shadowedBy: "ext:b/y" },
      { id: "mcp:m/t", name: "mcp__m__t", source: "mcp:m", exposure: "direct", inScope: false, active: false },
    ]);
  });

  test("what is handed out is the caller's own", () => {
    const session = sessionOf({ allow: ["a"] }, { builtin: ["a"] });
    session.tools().length = 0;
    session.report().allow.length = 0;
    expect(session.tools()).toHaveLength(1);
    expect(session.report().allow).toHaveLength(1);
    addSource(session, "ext:x", ["b"]);
    expect(session.tools()).toHaveLength(2);
  });
});
