/** Which keywords of 2020-12 hold schemas, so that data and names of somebody's are never taken for parts. */
import { isObject } from "./json.js";

type Schema = Record<string, unknown>;

/** Keywords that hold one schema, a list of them, or schemas by name. */
export const single: ReadonlySet<string> = new Set([
  "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items", "contains", "propertyNames", "not", "if", "then", "else",
]);
export const listed: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
export const named: ReadonlySet<string> = new Set(["properties", "$defs", "dependentSchemas"]);

/** The parts of a part, with the steps of a pointer to them. */
export function* partsOf(part: Schema): Generator<[steps: string, part: Schema]> {
  for (const [key, value] of Object.entries(part)) {
    if (single.has(key)) {
      if (isObject(value)) yield [`/${key}`, value];
    } else if (listed.has(key)) {
      for (const [at, one] of (value as Schema[]).entries()) yield [`/${key}/${at}`, one];
    } else if (named.has(key)) {
      for (const [name, one] of Object.entries(value as Schema)) yield [`/${key}/${step(name)}`, one as Schema];
    }
  }
}

/** A part's keywords with other schemas in them. */
export function withParts(part: Schema, other: (part: Schema, keyword: string) => Schema): [keyword: string, value: unknown][] {
  return Object.entries(part).map(([key, value]) => {
    if (single.has(key)) return [key, isObject(value) ? other(value, key) : value];
    if (listed.has(key)) return [key, (value as Schema[]).map((one) => other(one, key))];
    if (!named.has(key)) return [key, value];
    return [key, Object.fromEntries(Object.entries(value as Schema).map(([name, one]) => [name, other(one as Schema, key)]))];
  });
}

/** A name as a step of a pointer in a URI's fragment. */
export function step(name: string): string {
  const escaped = name.replaceAll("~", "~0").replaceAll("/", "~1");
  return escaped.isWellFormed() ? encodeURI(escaped).replaceAll("#", "%23") : escaped;
}
