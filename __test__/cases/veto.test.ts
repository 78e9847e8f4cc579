import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { diagnosticsOf, door, sessionOf, tools, verdict } from "../fixture.js";

describe("second-name-bypasses", () => {
  test.each([["next_page"], ["h1_next_page"], ["builtin:next_page"], ["next_*"], ["h1_n*"]])(
    "second-name-bypasses: excluding %s denies the tool under both of its names",
    async (selector) => {
      const session = new ToolSession({ scope: { exclude: [selector] } });
      session.addSource({ kind: "builtin", name: "app", exposedName: (raw) => `h1_${raw}`, tools: tools("next_page", "page") });
      for (const name of ["next_page", "h1_next_page", "builtin:next_page", "app_next_page", "app.next_page"]) {
        expect(await door(session, name)).toBe("excluded");
      }
      expect(await door(session, "h1_page")).toBe("allowed");
    },
  );

  test("second-name-bypasses: a hashed name is denied by the raw one", async () => {
    const session = sessionOf({ exclude: ["next.page"] }, { "mcp:s": ["next.page"], "ext:x": ["next.page", "other"] });
    const hashed = sessionOf(undefined, { "mcp:s": ["next.page"], "ext:x": ["next.page"] });
    for (const { name, id } of hashed.tools()) {
      expect(await door(session, name)).toBe("excluded");
      expect(await door(session, id)).toBe("excluded");
    }
  });

  test("second-name-bypasses: a guard sees every spelling as the one tool it is", async () => {
    const session = sessionOf(undefined, { "mcp:s": ["next.page"] });
    session.on("before_tool_call", ({ id }) => (id === "mcp:s/next.page" ? { block: true } : undefined));
    for (const name of [session.tools()[0]?.name as string, "next.page", "next_page", "s.next_page", "mcp:s/next.page"]) {
      expect(await door(session, name)).toBe("vetoed");
    }
  });
});

describe("veto-throws", () => {
  test.each<[string, () => never | Promise<never>]>([
    ["throws", () => { throw new Error("boom"); }],
    ["throws no error", () => { throw "boom"; }],
    ["rejects", () => Promise.reject(new Error("boom"))],
  ])("veto-throws: a guard that %s refuses, and is named", async (_how, guard) => {
    const ran: string[] = [];
    const session = sessionOf(undefined, { builtin: [{ name: "bash", execute: () => ran.push("bash") }] });
    const heard = diagnosticsOf(session);
    session.on("before_tool_call", guard, { name: "policy" });
    const { decision, ok, error } = await session.call({ name: "bash" });
    expect(decision).toMatchObject({ allowed: false, code: "guard_error", by: "policy" });
    expect({ ok, code: error?.code }).toEqual({ ok: false, code: "guard_error" });
    expect(ran).toEqual([]);
    expect(heard).toMatchObject([{ level: "error", code: "guard_failed", message: expect.stringMatching(/`policy`.*boom/) }]);
    // Scope alone asks no guard.
    expect(verdict(session, "bash")).toBe("allowed");
  });

  test("veto-throws: neither a guard before it nor one after it opens the door", async () => {
    for (const order of [["ok", "bad"], ["bad", "ok"]]) {
      const session = sessionOf(undefined, { builtin: ["bash"] });
      for (const name of order) {
        session.on("before_tool_call", () => { if (name === "bad") throw new Error("boom"); }, { name });
      }
      expect(await session.beforeToolCall({ name: "bash" })).toMatchObject({ code: "guard_error", by: "bad" });
    }
  });
});
