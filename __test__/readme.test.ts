// The README is true: its examples run as printed, and its tables hold every code there is.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const readme = read("README.md");

/** Each ```js block, with the heading it stands under. */
const examples = readme.split(/^## /m).flatMap((section) => {
  const heading = section.split("\n", 1)[0] as string;
  return Array.from(section.matchAll(/^```js\n(.*?)^```$/gms), ([, code]) => ({ heading, code: code as string }));
});

describe("the examples", () => {
  it.each(examples)("$heading: prints what its comments say", ({ code }) => {
    // Inside the package, so that it imports it by its name as a user does.
    const folder = mkdtempSync(join(root, "__test__", ".readme-"));
    try {
      writeFileSync(join(folder, "example.mjs"), code);
      const printed = execFileSync(process.execPath, [join(folder, "example.mjs")], { encoding: "utf8" }).trimEnd().split("\n");
      const promised = Array.from(code.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm), ([, comment]) => comment);
      expect(promised.length).toBeGreaterThan(0);
      expect(printed).toEqual(promised);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the tables", () => {
  it("hold every error code", () => {
    const files = readdirSync(join(root, "js"), { recursive: true }).map(String).filter((name) => name.endsWith(".ts"));
    const sources = ["src/error.rs", ...files.map((name) => join("js", name))].map(read).join("\n");
    const used = new Set(Array.from(sources.matchAll(/"(ERR_TOOLSCOPE_[A-Z_]+)"/g), ([, code]) => code));
    const told = new Set(Array.from(readme.matchAll(/^\| `(ERR_TOOLSCOPE_[A-Z_]+)` \|/gm), ([, code]) => code));
    expect([...told].sort()).toEqual([...used].sort());
  });
  it("hold every refusal code", () => {
    const [, union] = /export type RefusalCode =([^;]+);/.exec(read("index.d.ts")) as RegExpExecArray;
    const codes = Array.from((union as string).matchAll(/"([a-z_]+)"/g), ([, code]) => code);
    const told = Array.from(readme.matchAll(/^\| `([a-z_]+)` \| /gm), ([, code]) => code);
    expect(told.filter((code) => codes.includes(code as string)).sort()).toEqual([...codes].sort());
  });
});
