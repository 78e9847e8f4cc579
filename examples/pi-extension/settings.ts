/** The settings file: `.pi/scope.json` of a trusted project, else `scope.json` in pi's own folder. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { CONFIG_DIR_NAME, getAgentDir } from "@earendil-works/pi-coding-agent";
import type { ScopeSpec } from "toolscope";

export interface ScopeSettings {
  path: string;
  scope: ScopeSpec;
  /** What is wrong with the file; the scope is empty then. */
  problem?: string;
}

const keys = ["allow", "exclude", "required", "sealed", "requireGuards"];

/** The scope that holds in this folder, or undefined where no file says one. */
export function readScope(cwd: string, isTrusted: boolean): ScopeSettings | undefined {
  const candidates = [
    ...(isTrusted ? [join(cwd, CONFIG_DIR_NAME, "scope.json")] : []),
    join(getAgentDir(), "scope.json"),
  ];
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined) return undefined;
  try {
    const scope: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof scope !== "object" || scope === null || Array.isArray(scope)) throw new Error("it holds no object");
    const unknown = Object.keys(scope).find((key) => !keys.includes(key));
    if (unknown !== undefined) throw new Error(`\`${unknown}\` is none of ${keys.join(", ")}`);
    return { path, scope };
  } catch (error) {
    // Whoever wrote the file wanted less than everything.
    return { path, scope: { allow: [] }, problem: error instanceof Error ? error.message : String(error) };
  }
}
