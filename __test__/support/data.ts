import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SourcedTool } from "../../index.js";

/** The folder of the inventories: `data` in TOOLSCOPE_DATA, else in `../shared` beside the checkout. */
export const dataFolder: string = join(resolve(process.env["TOOLSCOPE_DATA"] ?? join(import.meta.dirname, "../../../shared")), "data");

/** Tests that need the inventories are skipped, visibly, where they are absent. */
export const hasData: boolean = existsSync(join(dataFolder, "livemcpbench", "tools.jsonl"));

export const sets = ["livemcpbench", "toolgym_smithery", "bfcl", "github_mcp", "docker_registry"] as const;

export function lines<T>(...path: string[]): T[] {
  return readFileSync(join(dataFolder, ...path), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as T);
}

export function tools(set: string): SourcedTool[] {
  type Line = { server: string; serverDescription?: string; name: string; description: string; inputSchema: object; category?: string };
  return lines<Line>(set, "tools.jsonl").map((tool) => ({
    source: tool.server,
    ...(tool.serverDescription === undefined ? {} : { sourceDescription: tool.serverDescription }),
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema as SourcedTool["inputSchema"] & object,
    ...(tool.category === undefined ? {} : { category: tool.category }),
  }));
}
