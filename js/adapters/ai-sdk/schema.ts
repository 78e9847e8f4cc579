/** Schemas in the forms that the AI SDK takes: its own, Standard Schema, and functions that return one of these. */
import { type JsonSchema, ToolscopeError } from "../../../index.js";

/** The mark by which the AI SDK knows its own schemas. */
const mark = Symbol.for("vercel.ai.schema");

/** How a schema of the AI SDK's says whether a value is one of its own. */
export type Validate = (value: unknown) => Validated | PromiseLike<Validated>;
type Validated = { success: true; value: unknown } | { success: false; error: Error };

/** A schema in the AI SDK's own form. */
export const schemaOf = (jsonSchema: object, validate: Validate | undefined): never =>
  ({ [mark]: true, _type: undefined, jsonSchema, validate }) as never;

/** How a schema validates, in the AI SDK's own form. */
export function validatorOf(schema: unknown): Validate | undefined {
  if (typeof schema === "function" && !("~standard" in schema)) return validatorOf((schema as () => unknown)());
  const own = schema as { [mark]?: true; validate?: Validate };
  if (own[mark]) return own.validate && ((value) => (own.validate as Validate)(value));
  const standard = (schema as { "~standard"?: { validate(value: unknown): unknown } })["~standard"];
  if (standard === undefined) return undefined;
  return async (value) => {
    const { value: parsed, issues } = (await standard.validate(value)) as { value?: unknown; issues?: readonly { message: string }[] };
    if (issues === undefined) return { success: true, value: parsed };
    return { success: false, error: new TypeError(issues.map(({ message }) => message).join("; ")) };
  };
}

/** The JSON Schema that a schema tells; `name` is the tool's whose input it is of. */
export function jsonSchemaOf(name: string, schema: unknown): JsonSchema | Promise<JsonSchema> {
  if (typeof schema === "function" && !("~standard" in schema)) return jsonSchemaOf(name, (schema as () => unknown)());
  const { jsonSchema, "~standard": standard } = (schema ?? {}) as {
    jsonSchema?: JsonSchema | PromiseLike<JsonSchema>;
    "~standard"?: { jsonSchema?: { input(options: { target: string }): JsonSchema } };
  };
  if (jsonSchema !== undefined) {
    return typeof (jsonSchema as PromiseLike<JsonSchema>).then === "function"
      ? Promise.resolve(jsonSchema).then(plain)
      : plain(jsonSchema as JsonSchema);
  }
  if (standard?.jsonSchema !== undefined) return plain(standard.jsonSchema.input({ target: "draft-07" }));
  throw new ToolscopeError(
    "ERR_TOOLSCOPE_INVALID_ARGUMENT",
    `the \`inputSchema\` of tool \`${name}\` does not tell its JSON Schema; wrap it with \`zodSchema()\` or \`jsonSchema()\` of \`ai\``,
  );
}

/** What JSON says of a schema: libraries hang more on theirs. */
const plain = (schema: JsonSchema): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;
