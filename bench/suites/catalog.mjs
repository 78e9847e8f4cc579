// How long a catalog takes: the first one of an inventory, one after a change, one after none. What is measured is the
// index that a session keeps, filled before the clock starts, as a session's sources fill it when they register.
// Peers turn the same tools into declarations; they have no budget, so that they print all of them.
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { renderDeclarations } from "@earendil-works/pi-codemode";
import { dataFolder, hasData, sets, tools as read } from "../data.mjs";
import { compare } from "../measure.mjs";

const require = createRequire(import.meta.url);
const { CatalogIndex } = require("../../binding.js");

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

export async function run(report) {
  if (!hasData()) return console.error(`catalog: skipped, there is no data in ${dataFolder}; set TOOLSCOPE_DATA`);
  const generate = await cloudflare();
  const all = sets.flatMap((set) => read(set));
  for (const count of [118, 1_000, 10_000]) {
    const tools = all.slice(0, count);
    const text = tools.map((tool) => JSON.stringify(tool)).join("\n");
    // Both take tools by name; a source ahead of it keeps them apart, as their hosts do.
    const flat = tools.map((tool) => ({ ...tool, name: `${tool.source}__${tool.name}` }));
    const byName = Object.fromEntries(flat.map((tool) => [tool.name, { description: tool.description, inputSchema: tool.inputSchema }]));
    let index;
    const rounds = count > 5_000 ? 7 : 15;
    const fresh = { before: () => (index = new CatalogIndex(text)), rounds };
    report(
      compare(`first_${count}`, {
        ...fresh,
        ours: () => index.render("{}"),
        peer: () => renderDeclarations({ tools: flat }),
        peerName: "pi-codemode",
      }),
    );
    report(
      compare(`first_${count}_beside_cloudflare`, {
        ...fresh,
        ours: () => index.render("{}"),
        peer: () => generate(byName),
        peerName: "@cloudflare/codemode",
      }),
    );
    if (count < 10_000) continue;
    for (const [suffix, options] of [["", "{}"], ["_compact", '{"detail":"compact"}'], ["_adaptive", '{"detail":"adaptive"}']]) {
      index = new CatalogIndex(text);
      index.render(options);
      let turn = 0;
      const changed = () => index.upsert(count >> 1, JSON.stringify({ ...tools[count >> 1], description: `Version ${turn++}.` }));
      report(compare(`after_one_change_${count}${suffix}`, { before: changed, ours: () => index.render(options) }));
      index.render(options);
      report(compare(`unchanged_${count}${suffix}`, { ours: () => index.render(options) }));
    }
  }
}
