import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const contract = join(process.env["TOOLSCOPE_DATA"] ?? join(root, "..", "shared"), "contract.d.ts");

/** What the compiler has to say of a project; nothing where it is content. */
function complaints(project: string): Promise<string> {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, "-p", project, "--pretty", "false"], { cwd: root, maxBuffer: 1 << 24 }, (error, stdout, stderr) =>
      resolve(error === null ? "" : `${stdout}${stderr}` || error.message),
    );
  });
}

describe("index.d.ts", () => {
  test("holds no `any`", () => {
    const code = readFileSync(join(root, "index.d.ts"), "utf8").replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, "");
    expect(code).not.toMatch(/\bany\b/);
  });

  test.skipIf(!existsSync(contract))(
    "is assignable to the contract, and what is not built yet is listed",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "toolscope-types-"));
      try {
        const compilerOptions = { rootDir: "/", typeRoots: [join(root, "node_modules", "@types")], paths: { "toolscope-contract": [contract] } };
        const project = { extends: join(here, "tsconfig.json"), compilerOptions, include: [], files: [join(here, "types.test-d.ts")] };
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
        expect(await complaints(join(folder, "tsconfig.json"))).toBe("");
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    60_000,
  );
});

describe("these tests", () => {
  test("are well typed", async () => {
    expect(await complaints(join(here, "tsconfig.json"))).toBe("");
  }, 60_000);
});
