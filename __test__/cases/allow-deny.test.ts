import { describe, expect, test } from "vitest";
import { activeIds, addSource, diagnosticsOf, door, sessionOf, verdict } from "../fixture.js";

describe("allow-by-sanitized-alias", () => {
  test("allow-by-sanitized-alias: the exact raw name wins over one that only sanitises alike", () => {
    for (const names of [["demo/read", "demo_read"], ["demo_read", "demo/read"]]) {
      const session = sessionOf({ allow: ["mcp__t__demo_read"] }, { "mcp:t": names });
      session.start();
      expect(activeIds(session)).toEqual(["mcp:t/demo_read"]);
      expect(verdict(session, "mcp:t/demo/read")).toBe("out_of_scope");
      expect(session.report().allow[0]).not.toHaveProperty("aliasOf");
    }
  });

  test("allow-by-sanitized-alias: alone, the other one is matched and reported as an alias", () => {
    const session = sessionOf({ allow: ["mcp__t__demo_read"] }, { "mcp:t": ["demo/read"] });
    expect(session.report().allow).toMatchObject([{ state: "active", ids: ["mcp:t/demo/read"], aliasOf: "demo/read" }]);
  });

  test("allow-by-sanitized-alias: a spelling that fits two grants neither, also when the second comes late", () => {
    const session = sessionOf({ allow: ["mcp__t__demo_read"] }, { "mcp:t": ["demo/read"] });
    session.start();
    session.source("mcp:t")?.add({ name: "demo.read" });
    expect(verdict(session, "mcp:t/demo/read")).toBe("out_of_scope");
    expect(verdict(session, "mcp:t/demo.read")).toBe("out_of_scope");
    session.source("mcp:t")?.add({ name: "demo_read" });
    expect(session.endTurn().active).toEqual(["mcp__t__demo_read"]);
  });
});

describe("alias-vs-registry-name", () => {
  // The case accepts `WEB.FETCH`; by DESIGN §4 tool names compare case-sensitively, so it is unknown, and says what is near.
  test("alias-vs-registry-name: the sanitised spelling is accepted, the one in another case is named", () => {
    const session = sessionOf({ allow: ["fs_read", "WEB.FETCH"] }, { builtin: ["fs.read", "web.fetch", "web_fetch2"] });
    const heard = diagnosticsOf(session);
    session.start();
    expect(activeIds(session)).toEqual(["builtin:fs.read"]);
    expect(session.report().allow).toMatchObject([
      { selector: "fs_read", state: "active", ids: ["builtin:fs.read"], aliasOf: "fs.read" },
      { selector: "WEB.FETCH", state: "unknown", didYouMean: ["web.fetch", "web_fetch2"] },
    ]);
    expect(heard).toContainEqual(expect.objectContaining({ code: "selector_unknown", message: expect.stringContaining("WEB.FETCH") }));
  });

  test("alias-vs-registry-name: both spellings of a name are accepted, as a name and in a path", () => {
    for (const allow of [["web.fetch"], ["web_fetch"], ["builtin:web.fetch"], ["builtin:web_fetch"]]) {
      const session = sessionOf({ allow }, { builtin: ["web_fetch2", "web.fetch"] });
      session.start();
      expect(activeIds(session)).toEqual(["builtin:web.fetch"]);
    }
  });
});

describe("empty-allow-means-all", () => {
  test("empty-allow-means-all: absent is everything, [] is nothing, now and later", () => {
    const everything = sessionOf({}, { "mcp:s": ["a", "b"] });
    everything.start();
    expect(activeIds(everything)).toEqual(["mcp:s/a", "mcp:s/b"]);
    for (const allow of [[], ["none"], ["no_such_tool"]]) {
      const nothing = sessionOf({ allow }, { "mcp:s": ["a", "b"], builtin: ["read"] });
      nothing.start();
      expect(nothing.activeTools()).toEqual([]);
      addSource(nothing, "ext:late", ["c"]);
      expect(nothing.endTurn().active).toEqual([]);
      for (const name of ["mcp__s__a", "read", "c"]) expect(verdict(nothing, name)).toBe("out_of_scope");
    }
  });

  test("empty-allow-means-all: setScope to [] takes everything away, and back", () => {
    const session = sessionOf({}, { builtin: ["read"] });
    session.start();
    session.setScope({ allow: [] });
    expect(verdict(session, "read")).toBe("out_of_scope");
    expect(session.endTurn().active).toEqual([]);
    session.setScope({});
    expect(session.endTurn().active).toEqual(["read"]);
  });
});

describe("unknown-silently-dropped", () => {
  test("unknown-silently-dropped: a wrong name is reported and grants nothing", () => {
    const session = sessionOf({ allow: ["read", "find", "search"] }, { builtin: ["read", "write", "glob", "hub"] });
    const heard = diagnosticsOf(session);
    session.start();
    expect(activeIds(session)).toEqual(["builtin:read"]);
    expect(session.report().allow.map(({ selector, state }) => [selector, state])).toEqual([
      ["read", "active"],
      ["find", "unknown"],
      ["search", "unknown"],
    ]);
    expect(session.report().allow[1]).toMatchObject({ didYouMean: ["glob"] });
    expect(heard.filter(({ code }) => code === "selector_unknown").map(({ message }) => message)).toEqual([
      expect.stringContaining("`find`"),
      expect.stringContaining("`search`"),
    ]);
    for (const name of ["write", "hub"]) expect(verdict(session, name)).toBe("out_of_scope");
  });

  test("unknown-silently-dropped: what is near is offered, and the entry takes effect when its tool comes", () => {
    const session = sessionOf({ allow: ["gloob", "ext:serch/find"] }, { builtin: ["glob"], "ext:search": ["find"] });
    session.start();
    expect(session.report().allow).toMatchObject([
      { state: "unknown", didYouMean: ["glob"] },
      { state: "unknown", didYouMean: ["ext:search"] },
    ]);
    addSource(session, "ext:serch", ["find"]);
    // `ext:search` owns the name: it was first of equals.
    expect(session.report().allow[1]).toMatchObject({ state: "shadowed", by: "ext:search/find" });
    session.source("ext:search")?.close();
    expect(session.endTurn().active).toEqual(["find"]);
  });
});

describe("bad-entry-voids-file", () => {
  test.each([
    ["mcp:plugin:box:srv/*"],
    ["mcp:"],
    ["a/b/c:d"],
    ["ext:x@nope"],
    ['mcp:"open'],
    [""],
    [" "],
  ])("bad-entry-voids-file: `%s` beside `bash` disables nothing", async (bad) => {
    for (const exclude of [[bad, "bash"], ["bash", bad]]) {
      const session = sessionOf({ exclude }, { builtin: ["bash", "read"] });
      const heard = diagnosticsOf(session);
      session.start();
      expect(await door(session, "bash")).toBe("excluded");
      const entry = session.report().exclude.find(({ selector }) => selector === bad);
      expect(entry).toMatchObject({ state: "invalid", column: expect.any(Number), message: expect.any(String) });
      expect(entry?.column).toBeGreaterThanOrEqual(1);
      expect(entry?.column).toBeLessThanOrEqual(bad.length + 1);
      expect(heard.map(({ code }) => code)).toContain("selector_invalid");
    }
  });

  test("bad-entry-voids-file: an invalid exclude denies the widest prefix that parsed", () => {
    const sources = { builtin: ["read"], "mcp:plugin": ["x"], "mcp:box": ["x"] };
    const session = sessionOf({ exclude: ["mcp:plugin:box:srv/*"] }, sources);
    expect(verdict(session, "mcp:plugin/x")).toBe("excluded");
    expect(verdict(session, "read")).toBe("allowed");
  });

  test("bad-entry-voids-file: an invalid allow grants nothing and takes nothing", () => {
    const session = sessionOf({ allow: ["mcp:plugin:box/*", "read"] }, { builtin: ["read"], "mcp:plugin": ["x"] });
    session.start();
    expect(activeIds(session)).toEqual(["builtin:read"]);
  });
});

describe("cli-tools-only-builtin", () => {
  test("cli-tools-only-builtin: a list of builtins admits no extension's tool, early or late", async () => {
    const session = sessionOf({ allow: ["read"] }, { builtin: ["read", "bash"], "ext:spawn": ["spawn_agent"] });
    session.start();
    expect(activeIds(session)).toEqual(["builtin:read"]);
    addSource(session, "ext:late", ["spawn_agent2"]);
    expect(session.endTurn().changed).toBe(false);
    for (const name of ["spawn_agent", "spawn_agent2", "bash"]) expect(await door(session, name)).toBe("out_of_scope");
  });

  test("cli-tools-only-builtin: an extension that takes the builtin's name is granted nothing by it", async () => {
    const session = sessionOf({ allow: ["read"] }, { builtin: ["read", "bash"] });
    session.start();
    addSource(session, "ext:fast", ["read"]);
    expect(await door(session, "read")).toBe("out_of_scope");
    expect(session.report().allow).toMatchObject([{ state: "shadowed", by: "ext:fast/read" }]);
    session.source("ext:fast")?.close();
    expect(await door(session, "read")).toBe("allowed");
  });
});

describe("control-tool-stripped", () => {
  const sources = { builtin: ["read", "bash"], "host:app": ["finish", "ask_parent"] };

  test("control-tool-stripped: a strict allow list keeps what is required", () => {
    const session = sessionOf({ allow: ["read"], required: ["finish"], narrow: () => ["read"] }, sources);
    session.start();
    expect(activeIds(session)).toEqual(["builtin:read", "host:app/finish"]);
    expect(verdict(session, "ask_parent")).toBe("out_of_scope");
  });

  // The case says that a required tool cannot be denied; by DESIGN §4 `exclude` always beats everything. So it is
  // denied, and never silently.
  test("control-tool-stripped: a required tool that is excluded is refused, and the host is told", () => {
    for (const exclude of [["finish"], ["host:app"], ["*"]]) {
      const session = sessionOf({ allow: ["read"], required: ["finish"], exclude }, sources);
      const heard = diagnosticsOf(session);
      session.start();
      expect(verdict(session, "finish")).toBe("excluded");
      expect(session.report().required).toMatchObject([{ state: "excluded", by: exclude[0] }]);
      expect(heard).toContainEqual(expect.objectContaining({ code: "required_excluded", message: expect.stringContaining("finish") }));
    }
  });

  test("control-tool-stripped: required tools that come late are kept, too", () => {
    const session = sessionOf({ allow: [], required: ["ask_parent", "ext:ctl/*"] }, { builtin: ["read"] });
    session.start();
    addSource(session, "ext:ctl", ["stop"]);
    addSource(session, "host:app", ["ask_parent"]);
    expect(session.endTurn().added).toEqual(["ask_parent", "stop"]);
  });
});
