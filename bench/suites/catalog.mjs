// How long a session's catalog takes: the first one of an inventory, one after a change, one after none. Tools are
// registered before the clock starts, and with them the outline is taken that says what each costs at the least (the suite
// `gate` times that: `register_10k_listed`); everything else that the catalog makes of them is made within it. Peers turn
// the same tools into declarations; they have no budget, so that they print all of them.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { renderDeclarations } from "@earendil-works/pi-codemode";
import { dataFolder, hasData, sets, tools as read } from "../data.mjs";
import { compare } from "../measure.mjs";

const require = createRequire(import.meta.url);
const { ToolSession } = require("../../index.js");

/** The type generator of @cloudflare/codemode, whose entry points load only inside its own runtime or beside an SDK. */
async function cloudflare() {
  const dist = dirname(fileURLToPath(import.meta.resolve("@cloudflare/codemode")));
  for (const name of readdirSync(dist).filter((name) => /^json-schema-types-.*\.js$/.test(name))) {
    const module = await import(pathToFileURL(join(dist, name)).href);
    const found = Object.values(module).find((value) => value?.name === "generateTypesFromJsonSchema");
    if (found !== undefined) return found;
  }
  throw new Error("@cloudflare/codemode has no generateTypesFromJsonSchema; its files have moved");
}

/** A session over an inventory, each server a source, each tool for the catalog. */
function started(tools) {
  const servers = new Map();
  for (const tool of tools) {
    const key = tool.source.toLowerCase();
    if (!servers.has(key)) servers.set(key, { kind: "mcp", name: tool.source, description: tool.sourceDescription, tools: [] });
    const { name, description, inputSchema } = tool;
    servers.get(key).tools.push({ name, description, inputSchema, exposure: "code" });
  }
  const session = new ToolSession();
  for (const spec of servers.values()) session.addSource(spec);
  session.start();
  return session;
}

export async function run(report) {
  if (!hasData()) return console.error(`catalog: skipped, there is no data in ${dataFolder}; set TOOLSCOPE_DATA`);
  const generate = await cloudflare();
  const all = sets.flatMap((set) => read(set));
  for (const count of [118, 1_000, 10_000]) {
    const tools = all.slice(0, count);
    // Both take tools by name; a source ahead of it keeps them apart, as their hosts do.
    const flat = tools.map((tool) => ({ ...tool, name: `${tool.source}__${tool.name}` }));
    const byName = Object.fromEntries(flat.map((tool) => [tool.name, { description: tool.description, inputSchema: tool.inputSchema }]));
    let session;
    const rounds = count > 5_000 ? 7 : 15;
    const fresh = { before: () => (session = started(tools)), rounds };
    report(
      compare(`first_${count}`, {
        ...fresh,
        ours: () => session.catalog(),
        peer: () => renderDeclarations({ tools: flat }),
        peerName: "pi-codemode",
      }),
    );
    report(
      compare(`first_${count}_beside_cloudflare`, {
        ...fresh,
        ours: () => session.catalog(),
        peer: () => generate(byName),
        peerName: "@cloudflare/codemode",
      }),
    );
    if (count < 10_000) continue;
    for (const [suffix, options] of [["", {}], ["_compact", { detail: "compact" }], ["_adaptive", { detail: "adaptive" }]]) {
      session = started(tools);
      session.catalog(options);
      const { name, inputSchema, source } = tools[count >> 1];
      const home = session.source(`mcp:${JSON.stringify(source)}`) ?? session.source(`mcp:${source}`);
      let turn = 0;
      const changed = () => home.add({ name, inputSchema, exposure: "code", description: `Version ${turn++}.` });
      report(compare(`after_one_change_${count}${suffix}`, { before: changed, ours: () => session.catalog(options) }));
      const unchanged = () => {
        for (let at = 0; at < 100; at++) session.catalog(options);
      };
      report(compare(`unchanged_${count}${suffix}`, { ours: unchanged, operations: 100 }));
    }
  }
}
