/** Whether a schema keeps to what strict modes take: then a tool can be strict without being rewritten. */
import { isObject } from "./dialect.js";

const allowed = new Set([
  "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "$ref", "$defs", "description", "title",
]);

/** Every object closed and every property required, and none of the keywords that a strict mode refuses. */
export function isStrict(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (Object.keys(schema).some((key) => !allowed.has(key))) return false;
  const { type, properties, required, additionalProperties, items, anyOf, $defs } = schema;
  if (type === "object" || properties !== undefined) {
    const names = Object.keys((properties as object | undefined) ?? {});
    if (additionalProperties !== false || names.some((name) => !(required as string[] | undefined)?.includes(name))) return false;
  }
  const inner = [...Object.values(properties ?? {}), ...Object.values($defs ?? {}), ...((anyOf as unknown[] | undefined) ?? [])];
  if (items !== undefined) inner.push(items);
  return inner.every(isStrict);
}
