// npm run demo [-- demo …] [--json] [--without]
//
// A demo is a module that exports `title` and `run({ emit, without, signal })`. It prints nothing: it emits events and
// yields its runs, `{ run, scoped, checks: [{ name, holds, detail? }], facts }` (or resolves to a list of them). A check
// that does not hold in a run that toolscope decided (`scoped`) breaks the demo; the others are there for comparison.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const modules = new Map([
  ["loop", new URL("bare-loop.mjs", import.meta.url)],
  ["pi", new URL("pi.mjs", import.meta.url)],
]);
const present = [...modules.keys()].filter((name) => existsSync(fileURLToPath(modules.get(name))));
/** How long one demo may take, in ms; none needs a tenth of it. */
const timeLimit = 60_000;

const usage = `usage: npm run demo [-- demo ...] [--json] [--without]

  demo        of ${present.join(", ")}; all of them by default
  --json      one JSON object a line, the last {"ok":true,...}
  --without   also run the script as it is done today, without toolscope, and compare

Exits with 1 where an invariant broke in a run that toolscope decided, and with 2 on wrong arguments.
`;

function parse() {
  try {
    const options = { json: { type: "boolean" }, without: { type: "boolean" }, help: { type: "boolean", short: "h" } };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const unknown = positionals.filter((name) => !present.includes(name));
    if (unknown.length > 0) throw new Error(`no demo \`${unknown.join("`, `")}\`; there are: ${present.join(", ")}`);
    return { ...values, demos: positionals.length > 0 ? [...new Set(positionals)] : present };
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    return undefined;
  }
}

async function show(name, { without, emit }) {
  const started = performance.now();
  const limit = AbortSignal.timeout(timeLimit);
  const runs = {};
  let failed = false;
  try {
    const demo = await import(modules.get(name));
    emit({ event: "note", text: demo.title });
    for await (const { run, scoped, checks, facts } of await demo.run({ emit, without, signal: limit })) {
      for (const check of checks) emit({ event: "check", run, ...check });
      const broken = checks.filter((check) => !check.holds).map((check) => check.name);
      emit({ event: "summary", run, scoped, ok: broken.length === 0, broken, facts });
      runs[run] = { ok: broken.length === 0, scoped, broken };
    }
  } catch (error) {
    failed = true;
    emit({
      event: "error",
      message: error?.message ?? String(error),
      ...(typeof error?.code === "string" && { code: error.code }),
    });
  }
  const scoped = Object.values(runs).filter((run) => run.scoped);
  // A demo that showed nothing of toolscope has not held what it promises.
  const ok = !failed && scoped.length > 0 && scoped.every((run) => run.ok);
  return { ok, ms: Math.round(performance.now() - started), runs };
}

async function main() {
  const options = parse();
  if (options === undefined) return 2;
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const write = (text) => process.stdout.write(text);
  const colour = process.stdout.isTTY === true && process.stdout.hasColors();
  const output = options.json
    ? (await import("./output/lines.mjs")).printer(write)
    : (await import("./output/terminal.mjs")).printer(write, { colour });
  const demos = {};
  for (const name of options.demos) {
    const emit = ({ event, ...rest }) => output.event({ event, demo: name, ...rest });
    demos[name] = await show(name, { without: options.without === true, emit });
  }
  const ok = Object.values(demos).every((demo) => demo.ok);
  output.end({ ok, demos });
  return ok ? 0 : 1;
}

// `npm run demo | head` closes the pipe early; the demo still runs to its end, and its exit code stands.
process.stdout.on("error", (error) => {
  if (error.code !== "EPIPE") throw error;
});
// The exit code is set and the process left to end by itself: a session that kept it alive would be seen.
process.exitCode = await main();
