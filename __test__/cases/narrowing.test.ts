import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { addSource, door, sessionOf, tools, verdict } from "../fixture.js";

describe("fail-closed-start", () => {
  test("fail-closed-start: while a required guard is missing nothing is active and nothing runs", async () => {
    const ran: string[] = [];
    const session = new ToolSession({ scope: { requireGuards: ["guard"] } });
    session.start();
    addSource(session, "builtin", [{ name: "bash", execute: () => ran.push("bash") }]);
    expect(session.endTurn().active).toEqual([]);
    expect(session.checkScope("bash")).toMatchObject({ allowed: false, code: "guard_error", by: "guard" });
    expect((await session.call({ name: "bash" })).decision).toMatchObject({ code: "guard_error", by: "guard" });
    const release = session.on("before_tool_call", () => {}, { name: "guard" });
    expect(session.endTurn().active).toEqual(["bash"]);
    expect(ran).toEqual([]);
    expect((await session.call({ name: "bash" })).ok).toBe(true);
    release();
    expect(await door(session, "bash")).toBe("guard_error");
    expect(session.endTurn().active).toEqual([]);
    expect(ran).toEqual(["bash"]);
  });

  test("fail-closed-start: all that are required must be there, under their names; required tools are no exception", async () => {
    const session = sessionOf({ requireGuards: ["audit", "sandbox"], required: ["finish"] }, { "host:app": ["finish"] });
    session.on("before_tool_call", function audit() {});
    session.on("before_tool_call", () => {}, { name: "sandbox-2" });
    session.on("decision", () => {}, { name: "sandbox" });
    expect(session.checkScope("finish")).toMatchObject({ code: "guard_error", by: "sandbox" });
    session.on("before_tool_call", () => {}, { name: "sandbox" });
    expect(await door(session, "finish")).toBe("allowed");
  });

  test("fail-closed-start: nothing active at first over a registry from which tools are activated", () => {
    const session = sessionOf(undefined, { builtin: [{ name: "bash", exposure: "deferred" }, { name: "ls", exposure: "deferred" }] });
    expect(session.start().active).toEqual([]);
    expect(verdict(session, "bash")).toBe("not_loaded");
    session.activate("bash");
    expect(session.activeTools()).toEqual(["bash"]);
    expect(verdict(session, "bash")).toBe("allowed");
    expect(verdict(session, "ls")).toBe("not_loaded");
  });
});

describe("inactive-still-runs", () => {
  // "Active" in the case is what may be used in this step: our scope. A tool that is only not declared (`deactivate`)
  // stays callable by DESIGN §1; what takes the right away is `narrow` or `setScope`.
  test("inactive-still-runs: a tool that this step leaves out is refused, as another thing than unknown", async () => {
    const ran: string[] = [];
    let step: readonly string[] = ["weather"];
    const session = sessionOf(
      { narrow: () => step },
      { builtin: ["weather", "mail"].map((name) => ({ name, execute: () => ran.push(name) })) },
    );
    session.start();
    expect((await session.call({ name: "weather" })).ok).toBe(true);
    step = [];
    expect(session.refresh().active).toEqual([]);
    const second = await session.call({ name: "weather" });
    expect(second.decision).toMatchObject({ allowed: false, code: "out_of_scope", by: "narrow" });
    expect((await session.call({ name: "wether" })).decision).toMatchObject({ code: "unknown" });
    expect(ran).toEqual(["weather"]);
  });

  test("inactive-still-runs: the same by setScope, between two calls of one turn", async () => {
    const session = sessionOf({ allow: ["weather"] }, { builtin: ["weather", "mail"] });
    session.start();
    expect(await door(session, "weather")).toBe("allowed");
    session.setScope({ allow: ["mail"] });
    expect(await door(session, "weather")).toBe("out_of_scope");
    expect(await door(session, "mail")).toBe("allowed");
    // What the model is shown follows at the turn's end; what it may do followed at once.
    expect(session.activeTools()).toEqual(["weather"]);
    expect(session.endTurn().active).toEqual(["mail"]);
  });

  test("inactive-still-runs: a tool that is only not declared stays callable", async () => {
    const session = sessionOf(undefined, { builtin: ["weather", "mail"] });
    session.start();
    session.deactivate("weather");
    expect(session.activeTools()).toEqual(["mail"]);
    expect(await door(session, "weather")).toBe("allowed");
  });
});

describe("filter-is-cosmetic", () => {
  test.each([
    { tools: ["a", "b"], removed: "b" },
    { tools: ["b", "a", "c"], removed: "a" },
  ])("filter-is-cosmetic: what narrow removes does not run, by any name: $removed", async ({ tools: names, removed }) => {
    const ran: string[] = [];
    const session = sessionOf(
      { narrow: (source) => source.tools.filter((name) => name !== removed) },
      { "ext:x": names.map((name) => ({ name, execute: () => ran.push(name) })) },
    );
    session.start();
    expect(session.activeTools()).toEqual(names.filter((name) => name !== removed));
    for (const call of [
      { name: removed },
      { name: `ext:x/${removed}` },
      { name: `x_${removed}` },
      { name: removed, id: `ext:x/${removed}` },
      { name: removed, parentCallId: "script" },
    ]) {
      const { decision, ok } = await session.call(call);
      expect(decision).toMatchObject({ allowed: false, code: "out_of_scope", by: "narrow" });
      expect(ok).toBe(false);
    }
    expect(ran).toEqual([]);
  });

  test("filter-is-cosmetic: a tool that comes late is asked about before anybody can call it", () => {
    const session = new ToolSession({ scope: { narrow: (source) => source.name !== "bad" } });
    session.start();
    for (const name of ["good", "bad"]) session.addSource({ kind: "mcp", name, tools: tools("t") });
    expect(verdict(session, "mcp__good__t")).toBe("allowed");
    expect(verdict(session, "mcp__bad__t")).toBe("out_of_scope");
  });
});
