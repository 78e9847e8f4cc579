// Tools whose names providers do not take, or that could be taken for another's: pi has its name, the session its own.
import { describe, expect, test } from "vitest";

import { attachToPi } from "../../dist/adapters/pi.js";
import { type ExtensionApi, builtIn, createPi, inline, tool } from "./session.mts";

// No names of `Object.prototype`: pi itself fails on these.
const odd = ["fs.read", "a b", "hé", "x".repeat(65), "mcp__fake__x", "__x", "read/it", "tool_abcdefghij"];
const builtIns = ["read", "edit", "write"];

describe.each(["direct", "model-only"])("exposure %s", (exposure) => {
  test.each(odd)("a tool named %s is declared, run, put away and left out like any other", async (name) => {
    const log: string[] = [];
    let alpha: ExtensionApi | undefined;
    const environment = await createPi({
      extensions: [
        inline("alpha", (pi) => {
          pi.registerTool(tool(name, log, { exposure }));
          pi.registerTool(tool("plain", log));
          alpha = pi;
        }),
      ],
      steps: [[name, `late ${name}`, "plain", "bash"], "done", [name, `late ${name}`], "done", [name], "done", [name, `late ${name}`], "done"],
    });
    await environment.bind();
    const { session: pi } = environment;
    const attachment = attachToPi(pi, { exclude: ["bash"] });
    const { session } = attachment;
    alpha?.registerTool(tool(`late ${name}`, log, { exposure }));
    expect(pi.getActiveToolNames().sort()).toEqual([...builtIns, name, `late ${name}`, "plain"].sort());
    await pi.prompt("go");
    expect(log).toEqual([name, `late ${name}`, "plain"]);
    expect(session.activeTools().length).toBe(pi.getActiveToolNames().length);
    expect(environment.shown[0]).not.toContain("bash");
    attachment.sync();
    // Put away on one side and on the other.
    pi.setActiveToolsByName([...builtIns, "plain", `late ${name}`]);
    attachment.sync();
    expect(session.tools().filter(({ active }) => active).map(({ id }) => id)).not.toContain(`ext:alpha/${name}`);
    session.activate(`ext:alpha/${name}`);
    expect(pi.getActiveToolNames()).toContain(name);
    session.deactivate(`ext:alpha/${name}`);
    expect(pi.getActiveToolNames()).not.toContain(name);
    session.activate(`ext:alpha/${name}`);
    await pi.prompt("go");
    expect(log.slice(3)).toEqual([name, `late ${name}`]);
    // Out of scope, and back.
    session.setScope({ exclude: ["bash", "ext:alpha"] });
    await pi.prompt("go");
    expect(log.length).toBe(5);
    expect(environment.calls.at(-1)).toMatchObject({ name, ok: false });
    session.setScope({ exclude: ["bash"] });
    await pi.prompt("go");
    expect(log.slice(5)).toEqual([name, `late ${name}`]);
    expect(environment.errors).toEqual([]);
  });
});

for (const toolSearch of [true, false]) {
  for (const exposure of ["deferred", "codemode"]) {
    test(`what ${toolSearch ? "the session's" : "pi's"} search finds can be called, whatever its name: ${exposure}`, async () => {
      const log: string[] = [];
      const environment = await createPi({
        extensions: [
          inline("alpha", (pi) => {
            for (const name of odd) pi.registerTool(tool(name, log, { exposure, description: "reads a disk" }));
          }),
          builtIn.toolSearch,
        ],
        paths: ["builtin:tool-search"],
        steps: [[{ name: "tool_search", args: { query: "disk", limit: 20 } }], odd, "done"],
      });
      await environment.bind();
      const { session: pi } = environment;
      pi.setActiveToolsByName([...pi.getActiveToolNames(), "tool_search"]);
      const { session } = attachToPi(pi, { allow: ["ext:alpha", "ext:tool-search"] }, { toolSearch });
      await pi.prompt("go");
      const found = odd.filter((name) => environment.shown[1]?.includes(name));
      expect(found.length).toBeGreaterThan(odd.length - 1);
      for (const name of found) expect(environment.calls[0]?.text).toContain(name);
      expect([...log].sort()).toEqual(found.sort());
      expect(session.tools().filter(({ active }) => active).map(({ id }) => id.replace("ext:alpha/", "")).filter((id) => odd.includes(id)).sort()).toEqual(found);
      expect(environment.errors).toEqual([]);
    });
  }
}

test("one tool that the session does not take keeps no other from it", async () => {
  const errors: unknown[] = [];
  const environment = await createPi({
    extensions: [inline("alpha", (pi) => ["one", "two", "three"].forEach((name) => pi.registerTool(tool(name, []))))],
    steps: ["done"],
  });
  await environment.bind();
  const { session: pi } = environment;
  const attachment = attachToPi(pi, { allow: ["ext:alpha"] }, { onError: (error) => errors.push(error) });
  const { session } = attachment;
  pi.setActiveToolsByName([]);
  attachment.sync();
  const { activate } = session;
  session.activate = (...names) => {
    if (names.includes("ext:alpha/two")) throw new Error("not this one");
    Reflect.apply(activate, session, names);
  };
  pi.setActiveToolsByName(["one", "two", "three"]);
  attachment.sync();
  attachment.sync();
  expect(session.activeTools()).toEqual(["one", "three"]);
  expect(errors.length).toBe(1);
});

test("a tool that a child's session does not know is refused by pi's name for it, and takes no other's place", async () => {
  const log: string[] = [];
  const ok = (pi: ExtensionApi): void => pi.registerTool(tool("ok", log));
  const parent = await createPi({ extensions: [inline("alpha", ok)] });
  await parent.bind();
  // The parent's `ok` is alpha's; the child's is another extension's.
  const child = await createPi({
    extensions: [inline("other", (pi) => (ok(pi), pi.registerTool(tool("fs.only", log))))],
    steps: [["ok", "fs.only"], "done"],
  });
  await child.bind();
  const attachment = attachToPi(child.session, {}, { parent: attachToPi(parent.session, {}) });
  await child.session.prompt("go");
  expect(log).toEqual([]);
  expect(child.calls.map(({ ok }) => ok)).toEqual([false, false]);
  for (const { text } of child.calls) expect(text).not.toContain("ext:");
  expect(child.calls.map(({ name, text }) => text.includes(name))).toEqual([true, true]);
  expect(attachment.session.activeTools()).toContain("ok");
  expect(child.session.getActiveToolNames()).not.toContain("ok");
});
