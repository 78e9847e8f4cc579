/** Junk in the place of something typed. */
export const junk = <T>(value: unknown): T => value as T;

export const INVALID = "ERR_TOOLSCOPE_INVALID_ARGUMENT";

export const notStrings: unknown[] = [5, 5n, true, Symbol("s"), null, {}, [], () => {}];
