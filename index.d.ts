/**
 * toolscope: which tools an agent may see and call, at every moment of a session.
 */
/// <reference lib="esnext.disposable" />

/**
 * Every error that toolscope throws. Refused calls are not errors: they are data ({@link Refused}).
 *
 * @example
 * try { session.setScope({ allow: ["EXT/x"] }) } catch (error) {
 *   if (ToolscopeError.isInstance(error)) console.error(error.code, error.message);
 * }
 */
export class ToolscopeError extends Error {
  constructor(code: string, message: string, options?: ErrorOptions & { details?: Readonly<Record<string, unknown>> });
  /** Stable, for example `ERR_TOOLSCOPE_SELECTOR_INVALID`; the README lists them all. */
  readonly code: string;
  /** The offending values, where the message alone does not hold them. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether a value is a ToolscopeError, of this copy of the package or of another one. */
  static isInstance(value: unknown): value is ToolscopeError;
}

// ── Tools outside a session (shared with other parts) ─────────────────────────────────────────────────────────────

/** How a tool can be reached. */
export type Exposure = "direct" | "model-only" | "code" | "deferred" | "hidden";
export type JsonSchema = { readonly [key: string]: unknown };

export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** What a source says of one tool. Nothing in it grants a right: it may come from a server nobody vetted. */
export interface ToolDeclaration {
  /** Raw name, unique within its source; any string. */
  name: string;
  description?: string;
  inputSchema?: JsonSchema | boolean;
  outputSchema?: JsonSchema | boolean;
  annotations?: ToolAnnotations;
  /** Default "direct". */
  exposure?: Exposure;
  category?: string;
  /** Runs the tool, for calls that toolscope runs itself. `input` is frozen and the tool's own copy. */
  execute?: (input: unknown, context: { signal: AbortSignal; call: ToolCall }) => unknown | Promise<unknown>;
}

/** A tool outside a session, with the id of its source (`ext:foo`) or a plain name for it. */
export type SourcedTool = ToolDeclaration & { source: string; sourceDescription?: string };

export interface ToolCall {
  /** Exposed name or id, as the model wrote it. */
  name: string;
  /** The tool the host is going to run; where it is given, no alias is tried and any other decision is a refusal. */
  id?: string;
  input?: unknown;
  callId?: string;
  /** Given: the call came from inside another one. */
  parentCallId?: string;
}

export type RefusalCode =
  | "unknown" | "pending" | "quarantined" | "excluded" | "out_of_scope" | "parent" | "shadowed"
  | "not_exposed" | "not_loaded" | "vetoed" | "guard_error" | "changed" | "disposed";

// ── Code mode ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What one program may use. All of it is enforced on programs that fight it. */
export interface CodeLimits {
  /**
   * Milliseconds from the call until the result, waiting for tools included. What cannot be interrupted is abandoned
   * (isolation `thread`) or killed (`process`). Default 30 000; 1 to 2 147 482 648.
   */
  timeoutMs?: number;
  /** Bytes of the program's heap, of which about 300 KiB are the language itself. Default 64 MiB; at least 1 MiB. */
  memoryBytes?: number;
  /** Calls of tools; `search` and `describe` may be called as many times again. Default 1 000. */
  toolCalls?: number;
  /** Bytes of the logs, of the value, and of each call's input, as JSON. Logs past it are cut (`truncated`); a value past it is an error of kind `limit`, an input an error in the program. Default 1 MiB. */
  outputBytes?: number;
  /** Calls under way at once; more wait in order. Default 8. */
  concurrency?: number;
}

export interface RunCodeOptions {
  /** Those not given here are the sandbox's, then the defaults. */
  limits?: CodeLimits;
  /** Ends the program at once with an error of kind `aborted`; tools under way get their own signal. */
  signal?: AbortSignal;
  /**
   * `process` (the default): programs run in one warm child process, which is killed where a program in it can be
   * stopped in no other way. `thread`: they run on threads of this process; starting up costs nothing, and a program
   * stuck in a built-in that nothing interrupts keeps its thread and a core. Four such threads make every further
   * program end `busy`.
   */
  isolation?: "thread" | "process";
  /** Runs a tool that has no `execute` of its own. */
  call?: (call: ToolCall & { id: string }, context: { signal: AbortSignal }) => unknown | Promise<unknown>;
  /** Told when a call starts and ends, on the calling thread; `id` is empty where the name leads to no tool. What it throws is ignored. */
  onCall?: (event: { id: string; name: string; phase: "start" | "end"; ok?: boolean }) => void;
}

/** How a program ended. Every end is a result; nothing a program does is thrown. */
export interface RunCodeResult {
  ok: boolean;
  /**
   * What the program returned, or its last expression: JSON data. Beyond JSON's own rules a Map becomes its entries,
   * a Set and a typed array a list, a BigInt its digits, an Error `{ name, message, code? }`.
   */
  value?: unknown;
  error?: {
    /**
     * `syntax`: it is no program. `program`: it threw, or waits for what nothing can settle. `timeout`, `memory`,
     * `limit` (calls, output, length): it used more than it may. `aborted`: the host ended it. `busy`: no thread was
     * free in time, or too many are held by programs that cannot be stopped. `internal`: the sandbox failed.
     */
    kind: "syntax" | "program" | "timeout" | "memory" | "limit" | "aborted" | "busy" | "internal";
    message: string;
    /** In the program as it was given; 1-based. */
    line?: number;
    column?: number;
    /** What to write instead, for typical slips. */
    suggestions?: string[];
  };
  /** What `console` was given, one entry a call; `warn` and `error` lines say so. */
  logs: string[];
  /** Every call of a tool, in the order in which they ended; a refused one with the code of its refusal, one cut off with `aborted`. */
  calls: { id?: string; name: string; ok: boolean; code?: RefusalCode | string; ms: number }[];
  /** Logs or value were more than `outputBytes`. */
  truncated: boolean;
}

/**
 * Runs JavaScript or TypeScript that a model wrote, with the given tools and no other authority: no files, network,
 * processes, timers or modules. Each program gets a fresh context off the calling thread.
 *
 * In a program: `await tools.<source>.<tool>(input)` and `await tools.<name>(input)`, `await search(query)`,
 * `await describe(name)`, `console.log(…)`, `await` and `return` at the top level.
 *
 * @example
 * const sandbox = new CodeSandbox({
 *   tools: [{ source: "math", name: "add", execute: ({ a, b }) => a + b }],
 * });
 * const { value } = await sandbox.run("const sum: number = await tools.math.add({ a: 1, b: 2 }); sum * 2");
 * console.log(value); // 6
 * await sandbox.close();
 */
export class CodeSandbox {
  /**
   * Costs nothing but, for the isolation `process`, the start of the child process all sandboxes share (about 50 ms,
   * in the background). Throws `ERR_TOOLSCOPE_INVALID_ARGUMENT`.
   */
  constructor(options: { tools: readonly SourcedTool[]; limits?: CodeLimits; isolation?: "thread" | "process" });
  /**
   * Runs one program. Rejects only with `ERR_TOOLSCOPE_INVALID_ARGUMENT`, for options that are wrong, and
   * `ERR_TOOLSCOPE_SANDBOX_CLOSED`. A trivial program takes well under a millisecond.
   */
  run(code: string, options?: RunCodeOptions): Promise<RunCodeResult>;
  /** Ends its programs (`aborted`). The child process ends with the last sandbox that uses it. */
  close(): Promise<void>;
}
