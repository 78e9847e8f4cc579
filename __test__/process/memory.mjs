// Makes many sessions, uses them, and says how memory grew: one JSON line. Run with --expose-gc; the first argument is
// what becomes of a session: `disposed`, or `dropped` as it is.
import { setImmediate } from "node:timers/promises";
import { ToolSession } from "../../index.mjs";

const [fate, total] = [process.argv[2], Number(process.argv[3])];
let collected = 0;
const registry = new FinalizationRegistry(() => collected++);

async function live() {
  const session = new ToolSession({ scope: { exclude: ["bash"], narrow: () => true, requireGuards: ["guard"] } });
  const source = session.addSource({
    kind: "mcp",
    name: "kb",
    declares: ["later"],
    load: async () => [],
    exposedName: (raw) => `kb-${raw}`,
    tools: Array.from({ length: 10 }, (_, at) => ({ name: `t${at}`, description: "x".repeat(100), execute: () => session.id })),
  });
  // Each holds its session, as listeners do.
  for (const event of ["session_start", "turn_end", "tools_changed", "decision", "diagnostic", "session_end"]) {
    session.on(event, () => void session.generation);
  }
  session.on("before_tool_call", () => void session.id, { name: "guard" });
  session.on("turn_end", () => new Promise(() => {}), { timeoutMs: 1 });
  session.start();
  const { ok } = await session.call({ name: "kb-t1", input: { n: 1 } });
  source.add({ name: "bad", inputSchema: 5 });
  session.endTurn();
  session.checkScope("nope");
  if (!ok || session.activeTools().length !== 10) throw new Error("the session does not work");
  registry.register(session);
  if (fate === "disposed") session.dispose();
}

/** Heap and resident memory once everything that can go is gone. */
async function settled() {
  for (let round = 0; round < 5; round++) {
    await setImmediate();
    globalThis.gc();
  }
  const { heapUsed, rss, external, arrayBuffers } = process.memoryUsage();
  return { heapUsed, rss, external: external + arrayBuffers };
}

for (let at = 0; at < total / 5; at++) await live();
const before = await settled();
for (let at = 0; at < total; at++) {
  await live();
  // Finalizers run between turns of the event loop.
  if (at % 100 === 0) await setImmediate();
}
const after = await settled();
await new Promise((resolve) => setTimeout(resolve, 20));
await settled();
console.log(JSON.stringify({ before, after, collected, made: total + total / 5 }));
