import type { AgentFile } from "../index.js";
import { crossing, native } from "./native.js";
import { expect, oneOf, options, string } from "./options.js";

type Options = { dialect?: "pi" | "claude" | "toolscope" };

const checks = { dialect: oneOf("pi", "claude", "toolscope") } as const;

/** See index.d.ts. */
export function parseAgentFile(text: string, given: Options = {}): AgentFile {
  expect("the text of an agent file", text, string);
  const { dialect = "toolscope" } = options<Options>("the options of parseAgentFile", given, checks);
  return JSON.parse(crossing(() => native.parseAgentFile(text.toWellFormed(), dialect))) as AgentFile;
}
