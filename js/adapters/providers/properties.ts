/** Property names as the Messages API takes them, and back. */
import type { JsonSchema } from "../../../index.js";
import { inKeyOrder, isObject } from "./json.js";
import { step, withParts } from "./keywords.js";
import { type RootSchema, rootSchema } from "./root.js";

type Schema = Record<string, unknown>;
const legal = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Names at the root that have to be written otherwise: the API's own → the tool's. */
function renamed({ properties }: RootSchema): Map<string, string> {
  const taken = new Set(Object.keys(properties).filter((name) => legal.test(name)));
  const names = new Map<string, string>();
  for (const name of Object.keys(properties)) {
    if (legal.test(name)) continue;
    const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 60) || "_";
    let safe = plain;
    for (let number = 2; taken.has(safe); number++) safe = `${plain}_${number}`;
    taken.add(safe);
    names.set(safe, name);
  }
  return names;
}

/** The schema with every property's name as the API takes it: that is asked of the root alone. */
export function withLegalProperties(root: RootSchema): RootSchema {
  const names = renamed(root);
  if (names.size === 0) return root;
  const safe = new Map(Array.from(names, ([to, from]) => [from, to]));
  const legalOf = (name: string): string => safe.get(name) ?? name;
  const { properties, required, dependentRequired, propertyNames: _ofOtherNames, ...rest } = root;
  const made: Schema = { ...rest, properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [legalOf(name), schema])) };
  if (required !== undefined) made["required"] = required.map(legalOf);
  if (isObject(dependentRequired)) {
    made["dependentRequired"] = inKeyOrder(Object.entries(dependentRequired).map(([name, needed]) => [
      legalOf(name), Array.isArray(needed) ? needed.map((one) => (typeof one === "string" ? legalOf(one) : one)) : needed,
    ]));
  }
  const definitions = isObject(root["$defs"]) ? root["$defs"] : {};
  let own = "root";
  for (let number = 2; Object.hasOwn(definitions, own); number++) own = `root_${number}`;
  const pointers = new Map(Array.from(safe, ([from, to]) => [step(from), to]));
  let isSelfReferring = false;
  const place = (reference: string): string => {
    // Within itself the schema has the tool's names: they are taken back in a call's input at the root alone.
    if (reference === "#") isSelfReferring = true;
    if (reference === "#") return `#/$defs/${own}`;
    const [, name, inner = ""] = /^#\/properties\/([^/]*)(.*)$/.exec(reference) ?? [];
    return name === undefined ? reference : `#/properties/${pointers.get(name) ?? name}${inner}`;
  };
  const result = withReferences(made, place);
  if (isSelfReferring) {
    const { $defs: _, ...whole } = root;
    result["$defs"] = inKeyOrder([...Object.entries(isObject(result["$defs"]) ? result["$defs"] : {}), [own, withReferences(whole, place)]]);
  }
  return inKeyOrder(Object.entries(result)) as RootSchema;
}

function withReferences(part: Schema, place: (reference: string) => string): Schema {
  const parts = withParts(part, (one) => withReferences(one, place));
  return Object.fromEntries(parts.map(([key, value]) => [key, key === "$ref" ? place(value as string) : value]));
}

/** A call's input with the tool's own names of properties. */
export function withOwnProperties(schema: JsonSchema, input: unknown): unknown {
  const names = renamed(rootSchema(schema));
  if (names.size === 0 || typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
}
