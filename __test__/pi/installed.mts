// The examples for pi, installed as users install one: in a folder of its own, with toolscope in its node_modules.
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { folder, piFolder } from "./session.mts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where the example is; the other ones for pi lie beside it. */
export function installed(example: "pi-extension" | "pi-subagent"): string {
  const at = folder();
  for (const name of ["pi-extension", "pi-subagent"])
    cpSync(join(root, "examples", name), join(at, name), { recursive: true });
  mkdirSync(join(at, "node_modules", "@earendil-works"), { recursive: true });
  symlinkSync(root, join(at, "node_modules", "toolscope"), "dir");
  symlinkSync(piFolder, join(at, "node_modules", "@earendil-works", "pi-coding-agent"), "dir");
  return join(at, example);
}
