// npm run ablate [-- name …]: takes one behaviour out of a copy of the project, builds it, and expects the tests that show
// the behaviour to fail. A behaviour that nothing misses is not tested.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** What each ablation takes out, and the test that must miss it. `from` must stand exactly once in the file. */
const ablations = {
  "discovery before load": {
    file: "js/source.ts",
    from: "declares: declares?.map(own),",
    to: "declares: declares?.map(own).slice(0, 0),",
    test: ["__test__/request.test.ts", "an allow list resolves against announced names"],
  },
  "execution by the original declaration": {
    file: "js/request.ts",
    from: "      const offer = found[place] as Offer;\n",
    to: `      const offer = found[place] as Offer;
      const { execute } = tools[place] as { execute?: unknown };
      if (execute !== undefined) (globalThis as { shown?: unknown }).shown = execute;\n`,
    also: {
      file: "js/session.ts",
      from: "const { decision, execute } = await this.#decide(frozen);\n    if (!decision.allowed) return",
      to: `const { decision, execute: registered } = await this.#decide(frozen);
    const execute = (globalThis as { shown?: typeof registered }).shown ?? registered;
    if (!decision.allowed) return`,
    },
    test: ["__test__/request.test.ts", "executes the declaration its source registered"],
  },
  "code mode prepared last": {
    file: "js/request.ts",
    from: "const isLast = last !== undefined && slots.includes(last.slot);",
    to: "const isLast = last !== undefined && slots.length < 0 && slots.includes(last.slot);",
    test: ["__test__/code-mode.test.ts", "put last by prepare"],
  },
  "transformed definitions in the request": {
    file: "js/request.ts",
    from: "kept.push(definition === offer.definition ? offer : { slot: offer.slot, definition });",
    to: "void definition;\n      kept.push(offer);",
    test: ["__test__/request.test.ts", "shows what providers made of a definition"],
  },
  "precedence by source": {
    file: "src/registry/ownership.rs",
    from: "Reverse(source.precedence), ",
    to: "",
    test: ["__test__/request.test.ts", "settles a name that two sources register"],
  },
};

/** Takes the behaviour out; returns what puts it back. */
function takeOut(folder, { file, from, to }) {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file}: what is to be taken out stands there ${text.split(from).length - 1} times`);
  writeFileSync(path, text.replace(from, () => to));
  return () => writeFileSync(path, text);
}

/** A copy of what is in the work tree, with the packages linked; it is built in a folder of its own that is kept. */
function copy() {
  const folder = mkdtempSync(join(tmpdir(), "toolscope-ablate-"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" });
  for (const file of files.split("\0").filter((name) => name !== "" && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(folder, file), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

const run = (folder, command, args) =>
  spawnSync(command, args, { cwd: folder, encoding: "utf8", env: { ...process.env, CARGO_TARGET_DIR: join(root, "target", "ablate") } });

/** Builds the copy; the addon only where Rust was touched. */
function build(folder, changed) {
  const script = changed.some((file) => file.startsWith("src/")) ? "build:quick" : "build:js";
  const { status, stderr, stdout } = run(folder, "npm", ["run", script]);
  if (status !== 0) throw new Error(`the copy does not build:\n${stdout}${stderr}`);
}

function outcome(folder, [file, name]) {
  const written = join(folder, "outcome.json");
  run(folder, process.execPath, ["node_modules/vitest/vitest.mjs", "run", file, "-t", name, "--reporter=json", `--outputFile=${written}`]);
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(written, "utf8"));
  rmSync(written);
  return { passed: numPassedTests, failed: numFailedTests };
}

const wanted = process.argv.slice(2);
const chosen = Object.entries(ablations).filter(([name]) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
const folder = copy();
let survived = 0;
try {
  build(folder, ["src/"]);
  for (const [name, { test, also, ...main }] of chosen) {
    const whole = outcome(folder, test);
    const parts = [main, ...(also === undefined ? [] : [also])];
    const files = parts.map(({ file }) => file);
    const back = parts.map((part) => takeOut(folder, part));
    build(folder, files);
    const ablated = outcome(folder, test);
    for (const restore of back) restore();
    build(folder, files);
    const missed = whole.failed === 0 && whole.passed > 0 && ablated.failed > 0;
    if (!missed) survived += 1;
    console.log(`${missed ? "missed" : "NOT MISSED"}  ${name}: ${whole.passed} passed with it, ${ablated.failed} failed without`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(survived === 0 ? 0 : 1);
