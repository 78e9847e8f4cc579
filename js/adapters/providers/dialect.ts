/** Any JSON Schema a server may have sent, of whichever draft, as plain 2020-12 that every API takes. */
import type { JsonSchema } from "../../../index.js";

type Schema = Record<string, unknown>;
const types = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);
/** Keywords that hold one schema, a list of them, or schemas by name. */
const single = new Set([
  "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items", "contains", "propertyNames", "not", "if", "then", "else",
]);
const listed = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const named = new Set(["properties", "$defs", "dependentSchemas"]);
/** Keywords that may be a boolean, which says more than an empty schema would. */
const orBoolean = new Set(["additionalProperties", "unevaluatedProperties", "unevaluatedItems"]);
const numeric = /^(minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|(min|max)(Length|Items|Properties|Contains))$/;
/** Of a schema's identity and of older drafts: said otherwise below, or of no use to a model. */
const dropped = new Set([
  "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary",
  "definitions", "dependencies", "additionalItems", "patternProperties", "nullable",
]);

export const isObject = (value: unknown): value is Schema => typeof value === "object" && value !== null && !Array.isArray(value);

/** A schema in 2020-12. Its keys come in an order that depends on its content alone; so equal content is equal bytes. */
export const plainSchema = (schema: JsonSchema): Schema => translated(schema);

function translated(schema: unknown): Schema {
  if (schema === false) return { not: {} };
  if (!isObject(schema)) return {};
  const modern = modernised(schema);
  // `fromEntries` and never an assignment: a key may be `__proto__`.
  const entries = Object.keys(modern).sort().map((key) => [key, keyword(key, modern[key], modern)] as const);
  const result: Schema = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  // An API that reads types strictly wants to know of what a list is.
  if (isOrHas(result["type"], "array") && result["items"] === undefined && result["prefixItems"] === undefined) result["items"] = {};
  return result;
}

const isOrHas = (type: unknown, name: string): boolean => type === name || (Array.isArray(type) && type.includes(name));

/** What older drafts and OpenAPI say in other words. */
function modernised(schema: Schema): Schema {
  const { definitions, dependencies, additionalItems, patternProperties, nullable, items } = schema;
  const modern: Schema = Object.fromEntries(Object.entries(schema).filter(([key]) => !dropped.has(key)));
  if (isObject(definitions)) modern["$defs"] = { ...definitions, ...(isObject(modern["$defs"]) ? modern["$defs"] : {}) };
  if (typeof modern["$ref"] === "string") modern["$ref"] = modernPointer(modern["$ref"]);
  if (Array.isArray(items)) {
    modern["prefixItems"] = items;
    if (additionalItems === undefined) delete modern["items"];
    else modern["items"] = additionalItems;
  }
  if (isObject(dependencies)) {
    for (const [key, value] of Object.entries(dependencies)) {
      const keyed = Array.isArray(value) ? "dependentRequired" : "dependentSchemas";
      modern[keyed] = { ...(isObject(modern[keyed]) ? modern[keyed] : {}), [key]: value };
    }
  }
  // Regular expressions over names are refused by some; that there may be more names is what they say to a model.
  if (isObject(patternProperties) && !isObject(modern["additionalProperties"])) {
    const [only, ...more] = Object.values(patternProperties);
    if (only !== undefined) modern["additionalProperties"] = more.length === 0 ? only : {};
  }
  for (const [limit, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const) {
    if (modern[exclusive] !== true) continue;
    modern[exclusive] = modern[limit];
    delete modern[limit];
  }
  if (nullable === true && typeof modern["type"] === "string") modern["type"] = [modern["type"], "null"];
  const { $ref, type, anyOf } = modern;
  if (nullable === true && $ref !== undefined && type === undefined && anyOf === undefined) {
    delete modern["$ref"];
    modern["anyOf"] = [{ $ref }, { type: "null" }];
  }
  return modern;
}

/** A pointer into the schema as it was, as one into what it becomes. A name of somebody's is never a keyword. */
function modernPointer(reference: string): string {
  let isName = false;
  const steps = reference.split("/");
  return steps.map((step, at) => {
    const keyword = isName ? undefined : step;
    isName = keyword !== undefined && (named.has(keyword) || keyword === "definitions" || keyword === "dependencies");
    if (keyword === "definitions") return "$defs";
    if (keyword === "dependencies") return "dependentSchemas";
    return keyword === "items" && /^\d+$/.test(steps[at + 1] ?? "") ? "prefixItems" : step;
  }).join("/");
}

/** A keyword's value, or nothing where it is none that the draft knows. */
function keyword(key: string, value: unknown, { required }: Schema): unknown {
  if (single.has(key)) return typeof value === "boolean" && orBoolean.has(key) ? value : isSchema(value) ? translated(value) : undefined;
  if (listed.has(key)) return Array.isArray(value) && value.length > 0 ? value.map(translated) : undefined;
  if (named.has(key)) return isObject(value) ? inOrder(value, key === "properties" ? required : undefined) : undefined;
  if (key === "type") return typeOf(value);
  if (key === "required") return Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === "string"))] : undefined;
  if (key === "enum") return Array.isArray(value) && value.length > 0 ? value : undefined;
  if (key === "description" || key === "title" || key === "format") return typeof value === "string" ? value : undefined;
  if (key === "pattern") return typeof value === "string" && compiles(value) ? value : undefined;
  if (key === "$ref") return typeof value === "string" ? value : undefined;
  if (numeric.test(key)) return typeof value === "number" && Number.isFinite(value) ? value : undefined;
  return sorted(value);
}

const isSchema = (value: unknown): boolean => typeof value === "boolean" || isObject(value);

function typeOf(type: unknown): unknown {
  const known = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string" && types.has(one));
  if (known.length === 0) return undefined;
  return Array.isArray(type) ? [...new Set(known)] : known[0];
}

/** Schemas by name: what is required first, as the schema lists it, then by name. */
function inOrder(schemas: Schema, required: unknown): Schema {
  const first = (Array.isArray(required) ? required : []).filter((name): name is string => Object.hasOwn(schemas, name));
  const names = new Set([...first, ...Object.keys(schemas).sort()]);
  return Object.fromEntries(Array.from(names, (name) => [name, translated(schemas[name])]));
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") !== undefined;
  } catch {
    return false;
  }
}

/** Plain data with its keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

/** What a reference within a schema points at. */
export function targetOf(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = unescaped(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
  }
  return isSchema(at) ? at : undefined;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Without references that lead nowhere: no API follows one to another document. */
export function withoutDeadReferences<T extends Schema>(root: T): T {
  const live = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(live);
    if (!isObject(node)) return node;
    const { $ref } = node;
    const isDead = typeof $ref === "string" && targetOf(root, $ref) === undefined;
    return Object.fromEntries(Object.entries(node).flatMap(([key, value]) => (isDead && key === "$ref" ? [] : [[key, live(value)]])));
  };
  return live(root) as T;
}
