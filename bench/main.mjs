// npm run -s bench -- [suite …] [--json]: runs the suites and prints one figure a line.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "boolean", default: false } } });
const folder = join(dirname(fileURLToPath(import.meta.url)), "suites");
const known = readdirSync(folder).filter((name) => name.endsWith(".mjs")).map((name) => name.slice(0, -4)).sort();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no suite \`${unknown.join("`, `")}\`; there are: ${known.join(", ")}`);
  process.exit(2);
}
const number = (value) => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3));
/** Prints a figure of the form { suite, name, unit, median, min, max, n, peer?, peerMedian?, ratio? }. */
function print(figure) {
  if (values.json) return console.log(JSON.stringify(figure));
  const spread = figure.n > 1 ? ` (${number(figure.min)} – ${number(figure.max)}, n ${figure.n})` : "";
  const peer = figure.peer === undefined ? "" : `   ${figure.peer} ${number(figure.peerMedian)}, ratio ${number(figure.ratio)}`;
  console.log(`${`${figure.suite} ${figure.name}`.padEnd(36)} ${number(figure.median).padStart(10)} ${figure.unit}${spread}${peer}`);
}
for (const suite of positionals.length > 0 ? positionals : known) {
  const { run } = await import(join(folder, `${suite}.mjs`));
  await run((figure) => print({ suite, ...figure }));
}
