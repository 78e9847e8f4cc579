// The inventories and call traces that benches read; they are not part of the repository.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the data: `data` in TOOLSCOPE_DATA, else in `../shared` beside the checkout. */
const shared = process.env.TOOLSCOPE_DATA ?? join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "shared");
export const dataFolder = join(resolve(shared), "data");

export const hasData = () => existsSync(join(dataFolder, "livemcpbench", "tools.jsonl"));

export const lines = (...path) =>
  readFileSync(join(dataFolder, ...path), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));

/** A set's tools as the package takes them; their ids are those of the set's queries and calls. */
export const tools = (set) =>
  lines(set, "tools.jsonl").map((tool) => ({
    source: tool.server,
    ...(tool.serverDescription ? { sourceDescription: tool.serverDescription } : {}),
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
  }));

export const sets = ["livemcpbench", "toolgym_smithery", "bfcl", "github_mcp", "docker_registry"];
