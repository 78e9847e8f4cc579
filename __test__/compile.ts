// Compiles files as a user's strict project would, against the packages' published types.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));

/** What the compiler has to say: nothing, where all is well. `paths` puts files in the place of packages. */
export async function compile(files: readonly string[], paths: Record<string, string[]> = {}): Promise<string> {
  const folder = await mkdtemp(join(here, "compiled-"));
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: "node16",
    target: "es2022",
    lib: ["es2024", "esnext.disposable", "dom"],
    types: ["node"],
    paths,
  };
  try {
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const tsc = join(here, "..", "node_modules", "typescript", "bin", "tsc");
    const run = promisify(execFile)(process.execPath, [tsc, "-p", folder], { cwd: folder });
    return await run.then(({ stdout }) => stdout, ({ stdout }: { stdout: string }) => stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}
