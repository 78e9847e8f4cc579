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
   * the call's, `session` the one that was called (a child, perhaps), where there is one. What it throws becomes
   * the result's `error`, as message and code alone.
   */
  execute?: (
    input: unknown,
    context: {
      signal: AbortSignal;
      call: ToolCall;
      session?: ToolSession;
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
  /** The whole live map, replaced; the source is ready. Costs about 9 µs per KiB of declaration. */
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

/** One source as the predicate sees it: raw names of its tools that no `exclude`, its session's or an ancestor's, matches. */
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
   * changed, at the end of the call that changed it, and for all of them on a new scope, where an ancestor's new scope
   * excludes other things than its old one, and on {@link ToolSession.refresh}. Where it throws, or returns anything
   * else, that source's tools are refused as `guard_error` until it is asked again.
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
  /** Declared before and now, with another definition, or anew after it had been removed. */
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
  /** The active set changed, since the last time that this was told. */
  tools_changed: (delta: ActiveDelta) => void;
  /**
   * A plugin's wishes for the catalog, asked by each catalog(); synchronous. Merged in order, the host's options first;
   * the budget is the host's alone. A plugin's `pinnedLimit` counts its own pins; the lines of plugins' categories take
   * a quarter of the budget at most, and no pinned tool's room. Wishes with an invalid field are dropped whole
   * (`catalog_wish_dropped`). A catalog that a listener asks for itself is made without wishes.
   */
  catalog: (event: { session: ToolSession }) => void | Omit<CatalogOptions, "budget">;
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
  /**
   * Throw on a selector that does not parse (`ERR_TOOLSCOPE_SELECTOR_INVALID`), instead of reporting it; in the scopes
   * of its descendants, too. Default false.
   */
  strict?: boolean;
  /**
   * Where uses are counted, for this session and its children; it ranks catalogs that ask for it, searches, and what
   * `maxTools` defers. Default: a log of the session's own, which ranks no search.
   */
  usage?: UsageLog;
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
  /** Counts every change of a verdict, name, definition, order or source's description in the tree. Read without crossing. */
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
  /** The registry: what no `exclude`, the session's or an ancestor's, matches, in canonical order. */
  tools(): ToolInfo[];
  /** Exposed names declared to the model now, in order. Empty before start(). The same frozen list until it changes. */
  activeTools(): readonly string[];
  /**
   * Declares tools in scope, by exposed name or id; a deferred tool counts as loaded from then on, and `maxTools` of
   * prepare() defers what was asked for so only where all else is deferred. Throws, and changes nothing, where one is not known or in scope (`ERR_TOOLSCOPE_TOOL_UNKNOWN`) or not for declaring
   * (`ERR_TOOLSCOPE_TOOL_NOT_DECLARABLE`). `tools_changed` tells of it at once, and the next delta that is returned, too.
   */
  activate(...names: string[]): void;
  /** Stops declaring tools; what is in scope stays callable as its exposure says. Told of as activate() is. */
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
   * Scope alone, synchronous: for showing. Not a door: it asks no listener. A known name costs about 40 ns while
   * nothing changes.
   */
  checkScope(call: string | ToolCall): Decision;
  /**
   * For hosts that run tools themselves: scope, listeners root first, then scope, definition and disposal again, since
   * a listener may have waited for a person. Run the tool only if `decision.id` is the one you are about to run. Loads
   * a lazy source for one of its announced tools. Rejects only for an argument that is no call, and where there are
   * listeners to show it to, for an input that cannot be copied.
   */
  beforeToolCall(call: ToolCall): Promise<Decision>;
  /**
   * How a call that the host ran ended: a successful one is counted as a use of the tool that `id` means: its id, or any
   * name by which a call would mean it. What means no known tool is not counted, and no error.
   */
  afterToolCall(result: ToolCallResult): void;
  /**
   * The door: decides as beforeToolCall(), then runs the declaration's `execute` on a frozen copy of the input. A tool
   * that fails is `ok: false` with its error's message and code, a number as text (`ERR_TOOLSCOPE_TOOL_FAILED` where it has
   * none); one without `execute` is `ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE`.
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
   * One model request: the active tools that are in scope now, through the providers. `maxTools` defers tools until no
   * more are declared (`tools_deferred`, told where it changed): the least used first, as of the first such request
   * since the last compact(), then what was activated by name, the latest last; never a tool that the scope names or
   * requires (`tools_over_limit` where that leaves too many). Requests are prepared one after the other. Rejects with
   * `ERR_TOOLSCOPE_PROVIDER_FAILED`, and `ERR_TOOLSCOPE_SESSION_DISPOSED` once the session is over. Without a provider,
   * and where nothing changed, it costs a few µs.
   */
  prepare(options?: { context?: unknown; maxTools?: number }): Promise<PreparedRequest>;

  /**
   * The budgeted text about tools in scope that are not declared: those of exposure `code`, and `deferred` ones by pins,
   * categories, counts and names. `pinned` takes selectors and exposed names. Ranked by use only as of the first catalog
   * since the last compact(), since its text stands in a prompt cache. Frozen, and the same object while nothing
   * changes. Throws `ERR_TOOLSCOPE_CATALOG_INVALID` for an option of the host's that is invalid.
   */
  catalog(options?: CatalogOptions): Catalog;
  /**
   * Tools in scope that fit a query, best first; `hidden` and `model-only` ones never. A tool is found on the first
   * search after it registers. An empty query browses in canonical order. Throws `ERR_TOOLSCOPE_SELECTOR_INVALID` for a
   * selector of `in` that does not parse. Costs 0.1 to 0.4 ms.
   */
  search(query: string, options?: SearchOptions): SearchPage;
  /**
   * A declaration of a tool that searches: a host adds it to a source of its own and gives its model that tool. It
   * answers with compact signatures, as many as `budget` tokens hold (default 1 000), of what the calling session may
   * reach; those among them that are deferred, by their source or by `maxTools`, are declared from then on. `limit`:
   * default 10. `name`: `tool_search`.
   */
  searchTool(options?: { name?: string; budget?: number; limit?: number }): ToolDeclaration;
  /**
   * Runs a model's JavaScript (TypeScript annotations stripped) against the tools in scope, in a sandbox off the main
   * thread with no files, network, timers or modules: `tools.<source>.<tool>(input)` or `tools.<name>(input)`, `search`,
   * `describe`, `console`. Every call goes through the one door with its `parentCallId`, then to the tool's `execute` or
   * to `options.call`; a refusal is an Error with `code` that the program can catch, and stands in `calls`. Tools that
   * come and go while it runs are seen at its next call. Never rejects for what a program does: see {@link RunCodeResult}.
   */
  runCode(code: string, options?: RunCodeOptions): Promise<RunCodeResult>;
  /**
   * From now on this session's model is offered `host:toolscope/execute`, a tool that runs programs: it is decided like
   * any other (leave it out of the scope and it is gone), not callable from programs, and put last by prepare() with the
   * catalog as it is then. Call it before start(), or it is declared with the next delta. `name` is its exposed name,
   * `execute` by default; the first session of a tree that asks decides. Returns the definition as it is now.
   */
  codeMode(options?: CatalogOptions & { name?: string }): ToolDefinition;
  /** Where this session's uses are counted. */
  readonly usage: UsageLog;

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
 * (copies, its own to change; their schemas are frozen, so that it gives another one in the place of one) and add a
 * fragment to the prompt. What it cannot do: bring in a tool (`provider_tool_unknown`), return one twice
 * (`provider_tool_repeated`), drop a required one (`provider_dropped_required`), or rename one
 * (`provider_rewrite_refused`). Whatever it shows, the declaration that the source registered is what is executed.
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
   * with it, take `tools` afresh. `removed` and `redefined` hold exposed names.
   */
  delta: { added: readonly ToolDefinition[]; removed: string[]; redefined: string[]; reset: boolean };
  /** Of the bytes of tools and prompt: SHA-256, in hexadecimal. */
  fingerprint: string;
  /** What there was to tell, also told to listeners. */
  diagnostics: Diagnostic[];
}

// ── Agent files ───────────────────────────────────────────────────────────────────────────────────────────────────

/** What an agent file could not be taken for as it stands. */
export interface AgentFileDiagnostic extends Diagnostic {
  /** Line in the file, from 1. */
  line: number;
  /** Column in characters, from 1. */
  column: number;
  /** What to write there instead, where that is known. */
  suggestion?: string;
}

/** What an agent file says ({@link parseAgentFile}). */
export interface AgentFile {
  /** For {@link ToolSession.spawn}. `allow` is absent only where the file narrows nothing. */
  scope: ScopeSpec;
  /** The agent's name, where the file gives one. */
  name?: string;
  /** Which agents it may spawn; absent where the file does not say. Scopes cannot hold this: a spawner asks it. */
  spawns?: readonly string[] | "all";
  /** In the order of the file. An `error` closed something. */
  diagnostics: AgentFileDiagnostic[];
}

/**
 * Reads the front matter of an agent file into a scope that is never wider than the file says. Whatever cannot be read
 * grants nothing and denies all it could mean; where the front matter as a whole cannot be read (none, not closed, not
 * YAML, a key given twice, a merge key, a misspelt key that was to restrict), the scope is `{ allow: [] }` and nothing
 * may be spawned. Reads no file system and never throws for a text, however broken.
 *
 * Dialects:
 * - `toolscope` (default): `allow` (or `tools`), `exclude` (or `disallowedTools`, `disallowed_tools`), `required`,
 *   `sealed`, `requireGuards`, `spawns`, `name`; lists of selectors, as YAML lists or divided by commas.
 * - `pi`: `tools` with `ext:` selectors, `disallowed_tools`, `extensions`, `exclude_extensions`, `isolated`, `memory`,
 *   `allowed_subagents`. Plain names become `builtin:` selectors; the tools of MCP servers go with the extension `mcp`.
 * - `claude`: `tools` and `disallowedTools` of Claude Code, with `mcp__server`, `mcp__server__*`, `mcp__server__tool` and
 *   `Agent(worker)`; `memory` adds Read, Write and Edit to a list. `Bash(git:*)` grants nothing: a scope has tools or
 *   has them not.
 *
 * About 20 µs for a usual file; up to 64 KiB of front matter are read. Throws `ERR_TOOLSCOPE_INVALID_ARGUMENT` for a
 * `text` that is no string and for an unknown dialect.
 *
 * @example
 * const { scope, name, diagnostics } = parseAgentFile(readFileSync(path, "utf8"), { dialect: "pi" });
 * for (const { line, column, message } of diagnostics) console.warn(`${path}:${line}:${column} ${message}`);
 * const child = session.spawn({ name: name ?? "agent", scope });
 */
export function parseAgentFile(text: string, options?: { dialect?: "pi" | "claude" | "toolscope" }): AgentFile;

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

// ── Tools outside a session ───────────────────────────────────────────────────────────────────────────────────────

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
   * skipped (one warning says so), a tool that does not fit is skipped and the next one tried. Several tools of one
   * entry come in the order of their ids. Default none.
   */
  pinned?: readonly string[];
  /** How many pinned tools are shown first at most; further ones are placed like any other. Default all that fit. */
  pinnedLimit?: number;
  /**
   * Named parts of a source. A category's line says how many of its tools are not shown, and is there exactly while
   * there are any; its room is set aside before any tool is placed. `namespace` is the source's name or id, whatever
   * the text prints it under; a name that several sources have means all of them. `match` is a regular expression over
   * raw names, in the syntax of Rust's `regex` (no look-around or back-references, which is what makes its time
   * linear). A line that has no room, and a category without tools, is said in `warnings`.
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
  /**
   * `usage_file_damaged`: the file held no log and was moved aside. `usage_file_failed`: writes in the background fail;
   * told once until one succeeds.
   */
  code: "usage_file_damaged" | "usage_file_failed";
  message: string;
}

/**
 * Successful uses per tool id, weighted by recency, with a bounded weight per tool and session. Copies, of files and
 * machines, can be merged in any order and twice. Usage ranks catalogs and searches; it never alters a scope.
 *
 * A session adds to a tool's weight the number of its successful uses, 2 at most, halved for every half-life between
 * its last use and the newest use of the log. A use dated later than now counts as one that is as long ago as it is
 * ahead. Names of sessions are kept as hashes.
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
   * @throws ToolscopeError `ERR_TOOLSCOPE_INVALID_ARGUMENT` unless that is a finite number above 0, and for any other
   * option.
   */
  constructor(options?: { halfLifeDays?: number });
  /**
   * The log of a file, which several processes may share; a missing file is an empty log. Uses are written within a
   * second, off the main thread, at the end of the process, and by {@link flush}; each write merges with what others
   * wrote, and is there whole or not at all. A write that fails is tried again, after 2 seconds and then after twice as
   * long each time, up to a minute, and at the end of the process. A file that holds no log is moved to
   * `<path>.damaged-…` and reported in {@link diagnostics}. Beside the file there are `<path>.lock` and, during a write,
   * `<path>.new`. Beyond its 10 000 newest counts (of a tool in a session) the file forgets what is 20 half-lives older
   * than these: a use weighs less than a millionth by then. Whether copies do so before or after they are merged makes
   * no difference where their half-lives are the same.
   * @throws ToolscopeError `ERR_TOOLSCOPE_USAGE_FILE` where the file cannot be read, or was written by a newer release;
   * it is left as it is.
   */
  static open(path: string): UsageLog;
  /**
   * The log of a text that {@link toJSON} gave, in memory.
   * @throws ToolscopeError `ERR_TOOLSCOPE_USAGE_INVALID` where the text is anything else.
   */
  static fromJSON(text: string): UsageLog;
  /**
   * Counts one use of a tool in a session; one with `ok: false` is not counted. `at` defaults to now.
   * @throws ToolscopeError `ERR_TOOLSCOPE_INVALID_ARGUMENT` where `id` or `session` is no string, `at` no valid Date or
   * `ok` no boolean, and for any other field.
   */
  record(use: { id: string; session: string; at?: Date; ok?: boolean }): void;
  /**
   * The used tools, heaviest first, equals by id; all of them, or the first `limit`. Costs a look at each tool, and at
   * the uses of those that changed since.
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

// ── Search ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Which part of what was found is wanted. */
export interface SearchOptions {
  /** Tools on the page, from 1. Default 10. */
  limit?: number;
  /** Tools before the page, for example {@link SearchPage.next}'s. Default 0. */
  offset?: number;
  /**
   * Selectors to look within. Default: all that can be found. In a {@link ToolIndex} a source without a kind answers to
   * every kind, and a selector with a hint names nothing.
   */
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

/** What a tool's score is made of. */
export interface SearchExplanation {
  score: number;
  /** How the query names the tool outright: to the letter, or but for case and what joins the parts; null if it does not. */
  exact: "id" | "name" | "spelling" | null;
  /** The query's words that the tool answers to, stemmed, with what each is worth. */
  words: { word: string; worth: number }[];
  /**
   * What the tool is worth for each need (a query of several sentences may have several), which part of its name the
   * need covers, and which part of the need it meets; parts from 0 to 1.
   */
  needs: { worth: number; covered: number; met: number }[];
  /** The part of the score that comes from how well the other tools of its source fit, from 0 to 1. */
  source: number;
  /** What the score was multiplied by for the tool's use; 1 for none. */
  usage: number;
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
   * Cost: some tens of microseconds a tool.
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
   * Finds the tools that fit best. Synchronous; tens of microseconds over hundreds of tools, hundreds over thousands.
   * Four kilobytes of the query are read, and 64 different words.
   *
   * @throws {ToolscopeError} `ERR_TOOLSCOPE_INVALID_ARGUMENT` where the query is no string, or limit or offset is out
   * of range; `ERR_TOOLSCOPE_SELECTOR_INVALID` for a selector of `in` that does not parse.
   */
  search(query: string, options?: SearchOptions): SearchPage;
  /**
   * Says how much tools are used, for example as {@link UsageLog.rank} has it: among tools that fit alike, those used
   * more come first. A nudge: the one of the most weight counts a quarter more, no other as much. Replaces what was
   * said before; `prefer([])` takes it back. Ids that are not in the index, and tools added later, count as unused.
   */
  prefer(uses: readonly { id: string; weight: number }[]): void;
  /**
   * Why the tool `id` stands where it stands for a query; undefined where the query does not find it. Cost: a search
   * of everything.
   *
   * @throws {ToolscopeError} as {@link ToolIndex.search}.
   */
  explain(query: string, id: string, options?: Pick<SearchOptions, "in">): SearchExplanation | undefined;
  /** How many tools can be found. */
  readonly size: number;
}

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
  /** Bytes of the logs, of the value, and of each call's input, as JSON. Logs past it are cut (`truncated`); a value past it is an error of kind `limit`, an input an error in the program. Default 1 MiB; at most 128 MiB. */
  outputBytes?: number;
  /**
   * Bytes, as JSON, of a program's calls under way together: of those not answered, and as many again of answers that
   * it has not read. A call past it fails in the program (`calls_too_large`), and so does one whose answer is
   * (`result_too_large`). Default 64 MiB; 1 to 256 MiB.
   */
  callBytes?: number;
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
    /** At most 4 KiB; what is longer is cut and ends in `…`. */
    message: string;
    /** In the program as it was given; 1-based. */
    line?: number;
    column?: number;
    /** What to write instead, for typical slips. */
    suggestions?: string[];
  };
  /** What `console` was given, one entry a call; all of it is at most `outputBytes` as JSON; `warn` and `error` lines say so. */
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
 * In a program: `await tools.<source>.<tool>(input)` and `await tools.<name>(input)`, `await search(query)` (a page of
 * at most 100 tools, see {@link SearchPage}), `await describe(name)` (a tool's signature as TypeScript), `console.log(…)`,
 * `await` and `return` at the top level.
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
   * in the background). Throws `ERR_TOOLSCOPE_INVALID_ARGUMENT`, and `ERR_TOOLSCOPE_BINARY_MISSING` where no other
   * process could load the addon.
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
