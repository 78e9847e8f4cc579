// A process of its own: what ten thousand tools cost resident memory beyond the host's own objects. Prints bytes.
import { createRequire } from "node:module";
import { inventory } from "./inventory.mjs";

const { ToolSession } = createRequire(import.meta.url)("../../index.js");
// A thorough collection, which also gives back the room that the engine's young generation grew into meanwhile.
const settled = () => {
  for (let round = 0; round < 4; round++) globalThis.gc({ type: "major", execution: "sync", flavor: "last-resort" });
  return process.memoryUsage().rss;
};
// What registering touches for the first time (code, allocator) is paid before the measure.
const warm = new ToolSession();
for (const spec of inventory(500)) warm.addSource(spec);
warm.start();
warm.dispose();

const specs = inventory();
const text = specs.reduce((bytes, spec) => bytes + spec.tools.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0), 0);
const before = settled();
const session = new ToolSession({ scope: { allow: ["mcp:*", "ext:*"] } });
for (const spec of specs) session.addSource(spec);
session.start();
const kept = session.activeTools().map((name) => session.checkScope(name));
const after = settled();
console.log(JSON.stringify({ grown: after - before, text, kept: kept.length, specs: specs.length }));
