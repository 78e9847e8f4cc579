/** Whether a call waits for a person, asked of the host as the AI SDK asks: its configuration first, then the tool's own word. */
import type { GenericToolApprovalFunction, ToolApprovalConfiguration, ToolSet } from "ai" with { "resolution-mode": "import" };
import type { AiTool } from "./original.js";
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
