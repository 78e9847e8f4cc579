// 20 worker threads, each ended in the middle of calls; the main thread's own session goes on. `node worker.mjs`
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const require = createRequire(import.meta.url);
const workers = 20;

/** Keeps `width` calls under way for good, each through listener, tool and back. */
async function busy({ ToolSession }, width) {
  const session = new ToolSession({ scope: { allow: ["builtin:*"] } });
  session.on("before_tool_call", () => new Promise((resolve) => setImmediate(resolve)));
  session.on("decision", () => {});
  const tools = Array.from({ length: 100 }, (_, index) => ({
    name: `tool_${index}`,
    execute: () => new Promise((resolve) => setTimeout(resolve, index % 3)),
  }));
  const source = session.addSource({ kind: "builtin", name: "busy", tools });
  session.start();
  let calls = 0;
  const lane = async (start) => {
    for (let index = start; ; index++) {
      const { decision, ok } = await session.call({ name: `tool_${index % 100}`, input: { index } });
      assert.ok(decision.allowed && ok);
      // The registry moves while calls are under way, as it does with a server that changes its list.
      if (index % 10 === 0) source.add({ name: `late_${start}`, description: String(index), execute: () => index });
      if (++calls === 4 * width) parentPort.postMessage("busy");
    }
  };
  await Promise.all(Array.from({ length: width }, (_, start) => lane(start)));
}

/** Asks and changes for good without ever going back to the event loop. */
function spinning({ ToolSession }) {
  const session = new ToolSession({ scope: { allow: ["*"], narrow: () => true } });
  const source = session.addSource({ kind: "ext", name: "spinning" });
  session.start();
  for (let index = 0; ; index++) {
    source.set([{ name: `tool_${index % 7}`, inputSchema: { type: "object" } }]);
    session.endTurn();
    session.checkScope(`tool_${index % 5}`);
    if (index === 100) parentPort.postMessage("busy");
  }
}

async function ended(index) {
  const worker = new Worker(new URL(import.meta.url), { workerData: { index } });
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  // Not all at the same point of their work.
  await new Promise((resolve) => setTimeout(resolve, index % 7));
  return worker.terminate();
}

const toolscope = require("../../index.js");
if (isMainThread) {
  const { smoke } = require("./smoke.cjs");
  await smoke(toolscope);
  const codes = await Promise.all(Array.from({ length: workers }, (_, index) => ended(index)));
  assert.deepEqual(codes, Array(workers).fill(1), "each was ended, none by itself");
  console.log(`${workers} workers ended in the middle of calls; after that: ${await smoke(toolscope)}`);
} else if (workerData.index % 2 === 0) {
  await busy(toolscope, 8);
} else {
  spinning(toolscope);
}
