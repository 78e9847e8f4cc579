import { describe, expect, test } from "vitest";
import { type ActiveDelta, ToolSession } from "../../index.js";
import { activeIds, addSource, sessionOf, tools } from "../fixture.js";

describe("hashmap-order", () => {
  test("hashmap-order: twenty runs and every order of arrival give the same bytes", () => {
    const maps: Record<string, string[]> = { b: ["z", "a"], a: ["m"], c: ["k", "j"] };
    const bytes = new Set<string>();
    const orders = [["b", "a", "c"], ["c", "a", "b"], ["a", "c", "b"], ["c", "b", "a"]];
    for (let run = 0; run < 20; run++) {
      const session = new ToolSession();
      // The order of addSource is configuration; when each server answers is not.
      for (const name of ["b", "a", "c"]) session.addSource({ kind: "mcp", name });
      const order = orders[run % orders.length] as string[];
      if (run % 2 === 0) session.start();
      for (const name of order) session.source(`mcp:${name}`)?.set(tools(...(maps[name] as string[])));
      session.start();
      bytes.add(JSON.stringify([session.refresh().active, session.tools().map(({ id, name }) => [id, name])]));
    }
    expect(bytes.size).toBe(1);
    expect(JSON.parse([...bytes][0] as string)[0]).toEqual(["mcp__b__z", "mcp__b__a", "mcp__a__m", "mcp__c__k", "mcp__c__j"]);
  });

  test("hashmap-order: kinds come in their order, whatever was added first", () => {
    const session = sessionOf(undefined, { "mcp:m": ["t"], "ext:e": ["x"], "host:h": ["y"], builtin: ["z"] });
    expect(session.start().active).toEqual(["z", "y", "x", "mcp__m__t"]);
  });
});

describe("reconnect-reorders", () => {
  test.each([["a"], ["b"], ["c"]])("reconnect-reorders: %s reconnects and nothing moves", (server) => {
    const session = sessionOf(undefined, { "mcp:a": ["1", "2"], "mcp:b": ["1"], "mcp:c": ["1"] });
    let events = 0;
    session.on("tools_changed", () => events++);
    session.start();
    const before = session.endTurn().active;
    expect(events).toBe(1);
    const source = session.source(`mcp:${server}`);
    source?.fail("gone");
    source?.set(session.tools().filter((tool) => tool.source === `mcp:${server}`).map(({ id }) => ({ name: id.split("/")[1] as string })));
    const delta = session.endTurn();
    expect(delta.active).toEqual(before);
    expect(delta).toMatchObject({ changed: false, added: [], removed: [], reset: false });
    expect(events).toBe(1);
  });

  test("reconnect-reorders: down for a whole turn, it comes back to its old place", () => {
    const session = sessionOf(undefined, { "mcp:a": ["1", "2"], "mcp:b": ["1"] });
    session.start();
    const before = session.endTurn().active;
    session.source("mcp:a")?.fail("gone");
    expect(session.endTurn()).toMatchObject({ active: ["mcp__b__1"], reset: true });
    session.source("mcp:a")?.set(tools("1", "2"));
    expect(session.endTurn()).toMatchObject({ active: before, added: ["mcp__a__1", "mcp__a__2"], reset: true });
  });
});

describe("builtin-prefix-stable", () => {
  // The index up to which two requests agree is `stablePrefix`, shown with prepared requests.
  test("builtin-prefix-stable: what a server does leaves the builtin block where it is", () => {
    const session = sessionOf(undefined, { builtin: ["read", "edit"], "mcp:s": ["a", "b"] });
    session.start();
    const turns = [session.endTurn().active];
    for (const map of [["b"], ["b", "c"], [], ["c", "b"]]) {
      session.source("mcp:s")?.set(tools(...map));
      turns.push(session.endTurn().active);
    }
    expect(turns).toEqual([
      ["read", "edit", "mcp__s__a", "mcp__s__b"],
      ["read", "edit", "mcp__s__b"],
      ["read", "edit", "mcp__s__b", "mcp__s__c"],
      ["read", "edit"],
      ["read", "edit", "mcp__s__c", "mcp__s__b"],
    ]);
  });

  test("builtin-prefix-stable: a builtin that comes late is appended; compact() brings it to the front", () => {
    const session = sessionOf(undefined, { builtin: ["read"], "mcp:s": ["a"] });
    session.start();
    session.endTurn();
    session.source("builtin")?.add({ name: "edit" });
    expect(session.endTurn()).toMatchObject({ active: ["read", "mcp__s__a", "edit"], reset: false });
    expect(session.compact()).toMatchObject({ changed: true, active: ["read", "edit", "mcp__s__a"], reset: true });
    expect(session.compact().changed).toBe(false);
  });
});

describe("load-mid-session-busts-cache", () => {
  // Deferred declaration and the catalog are shown with prepared requests and code mode.
  test("load-mid-session-busts-cache: one more tool is appended, and the delta says just that", () => {
    const session = sessionOf(undefined, { "ext:x": ["a", "b"] });
    const heard: ActiveDelta[] = [];
    session.start();
    session.endTurn();
    session.on("tools_changed", (delta) => heard.push(delta));
    session.source("ext:x")?.add({ name: "c" });
    const delta = session.endTurn();
    expect(delta).toMatchObject({ changed: true, active: ["a", "b", "c"], added: ["c"], removed: [], redefined: [], reset: false });
    expect(heard).toEqual([delta]);
    expect(session.endTurn()).toMatchObject({ changed: false, from: delta.generation, generation: delta.generation });
  });

  test("load-mid-session-busts-cache: a source that belongs in front is appended all the same", () => {
    const session = sessionOf(undefined, { "mcp:z": ["a"] });
    session.start();
    session.endTurn();
    addSource(session, "builtin", ["b"]);
    addSource(session, "ext:e", ["c"]);
    expect(session.endTurn()).toMatchObject({ active: ["mcp__z__a", "b", "c"], reset: false });
  });

  test("load-mid-session-busts-cache: a deferred tool that comes changes nothing of what is declared", () => {
    const session = sessionOf(undefined, { "ext:x": ["a", "b"] });
    session.start();
    session.endTurn();
    session.source("ext:x")?.add({ name: "c", exposure: "deferred" });
    expect(session.endTurn()).toMatchObject({ changed: false, active: ["a", "b"] });
    session.activate("c");
    expect(activeIds(session)).toEqual(["ext:x/a", "ext:x/b", "ext:x/c"]);
  });
});
