/**
 * toolscope: which tools an agent may see and call, at every moment of a session.
 *
 * A {@link ToolSession} holds one live registry of tools from {@link SourceSpec | sources}, one {@link ScopeSpec | scope}
 * over it, and one decision before every call. Two parties meet in it: the host embeds it and is trusted; tool
 * declarations come from servers and extensions and are not.
 */
/// <reference lib="esnext.disposable" />

// ── Tools and sources ─────────────────────────────────────────────────────────────────────────────────────────────

/** Where tools come from: the host's built-ins, tools an embedder adds, an extension, an MCP server. */
export type SourceKind = "builtin" | "host" | "ext" | "mcp";

/**
 * How a tool can be reached.
 * - `direct`: declared to the model, and callable from code.
 * - `model-only`: declared to the model, not callable from code.
 * - `code`: in the catalog, callable from code.
 * - `deferred`: found by search; callable once loaded, or from code.
 * - `hidden`: not reachable.
 */
export type Exposure = "direct" | "model-only" | "code" | "deferred" | "hidden";

/** A JSON Schema, draft 7 or 2020-12. */
export type JsonSchema = { readonly [key: string]: unknown };

/** MCP's annotation hints. They count in selectors only where the host trusts the source ({@link SourceSpec.trustHints}). */
export interface ToolAnnotations {
  title?: string;
  /** Default false. */
  readOnlyHint?: boolean;
  /** Default true; a read-only tool is not destructive. */
  destructiveHint?: boolean;
  /** Default false. */
  idempotentHint?: boolean;
  /** Default true. */
  openWorldHint?: boolean;
}

/**
 * What a source says of one tool. Nothing in it grants a right: it may come from a server nobody vetted. It is read
 * once, when it is handed over; changing the object later changes nothing.
 *
 * A declaration is quarantined alone where it cannot be one: no name, a name over 1,024 bytes, more than 4 MiB of JSON,
 * nested deeper than 128, a schema that is none, a cycle, a BigInt, a lone surrogate, a getter or `toJSON` that throws.
 */
export interface ToolDeclaration {
  /** Raw name, unique within its source; any string. The server or extension receives just this. */
  name: string;
  description?: string;
  inputSchema?: JsonSchema | boolean;
  outputSchema?: JsonSchema | boolean;
  annotations?: ToolAnnotations;
  /** Default "direct". */
  exposure?: Exposure;
  category?: string;
  /**
   * Runs the tool for {@link ToolSession.call}, after the decision and only if it allowed. `input` is a frozen copy of
   * the call's. What it throws becomes the result's `error`, as message and code alone.
   */
  execute?: (
    input: unknown,
    context: {
      signal: AbortSignal;
      call: ToolCall;
      /** There where the caller wants to hear of progress. */
      onProgress?: (progress: ToolProgress) => void;
    },
  ) => unknown | Promise<unknown>;
}

/** What the host says of a source; the host is trusted. */
export interface SourceSpec {
  kind: SourceKind;
  /**
   * With the kind it makes the source's id. Compared without case: two sources whose ids differ only in case are an
   * error (`ERR_TOOLSCOPE_SOURCE_DUPLICATE`). For the builtin source, of which there is one, a label only.
   */
  name: string;
  /** Other names it answers to in selectors. One that fits two sources grants neither and denies both. */
  aliases?: readonly string[];
  /** Where it was loaded from; shown to {@link ScopeSpec.narrow}. */
  path?: string;
  description?: string;
  /** Ownership of a name that several sources register: the highest owns it. Default: host 300, ext 200, builtin 100. */
  precedence?: number;
  /**
   * The host's own names for the model, 1 to 64 of `[A-Za-z0-9_-]`; others are reported (`exposed_name_invalid`) and
   * the default is used: the raw name, or `mcp__<server>__<tool>`, with a hash of the id where that is not legal or
   * not unique by itself. Called once for each declaration.
   */
  exposedName?: (rawName: string) => string;
  /** Believe this source's annotation hints in selectors. Default: true for builtin and host, false otherwise. */
  trustHints?: boolean;
  /** Its tools, if they are here already; then it is `ready` from the start. */
  tools?: readonly ToolDeclaration[];
  /** Its inventory: raw names it will have, before it has loaded them. */
  declares?: readonly string[];
  /**
   * Loads it when it is first needed: on {@link ToolSession.resolve}, or on a call of one of its announced tools.
   * Concurrent demands share one load. One that fails or takes longer than `limits.loadMs` leaves the source `failed`,
   * and is tried again on a later demand, after 1 s, then 2 s, and so on to 60 s.
   */
  load?: (signal: AbortSignal) => Promise<readonly ToolDeclaration[]>;
}

/** What one change of a source's map did, in raw names. */
export interface SourceReport {
  added: string[];
  /** Here before, with another declaration. A tool handed over unchanged is in no list. */
  replaced: string[];
  removed: string[];
  /** Malformed, each alone; a malformed redefinition withdraws the old one. */
  quarantined: { name: string; reason: string }[];
}

/** A source of a session's tree, by {@link ToolSession.addSource}. Changing one throws where it, or the session, is over. */
export interface ToolSource {
  /** For example `builtin`, `ext:foo`, `mcp:"@acme/kb"`. */
  readonly id: string;
  readonly state: "pending" | "ready" | "failed" | "closed";
  /** What the last set, add or remove did. */
  readonly report: SourceReport;
  /** The whole live map, replaced; the source is ready. Costs about 1 µs per KiB of declaration. */
  set(tools: readonly ToolDeclaration[]): SourceReport;
  /** Adds tools, or replaces those of the same name; the source is ready. */
  add(...tools: ToolDeclaration[]): SourceReport;
  /** Takes tools out; names it does not have are passed over. */
  remove(...rawNames: string[]): void;
  /** It is down: its tools are `pending` and keep their names and places until `set` or `add` brings it back. */
  fail(reason: string): void;
  /** Says what it is for, in place of {@link SourceSpec.description}: servers tell it when they connect. */
  describe(description: string | undefined): void;
  /** It is gone for good: its names are free. The same id can be added again. */
  close(): void;
}

/** One tool of the registry, as a session sees it. */
export interface ToolInfo {
  id: string;
  /** What the model sees. */
  name: string;
  /** The id of its source. */
  source: string;
  exposure: Exposure;
  description?: string;
  /** Whether the scope has it, here and now. */
  inScope: boolean;
  /** Whether it is declared to the model now. */
  active: boolean;
  /** The id of the tool that owns its name. */
  shadowedBy?: string;
}

// ── Scope ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One source as the predicate sees it: raw names of its tools that `exclude` does not match. */
export interface SourceView {
  readonly id: string;
  readonly kind: SourceKind;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly path?: string;
  readonly tools: readonly string[];
}

/**
 * What a session may reach: ((`allow` ∩ `narrow`) ∪ `required`), minus `exclude`.
 *
 * A selector is one of
 * - `*` (everything), `none` (nothing);
 * - a plain name, which on the grant side binds to one tool: of the builtin source, else a host one, else an ext one,
 *   never to an mcp tool by its raw name; with a `*`, a glob over exposed names;
 * - `builtin:tool`, `host:source/tool`, `ext:source/tool`, `mcp:source/tool`, where `/tool` may be left out, `*` stands
 *   for any characters within one part, and a name that holds `/ * @ : "` or a space is quoted;
 * - one of those with `@readOnly`, `@destructive`, `@idempotent` or `@openWorld` behind it, as in `mcp:*@readOnly`;
 * - `mcp__server` or `mcp__server__tool`, as other agents write it.
 *
 * On the exclude side every possible reading is denied. `exclude` beats everything, and order never matters.
 */
export interface ScopeSpec {
  /** Selectors; absent means everything, [] means nothing. */
  allow?: readonly string[];
  /** Selectors; always wins. */
  exclude?: readonly string[];
  /** Selectors of tools that `allow` and `narrow` cannot take away (finish, ask-parent). */
  required?: readonly string[];
  /**
   * true: all of it; false: nothing of it; a list: these raw names. Synchronous. Asked once for each source whose map
   * changed, at the end of the call that changed it, and for all of them on a new scope and on
   * {@link ToolSession.refresh}. Where it throws, or returns anything else, that source's tools are refused as
   * `guard_error` until it is asked again.
   */
  narrow?: (source: SourceView) => boolean | readonly string[];
  /** true: at start() the ids in scope, loaded or announced, become the ceiling for good. */
  sealed?: boolean;
  /** Names of before_tool_call listeners that must be present; while one is missing every call is refused. */
  requireGuards?: readonly string[];
}

/**
 * How a selector ended. `pending` (its source was added and is not ready, or announces the tool) and `unknown` both
 * admit the tool the moment it comes.
 */
export type ScopeState = "active" | "pending" | "excluded" | "shadowed" | "ambiguous" | "unknown" | "invalid";

/** One selector's end. */
export interface ScopeEntry {
  selector: string;
  state: ScopeState;
  /** The tools it stands for; for `exclude`, the tools it denies. */
  ids: string[];
  /** What stands in its way. */
  by?: string;
  /** The raw name, where the selector spelled it sanitised. */
  aliasOf?: string;
  /** Selectors that would match, nearest first. */
  didYouMean?: string[];
  /** 1-based, for `invalid`. */
  column?: number;
  message?: string;
}

/** How every selector of a scope ended, in the order they were given. */
export interface ScopeReport {
  allow: ScopeEntry[];
  exclude: ScopeEntry[];
  required: ScopeEntry[];
}

// ── Decisions ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** One call of a tool. */
export interface ToolCall {
  /** Exposed name or id, as the model wrote it. */
  name: string;
  /** The tool the host is going to run; where it is given, no alias is tried and any other decision is a refusal. */
  id?: string;
  /** Plain data, as `structuredClone` takes it. */
  input?: unknown;
  callId?: string;
  /** Given: the call came from inside another one, so `via` is "code". */
  parentCallId?: string;
}

/**
 * Why a call is refused.
 * - `unknown`: no source has or announces it.
 * - `pending`: announced, or its source is down.
 * - `quarantined`: its declaration was malformed.
 * - `excluded`: `exclude` matches. `out_of_scope`: `allow`, `narrow` or the seal leaves it out. `parent`: an ancestor
 *   leaves it out.
 * - `shadowed`: another source owns its name, and it was called by id.
 * - `not_exposed`: its exposure does not permit this `via`. `not_loaded`: deferred, and called before it was loaded.
 * - `vetoed`: a listener said no. `guard_error`: a listener or predicate failed, hung, or a required guard is missing.
 * - `changed`: the definition is not the one that was approved.
 * - `disposed`: the session is over.
 */
export type RefusalCode =
  | "unknown" | "pending" | "quarantined" | "excluded" | "out_of_scope" | "parent" | "shadowed"
  | "not_exposed" | "not_loaded" | "vetoed" | "guard_error" | "changed" | "disposed";

/** The answer for one call, as it was at that moment. A refusal is frozen, and may be the same object the next time. */
export type Decision = Allowed | Refused;

/** The call may run. */
export interface Allowed {
  readonly allowed: true;
  readonly id: string;
  /** The exposed name. */
  readonly name: string;
  readonly via: "direct" | "code";
  /** Session ids from the root to the one that was asked. */
  readonly path: readonly string[];
}

/** The call may not run. */
export interface Refused {
  readonly allowed: false;
  readonly code: RefusalCode;
  /** For the model: what to do instead; names nothing that is out of scope. */
  readonly reason: string;
  readonly id?: string;
  readonly name: string;
  readonly via: "direct" | "code";
  readonly path: readonly string[];
  /** The selector, listener or ancestor that decided. */
  readonly by?: string;
}

/** Why a call would be decided as it would. */
export interface Explanation {
  id?: string;
  name: string;
  decision: Decision;
  /** Every rule asked, in order; the last one decided. */
  steps: { rule: string; by?: string; outcome: "pass" | "refuse" | "skip" }[];
}

// ── Lifecycle ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** How the active set changed since the last delta that was returned. Frozen. Names are exposed names. */
export interface ActiveDelta {
  changed: boolean;
  /** The generation this delta starts from, and the one it leads to. */
  from: number;
  generation: number;
  added: string[];
  removed: string[];
  /** Still declared, with another definition. */
  redefined: string[];
  active: readonly string[];
  /** true where the new list is not the old one plus a suffix. */
  reset: boolean;
}

/**
 * What a host should know that is no error of its own. Codes: `tool_quarantined`, `source_failed`, `name_sanitised`,
 * `exposed_name_invalid`, `selector_unknown`, `selector_invalid`, `selector_ambiguous`, `selector_shadowed`,
 * `required_excluded`, `narrow_failed`, `guard_failed`, `listener_failed`.
 */
export interface Diagnostic {
  level: "info" | "warning" | "error";
  /** Stable. */
  code: string;
  message: string;
  source?: string;
  id?: string;
}

/**
 * What can be listened to. A listener that throws, rejects or does not settle in its time is reported
 * (`listener_failed`) and stops nobody else; only `before_tool_call` decides anything.
 */
export interface SessionEvents {
  /** In start(); ready() waits for what it returns. */
  session_start: (event: { session: ToolSession }) => void | Promise<void>;
  /** In endTurn(), changed or not. `turn` counts from 1. */
  turn_end: (event: { turn: number; delta: ActiveDelta }) => void;
  /**
   * A guard, asked before a call that the scope allows, root session first. Returning nothing lets the call pass,
   * `{ block: true }` refuses it (`vetoed`), and whatever else it does refuses it, too (`guard_error`). A listener of a
   * session guards its descendants' calls as well. `input` is a frozen copy.
   */
  before_tool_call: (call: Readonly<ToolCall> & { readonly id: string; readonly path: readonly string[] }) =>
    | void | { block: true; reason?: string } | Promise<void | { block: true; reason?: string }>;
  /** Every decision of beforeToolCall() and call(), allowed ones too, of this session and its descendants: for audit. */
  decision: (event: { call: Readonly<ToolCall>; decision: Decision; generation: number; fingerprint?: string }) => void;
  /** The active set changed. */
  tools_changed: (delta: ActiveDelta) => void;
  /** Up to 100 are kept until somebody listens. */
  diagnostic: (diagnostic: Diagnostic) => void;
  /** In dispose(). */
  session_end: () => void;
}

/** How a session is made. An option that is not one of these throws. */
export interface SessionOptions {
  /** As paths show it. Default: `session-<number>`. */
  id?: string;
  /** Default: everything is in scope. */
  scope?: ScopeSpec;
  /** Throw on a selector that does not parse (`ERR_TOOLSCOPE_SELECTOR_INVALID`), instead of reporting it. Default false. */
  strict?: boolean;
  limits?: {
    /** How long a listener may take. Default 30 000 ms; each may set its own. */
    listenerMs?: number;
    /** How long a lazy source may take to load. Default 30 000 ms. */
    loadMs?: number;
    /** Of the root, for its tree: levels below it. Default 16. */
    depth?: number;
    /** Of the root, for its tree: children of one session at once. Default 10 000. */
    children?: number;
    /** Of the root, for its tree: sessions ever spawned. Default 1 000 000. */
    spawned?: number;
  };
  /**
   * Of the root: selectors of the tools that spawn agents. A child has such a tool only where an entry of its own scope
   * names it, so that an agent does not spawn agents because nobody said it must not.
   */
  spawnTools?: readonly string[];
}

/** How a child is made. */
export interface ChildOptions {
  /** Its id, with a number behind it where a living child of the same parent has it. */
  name: string;
  /** A ceiling: the child's own setScope can only narrow it. Absent: all the parent has. */
  scope?: ScopeSpec;
}

/** What a selector resolved to: one for each tool it stands for, or one that says why there is none. */
export interface Resolution {
  selector: string;
  id?: string;
  name?: string;
  state: ScopeState | "loaded" | "failed";
  reason?: string;
}

/** How far a running tool has come, in units of its own. */
export interface ToolProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** How {@link ToolSession.call} runs a call. */
export interface CallOptions {
  /** Handed to the tool, which stops when it is aborted, if it can. */
  signal?: AbortSignal;
  /** Hears of progress, from tools that report it. What it throws is reported (`listener_failed`). */
  onProgress?: (progress: ToolProgress) => void;
}

/** How a call that the host ran itself ended. */
export interface ToolCallResult {
  callId?: string;
  id: string;
  ok: boolean;
  /** Milliseconds. */
  ms?: number;
}

/**
 * One agent's session: what it may see and call, now.
 *
 * Every method but activeTools(), which is empty then, checkScope(), beforeToolCall(), call() and dispose() throws `ERR_TOOLSCOPE_SESSION_DISPOSED` once
 * the session is over, and `ERR_TOOLSCOPE_INVALID_ARGUMENT` for an argument of the wrong type or an unknown option.
 *
 * @example
 * const session = new ToolSession({ scope: { allow: ["read", "mcp:kb/search"], exclude: ["mcp:kb/drop*"] } });
 * const kb = session.addSource({ kind: "mcp", name: "kb" });
 * session.start();
 * kb.set([{ name: "search", inputSchema: { type: "object" } }]); // whenever the server connects
 * session.endTurn().added; // ["mcp__kb__search"]
 * session.checkScope("mcp__kb__drop").allowed; // false
 */
export class ToolSession implements Disposable {
  constructor(options?: SessionOptions);
  readonly id: string;
  /** Session ids from the root to this one. */
  readonly path: readonly string[];
  readonly state: "created" | "started" | "disposed";
  /** Counts every change of a verdict, name, definition or order in the tree. Read without crossing. */
  readonly generation: number;
  /** Turns ended so far. */
  readonly turn: number;

  /**
   * Adds a source, at the root session (`ERR_TOOLSCOPE_NOT_ROOT` elsewhere). Throws `ERR_TOOLSCOPE_SOURCE_DUPLICATE`
   * where its id is taken in any case, and `ERR_TOOLSCOPE_SOURCE_INVALID` where a name is empty or holds a control
   * character.
   */
  addSource(spec: SourceSpec): ToolSource;
  /** The open source with this id, in any case. */
  source(id: string): ToolSource | undefined;
  /** Replaces the scope at once. Where it throws, the old one stands. */
  setScope(spec: ScopeSpec): ScopeReport;
  /** How every selector of the scope ended. Looks at every tool: for showing, not for each turn. */
  report(): ScopeReport;
  /**
   * Loads the lazy sources that the selectors could mean, and says what each one stands for now. Loads nothing else, and
   * never rejects for a source that fails. With `timeoutMs` it also waits, so long at most, for just those of their
   * sources that are still connecting: for a script or a search whose reach is known beforehand.
   */
  resolve(selectors: readonly string[], options?: { timeoutMs?: number }): Promise<Resolution[]>;
  /** The registry: what `exclude` does not match, in canonical order. */
  tools(): ToolInfo[];
  /** Exposed names declared to the model now, in order. Empty before start(). The same frozen list until it changes. */
  activeTools(): readonly string[];
  /**
   * Declares tools in scope, by exposed name or id; a deferred tool counts as loaded from then on. Throws, and changes
   * nothing, where one is not known or in scope (`ERR_TOOLSCOPE_TOOL_UNKNOWN`) or not for declaring
   * (`ERR_TOOLSCOPE_TOOL_NOT_DECLARABLE`).
   */
  activate(...names: string[]): void;
  /** Stops declaring tools; what is in scope stays callable as its exposure says. */
  deactivate(...names: string[]): void;
  /** Every rule that a direct call of this tool would meet. */
  explain(nameOrId: string): Explanation;

  /**
   * Listens, in the order of registration; returns what ends it. `name` (default: the function's) is what
   * `requireGuards`, `by` and diagnostics call it; `timeoutMs` (default `limits.listenerMs`) bounds what it returns.
   */
  on<E extends keyof SessionEvents>(event: E, listener: SessionEvents[E], options?: { name?: string; timeoutMs?: number }): () => void;
  /** Starts the session, tells session_start, and returns what is active, in canonical order. Once is enough. */
  start(): ActiveDelta;
  /**
   * When session_start listeners have settled and the pending sources that `allow` names (all, where everything is
   * allowed) are there, lazy ones apart, or time is up (default 10 000 ms).
   */
  ready(timeoutMs?: number): Promise<ActiveDelta>;
  /** Ends a turn and brings the active set up to date. Where nothing changed it costs about 20 ns and asks nothing. */
  endTurn(): ActiveDelta;
  /** Asks `narrow` about every source, and brings the active set up to date. */
  refresh(): ActiveDelta;
  /** Brings the active set back to canonical order: at a moment when the prompt cache is lost anyway. */
  compact(): ActiveDelta;

  /**
   * Scope alone, synchronous: for showing. Not a door: it asks no listener. A known name costs about 20 ns while
   * nothing changes.
   */
  checkScope(call: string | ToolCall): Decision;
  /**
   * For hosts that run tools themselves: scope, listeners root first, then scope, definition and disposal again, since
   * a listener may have waited for a person. Run the tool only if `decision.id` is the one you are about to run. Loads
   * a lazy source for one of its announced tools. Rejects only for an argument that is no call.
   */
  beforeToolCall(call: ToolCall): Promise<Decision>;
  /** How a call that the host ran ended. */
  afterToolCall(result: ToolCallResult): void;
  /**
   * The door: decides as beforeToolCall(), then runs the declaration's `execute` on a frozen copy of the input. A tool
   * that fails is `ok: false` with its error's message and code; one without `execute` is
   * `ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE`.
   */
  call(call: ToolCall, options?: CallOptions): Promise<{ decision: Decision; ok: boolean; value?: unknown; error?: { code: string; message: string } }>;

  /**
   * Spawns a child over this session's live sources: what it may reach is the intersection of its own scope with this
   * session's, at any depth, now and later. What this session gains, the child gains if its own scope has it; what this
   * session loses, the child loses in the same moment; guards of this session guard the child's calls, too. Order and
   * names are this session's. A child that asks for more starts without it, and its report says whose rule stands in
   * the way. A deferred tool that its scope names is declared to it. Throws `ERR_TOOLSCOPE_TREE_LIMIT` past `limits`.
   * Costs about 10 µs, whatever the number of tools.
   */
  spawn(options: ChildOptions): ToolSession;

  /**
   * Adds a provider, called by each prepare() in the order of adding; returns what removes it. `name` (default: the
   * function's) is what errors and diagnostics call it. One that throws, or takes longer than `timeoutMs` (default
   * `limits.listenerMs`), fails the request, or is skipped where it is `optional` (`provider_failed`).
   */
  use(provider: ToolProvider, options?: { name?: string; optional?: boolean; timeoutMs?: number }): () => void;
  /**
   * One model request: the active tools that are in scope now, through the providers. `maxTools` defers the least used
   * until no more are declared (`tools_deferred`), never a tool that the scope names or requires (`tools_over_limit`
   * where that leaves too many). Requests are prepared one after the other. Rejects with
   * `ERR_TOOLSCOPE_PROVIDER_FAILED`. Without a provider, and where nothing changed, it costs a few µs.
   */
  prepare(options?: { context?: unknown; maxTools?: number }): Promise<PreparedRequest>;

  /**
   * Approves every definition as it is now, and each later tool's as it first comes. A tool whose definition changes is
   * refused (`changed`) and not shown until it is approved. Key order and white space are no change. About 10 µs a tool.
   */
  pinDefinitions(): void;
  /** Approves the definition that a tool has now, by id; it is pinned from then on. */
  approve(id: string): void;

  /** Ends the session and its children: every call is refused (`disposed`), listeners are dropped. Twice is once. */
  dispose(): void;
  [Symbol.dispose](): void;
}

// ── Requests ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** What one request shows the model of a tool. */
export interface ToolDefinition {
  readonly id: string;
  /** The exposed name. */
  name: string;
  /** Empty where the declaration has none. */
  description: string;
  /** Always an object's schema. */
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  /** Not declared in full: the model finds it by search. */
  deferred?: boolean;
}

/**
 * Selects, transforms and describes what one request shows. It may drop, reorder, rewrite or defer what it is handed
 * (copies, its own to change) and add a fragment to the prompt. What it cannot do: bring in a tool
 * (`provider_tool_unknown`), return one twice (`provider_tool_repeated`), drop a required one
 * (`provider_dropped_required`), or rename one (`provider_rewrite_refused`). Whatever it shows, the declaration that
 * the source registered is what is executed.
 */
export type ToolProvider = (tools: readonly ToolDefinition[], context: unknown) =>
  | { tools: readonly ToolDefinition[]; prompt?: string }
  | Promise<{ tools: readonly ToolDefinition[]; prompt?: string }>;

/** One model request's tools. Frozen; a tool that did not change is the same object as in the last request. */
export interface PreparedRequest {
  tools: readonly ToolDefinition[];
  /** The providers' fragments, in their order, an empty line between. */
  prompt: string;
  /** How many leading tools are the same as in the last prepared request. */
  stablePrefix: number;
  /**
   * Against the last prepared request, by id. Without `reset` the tools are the last ones with `added` behind them;
   * with it, take `tools` afresh. `removed` holds exposed names.
   */
  delta: { added: readonly ToolDefinition[]; removed: string[]; redefined: readonly ToolDefinition[]; reset: boolean };
  /** Of the bytes of tools and prompt: SHA-256, in hexadecimal. */
  fingerprint: string;
  /** What there was to tell, also told to listeners. */
  diagnostics: Diagnostic[];
}

// ── Errors ────────────────────────────────────────────────────────────────────────────────────────────────────────

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
  /** For example `ERR_TOOLSCOPE_SELECTOR_INVALID`; stable. The README lists them all. */
  readonly code: string;
  /** The offending values, where the message alone does not hold them. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether a value is a ToolscopeError, of this copy of the package or of another one. */
  static isInstance(value: unknown): value is ToolscopeError;
}
