/** A child of a pi session: a pi session of its own, under a scope that its parent's session holds. */
import {
  type AgentSession,
  DefaultResourceLoader,
  SessionManager,
  createAgentSession,
  createCodemodeExtension,
  createMcpExtension,
  createToolSearchExtension,
  getAgentDir,
} from "@earendil-works/pi-coding-agent";
import type { ToolSession } from "toolscope";
import { attachToPi } from "toolscope/pi";

import type { Agent } from "./agents.ts";

const builtIn = [
  { name: "codemode", factory: createCodemodeExtension(), builtin: true },
  { name: "tool-search", factory: createToolSearchExtension(), builtin: true },
  { name: "mcp", factory: createMcpExtension(), builtin: true },
];

/** Opens a session beside `parent`, with its model, its settings and the extensions it has loaded from files. */
async function openBeside(parent: AgentSession, cwd: string, prompt: string): Promise<AgentSession> {
  const loaded = parent.resourceLoader.getExtensions().extensions.map(({ path }) => path);
  const known = builtIn.map(({ name }) => `builtin:${name}`);
  const resourceLoader = new DefaultResourceLoader({
    cwd,
    agentDir: getAgentDir(),
    settingsManager: parent.settingsManager,
    noExtensions: true,
    // Neither inline ones, which are their host's, nor pi's own beyond those above.
    additionalExtensionPaths: loaded.filter((path) => !/^(<|builtin:)/.test(path) || known.includes(path)),
    extensionFactories: builtIn,
    appendSystemPrompt: [prompt],
  });
  await resourceLoader.reload();
  const { session } = await createAgentSession({
    cwd,
    resourceLoader,
    settingsManager: parent.settingsManager,
    sessionManager: SessionManager.inMemory(cwd),
    modelRuntime: parent.modelRuntime,
    thinkingLevel: parent.thinkingLevel,
    ...(parent.model && { model: parent.model }),
  });
  return session;
}

export interface Task {
  parent: AgentSession;
  cwd: string;
  agent: Agent;
  prompt: string;
  /** The child of the parent's session; it ends with the task. */
  scope: ToolSession;
  signal: AbortSignal | undefined;
}

/** Runs a task in a child and returns its last text. */
export async function runTask({ parent, cwd, agent, prompt, scope, signal }: Task): Promise<string> {
  let child: AgentSession | undefined;
  const abort = (): void => void child?.abort();
  try {
    child = await openBeside(parent, cwd, agent.prompt);
    // Before extensions start, so that nothing runs outside the scope.
    attachToPi(child, scope);
    await child.bindExtensions({});
    signal?.throwIfAborted();
    signal?.addEventListener("abort", abort);
    await child.prompt(prompt);
    const last = child.messages.findLast((message) => message.role === "assistant");
    if (last?.stopReason === "error" || last?.stopReason === "aborted")
      throw new Error(`\`${agent.name}\` failed: ${last.errorMessage ?? last.stopReason}`);
    return child.getLastAssistantText() ?? "";
  } finally {
    signal?.removeEventListener("abort", abort);
    // What the child's extensions opened, MCP servers say, they close.
    await child?.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
    child?.dispose();
    scope.dispose();
  }
}
