import type { CodeLimits, RunCodeOptions } from "../../index.js";
import { ToolscopeError } from "../errors.js";
import { anything, type Check, callable, object, oneOf, options } from "../options.js";

/** What setTimeout takes, less what we add. */
const LONGEST = 2 ** 31 - 1_000;

/** What a program says and is told crosses in one string, of which there is none of 512 MiB. */
const BOUNDS: Record<keyof CodeLimits, { default: number; least: number; most: number }> = {
  timeoutMs: { default: 30_000, least: 1, most: LONGEST },
  // A context by itself takes about 300 KiB.
  memoryBytes: { default: 64 << 20, least: 1 << 20, most: 4 * 2 ** 30 },
  toolCalls: { default: 1_000, least: 0, most: 1_000_000 },
  outputBytes: { default: 1 << 20, least: 0, most: 2 ** 27 },
  callBytes: { default: 64 << 20, least: 1 << 20, most: 2 ** 28 },
  concurrency: { default: 8, least: 1, most: 10_000 },
};

const CHECKS = {
  timeoutMs: anything, memoryBytes: anything, toolCalls: anything, outputBytes: anything, callBytes: anything, concurrency: anything,
} as const satisfies Record<keyof CodeLimits, unknown>;

/** The limits in force: the first that names one wins, and a default where none does. Throws `ERR_TOOLSCOPE_INVALID_ARGUMENT`. */
export function limitsOf(...all: (CodeLimits | undefined)[]): Required<CodeLimits> {
  const limits = {} as Required<CodeLimits>;
  const given = all.filter((one) => one !== undefined).map((one) => options<CodeLimits>("limits", one, CHECKS));
  for (const name of Object.keys(BOUNDS) as (keyof CodeLimits)[]) {
    const bound = BOUNDS[name];
    const value: unknown = given.find((one) => one[name] !== undefined)?.[name] ?? bound.default;
    if (typeof value !== "number" || !(value >= bound.least && value <= bound.most)) {
      const message = `limits.${name} is \`${String(value)}\`; give a number from ${bound.least} to ${bound.most}`;
      throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", message);
    }
    limits[name] = name === "timeoutMs" ? value : Math.floor(value);
  }
  return limits;
}

/** What a run may be given, in a session and in a sandbox. */
export const RUN_CHECKS: { readonly [Option in keyof Required<RunCodeOptions>]: Check } = {
  limits: object,
  signal: { is: (value: unknown) => value instanceof AbortSignal, what: "an AbortSignal" },
  isolation: oneOf("thread", "process"),
  call: callable,
  onCall: callable,
};
