import { describe, expect, test } from "vitest";
import { ToolSession } from "../index.js";
import { addSource, sessionOf, tools } from "./fixture.js";

describe("explain()", () => {
  const session = new ToolSession({
    scope: { allow: ["read", "ext:*", "mcp:m/*"], exclude: ["bash"], required: ["finish"], narrow: ({ tools: names }) => names.filter((name) => name !== "narrowed"), requireGuards: ["audit"] },
  });
  session.on("before_tool_call", () => {}, { name: "audit" });
  addSource(session, "builtin", ["read", "bash", "write"]);
  addSource(session, "host:app", ["finish"]);
  addSource(session, "ext:x", ["narrowed", "own", { name: "code", exposure: "code" }, { name: "broken", inputSchema: 5 as never }]);
  addSource(session, "ext:y", ["own"]);
  session.addSource({ kind: "mcp", name: "m", declares: ["soon"] });

  test.each<[string, string, string, string | undefined]>([
    ["read", "exposure", "pass", undefined],
    ["finish", "exposure", "pass", undefined],
    ["bash", "exclude", "refuse", "bash"],
    ["write", "allow", "refuse", "allow"],
    ["narrowed", "narrow", "refuse", "narrow"],
    ["ext:y/own", "owner", "refuse", "ext:x/own"],
    ["code", "exposure", "refuse", undefined],
    ["broken", "source", "refuse", "ext:x"],
    ["mcp__m__soon", "source", "refuse", "mcp:m"],
    ["nope", "lookup", "refuse", undefined],
  ])("%s: the last rule asked is the one that decided: %s, %s", (name, rule, outcome, by) => {
    const { steps, decision, ...rest } = session.explain(name);
    expect(steps.at(-1)).toMatchObject({ rule, outcome, ...(by !== undefined && { by }) });
    expect(steps.slice(0, -1).filter((step) => step.outcome === "refuse")).toEqual([]);
    expect(decision).toEqual(session.checkScope(name));
    expect(rest.name).toBe(decision.name);
    expect(rest.id).toBe(decision.id);
    expect(decision.allowed).toBe(outcome === "pass");
  });

  test("a grant names the entry that gave it", () => {
    expect(session.explain("read").steps).toContainEqual({ rule: "allow", by: "read", outcome: "pass" });
    expect(session.explain("finish").steps).toContainEqual({ rule: "required", by: "finish", outcome: "pass" });
    expect(session.explain("read").steps).toContainEqual({ rule: "guards", outcome: "pass" });
  });

  test("a missing guard, a pinned definition and a seal are named, too", () => {
    const guarded = sessionOf({ requireGuards: ["audit"] }, { builtin: ["read"] });
    expect(guarded.explain("read").steps.at(-1)).toEqual({ rule: "guards", by: "audit", outcome: "refuse" });
    const pinned = sessionOf(undefined, { builtin: ["read"] });
    pinned.pinDefinitions();
    pinned.source("builtin")?.set([{ name: "read", description: "other" }]);
    expect(pinned.explain("read").steps.at(-1)).toMatchObject({ rule: "definition", outcome: "refuse" });
    const sealed = sessionOf({ sealed: true }, { builtin: ["read"] });
    sealed.start();
    sealed.source("builtin")?.add(...tools("late"));
    expect(sealed.explain("late").steps.at(-1)).toMatchObject({ rule: "sealed", outcome: "refuse" });
  });

  test("asks no listener and is no presentation", () => {
    const quiet = sessionOf(undefined, { "mcp:m": ["t"] });
    let asked = 0;
    quiet.on("before_tool_call", () => void asked++);
    quiet.start();
    quiet.explain("mcp__m__t");
    addSource(quiet, "builtin", ["read"]);
    expect(quiet.refresh().active).toEqual(["read", "mcp__m__t"]);
    expect(asked).toBe(0);
  });
});
