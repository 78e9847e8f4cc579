// The addon in every runtime that loads Node addons: each in a process of its own, which must also end by itself.
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts: string[]): string => join(root, ...parts);
const script = (name: string): string => at("__test__", "runtime", name);
const suffix = process.platform === "win32" ? ".exe" : "";

/** Runs a program to its end; one that stays alive fails by the time limit. */
async function run(program: string, ...args: string[]): Promise<string> {
  // On Windows the installed programs are command files, which only a shell runs.
  const shell = process.platform === "win32";
  const { stdout } = await promisify(execFile)(program, args, {
    timeout: 60_000,
    shell,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return stdout;
}

/** The machine's own Node: the first on PATH outside of node_modules. */
function systemNode(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return folders
    .map((folder) => join(folder, `node${suffix}`))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
const installed = (name: string): string =>
  at("node_modules", ".bin", process.platform === "win32" ? `${name}.cmd` : name);

describe("the addon runs in", { timeout: 90_000 }, () => {
  const shown = "scope, late tools, calls, vetoes, programs, errors and disposal hold";
  const node = systemNode();

  it.skipIf(node === undefined)("the Node of the machine (20 or newer)", async () => {
    expect(await run(node!, script("smoke.cjs"))).toMatch(/^v(2\d|[3-9]\d)\./);
  });
  it("Node 24", async () => {
    const output = await run(installed("node"), script("smoke.cjs"));
    expect(output).toMatch(/^v24\./);
    expect(output).toContain(shown);
  });
  it.skipIf(!existsSync(installed("bun")))("Bun", async () => {
    expect(await run(installed("bun"), script("bun.mjs"))).toContain(shown);
  });
  it.skipIf(!existsSync(installed("deno")))("Deno", async () => {
    expect(
      await run(installed("deno"), "run", "--allow-ffi", "--allow-read", "--allow-env", "--allow-run", script("deno.mjs")),
    ).toContain(shown);
  });
  it("worker threads, 20 of them ended in the middle of calls", async () => {
    expect(await run(process.execPath, script("worker.mjs"))).toContain("20 workers ended in the middle of calls");
  });
  it.skipIf(node === undefined)("worker threads of the machine's Node", async () => {
    expect(await run(node!, script("worker.mjs"))).toContain("20 workers ended in the middle of calls");
  });
});
