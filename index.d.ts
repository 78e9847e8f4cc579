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

// ── Tools ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How a tool can be reached. */
export type Exposure = "direct" | "model-only" | "code" | "deferred" | "hidden";
/** A JSON Schema, as the tool's source wrote it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What a source hints of its tool; it may come from a server nobody vetted. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** One call, as the model made it. */
export interface ToolCall {
  /** Exposed name or id, as the model wrote it. */
  name: string;
  /** The tool the host is going to run; where it is given, no alias is tried and any other decision is a refusal. */
  id?: string;
  input?: unknown;
  callId?: string;
  /** Given: the call came from inside another one, so `via` is "code". */
  parentCallId?: string;
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
  /** Runs the tool for `session.call` and `session.runCode`. */
  execute?: (input: unknown, context: { signal: AbortSignal; call: ToolCall }) => unknown | Promise<unknown>;
}

/** A tool outside a session; `source` is its source's id, such as `mcp:github`, or any other name for it. */
export type SourcedTool = ToolDeclaration & { source: string; sourceDescription?: string };

// ── Search ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Which part of what was found is wanted. */
export interface SearchOptions {
  /** Tools on the page, from 1. Default 10. */
  limit?: number;
  /** Tools before the page, for example {@link SearchPage.next}'s. Default 0. */
  offset?: number;
  /** Selectors to look within. Default: all that can be found. */
  in?: readonly string[];
}

/** Some of the tools that were found, best first. */
export interface SearchPage {
  items: {
    id: string;
    name: string;
    /** How a program writes it, for example `tools.github.create_issue`. */
    path: string;
    description: string;
    /** In one line, for example `create_issue(owner, repo, title, body?)`. */
    signature: string;
    /**
     * How well the tool fits, for comparing within one answer; 0 for an empty query. What the query names outright,
     * by id, name or path, stands whole millions above the rest.
     */
    score: number;
  }[];
  /** How many tools were found, on this page and on every other. */
  total: number;
  /** The options of the next page; null where this is the last. */
  next: { offset: number } | null;
}

/**
 * Search over a plain list of tools, without a session.
 *
 * Queries are as models write them: what is wanted ("list open pull requests"), half a name, a parameter, several
 * sentences. A tool is found by the words of its name, title, description, parameters and their descriptions, enum
 * values, source, source description and category; names in camelCase, snake_case and kebab-case come apart, words
 * are stemmed, and Chinese, Japanese, Korean and Thai are read in pairs of characters. An exact id, name or path
 * comes first. An empty query lists every tool in the order of ids. Tools whose exposure is `hidden` or `model-only`
 * are never found. The same tools give the same answers, in whatever order they were added; ties go by id.
 *
 * @example
 * const index = new ToolIndex([
 *   { source: "mcp:github", name: "create_issue", description: "Create a new issue in a repository." },
 *   { source: "mcp:github", name: "list_pull_requests", description: "List the pull requests of a repository." },
 * ]);
 * index.search("open a bug report").items[0].id; // "mcp:github/create_issue"
 */
export class ToolIndex {
  /**
   * Cost: about 20 µs a tool.
   *
   * @throws {ToolscopeError} `ERR_TOOLSCOPE_INVALID_ARGUMENT`, as {@link ToolIndex.add}.
   */
  constructor(tools?: readonly SourcedTool[]);
  /**
   * Adds tools, all of them or none. One with the id (`source/name`, or `builtin:name`) of another replaces it. A
   * description, schema or category of a wrong type is passed over.
   *
   * @throws {ToolscopeError} `ERR_TOOLSCOPE_INVALID_ARGUMENT` where a tool has no name or no source, or cannot be
   * written as JSON.
   */
  add(...tools: SourcedTool[]): void;
  /** Takes tools away; an id that is not there is passed over. */
  remove(...ids: string[]): void;
  /**
   * Finds the tools that fit best. Synchronous; some ten microseconds for hundreds of tools, some hundred for thousands.
   * Four kilobytes of the query are read, and 64 different words.
   *
   * @throws {ToolscopeError} `ERR_TOOLSCOPE_INVALID_ARGUMENT` where the query is no string, or limit or offset is out
   * of range.
   */
  search(query: string, options?: SearchOptions): SearchPage;
  /** How many tools can be found. */
  readonly size: number;
}
