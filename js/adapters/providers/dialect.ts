/** Any JSON Schema a server may have sent, of whichever draft, as plain 2020-12 that every API takes. */
import type { JsonSchema } from "../../../index.js";
import { inKeyOrder, isObject, sorted } from "./json.js";
import { listed, named, single } from "./keywords.js";
import { Link, References } from "./references.js";

type Schema = Record<string, unknown>;
const types = new Set(["null", "boolean", "object", "array", "number", "string", "integer"]);
/** Keywords that may be a boolean, which says more than an empty schema would. */
const orBoolean = new Set(["additionalProperties", "unevaluatedProperties", "unevaluatedItems"]);
/** Keywords of which the value is data, whatever it looks like. */
const dataKeywords = new Set(["const", "default", "examples", "example"]);
const numeric = /^(minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|(min|max)(Length|Items|Properties|Contains))$/;
/** Of a schema's identity and of older drafts: said otherwise below, or of no use to a model. */
const dropped = new Set([
  "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$comment", "$vocabulary",
  "$ref", "$dynamicRef", "$recursiveRef",
  "definitions", "dependencies", "additionalItems", "patternProperties", "nullable",
]);

/**
 * A schema in 2020-12, its references still links. Its keys come in an order that depends on its content alone; so equal
 * content is equal bytes. Linear in its size.
 */
export class PlainSchemas {
  readonly root: Schema;
  readonly #references: References;
  readonly #plain = new Map<Schema, Schema>();
  readonly #wider = new Set<Schema>();

  constructor(schema: JsonSchema) {
    this.#references = new References(schema);
    this.root = this.of(schema);
  }

  /** A part of the schema as it came, in 2020-12. */
  of(part: unknown): Schema {
    if (part === false) return { not: {} };
    if (!isObject(part)) return {};
    let plain = this.#plain.get(part);
    if (plain === undefined) {
      plain = this.#translated(part);
      this.#plain.set(part, plain);
    }
    return plain;
  }

  /** Parts that take more than they did, since all of it could not be said. */
  get wider(): ReadonlySet<Schema> {
    return this.#wider;
  }

  #translated(schema: Schema): Schema {
    const reference = this.#references.of(schema);
    if (reference === false) return { not: {} };
    const modern = modernised(schema, reference === true ? undefined : reference);
    const entries = Object.entries(modern).map(([key, value]) => [key, this.#keyword(key, value, modern)] as const);
    const result = inKeyOrder(entries.filter(([, value]) => value !== undefined));
    const isDead = reference === undefined && ["$ref", "$dynamicRef", "$recursiveRef"].some((key) => typeof schema[key] === "string");
    const isLost = (key: string): boolean => schema[key] !== undefined && result[key] === undefined;
    if (isDead || isLost("pattern") || isLost("type") || !saysPatterns(schema)) this.#wider.add(result);
    // An API that reads types strictly wants to know of what a list is.
    if (isOrHas(result["type"], "array") && result["items"] === undefined && result["prefixItems"] === undefined) result["items"] = {};
    return result;
  }

  /** A keyword's value, or nothing where it is none that the draft knows. */
  #keyword(key: string, value: unknown, { required }: Schema): unknown {
    if (value instanceof Link) return value;
    if (single.has(key)) return typeof value === "boolean" && orBoolean.has(key) ? value : isSchema(value) ? this.of(value) : undefined;
    if (listed.has(key)) return Array.isArray(value) && value.length > 0 ? value.map((one) => this.#listed(one)) : undefined;
    if (named.has(key)) return isObject(value) ? this.#inOrder(value, key === "properties" ? required : undefined) : undefined;
    if (key === "type") return typeOf(value);
    if (key === "required") return Array.isArray(value) ? [...new Set(value.filter((name) => typeof name === "string"))] : undefined;
    if (key === "enum") return Array.isArray(value) && value.length > 0 ? value : undefined;
    if (key === "description" || key === "title" || key === "format") return typeof value === "string" ? value : undefined;
    if (key === "pattern") return typeof value === "string" && compiles(value) ? value : undefined;
    if (numeric.test(key)) return typeof value === "number" && Number.isFinite(value) ? value : undefined;
    // Where a keyword is unknown, what of it is referred to comes to where the reference leads.
    return dataKeywords.has(key) || !refers(value) ? sorted(value) : undefined;
  }

  /** What was written here in other words may stand in a list, and is a link already. */
  #listed(one: unknown): Schema {
    return isObject(one) && one["$ref"] instanceof Link ? one : this.of(one);
  }

  /** Schemas by name: what is required first, as the schema lists it, then by name. */
  #inOrder(schemas: Schema, required: unknown): Schema {
    const first = (Array.isArray(required) ? required : []).filter((name): name is string => Object.hasOwn(schemas, name));
    const names = new Set([...first, ...Object.keys(schemas).sort()]);
    return Object.fromEntries(Array.from(names, (name) => [name, this.of(schemas[name])]));
  }
}

/** Whether there are references in what no draft knows. */
const refers = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.entries(value).some(([key, inner]) => (key === "$ref" && typeof inner === "string") || refers(inner));

const isOrHas = (type: unknown, name: string): boolean => type === name || (Array.isArray(type) && type.includes(name));

/** What older drafts and OpenAPI say in other words, and what is refused by some. */
function modernised(schema: Schema, link: Link | undefined): Schema {
  const { definitions, dependencies, additionalItems, patternProperties, nullable, items } = schema;
  const modern: Schema = Object.fromEntries(Object.entries(schema).filter(([key]) => !dropped.has(key)));
  if (isObject(definitions)) modern["$defs"] = { ...definitions, ...(isObject(modern["$defs"]) ? modern["$defs"] : {}) };
  if (link !== undefined) modern["$ref"] = link;
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
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  if (patterns.length > 0) modern["additionalProperties"] = ofMoreNames(patternProperties as Schema, modern["additionalProperties"]);
  for (const [limit, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const) {
    if (modern[exclusive] !== true) continue;
    modern[exclusive] = modern[limit];
    delete modern[limit];
  }
  if (nullable === true && modern["type"] !== undefined) modern["type"] = [modern["type"], "null"].flat();
  const { $ref, type, anyOf } = modern;
  if (nullable === true && $ref !== undefined && type === undefined && anyOf === undefined) {
    delete modern["$ref"];
    modern["anyOf"] = [{ $ref }, { type: "null" }];
  }
  return modern;
}

/** What holds of names that are not declared, where it was said by patterns: never less than they let pass. */
function ofMoreNames(patterns: Schema, others: unknown): unknown {
  const ofAll = Object.keys(patterns).find((pattern) => matchesAll.test(pattern));
  if (ofAll !== undefined) return patterns[ofAll];
  // Other names are free, so nothing is said of any; saying that they are keeps an `unevaluatedProperties` from them.
  if (others === undefined || others === true) return true;
  const either = [...Object.keys(patterns).sort().map((pattern) => patterns[pattern]), ...(others === false ? [] : [others])];
  return either.length === 1 ? either[0] : { anyOf: either };
}
/** The ways in which "whatever its name" is written. */
const matchesAll = /^(\^?\(?\.[*+]\)?\$?|\^|\.)?$/;

/** Whether all that a part's patterns say is said without them. */
function saysPatterns({ patternProperties, properties }: Schema): boolean {
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  return patterns.length === 0 || (patterns.length === 1 && matchesAll.test(patterns[0] as string) && properties === undefined);
}

const isSchema = (value: unknown): boolean => typeof value === "boolean" || isObject(value);

function typeOf(type: unknown): unknown {
  const known = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string" && types.has(one));
  if (known.length === 0) return undefined;
  return Array.isArray(type) ? [...new Set(known)] : known[0];
}

function compiles(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") !== undefined;
  } catch {
    return false;
  }
}
