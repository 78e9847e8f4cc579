// Makes many sessions, uses them, and says what memory was held after each fifth of them: one JSON line. Run with
// --expose-gc; the first argument is what becomes of a session: `disposed`, or `dropped` as it is; the second, how many.
import { setImmediate } from "node:timers/promises";
import { ToolSession } from "../../index.mjs";

const [fate, total] = [process.argv[2], Number(process.argv[3])];
let [made, watched, collected] = [0, 0, 0];
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
  // The engine's quick collections leave what is watched, so one in a hundred stands for all.
  if (made++ % 100 === 0) {
    watched++;
    registry.register(session);
  }
  if (fate === "disposed") session.dispose();
}

/** Heap and resident memory once everything that can go is gone. */
async function settled() {
  for (let round = 0; round < 5; round++) {
    await setImmediate();
    globalThis.gc();
  }
  const { heapUsed, rss, external } = process.memoryUsage();
  return { heapUsed, rss, external };
}

/** What the native side held is freed between turns of the event loop, so they come as often as in a host's life. */
async function many(count) {
  for (let at = 0; at < count; at++) {
    await live();
    if (at % 10 === 0) await setImmediate();
  }
}

// The engine and the system's allocator take what they need for this load once, before the first step.
const STEPS = 5;
await many(total);
const usages = [await settled()];
for (let step = 0; step < STEPS; step++) {
  await many(total / STEPS);
  usages.push(await settled());
}
await new Promise((resolve) => setTimeout(resolve, 20));
await settled();
console.log(JSON.stringify({ usages, collected, watched }));
