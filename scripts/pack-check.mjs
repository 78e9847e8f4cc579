// Packs the main package and this machine's platform package as they would be published, installs both into an empty
// project that knows nothing of Rust or of this checkout, and uses them there in every way a user may. Nothing is
// fetched: what the packages do not bring is missing.
import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const windows = process.platform === "win32";
const at = (...parts) => join(root, ...parts);
const local = (name) => at("node_modules", ".bin", windows ? `${name}.cmd` : name);

/** Folders of PATH with neither this checkout's programs nor Rust in them. */
const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => {
  const has = (name) => existsSync(join(folder, windows ? `${name}.exe` : name));
  return folder !== "" && !folder.includes("node_modules") && !has("cargo") && !has("rustc");
});
/** Without what `npm run` adds, which would make a nested npm take over settings of the outer one. */
const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_OPTIONS|NODE_PATH|INIT_CWD|TOOLSCOPE_|NAPI_RS_|VITEST)/i.test(name),
    ),
  ),
  PATH: [...folders, dirname(process.execPath)].join(delimiter),
};

function run(cwd, program, args, extra = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env: { ...environment, ...extra },
    encoding: "utf8",
    timeout: 120_000,
    shell: windows,
  });
  if (error === undefined && status === 0) return stdout;
  throw new Error(
    `\`${program} ${args.join(" ")}\` ${error?.message ?? `ended with ${status}`}\n${stdout ?? ""}${stderr ?? ""}`,
  );
}
function demand(condition, message) {
  if (!condition) throw new Error(message);
}

/** The Nodes to try: this one, the checkout's, and the machine's, each version once. */
function nodes() {
  const candidates = [
    process.execPath,
    local("node"),
    ...folders.map((folder) => join(folder, windows ? "node.exe" : "node")),
  ];
  const byVersion = new Map();
  for (const path of candidates) {
    try {
      accessSync(path, constants.X_OK);
    } catch {
      continue;
    }
    const version = run(root, path, ["--version"]).trim();
    if (!byVersion.has(version)) byVersion.set(version, path);
  }
  return byVersion;
}

/** Packs a folder and returns the path of the tarball and the files in it. */
function pack(folder, destination) {
  const [{ filename, files }] = JSON.parse(
    run(folder, "npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", destination]),
  );
  return { tarball: join(destination, filename), files: files.map((file) => file.path) };
}

/** This machine in the words of the platform packages. */
function platformName() {
  const abi = {
    linux: process.report.getReport().header.glibcVersionRuntime === undefined ? "-musl" : "-gnu",
    win32: "-msvc",
  };
  return `${process.platform}-${process.arch}${abi[process.platform] ?? ""}`;
}
const platform = platformName();
const addon = `toolscope.${platform}.node`;
demand(existsSync(at(addon)), `\`${addon}\` is not there; run \`npm run build\``);
const manifest = JSON.parse(readFileSync(at("package.json"), "utf8"));

const workspace = mkdtempSync(join(tmpdir(), "toolscope-pack-"));
const project = join(workspace, "project");
const modules = join(project, "node_modules");
let packed;

const useCommonJs = `const toolscope = require("toolscope");
require("./smoke.cjs").smoke(toolscope).then(console.log, (error) => { console.error(error); process.exitCode = 1; });
`;
const useModule = `import * as toolscope from "toolscope";
import { createRequire } from "node:module";
import { smoke } from "./smoke.cjs";
const required = createRequire(import.meta.url)("toolscope");
if (required.ToolSession !== toolscope.ToolSession) throw new Error("two copies of ToolSession");
for (const name of Object.keys(required)) if (!(name in toolscope)) throw new Error(\`index.mjs does not export \${name}\`);
console.log(await smoke(toolscope));
`;
const bundled = `import * as toolscope from "toolscope";
import { smoke } from "./smoke.cjs";
smoke(toolscope).then(console.log, (error) => { console.error(error); process.exitCode = 1; });
`;
const typed = `import { ToolscopeError, ToolSession, type Decision } from "toolscope";
const session: ToolSession = new ToolSession({ scope: { allow: ["builtin:read"] } });
const decision: Decision = session.checkScope("read");
export const code: string = decision.allowed ? decision.id : decision.code;
export const isOurs = (error: unknown): error is ToolscopeError => ToolscopeError.isInstance(error);
`;
const shown = "scope, late tools, calls, vetoes, programs, errors and disposal hold";
const smoke = (program, args, extra) =>
  demand(run(project, program, args, extra).includes(shown), `\`${program} ${args.join(" ")}\` did not show it all`);
/** Runs `use` while a folder of node_modules is away. */
function without(name, use) {
  const away = join(workspace, `${name}-away`);
  renameSync(join(modules, name), away);
  try {
    use();
  } finally {
    renameSync(away, join(modules, name));
  }
}
const esbuild = (...args) =>
  run(project, local("esbuild"), ["app.mjs", "--bundle", "--platform=node", "--log-level=warning", ...args]);
/** The platform packages are left out, whichever machine the bundle will run on. */
const external = "--external:toolscope-*";
const requireInModules = `--banner:js=import{createRequire}from"node:module";const require=createRequire(import.meta.url);`;

const steps = {
  "packs the main package: entries, types and loader, no sources and no binary"() {
    packed = pack(root, workspace);
    for (const name of [
      "package.json",
      "LICENSE",
      "index.js",
      "index.mjs",
      "index.d.ts",
      "index.d.mts",
      "binding.js",
      "dist/index.js",
    ]) {
      demand(packed.files.includes(name), `\`${name}\` is not packed; add it to \`files\` in package.json`);
    }
    const stray = packed.files.filter((name) => /\.(node|rs|tsx?|map)$/.test(name) && !/\.d\.ts$/.test(name));
    demand(stray.length === 0, `packed and not wanted: ${stray.join(", ")}`);
  },
  "packs the platform package of this machine: one binary"() {
    const folder = join(workspace, "platform");
    cpSync(at("npm", platform), folder, { recursive: true });
    cpSync(at(addon), join(folder, addon));
    packed.platform = pack(folder, workspace);
    const stray = packed.platform.files.filter((name) => !["README.md", "package.json", addon].includes(name));
    demand(
      packed.platform.files.includes(addon) && stray.length === 0,
      `it holds ${packed.platform.files.join(", ")}, not \`${addon}\` alone`,
    );
  },
  "installs both into an empty project, without Rust and without a registry"() {
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true }));
    run(project, "npm", ["install", "--offline", "--no-audit", "--no-fund", packed.tarball, packed.platform.tarball]);
    cpSync(at("__test__", "runtime", "smoke.cjs"), join(project, "smoke.cjs"));
    writeFileSync(join(project, "use.cjs"), useCommonJs);
    writeFileSync(join(project, "use.mjs"), useModule);
    writeFileSync(join(project, "app.mjs"), bundled);
    writeFileSync(join(project, "typed.mts"), typed);
    writeFileSync(join(project, "typed.cts"), typed);
  },
  "require() on each Node"() {
    for (const node of nodes().values()) smoke(node, ["use.cjs"]);
  },
  "import on each Node, with the classes of require()"() {
    for (const node of nodes().values()) smoke(node, ["use.mjs"]);
  },
  "the adapters load without their hosts, from a module and from CommonJS, over the same core"() {
    for (const name of ["ai-sdk", "mcp", "providers"]) {
      const report = `console.log(Object.keys(adapter).length > 0 && "loaded")`;
      const uses = {
        "adapter.cjs": `const adapter = require("toolscope/${name}"); ${report}`,
        "adapter.mjs": `import * as adapter from "toolscope/${name}"; ${report}`,
      };
      for (const [file, code] of Object.entries(uses)) {
        writeFileSync(join(project, file), code);
        demand(run(project, process.execPath, [file]).trim() === "loaded", `\`toolscope/${name}\` exports nothing`);
      }
    }
    const identity = `const { ToolscopeError } = require("toolscope"); const { connectMcp } = require("toolscope/mcp");
try { connectMcp({}, {}, { name: "x" }) } catch (error) { console.log(error instanceof ToolscopeError) }`;
    demand(run(project, process.execPath, ["-e", identity]).trim() === "true", "an adapter brings a core of its own");
  },
  "TypeScript finds the types from a module and from CommonJS"() {
    run(project, local("tsc"), [
      "--noEmit",
      "--strict",
      "--module",
      "node16",
      "--target",
      "es2022",
      "--lib",
      "es2023,esnext.disposable",
      "--types",
      "node",
      "--typeRoots",
      at("node_modules", "@types"),
      "typed.mts",
      "typed.cts",
    ]);
  },
  "an esbuild bundle (CommonJS, addon external) runs without the main package"() {
    esbuild(external, "--format=cjs", "--outfile=bundle.cjs");
    without("toolscope", () => smoke(process.execPath, ["bundle.cjs"]));
  },
  "an esbuild bundle (ES module, addon external) runs without the main package"() {
    esbuild(external, "--format=esm", "--outfile=bundle.mjs", requireInModules);
    without("toolscope", () => smoke(process.execPath, ["bundle.mjs"]));
  },
  "an esbuild bundle with the binary copied beside it runs without any package"() {
    esbuild("--format=cjs", "--loader:.node=copy", "--outdir=bundle");
    without("toolscope", () =>
      without(`toolscope-${platform}`, () => smoke(process.execPath, [join("bundle", "app.js")])),
    );
  },
  "Bun runs the package"() {
    smoke(local("bun"), ["use.mjs"]);
  },
  "Deno runs the package"() {
    smoke(local("deno"), ["run", "--allow-ffi", "--allow-read", "--allow-env", "--allow-run", "use.mjs"]);
  },
  "without a platform package: ERR_TOOLSCOPE_BINARY_MISSING, with the command that mends it"() {
    const script = `try { new (require("toolscope").ToolSession)() } catch (error) { console.log(error.code, error.message) }`;
    without(`toolscope-${platform}`, () => {
      const output = run(project, process.execPath, ["-e", script]);
      demand(/^ERR_TOOLSCOPE_BINARY_MISSING .*npm install/.test(output), `it said: ${output}`);
    });
  },
  "TOOLSCOPE_BINARY names a binary by its path"() {
    without(`toolscope-${platform}`, () => smoke(process.execPath, ["use.cjs"], { TOOLSCOPE_BINARY: at(addon) }));
  },
};

console.log(`toolscope ${manifest.version} for ${platform}, on Node ${[...nodes().keys()].join(", ")}`);
try {
  for (const [name, step] of Object.entries(steps)) {
    const started = performance.now();
    try {
      step();
      console.log(`ok ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
      console.log(`not ok ${name}\n${error.message.replace(/^/gm, "  ")}`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(workspace, { recursive: true, force: true });
}
