/** Property names as the Messages API takes them, and back. */
import type { JsonSchema } from "../../../index.js";
import { withoutDeadReferences } from "./dialect.js";
import { type RootSchema, rootSchema } from "./root.js";

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

/** The schema with every property's name as the API takes it. */
export function withLegalProperties(root: RootSchema): RootSchema {
  const names = renamed(root);
  if (names.size === 0) return root;
  const safe = new Map(Array.from(names, ([to, from]) => [from, to]));
  const properties = Object.fromEntries(Object.entries(root.properties).map(([name, schema]) => [safe.get(name) ?? name, schema]));
  const required = root.required?.map((name) => safe.get(name) ?? name);
  return withoutDeadReferences({ ...root, properties, ...(required !== undefined && { required }) });
}

/** A call's input with the tool's own names of properties. */
export function withOwnProperties(schema: JsonSchema, input: unknown): unknown {
  const names = renamed(rootSchema(schema));
  if (names.size === 0 || typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [names.get(name) ?? name, value]));
}
