// One file for each entry point, so that importing the package opens as few files as it can. The core is one entry and
// everything else finds it through the package's own index.js, so that there is one class identity.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const adapters = readdirSync(join(root, "js"), { recursive: true })
  .map(String)
  // What lies in an adapter's own folder is part of that adapter.
  .filter((name) => /^adapters[\\/][^\\/]+\.ts$/.test(name));

/** The package's own index.js, from however deep in an adapter it is imported. */
const core = {
  name: "core",
  setup({ onResolve }) {
    onResolve({ filter: /index\.js$/ }, ({ path, resolveDir }) =>
      join(resolveDir, path) === join(root, "index.js") ? { path: "../../index.js", external: true } : undefined,
    );
  },
};

/** An adapter's errors are the package's, also those of what it shares with the core. */
const errors = {
  name: "errors",
  setup({ onResolve }) {
    onResolve({ filter: /errors\.js$/ }, ({ path, resolveDir }) =>
      join(resolveDir, path) === join(root, "js", "errors.js") ? { path: "../../index.js", external: true } : undefined,
    );
  },
};

const settings = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  // What an entry reaches outside dist/ (the addon's loader, the core) is found at run time, at the same distance.
  external: ["../binding.js"],
  packages: "external",
  platform: "node",
  format: "cjs",
  target: "node20",
  logLevel: "warning",
};

await build({ ...settings, entryPoints: [{ in: "js/index.ts", out: "index" }], plugins: [core] });
await build({
  ...settings,
  entryPoints: adapters.map((name) => ({ in: join("js", name), out: name.slice(0, -".ts".length) })),
  plugins: [core, errors],
});
