import { ToolscopeError } from "./errors.js";

/** Whether a value is one of ours to read, and what it should have been. */
export interface Check {
  readonly is: (value: unknown) => boolean;
  readonly what: string;
}

const check = (what: string, is: (value: unknown) => boolean): Check => ({ is, what });
const isString = (value: unknown): value is string => typeof value === "string";

export const anything: Check = check("anything", () => true);
export const string: Check = check("a string", isString);
export const boolean: Check = check("true or false", (value) => typeof value === "boolean");
/** Unlike `every`, `findIndex` does not pass over the holes of a list. */
export const strings: Check = check("a list of strings", (value) => Array.isArray(value) && value.findIndex((one) => !isString(one)) < 0);
export const list: Check = check("a list", Array.isArray);
export const callable: Check = check("a function", (value) => typeof value === "function");
export const integer: Check = check("an integer", (value) => Number.isSafeInteger(value) && Math.abs(value as number) < 2 ** 31);
/** Node fires a timer of 2^31 ms or more at once. */
export const milliseconds: Check = check(
  "milliseconds, from 0 to 2147483647",
  (value) => typeof value === "number" && value >= 0 && value < 2 ** 31,
);
export const count: Check = check("a whole number, 0 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 0);
export const positive: Check = check("a whole number, 1 or more", (value) => Number.isSafeInteger(value) && (value as number) >= 1);
export const object: Check = check("an object", (value) => typeof value === "object" && value !== null && !Array.isArray(value));
/** By shape: it may be of another copy of the package. */
export const session: Check = check("a ToolSession", (value) => {
  const methods = ["addSource", "checkScope", "beforeToolCall", "prepare", "on"] as const;
  return typeof value === "object" && value !== null && methods.every((method) => typeof (value as Record<string, unknown>)[method] === "function");
});
/** One that passes either. */
export const either = (one: Check, other: Check): Check => check(`${one.what} or ${other.what}`, (value) => one.is(value) || other.is(value));
export const oneOf = (...words: string[]): Check =>
  check(`one of \`${words.join("`, `")}\``, (value) => isString(value) && words.includes(value));

/** The error for an argument that is not what it should be. */
export function invalid(what: string, expected: string, value: unknown): ToolscopeError {
  return new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", `${what} is ${described(value)}; give ${expected}`);
}

/** Throws unless `value` passes. */
export function expect(what: string, value: unknown, { is, what: expected }: Check): void {
  if (!is(value)) throw invalid(what, expected, value);
}

/**
 * Reads an options object once, so that a getter cannot answer twice: known keys with the right types, and no others,
 * since an option that is misspelt would silently not hold. For the same reason inherited ones count. `undefined` is
 * absent; `required` ones are not to be.
 */
export function options<T extends object>(
  what: string,
  value: unknown,
  checks: { readonly [K in keyof Required<T>]: Check },
  required: readonly (keyof T & string)[] = [],
): T {
  if (!object.is(value)) throw invalid(what, object.what, value);
  const given = value as Record<string, unknown>;
  const read: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(checks, key)) continue;
    const keys = Object.keys(checks).join("`, `");
    throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", `${what} has no option ${described(key)}; it has \`${keys}\``);
  }
  for (const [key, known] of Object.entries<Check>(checks)) {
    const option = given[key];
    if (option === undefined && !(required as readonly string[]).includes(key)) continue;
    expect(`\`${key}\` of ${what}`, option, known);
    read[key] = option;
  }
  return read as T;
}

/** A value as a message shows it: short, and on one line. */
export function described(value: unknown): string {
  // As JSON has it, a text from outside breaks no line and holds no half character.
  if (isString(value)) return `\`${JSON.stringify(value.slice(0, 60)).slice(1, -1)}${value.length > 60 ? "…" : ""}\``;
  if (value === undefined) return "missing";
  if (value === null) return "`null`";
  if (Array.isArray(value)) return "a list that holds something else";
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return `\`${String(value)}\``;
  return `of type \`${typeof value}\``;
}

/** What a thrown value says, whatever it is; a message may itself be a trap. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "an error that cannot be read";
  }
}
