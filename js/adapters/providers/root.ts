/** The root of a tool's schema: an object without choices, since that is all the APIs take there. */
import type { JsonSchema } from "../../../index.js";
import { PlainSchemas } from "./dialect.js";
import { inKeyOrder, isObject } from "./json.js";
import { Link } from "./references.js";
import { written } from "./written.js";

type Schema = Record<string, unknown>;
export type RootSchema = { type: "object"; properties: Schema; required?: string[]; [key: string]: unknown };

/** What no API takes at the root. */
const notAtRoot = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const", "if", "then", "else", "dependentSchemas"];

/** A schema may refer to itself in ways that double with each step; what is past this many parts is not merged. */
const MOST_PARTS = 1_000;

const roots = new WeakMap<JsonSchema, RootSchema>();

/**
 * A tool's schema as APIs take it. Alternatives at the root become the properties of all of them, with a word on which
 * belong together; a property that some of them, or a condition, leave undeclared is shown as the others have it. It is what
 * the model is shown; the tool's own validation is untouched.
 */
export function rootSchema(schema: JsonSchema): RootSchema {
  let root = roots.get(schema);
  if (root === undefined) {
    root = flattened(new PlainSchemas(schema));
    roots.set(schema, root);
  }
  return root;
}

function flattened(schemas: PlainSchemas): RootSchema {
  const schema = schemas.root;
  const { properties, required, notes, isOpen } = merged(schema, { schemas, parts: 0 }, new Set());
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !notAtRoot.includes(key)));
  const { description } = schema;
  const said = [description, ...notes].filter((text) => typeof text === "string");
  const result: Schema = { ...rest, type: "object", properties };
  if (said.length > 0) result["description"] = said.join(" ");
  // What a part requires may be declared by another part.
  const known = [...new Set(required)].filter((name) => Object.hasOwn(properties, name));
  if (known.length > 0) result["required"] = known;
  else delete result["required"];
  // Names that a part lets pass undeclared are not told from others any more.
  if (isOpen) delete result["unevaluatedProperties"];
  // What refers to the root means it as it was, in case that is not what is sent.
  const asIs = (schema["required"] as unknown[] | undefined) ?? [];
  const isSame = schema["type"] === "object" && !notAtRoot.some((key) => key in schema) && known.length === asIs.length;
  return written(inKeyOrder(Object.entries(result)), schemas, isSame) as RootSchema;
}

interface Merged {
  properties: Schema;
  required: string[];
  notes: string[];
  /** Whether a part lets names pass that it does not declare. */
  isOpen: boolean;
}

/** A node's properties with those of what it refers to and is made of. */
function merged(node: Schema, walk: { readonly schemas: PlainSchemas; parts: number }, seen: Set<Schema>): Merged {
  const { properties, required = [] } = node as { properties?: Schema; required?: string[] };
  const isPart = seen.size > 0;
  const isOpen = node["if"] !== undefined || (isPart && ["additionalProperties", "unevaluatedProperties"].some((key) => key in node));
  const result: Merged = { properties: { ...properties }, required: [...required], notes: [], isOpen };
  if (seen.has(node)) return result;
  if (walk.parts > MOST_PARTS) return { ...result, isOpen: true };
  walk.parts += 1;
  const within = new Set(seen).add(node);
  const { $ref } = node;
  const whole = (Array.isArray(node["allOf"]) ? node["allOf"] : []) as Schema[];
  for (const part of $ref instanceof Link ? [walk.schemas.of($ref.target), ...whole] : whole) {
    const inner = merged(part, walk, within);
    add(result.properties, inner.properties);
    result.required.push(...inner.required);
    result.notes.push(...inner.notes);
    result.isOpen ||= inner.isOpen;
  }
  for (const [key, word] of [["anyOf", "At least one"], ["oneOf", "Exactly one"]] as const) {
    const choices = ((node[key] as Schema[] | undefined) ?? []).map((choice) => merged(choice, walk, within));
    for (const choice of choices) {
      add(result.properties, choice.properties);
      result.isOpen ||= choice.isOpen;
    }
    const inAll = (name: string): boolean => choices.every((choice) => choice.required.includes(name));
    result.required.push(...(choices[0]?.required ?? []).filter(inAll));
    const sets = choices.map((choice) => choice.required.join(", ")).filter((names) => names !== "");
    if (sets.length > 1) result.notes.push(`${word} of these sets of parameters is required: ${sets.join("; ")}.`);
  }
  for (const part of conditional(node)) {
    const inner = merged(part, walk, within);
    add(result.properties, inner.properties);
    result.isOpen ||= inner.isOpen;
  }
  return result;
}

/** What holds of some inputs only: its parameters are there to be given, and none of them is required of all. */
function conditional(node: Schema): Schema[] {
  const { then, else: otherwise, dependentSchemas } = node;
  return [then, otherwise, ...(isObject(dependentSchemas) ? Object.values(dependentSchemas) : [])].filter(isObject);
}

/** Where two alternatives give a property different schemas, either will do. */
function add(properties: Schema, more: Schema): void {
  for (const [name, schema] of Object.entries(more)) {
    const before = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isNew = before === undefined || JSON.stringify(before) === JSON.stringify(schema);
    const value = isNew ? schema : { anyOf: [before, schema] };
    Object.defineProperty(properties, name, { value, enumerable: true, configurable: true, writable: true });
  }
}
