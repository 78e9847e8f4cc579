/**
 * A `task` tool that runs a subagent from `.pi/agents/*.md` in a pi session of its own. Whatever its file says, it has no
 * tool that the session it was spawned from has not.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { ToolSession } from "toolscope";
import { attachToPi, attachmentOf } from "toolscope/pi";
import { Type } from "typebox";

import { sessionOf } from "../pi-extension/session.ts";
import { type Agent, readAgents } from "./agents.ts";
import { runTask } from "./child.ts";

/** The agent's scope below `parent`. `spawner` is the id of the tool that spawns. */
function spawn(parent: ToolSession, { name, file: { scope, spawns = [] } }: Agent, spawner: string): ToolSession {
  const exclude = [...(scope.exclude ?? []), ...(spawns.length === 0 ? [spawner] : [])];
  const child = parent.spawn({ name, scope: { ...scope, exclude } });
  child.on("before_tool_call", ({ id, path, input }) => {
    const { agent } = (input ?? {}) as { agent?: string };
    // Guards hear of descendants' calls too; whom those may spawn is their own files' matter.
    if (id !== spawner || path.length !== child.path.length || spawns === "all" || spawns.includes(agent ?? "")) return;
    return { block: true, reason: `\`${name}\` may not spawn \`${agent}\`; it may spawn ${spawns.join(", ")}` };
  });
  return child;
}

export default function subagents(pi: ExtensionAPI): void {
  pi.on("session_start", async (_event, ctx) => {
    const agents = ctx.isProjectTrusted() ? readAgents(ctx.cwd) : new Map<string, Agent>();
    if (agents.size === 0) return;
    const session = sessionOf(pi);
    // Another extension's scope or, in a child, its parent's may be there already.
    if (attachmentOf(session) === undefined) attachToPi(session, {}, { session: { limits: { depth: 4 } } });
    for (const { path, file } of agents.values()) {
      for (const { line, column, message } of file.diagnostics)
        ctx.ui.notify(`${path}:${line}:${column} ${message}`, "warning");
    }

    const names = [...agents.keys()].join(", ");
    pi.registerTool({
      name: "task",
      label: "Task",
      description: `Gives a task to a subagent and returns its answer. Agents: ${names}.`,
      parameters: Type.Object({
        agent: Type.String({ description: "Name of the agent" }),
        prompt: Type.String({ description: "The whole task; the agent knows nothing else" }),
      }),
      async execute(_callId, { agent: name, prompt }, signal) {
        const agent = readAgents(ctx.cwd).get(name);
        if (agent === undefined) throw new Error(`there is no agent \`${name}\`; there are ${names}`);
        const parent = attachmentOf(session)?.session;
        const spawner = parent?.checkScope("task").id;
        if (parent === undefined || spawner === undefined)
          throw new Error("this session is under no scope any more; /reload puts it under one");
        const scope = spawn(parent, agent, spawner);
        const text = await runTask({ parent: session, cwd: ctx.cwd, agent, prompt, scope, signal });
        return { content: [{ type: "text", text }], details: { path: scope.path } };
      },
    });
  });
}
