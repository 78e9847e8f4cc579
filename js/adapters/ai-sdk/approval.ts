/** Whether a call waits for a person, asked of the host as the AI SDK asks: its configuration first, then the tool's own word. */
import type { GenericToolApprovalFunction, ToolApprovalConfiguration, ToolSet } from "ai" with { "resolution-mode": "import" };
import type { SessionEvents, ToolSession } from "../../../index.js";
import type { AiTool } from "./original.js";
import type { ToolRecord } from "./record.js";
import { validatorOf } from "./schema.js";

// The context types of a host are its own; nothing here reads them.
type AnyContext = any;
export type Approval = ToolApprovalConfiguration<ToolSet, AnyContext>;
export type Approve = GenericToolApprovalFunction<ToolSet, AnyContext, AnyContext>;
export type Status = Awaited<ReturnType<Approve>>;

export async function approvalOf(configured: Approval | undefined, tool: AiTool | undefined, asked: Parameters<Approve>[0]): Promise<Status> {
  if (typeof configured === "function") return configured(asked);
  const { toolName, toolCallId, input } = asked.toolCall;
  const own = configured !== undefined && Object.hasOwn(configured, toolName) ? configured[toolName] : undefined;
  const { messages, runtimeContext } = asked;
  if (own !== undefined && own !== null) {
    if (typeof own !== "function") return own;
    return own(input as never, { toolCallId, messages, toolContext: await contextOf(tool, asked), runtimeContext } as never);
  }
  if (typeof tool?.needsApproval !== "function") return tool?.needsApproval ? "user-approval" : undefined;
  const context = await contextOf(tool, asked);
  return (await tool.needsApproval(input as never, { toolCallId, messages, context } as never)) ? "user-approval" : undefined;
}

/** A tool's context as its own schema reads it: with its defaults, which may be what asks for an approval. */
async function contextOf(tool: AiTool | undefined, { toolCall: { toolName }, toolsContext }: Parameters<Approve>[0]): Promise<unknown> {
  const contexts = (toolsContext ?? {}) as Record<string, unknown>;
  const context = Object.hasOwn(contexts, toolName) ? contexts[toolName] : undefined;
  const schema: unknown = tool?.contextSchema;
  const validated = schema === undefined || schema === null ? undefined : await validatorOf(schema)?.(context);
  if (validated === undefined) return context;
  if (validated.success) return validated.value;
  throw new TypeError(`the context of tool \`${toolName}\` is not what its \`contextSchema\` asks for: ${validated.error.message}`);
}

/**
 * Has the host's configuration asked about calls from code as well, of this session and its descendants, until what it
 * returns is called. The AI SDK asks nothing there and no person is there to answer, so what is not free is refused.
 */
export function guardCode(session: ToolSession, configured: Approval, record: ToolRecord): () => void {
  const ask = async (id: string, toolCallId: string, input: unknown): Promise<{ block: true; reason: string } | undefined> => {
    const toolName = record.nameOf(id) ?? id;
    const toolCall = { type: "tool-call", toolCallId, toolName, input, dynamic: true } as const;
    const nothing = { messages: [], toolsContext: {}, runtimeContext: {} };
    // The tool's own word is its exposure, so only the configuration's is asked here.
    const status = (await approvalOf(configured, undefined, { toolCall, tools: record.tools, ...nothing })) ?? "not-applicable";
    const { type, reason = undefined } = typeof status === "string" ? { type: status } : status;
    if (type === "approved" || type === "not-applicable") return undefined;
    if (type === "denied") return { block: true, reason: reason ?? `\`${toolName}\` is denied by the host` };
    return { block: true, reason: `\`${toolName}\` needs an approval, which a program cannot wait for; call it directly` };
  };
  const listener: SessionEvents["before_tool_call"] = ({ id, callId = "", parentCallId, input }) =>
    parentCallId === undefined ? undefined : ask(id, callId, input);
  return session.on("before_tool_call", listener, { name: "toolApproval" });
}
