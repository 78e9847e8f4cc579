/** The agents of a project: one file each in `.pi/agents`. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { CONFIG_DIR_NAME } from "@earendil-works/pi-coding-agent";
import { type AgentFile, parseAgentFile } from "toolscope";

export interface Agent {
  name: string;
  path: string;
  /** What it may have and spawn, and what was wrong with the file. */
  file: AgentFile;
  /** The text below the front matter. */
  prompt: string;
}

/** The agents by name, as the files are now. Of two with one name the first by path counts. */
export function readAgents(cwd: string): Map<string, Agent> {
  const folder = join(cwd, CONFIG_DIR_NAME, "agents");
  const agents = new Map<string, Agent>();
  if (!existsSync(folder)) return agents;
  for (const entry of readdirSync(folder).filter((entry) => entry.endsWith(".md")).sort()) {
    const path = join(folder, entry);
    const text = readFileSync(path, "utf8");
    const file = parseAgentFile(text, { dialect: "pi" });
    const name = file.name ?? entry.slice(0, -".md".length);
    const prompt = text.replace(/^\uFEFF?---[^]*?\n---[^\n]*(\n|$)/, "").trim();
    if (!agents.has(name)) agents.set(name, { name, path, file, prompt });
  }
  return agents;
}
