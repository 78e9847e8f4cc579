/** One definition of a prepared request as a tool of the AI SDK. */
import type { ToolDefinition } from "../../../index.js";
import type { Doors, Target } from "./door.js";
import type { AiExecute, AiTool, Original } from "./original.js";
import { modelOutputOf } from "./result.js";

/** The mark by which the AI SDK knows its own schemas. */
const mark = Symbol.for("vercel.ai.schema");

/** A schema in the AI SDK's own form. */
const schemaOf = (jsonSchema: object, validate: unknown): never =>
  ({ [mark]: true, _type: undefined, jsonSchema, validate }) as never;

/** A caller of tools: code mode, bound by each step to the tools it may call. */
interface LocalCaller {
  readonly type: string;
  bind?(tools: object): AiTool;
}

/** What a model is shown of a tool, with the door in its `execute`; `original` is the host's own tool behind it. */
export function shown(doors: Doors, definition: ToolDefinition, original: Original | undefined): AiTool {
  const { id, name, description, inputSchema, outputSchema } = definition;
  if (original !== undefined) return guarded(doors, { id, name }, rewritten(original, definition));
  return {
    type: "dynamic",
    description: description === "" ? undefined : description,
    inputSchema: schemaOf(inputSchema, undefined),
    ...(outputSchema !== undefined && { outputSchema: schemaOf(outputSchema, undefined) }),
    execute: doors.ofDeclaration({ id, name }),
    toModelOutput: ({ output }: { output: unknown }) => modelOutputOf(output),
  } as AiTool;
}

/** A tool of the host's, with the description and schema that a provider gave it; it takes its input as it always did. */
function rewritten({ tool, description, inputSchema }: Original, definition: ToolDefinition): AiTool {
  const isDescribedAnew = definition.description !== description;
  const isShapedAnew = inputSchema !== undefined && JSON.stringify(definition.inputSchema) !== JSON.stringify(inputSchema);
  if (!isDescribedAnew && !isShapedAnew) return tool;
  return {
    ...tool,
    ...(isDescribedAnew && { description: definition.description }),
    ...(isShapedAnew && { inputSchema: schemaOf(definition.inputSchema, validatorOf(tool.inputSchema)) }),
  } as AiTool;
}

/** How a schema validates, in the AI SDK's own form: its own, or that of a Standard Schema. */
function validatorOf(schema: unknown): unknown {
  if (typeof schema === "function" && !("~standard" in schema)) return validatorOf((schema as () => unknown)());
  const { [mark]: isOwn, validate } = schema as { [mark]?: true; validate?: unknown };
  if (isOwn) return validate;
  const standard = (schema as { "~standard"?: { validate(value: unknown): unknown } })["~standard"];
  if (standard === undefined) return undefined;
  return async (value: unknown): Promise<object> => {
    const { value: parsed, issues } = (await standard.validate(value)) as { value?: unknown; issues?: readonly { message: string }[] };
    if (issues === undefined) return { success: true, value: parsed };
    return { success: false, error: new TypeError(issues.map(({ message }) => message).join("; ")) };
  };
}

function guarded(doors: Doors, target: Target, tool: AiTool): AiTool {
  const caller = (tool as { experimental_toolCaller?: LocalCaller }).experimental_toolCaller;
  const bind = caller?.bind;
  return {
    ...tool,
    ...(tool.execute !== undefined && { execute: doors.ofOriginal(target, tool) as AiExecute }),
    // Each step puts what `bind` returns in the tool's place.
    ...(bind !== undefined && {
      experimental_toolCaller: { ...caller, bind: (tools: object) => guarded(doors, target, bind.call(caller, tools)) },
    }),
  } as AiTool;
}
