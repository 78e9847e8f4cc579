// Brings a checkout to the state the other commands need: packages installed, addon and JavaScript built.
// It runs on a bare machine, so it uses Node alone; and it runs before every command, so it does only what is stale.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);

/** The newest change below a path, in ms since 1970; 0 where there is nothing. */
function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((time, name) => Math.max(time, newest(join(path, name))), 0);
}
const isStale = (product, inputs) => {
  const made = newest(product);
  return made === 0 || inputs.some((input) => newest(at(input)) > made);
};
function run(command, args) {
  process.stderr.write(`> ${command} ${args.join(" ")}\n`);
  // What the steps print is news about set-up, never part of a command's own output.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (error ?? status !== 0) {
    process.stderr.write(`set-up failed at \`${command} ${args.join(" ")}\`${error ? `: ${error.message}` : ""}\n`);
    process.exit(status || 1);
  }
}

if (isStale(at("node_modules", ".package-lock.json"), ["package.json", "package-lock.json"])) {
  run("npm", ["ci", "--no-audit", "--no-fund"]);
}
const addon = readdirSync(root).find((name) => /^toolscope\..*\.node$/.test(name));
if (addon === undefined || isStale(at(addon), ["src", "Cargo.toml", "Cargo.lock", "build.rs"])) run("npm", ["run", "build:addon"]);
if (isStale(at("dist"), ["js", "tsconfig.json", "index.d.ts"])) run("npm", ["run", "build:js"]);
