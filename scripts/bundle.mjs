// One file for each entry point, so that importing the package opens as few files as it can. The core is one entry and
// everything else finds it through the package's own index.js, so that there is one class identity.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const adapters = readdirSync(join(root, "js"), { recursive: true })
  .map(String)
  .filter((name) => name.startsWith(`adapters`) && name.endsWith(".ts"));

await build({
  absWorkingDir: root,
  entryPoints: ["js/index.ts", ...adapters.map((name) => join("js", name))],
  outbase: "js",
  outdir: "dist",
  bundle: true,
  // What an entry reaches outside dist/ (the addon's loader, the core) is found at run time, at the same distance.
  external: ["../binding.js", "../../index.js"],
  packages: "external",
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "warning",
});
