/** One definition of a prepared request as a tool of the AI SDK. */
import type { ToolDefinition } from "../../../index.js";
import { derived } from "./derived.js";
import type { Doors, Target } from "./door.js";
import type { AiExecute, AiTool, Original } from "./original.js";
import { modelOutputOf } from "./result.js";
import { schemaOf, validatorOf } from "./schema.js";

/** The mark of the AI SDK's own tool search, whose `execute` each step replaces. */
const search = Symbol.for("vercel.ai.toolSearch");

/** Whether the AI SDK runs what is shown of a tool by the `execute` that holds the door. */
export const hasDoor = (tool: AiTool | undefined): boolean =>
  tool?.execute !== undefined && (tool as { [search]?: unknown })[search] !== true;

/** A caller of tools: code mode, bound by each step to the tools it may call. */
interface LocalCaller {
  readonly type: string;
  bind?(tools: object): AiTool;
}

/** What a model is shown of a tool, with the door in its `execute`; `original` is the host's own tool behind it. */
export function shown(doors: Doors, definition: ToolDefinition, original: Original | undefined): AiTool {
  const { id, name, description, inputSchema, outputSchema } = definition;
  if (original !== undefined) return guarded(doors, { id, name }, original.tool, rewritten(original, definition));
  return {
    type: "dynamic",
    description: description === "" ? undefined : description,
    inputSchema: schemaOf(inputSchema, undefined),
    ...(outputSchema !== undefined && { outputSchema: schemaOf(outputSchema, undefined) }),
    execute: doors.ofDeclaration({ id, name }),
    toModelOutput: ({ output }: { output: unknown }) => modelOutputOf(output, id.startsWith("mcp:")),
  } as AiTool;
}

/** What a provider changed of a tool of the host's, which takes its input as it always did. */
function rewritten({ tool, description, inputSchema }: Original, definition: ToolDefinition): Partial<AiTool> {
  const isDescribedAnew = definition.description !== description;
  const isShapedAnew = inputSchema !== undefined && JSON.stringify(definition.inputSchema) !== JSON.stringify(inputSchema);
  return {
    ...(isDescribedAnew && { description: definition.description }),
    ...(isShapedAnew && { inputSchema: schemaOf(definition.inputSchema, validatorOf(tool.inputSchema)) }),
  } as Partial<AiTool>;
}

function guarded(doors: Doors, target: Target, tool: AiTool, changes: Partial<AiTool> = {}): AiTool {
  const caller = (tool as { experimental_toolCaller?: LocalCaller }).experimental_toolCaller;
  // Each step puts what `bind` returns in the tool's place.
  const bind = caller?.bind && ((tools: object) => guarded(doors, target, (caller as Required<LocalCaller>).bind(tools)));
  return derived(tool, {
    ...changes,
    ...(tool.execute !== undefined && { execute: doors.ofOriginal(target, tool) as AiExecute }),
    ...(caller !== undefined && bind !== undefined && { experimental_toolCaller: derived(caller, { bind }) }),
  } as Partial<AiTool>);
}
