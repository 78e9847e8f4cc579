import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { activeIds, addSource, diagnosticsOf, nameOf, sessionOf, tools, verdict } from "../fixture.js";

const legal = /^[A-Za-z0-9_-]{1,64}$/;

describe("sanitize-merges-servers", () => {
  const groups = [
    ["acme-kb", "acme_kb", "Acme.KB"],
    ["a.b", "a_b", "a-b", "A b"],
    ["x__y", "x", "x__", "x._y"],
  ];

  test("sanitize-merges-servers: servers that sanitise alike stay apart, in every order of arrival", () => {
    for (const servers of groups) {
      const names = new Map<string, Set<string>>();
      for (const order of [servers, [...servers].reverse(), [...servers.slice(1), servers[0] as string]]) {
        const session = new ToolSession();
        for (const name of order) session.addSource({ kind: "mcp", name, tools: tools("find") });
        session.start();
        expect(session.activeTools()).toHaveLength(servers.length);
        for (const { id, name } of session.tools()) {
          expect(name).toMatch(legal);
          names.set(id, (names.get(id) ?? new Set()).add(name));
        }
      }
      expect(names.size).toBe(servers.length);
      expect([...names.values()].every((one) => one.size === 1)).toBe(true);
      expect(new Set([...names.values()].flatMap((one) => [...one])).size).toBe(servers.length);
    }
  });

  test("sanitize-merges-servers: what is allowed of one is never granted to another", () => {
    for (const servers of groups) {
      for (const allowed of servers) {
        const selector = /^[A-Za-z0-9_-]+$/.test(allowed) ? `mcp:${allowed}/find` : `mcp:"${allowed}"/find`;
        const session = new ToolSession({ scope: { allow: [selector] } });
        for (const name of servers) session.addSource({ kind: "mcp", name, tools: tools("find") });
        session.start();
        expect(session.report().allow[0]).toMatchObject({ state: "active" });
        expect(activeIds(session)).toEqual(session.report().allow[0]?.ids);
        expect(session.activeTools()).toHaveLength(1);
      }
    }
  });
});

describe("same-server-normalise", () => {
  test.each([
    { names: ["a.b", "a_b", "c"], alike: ["a.b", "a_b"] },
    { names: ["c", "x_y", "x y"], alike: ["x_y", "x y"] },
    { names: ["x/y", "c", "x:y"], alike: ["x/y", "x:y"] },
  ])("same-server-normalise: $names of one server are three tools, and the host is told", ({ names, alike }) => {
    const session = new ToolSession();
    const heard = diagnosticsOf(session);
    addSource(session, "mcp:s", names);
    session.start();
    expect(new Set(session.activeTools()).size).toBe(3);
    expect(session.activeTools().every((name) => legal.test(name))).toBe(true);
    expect(verdict(session, "mcp__s__c")).toBe("allowed");
    const told = heard.filter(({ code }) => code === "name_sanitised");
    expect(told).toHaveLength(1);
    for (const name of alike) expect(told[0]?.message).toContain(`\`${name}\``);
    for (const name of names) {
      const id = session.tools().find((tool) => tool.name === nameOf(session, tool.id) && tool.id.includes(name))?.id;
      expect(session.checkScope(id as string)).toMatchObject({ allowed: true, id });
    }
  });
});

describe("override-builtin-by-ext", () => {
  test("override-builtin-by-ext: an extension's tool takes a builtin's name, and who won can be asked", () => {
    for (const order of [["builtin", "ext:fastgrep"], ["ext:fastgrep", "builtin"]]) {
      const given: Record<string, string[]> = { builtin: ["grep"], "ext:fastgrep": ["grep", "fast_extra"] };
      const session = sessionOf(undefined, Object.fromEntries(order.map((id) => [id, given[id] as string[]])));
      session.start();
      expect(session.checkScope("grep")).toMatchObject({ allowed: true, id: "ext:fastgrep/grep" });
      expect(session.checkScope("builtin:grep")).toMatchObject({ allowed: false, code: "shadowed", by: "ext:fastgrep/grep" });
      expect(session.tools().find(({ id }) => id === "builtin:grep")).toMatchObject({
        active: false,
        inScope: false,
        shadowedBy: "ext:fastgrep/grep",
      });
      expect(session.explain("builtin:grep").steps.at(-1)).toMatchObject({ rule: "owner", by: "ext:fastgrep/grep", outcome: "refuse" });
      expect(activeIds(session)).toEqual(["ext:fastgrep/grep", "ext:fastgrep/fast_extra"]);
    }
  });

  test("override-builtin-by-ext: the host can turn the precedence round", () => {
    const session = new ToolSession();
    session.addSource({ kind: "ext", name: "late", precedence: 50, tools: tools("ls") });
    session.addSource({ kind: "builtin", name: "b", tools: tools("ls") });
    expect(session.checkScope("ls")).toMatchObject({ allowed: true, id: "builtin:ls" });
    expect(session.checkScope("ext:late/ls")).toMatchObject({ code: "shadowed", by: "builtin:ls" });
  });
});
