/** Plain data, as schemas are made of it. */
export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Plain data with its keys in order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return inKeyOrder(Object.entries(value).map(([key, inner]) => [key, sorted(inner)]));
}

/** `fromEntries` and never an assignment: a key may be `__proto__`. */
export const inKeyOrder = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : Number(one > other))));
