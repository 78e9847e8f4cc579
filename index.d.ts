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

// ── Tools outside a session ───────────────────────────────────────────────────────────────────────────────────────

/** How a tool can be reached. */
export type Exposure = "direct" | "model-only" | "code" | "deferred" | "hidden";
/** A JSON Schema, draft 7 or 2020-12. */
export type JsonSchema = { readonly [key: string]: unknown };

/** MCP's annotation hints. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A call as a host hands it over. */
export interface ToolCall {
  name: string;
  id?: string;
  input?: unknown;
  callId?: string;
  parentCallId?: string;
}

/** What a source says of one tool. */
export interface ToolDeclaration {
  name: string;
  description?: string;
  inputSchema?: JsonSchema | boolean;
  outputSchema?: JsonSchema | boolean;
  annotations?: ToolAnnotations;
  exposure?: Exposure;
  category?: string;
  execute?: (input: unknown, context: { signal: AbortSignal; call: ToolCall }) => unknown | Promise<unknown>;
}

/** A tool outside a session: its declaration and where it comes from. */
export type SourcedTool = ToolDeclaration & { source: string; sourceDescription?: string };

// ── Catalog ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a catalog is made by. An unknown field is an error, so that a slip does not pass unseen. */
export interface CatalogOptions {
  /**
   * Tokens for everything the catalog prints, headers and lists included; a token is ⌈characters / 4⌉, characters
   * being what `text.length` counts. A whole number from 0. Default 2,000.
   */
  budget?: number;
  /**
   * Tools that come first, best first. In a session: selectors or exposed names. In {@link renderCatalog}: ids
   * (`source/name`), names, or `source/tool` with `*` for any characters of either. An entry that matches nothing is
   * skipped (one warning says so), a tool that does not fit is skipped and the next one tried. Default none.
   */
  pinned?: readonly string[];
  /** How many pinned tools are shown first at most; further ones are placed like any other. Default all that fit. */
  pinnedLimit?: number;
  /**
   * Named parts of a source. A category's line says how many of its tools are not shown, and is there exactly while
   * there are any; its room is set aside before any tool is placed. `namespace` is the source's name or id; `match`
   * is a regular expression over raw names, in the syntax of Rust's `regex` (no look-around or back-references, which
   * is what makes its time linear). A line that has no room, and a category without tools, is said in `warnings`.
   */
  categories?: readonly { namespace: string; name: string; match: string; description: string }[];
  /**
   * - `full` (default): signatures with types and comments, placed round-robin over the sources, cheapest first.
   * - `compact`: `name(_:{a,b?})` with the first sentence of the description, placed likewise.
   * - `adaptive`: each tool at the level its expected use is worth: full, compact, or its name alone.
   */
  detail?: "full" | "compact" | "adaptive";
  /** `usage` places tools by recorded use after the pinned ones. Default `none`. */
  rank?: "none" | "usage";
}

/** The budgeted text that tells a model about tools it can reach without their full definitions. */
export interface Catalog {
  /**
   * What the model reads: a declaration in TypeScript, `tools.<source>.<tool>(input)`, with everything else in
   * comments. It parses and type-checks (where compact lines are shown, with `noImplicitAny` off). Empty where there
   * is no tool, or the budget has no room for the first line.
   */
  text: string;
  /** ⌈`text.length` / 4⌉; never above the budget. */
  tokens: number;
  /** Whether every tool is shown with its parameters. */
  complete: boolean;
  /** The tools it covers. */
  total: number;
  /** Pinned tools in rank order, then the others in the order of the text. */
  shown: { id: string; level: "full" | "compact" | "name" }[];
  /** The categories of the options, in their order. */
  categories: { namespace: string; name: string; unshown: number }[];
  /** What was asked for and could not be done; tools that could not be read. */
  warnings: string[];
}

/**
 * A catalog of the tools it is given, whatever their exposure. Pure: equal tools, options and use give equal bytes, in
 * whatever order the tools are. A tool that cannot be read is left out with a warning and takes no other with it; of
 * two tools of one id the first counts. An id is `source/name`, for the source `builtin` it is `builtin:name`.
 *
 * Synchronous; costs about 10 µs a tool. A session's `catalog()` costs what changed.
 *
 * @throws ToolscopeError `ERR_TOOLSCOPE_CATALOG_INVALID` where an option is invalid; the message names it.
 * @throws ToolscopeError `ERR_TOOLSCOPE_INVALID_ARGUMENT` where `tools` is no list or `usage` no UsageLog.
 * @example
 * const { text, complete } = renderCatalog([{ source: "kb", name: "find", inputSchema: { type: "object", properties: { q: { type: "string" } } } }]);
 */
export function renderCatalog(tools: readonly SourcedTool[], options?: CatalogOptions & { usage?: UsageLog }): Catalog;

/**
 * One tool's signature as TypeScript, complete in itself: `declare const tools: { kb: { find(input: …): … } };`, with
 * the named types it needs ahead of it. `full` (default) has types, field comments and the first line of the
 * description; `compact` is one line with the names of the parameters, `?` after optional ones, and the first
 * sentence (its types are implicit, so that it wants `noImplicitAny` off). Above 4,000 characters comments are left
 * out, then depth, members that tell variants apart last. Linear in the size of the schema.
 *
 * @throws ToolscopeError `ERR_TOOLSCOPE_INVALID_ARGUMENT` where the tool cannot be read, or `detail` is neither.
 * @example
 * renderSignature({ source: "kb", name: "find", inputSchema: { properties: { q: { type: "string" } } } });
 * // declare const tools: { kb: { find(input: { q?: string }): Promise<unknown> } };
 */
export function renderSignature(tool: SourcedTool, detail?: "full" | "compact"): string;

// ── Usage ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a log has to say of its file. */
export interface UsageDiagnostic {
  level: "warning" | "error";
  /** `usage_file_damaged`: the file held no log and was moved aside. `usage_file_failed`: a write in the background failed. */
  code: "usage_file_damaged" | "usage_file_failed";
  message: string;
}

/**
 * Successful uses per tool id, weighted by recency, with a bounded weight per tool and session. Copies, of files and
 * machines, can be merged in any order and twice. Usage ranks catalogs and searches; it never alters a scope.
 *
 * A session adds to a tool's weight the number of its successful uses, 2 at most, halved for every half-life between
 * its last use and the newest use of the log. Names of sessions are kept as hashes.
 *
 * @example
 * const usage = UsageLog.open("uses.json");
 * usage.record({ id: "kb/find", session: "monday" });
 * await usage.flush();
 * renderCatalog(tools, { detail: "adaptive", rank: "usage", usage });
 */
export class UsageLog {
  /**
   * An empty log in memory. `halfLifeDays`: days after which a use weighs half, default 30.
   * @throws ToolscopeError `ERR_TOOLSCOPE_INVALID_ARGUMENT` unless that is a finite number above 0.
   */
  constructor(options?: { halfLifeDays?: number });
  /**
   * The log of a file, which several processes may share; a missing file is an empty log. Uses are written within a
   * second, off the main thread, at the end of the process, and by {@link flush}; each write merges with what others
   * wrote, and is there whole or not at all. A file that holds no log is moved to `<path>.damaged-…` and reported in
   * {@link diagnostics}. Beside the file there are `<path>.lock` and, during a write, `<path>.new`.
   * @throws ToolscopeError `ERR_TOOLSCOPE_USAGE_FILE` where the file cannot be read.
   */
  static open(path: string): UsageLog;
  /**
   * The log of a text that {@link toJSON} gave, in memory.
   * @throws ToolscopeError `ERR_TOOLSCOPE_USAGE_INVALID` where the text is anything else.
   */
  static fromJSON(text: string): UsageLog;
  /**
   * Counts one use of a tool in a session; one with `ok: false` is not counted. `at` defaults to now.
   * @throws ToolscopeError `ERR_TOOLSCOPE_INVALID_ARGUMENT` where `id` or `session` is no string or `at` no valid Date.
   */
  record(use: { id: string; session: string; at?: Date; ok?: boolean }): void;
  /**
   * The used tools, heaviest first, equals by id; all of them, or the first `limit`.
   * @throws ToolscopeError `ERR_TOOLSCOPE_INVALID_ARGUMENT` unless `limit` is a whole number from 0.
   */
  rank(limit?: number): { id: string; weight: number }[];
  /** Takes in everything another log counted; commutative, associative, idempotent. The half-life stays this log's. */
  merge(other: UsageLog): void;
  /** The log as JSON text; equal counts give equal bytes. */
  toJSON(): string;
  /**
   * Writes what is not written yet, and takes in what other processes wrote; nothing for a log in memory.
   * @throws ToolscopeError `ERR_TOOLSCOPE_USAGE_FILE` where the file cannot be written, or another process holds it for 10 s.
   */
  flush(): Promise<void>;
  /** What went wrong with the file since it was opened. */
  readonly diagnostics: readonly UsageDiagnostic[];
}
