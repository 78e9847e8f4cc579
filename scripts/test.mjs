// Every check of the gate, in order of cost; each must pass.
import { spawnSync } from "node:child_process";

// Under the Node of the dev dependencies, whichever runs this: some hosts that are tested need a newer one than we do.
const node = ["node_modules/node/bin/node", "node_modules/vitest/vitest.mjs", "run"];
const steps = [
  ["cargo", "fmt", "--check"],
  ["cargo", "clippy", "--all-targets", "--", "-D", "warnings"],
  ["cargo", "test", "--quiet"],
  node,
];
for (const [command, ...args] of steps) {
  const started = performance.now();
  process.stdout.write(`\n> ${[command, ...args].join(" ")}\n`);
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  process.stdout.write(`  ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}
