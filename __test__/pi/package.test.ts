// `toolscope/pi` as its users meet it: by name, from both module systems, typed, and without pi.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = (...args: string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  return { status, output: stdout + stderr };
};

test("is imported by name from both module systems, as one module, and loads nothing of pi's", () => {
  const program = `
    import { createRequire } from "node:module";
    import { attachToPi, attachmentOf } from "toolscope/pi";
    import { ToolSession } from "toolscope";
    const require = createRequire(import.meta.url);
    const required = require("toolscope/pi");
    console.log(required.attachToPi === attachToPi, typeof attachmentOf, require("toolscope").ToolSession === ToolSession);
    console.log(Object.keys(require.cache).filter((path) => path.includes("earendil")).length);
  `;
  expect(run("--input-type=module", "-e", program)).toEqual({ status: 0, output: "true function true\n0\n" });
});

test("takes pi's session as pi types it", { timeout: 120_000 }, () => {
  const options = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--noUncheckedIndexedAccess",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--lib",
    "es2023,esnext.disposable",
    "--types",
    "node",
    "--exactOptionalPropertyTypes",
  ];
  expect(
    run(
      join(root, "node_modules", "typescript", "bin", "tsc"),
      ...options,
      join("__test__", "pi", "types.mts"),
      join("__test__", "pi", "session.mts"),
    ),
  ).toEqual({ status: 0, output: "" });
});
