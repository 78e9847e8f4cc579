// Requests: what preparing one costs.
import { createRequire } from "node:module";
import { inventory } from "../gate/inventory.mjs";
import { summary } from "../measure.mjs";

const { ToolSession } = createRequire(import.meta.url)("../../index.js");

function started() {
  const session = new ToolSession();
  for (const spec of inventory(500, 10)) session.addSource(spec);
  session.start();
  return session;
}

/** Nanoseconds of processor time that an asynchronous step takes, `n` times over. */
async function samples(n, operations, step) {
  const taken = [];
  for (let round = -20; round < n; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < operations; at++) await step();
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) taken.push(((user + system) * 1_000) / operations);
  }
  return taken;
}

export async function run(report) {
  const busy = started();
  for (let provider = 0; provider < 3; provider++) busy.use((tools) => ({ tools }), { name: `keeps-${provider}` });
  report(summary("prepare_500", "ns", await samples(100, 1, () => busy.prepare())));

  const quiet = started();
  const first = await quiet.prepare();
  report(summary("prepare_unchanged", "ns", await samples(50, 100, () => quiet.prepare())));

  // Nothing is handed over that did not change: one late tool leaves the other five hundred objects as they were.
  quiet.source("mcp:source-0").add({ name: "late", inputSchema: { type: "object" } });
  quiet.endTurn();
  const second = await quiet.prepare();
  const kept = second.tools.filter((tool, at) => tool === first.tools[at]).length;
  if (kept !== 500 || second.tools.length !== 501 || second.delta.reset) throw new Error(`only ${kept} of 500 definitions were kept`);
}
