// What is published: the platform packages' manifests, and the packed packages in an empty project.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const manifest = (...parts: string[]): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, ...parts, "package.json"), "utf8"));

/** Rust's target → npm's words for it. */
const platforms = new Map([
  ["x86_64-unknown-linux-gnu", { name: "linux-x64-gnu", os: ["linux"], cpu: ["x64"], libc: ["glibc"] }],
  ["aarch64-unknown-linux-gnu", { name: "linux-arm64-gnu", os: ["linux"], cpu: ["arm64"], libc: ["glibc"] }],
  ["x86_64-unknown-linux-musl", { name: "linux-x64-musl", os: ["linux"], cpu: ["x64"], libc: ["musl"] }],
  ["aarch64-unknown-linux-musl", { name: "linux-arm64-musl", os: ["linux"], cpu: ["arm64"], libc: ["musl"] }],
  ["x86_64-apple-darwin", { name: "darwin-x64", os: ["darwin"], cpu: ["x64"], libc: undefined }],
  ["aarch64-apple-darwin", { name: "darwin-arm64", os: ["darwin"], cpu: ["arm64"], libc: undefined }],
  ["x86_64-pc-windows-msvc", { name: "win32-x64-msvc", os: ["win32"], cpu: ["x64"], libc: undefined }],
]);

describe("the platform packages", () => {
  const main = manifest();

  it("are one for each target, no more", () => {
    const { targets } = main["napi"] as { targets: string[] };
    expect([...targets].sort()).toEqual([...platforms.keys()].sort());
    expect(readdirSync(join(root, "npm")).sort()).toEqual([...platforms.values()].map(({ name }) => name).sort());
  });
  it.each([...platforms])(
    "%s: installs where it runs, at the version of the main package",
    (_, { name, os, cpu, libc }) => {
      const platform = manifest("npm", name);
      expect(platform).toMatchObject({
        name: `toolscope-${name}`,
        version: main["version"],
        license: "MIT",
        os,
        cpu,
        engines: main["engines"],
      });
      expect(platform["libc"]).toEqual(libc);
      expect(platform["main"]).toBe(`toolscope.${name}.node`);
      expect(platform["files"]).toEqual([platform["main"]]);
    },
  );
  it("are no dependency of the main package in the repository: publishing writes them in", () => {
    expect(main["optionalDependencies"]).toBeUndefined();
    expect(main["dependencies"]).toBeUndefined();
  });
});

it("the packed packages work in an empty project", { timeout: 180_000 }, async () => {
  const check = promisify(execFile)(process.execPath, [join(root, "scripts", "pack-check.mjs")]);
  // On failure the error holds what was printed, which names the step.
  const { stdout } = await check.catch((error: { stdout: string }) => error);
  expect(stdout.split("\n").filter((line) => line.startsWith("not ok "))).toEqual([]);
  await expect(check).resolves.toBeDefined();
});
