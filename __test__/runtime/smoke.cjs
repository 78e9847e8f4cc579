"use strict";
// One pass through everything that crosses into the addon, for a runtime or a package that has just been set up.
// `node smoke.cjs` runs it on the checkout; bun.mjs, deno.mjs, the bundles and the packed package import it.
const assert = require("node:assert/strict");
const { join } = require("node:path");

/**
 * @param {typeof import("../../index.js")} toolscope any copy of the package
 * @returns {Promise<string>} what was shown, in a line; rejects where it is not so
 */
async function smoke({ CodeSandbox, ToolSession, ToolscopeError }) {
  const session = new ToolSession({ scope: { allow: ["builtin:read", "mcp:late/add"], exclude: ["mcp:late/secret"] } });
  const decisions = [];
  const diagnostics = [];
  session.on("decision", (event) => decisions.push(event.decision));
  session.on("diagnostic", (diagnostic) => diagnostics.push(diagnostic));
  session.on("before_tool_call", async (call) => (call.input?.veto ? { block: true, reason: "not today" } : undefined));

  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  session.addSource({
    kind: "builtin",
    name: "smoke",
    tools: [
      { name: "read", description: "Reads.", inputSchema, execute: (input) => `read ${input.text}` },
      {
        name: "write",
        description: "Writes.",
        inputSchema,
        execute: () => assert.fail("`write` is out of scope and was run"),
      },
    ],
  });
  const late = session.addSource({ kind: "mcp", name: "late" });
  assert.deepEqual(session.start().active, ["read"]);
  assert.equal(session.checkScope("read").allowed, true);
  assert.equal(session.checkScope("write").code, "out_of_scope");

  late.set([
    { name: "add", inputSchema, execute: async (input) => input.a + input.b },
    { name: "secret", inputSchema, execute: () => assert.fail("`secret` is excluded and was run") },
  ]);
  const delta = session.endTurn();
  assert.deepEqual(delta.added, ["mcp__late__add"]);
  assert.deepEqual(session.activeTools(), ["read", "mcp__late__add"]);
  assert.equal(session.endTurn().changed, false);

  const add = await session.call({ name: "mcp__late__add", input: { a: 19, b: 23 } });
  assert.equal(add.value, 42);
  assert.equal((await session.call({ name: "mcp__late__secret", input: {} })).decision.code, "excluded");
  assert.equal((await session.call({ name: "read", input: { veto: true } })).decision.code, "vetoed");
  assert.equal((await session.beforeToolCall({ name: "raed" })).code, "unknown");
  assert.equal(session.explain("write").decision.code, "out_of_scope");
  assert.equal(decisions.length, 4, "every decision is an event");
  assert.ok(
    diagnostics.every((diagnostic) => diagnostic.level !== "error"),
    JSON.stringify(diagnostics),
  );

  assert.throws(
    () => new ToolSession({ scope: 7 }),
    (error) => ToolscopeError.isInstance(error) && error.code.startsWith("ERR_TOOLSCOPE_"),
  );
  session.dispose();
  assert.equal(session.checkScope("read").code, "disposed");

  // Programs, of which the second's process must not keep this one alive.
  for (const isolation of ["thread", "process"]) {
    const sandbox = new CodeSandbox({ tools: [{ source: "math", name: "add", execute: ({ a, b }) => a + b }], isolation });
    const result = await sandbox.run("let sum = 0; for (let i = 1; i < 100; i++) sum = await tools.add({ a: sum, b: i }); sum as number");
    assert.deepEqual([result.value, result.error, result.calls.length], [4950, undefined, 99], isolation);
    if (isolation === "thread") await sandbox.close();
  }

  // One that stays: it must not keep the process alive.
  const staying = new ToolSession({ scope: { allow: [] } });
  staying.on("tools_changed", () => {});
  staying.start();
  return "scope, late tools, calls, vetoes, programs, errors and disposal hold";
}

module.exports = { smoke };

if (require.main === module) {
  // Not a literal: a bundler that takes this file in is to leave the checkout out.
  smoke(require(join(__dirname, "..", "..", "index.js"))).then(
    (shown) => console.log(`${process.version}: ${shown}`),
    (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
