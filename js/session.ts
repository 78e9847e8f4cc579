import type {
  ActiveDelta,
  CallOptions,
  Catalog,
  CatalogOptions,
  ChildOptions,
  Decision,
  Diagnostic,
  Explanation,
  PreparedRequest,
  Resolution,
  RunCodeOptions,
  RunCodeResult,
  ScopeReport,
  ScopeSpec,
  SearchOptions,
  SearchPage,
  SessionEvents,
  SessionOptions,
  SourceSpec,
  ToolCall,
  ToolCallResult,
  ToolDeclaration,
  ToolDefinition,
  ToolInfo,
  ToolProvider,
  ToolSession as Public,
  ToolSource,
  UsageLog as PublicUsage,
} from "../index.js";
import { ActiveTools } from "./active.js";
import { copied, readCall } from "./call.js";
import { CODE_SOURCE, CodeMode, type CodeModeHost } from "./code-mode.js";
import type { Execute } from "./declaration.js";
import type { FrozenDefinition } from "./definition.js";
import { type DoorHost, type PassedDecision, closeDoor, passDoor } from "./door.js";
import { ToolscopeError } from "./errors.js";
import { Events } from "./events.js";
import { Family, type Member } from "./family.js";
import { Finding, type FindingHost } from "./finding.js";
import type { Listener } from "./listener.js";
import { crossing } from "./native.js";
import {
  anything,
  boolean,
  callable,
  count,
  expect,
  invalid,
  milliseconds,
  object,
  oneOf,
  options,
  string,
  strings,
} from "./options.js";
import { type Performed, perform } from "./perform.js";
import { type Provider, type RequestHost, Requests } from "./request.js";
import { type Narrow, readScope } from "./scope.js";
import { type SearchToolOptions, searchTool } from "./search-tool.js";
import type { Source } from "./source.js";
import { type Slot, Tree } from "./tree.js";
import { Verdicts, splitDecision } from "./verdict.js";

const LISTENER_MS = 30_000;
const LOAD_MS = 30_000;
const READY_MS = 10_000;

const limitChecks = {
  listenerMs: milliseconds,
  loadMs: milliseconds,
  depth: count,
  children: count,
  spawned: count,
} as const;
const sessionChecks = { id: string, scope: object, strict: boolean, usage: object, limits: object, spawnTools: strings } as const;
const events = oneOf(
  "session_start",
  "turn_end",
  "before_tool_call",
  "decision",
  "tools_changed",
  "catalog",
  "diagnostic",
  "session_end",
);

type Limits = NonNullable<SessionOptions["limits"]>;

let sessions = 0;

/** What a child is made from; nobody outside has one. */
class Seed {
  constructor(
    readonly parent: ToolSession,
    readonly id: string,
    readonly index: number,
    readonly narrow: Narrow | undefined,
  ) {}
}

/** See index.d.ts. */
export class ToolSession implements Public, Member, DoorHost, RequestHost, FindingHost, CodeModeHost {
  readonly id: string;
  readonly path: readonly string[];
  /** The session's place in its tree. */
  readonly index: number;
  readonly tree: Tree;
  /** The predicates, by the layer of the scope, for the family to ask. */
  predicates: (Narrow | undefined)[];
  readonly #family: Family;
  readonly #parent: ToolSession | undefined;
  /** By id. */
  readonly #children = new Map<string, ToolSession>();
  readonly #events: Events;
  readonly #limits: Limits;
  readonly #verdicts: Verdicts;
  readonly #requests: Requests;
  readonly #finding: Finding;
  readonly #code: CodeMode;
  #state: "created" | "started" | "disposed" = "created";
  #turn = 0;
  #starting: Promise<unknown> = Promise.resolve();
  readonly #active: ActiveTools;
  #presented = false;

  constructor(given: SessionOptions = {}) {
    if (given instanceof Seed) {
      const { parent, id, index, narrow } = given;
      this.#parent = parent;
      this.#events = new Events(parent.#events);
      this.#family = parent.#family;
      this.#limits = parent.#limits;
      this.tree = parent.tree;
      this.id = id;
      this.index = index;
      this.path = Object.freeze([...parent.path, id]);
      this.predicates = [narrow];
      this.#finding = new Finding(this, this.path.join("/"), parent.#finding.given);
    } else {
      this.#events = new Events(undefined);
      const { id, scope, strict, usage, limits, spawnTools } = options<SessionOptions>("the session", given, sessionChecks);
      this.#limits = options<Limits>("`limits` of the session", limits ?? {}, limitChecks);
      const { text, narrow } = readScope(scope ?? {});
      this.id = id ?? `session-${++sessions}`;
      this.path = Object.freeze([this.id]);
      this.index = 0;
      const { depth, children, spawned } = this.#limits;
      const spec = { id: this.id.toWellFormed(), scope: text, strict, depth, children, spawned, spawnTools };
      this.tree = new Tree(JSON.stringify(spec));
      this.predicates = [narrow];
      this.#family = new Family(this.tree, this, this.#limits.loadMs ?? LOAD_MS);
      this.#finding = new Finding(this, this.id, usage);
    }
    this.#family.note(this);
    this.#active = new ActiveTools(this.tree, this.index);
    this.#verdicts = new Verdicts(this.tree, this.index, this.path);
    this.#requests = new Requests(this, this.#family.definitions);
    this.#code = new CodeMode(this);
  }

  get state(): "created" | "started" | "disposed" {
    return this.#state;
  }
  get over(): boolean {
    return this.#state === "disposed";
  }
  get generation(): number {
    return this.tree.generation;
  }
  get turn(): number {
    return this.#turn;
  }

  addSource(spec: SourceSpec): ToolSource {
    this.#alive();
    if (this.#parent !== undefined) {
      const root = this.path[0];
      throw new ToolscopeError("ERR_TOOLSCOPE_NOT_ROOT", `\`${this.id}\` is a child; add sources at its root, \`${root}\``);
    }
    return this.#family.add(spec);
  }

  source(id: string): ToolSource | undefined {
    this.#alive();
    expect("a source's id", id, string);
    return this.#family.source(id);
  }

  setScope(spec: ScopeSpec): ScopeReport {
    this.#alive();
    const { text, narrow } = readScope(spec);
    this.#change(() => {
      this.tree.native.setScope(this.index, JSON.stringify(text));
      // A child's own scope lies over the one it was spawned with.
      this.predicates = this.#parent === undefined ? [narrow] : [this.predicates[0], narrow];
      this.#family.note(this);
    });
    return this.report();
  }

  report(): ScopeReport {
    this.#alive();
    return JSON.parse(this.tree.native.report(this.index)) as ScopeReport;
  }

  async resolve(selectors: readonly string[], given: { timeoutMs?: number } = {}): Promise<Resolution[]> {
    this.#alive();
    expect("what is to be resolved", selectors, strings);
    const { timeoutMs } = options<{ timeoutMs?: number }>("the options of resolve", given, { timeoutMs: milliseconds });
    const texts = selectors.map((selector) => selector.toWellFormed());
    const pending = (): Source[] => this.#pending(texts);
    const loads = Promise.all(pending().map((source) => source.load()));
    if (timeoutMs === undefined) await loads;
    else await this.#until(timeoutMs, () => pending().every((source) => source.state === "failed" && !source.isLoading));
    this.#alive();
    return JSON.parse(crossing(() => this.tree.native.resolutions(this.index, texts))) as Resolution[];
  }

  /** The sources that are not ready and that selectors, or else this session's `allow`, could mean. */
  #pending(selectors?: string[]): Source[] {
    const pending = crossing(() => this.tree.native.pendingSources(this.index, selectors));
    return pending.flatMap((index) => this.#family.sources.get(index) ?? []);
  }

  /** When `settled` holds, asked again at each change, or time is up. */
  async #until(timeoutMs: number, settled: () => boolean): Promise<void> {
    const until = performance.now() + timeoutMs;
    for (let left = timeoutMs; !this.over && left > 0 && !settled(); left = until - performance.now()) {
      await this.#family.changed(left);
    }
  }

  tools(): ToolInfo[] {
    this.#alive();
    return JSON.parse(this.tree.native.tools(this.index)) as ToolInfo[];
  }

  activeTools(): readonly string[] {
    return this.#active.names;
  }

  activate(...names: string[]): void {
    this.#alive();
    expect("a tool to activate", names, strings);
    this.#declare(() => this.tree.native.activate(this.index, names));
  }

  deactivate(...names: string[]): void {
    this.#alive();
    expect("a tool to deactivate", names, strings);
    this.#declare(() => this.tree.native.deactivate(this.index, names));
  }

  explain(nameOrId: string): Explanation {
    this.#alive();
    expect("what is to be explained", nameOrId, string);
    const text = crossing(() => this.tree.native.explain(this.index, nameOrId.toWellFormed()));
    const { decision: crossed, steps } = JSON.parse(text) as Explanation;
    const { decision } = splitDecision(crossed, this.path);
    return { ...(decision.id !== undefined && { id: decision.id }), name: decision.name, decision, steps };
  }

  on<E extends keyof SessionEvents>(
    event: E,
    listener: SessionEvents[E],
    given: { name?: string; timeoutMs?: number } = {},
  ): () => void {
    this.#alive();
    expect("the event", event, events);
    expect(`the listener of \`${event}\``, listener, callable);
    const { name, timeoutMs } = options<{ name?: string; timeoutMs?: number }>("the listener's options", given, {
      name: string,
      timeoutMs: milliseconds,
    });
    const added: Listener = {
      event,
      call: listener,
      name: [name, listener.name].find((one) => typeof one === "string" && one !== "") ?? event,
      timeoutMs: timeoutMs ?? this.#limits.listenerMs ?? LISTENER_MS,
    };
    this.#events.add(added);
    if (event === "before_tool_call") this.#change(() => this.tree.native.guardAdded(this.index, added.name));
    return () => {
      if (!this.#events.remove(added) || event !== "before_tool_call" || this.over) return;
      this.#change(() => this.tree.native.guardRemoved(this.index, added.name));
    };
  }

  start(): ActiveDelta {
    this.#alive();
    if (this.#state === "created") {
      this.#state = "started";
      this.#change(() => this.tree.native.start(this.index));
      this.#starting = Promise.all(this.#events.emit("session_start", { session: this }));
    }
    return this.#delta(false);
  }

  async ready(timeoutMs: number = READY_MS): Promise<ActiveDelta> {
    this.#alive();
    expect("the time to be ready", timeoutMs, milliseconds);
    let started = false;
    void this.#starting.then(() => {
      started = true;
      this.#family.wake();
    });
    // A lazy source waits to be asked for, unless a child asked by naming it.
    await this.#until(
      timeoutMs,
      () => started && this.#pending().every((source) => source.state !== "pending" || (source.spec.load !== undefined && !source.isLoading)),
    );
    this.#alive();
    return this.#delta(false);
  }

  endTurn(): ActiveDelta {
    this.#alive();
    this.#present();
    this.#turn += 1;
    const delta = this.#delta(false);
    this.#events.emit("turn_end", { turn: this.#turn, delta });
    return delta;
  }

  refresh(): ActiveDelta {
    this.#alive();
    this.#change(() => this.tree.native.refresh(this.index));
    return this.#delta(false);
  }

  compact(): ActiveDelta {
    this.#alive();
    this.#finding.compact();
    return this.#delta(true);
  }

  checkScope(given: string | ToolCall): Decision {
    if (typeof given === "string") return this.over ? this.#ended(given) : this.#verdicts.check(given, false);
    const call = readCall(given);
    if (this.over) return this.#ended(call.name, call.parentCallId);
    return call.id === undefined
      ? this.#verdicts.check(call.name, call.parentCallId !== undefined)
      : this.#verdicts.checkIdentified(call);
  }

  async beforeToolCall(given: ToolCall): Promise<Decision> {
    const call = readCall(given);
    // Where the call may wait for a source to load, there may be guards by then.
    const isForGuards = this.guards().length > 0 || this.#family.awaitsLoad;
    const frozen = isForGuards ? copied(call) : Object.freeze({ ...call });
    return this.#closed(frozen, await this.#decide(frozen)).decision;
  }

  afterToolCall(result: ToolCallResult): void {
    this.#alive();
    const resultChecks = { callId: string, id: string, ok: boolean, ms: milliseconds };
    options<ToolCallResult>("the result of a call", result, resultChecks, ["id", "ok"]);
    // A host reports every call, those too whose tool is gone by now or never was of this session's: no use of ours.
    const { id } = this.#verdicts.check(result.id, false);
    if (id !== undefined) this.#finding.record(id, result.ok);
  }

  async call(call: ToolCall, given: CallOptions = {}): Promise<Performed> {
    const { signal, onProgress } = options<CallOptions>("the options of a call", given, {
      signal: { is: (value) => value instanceof AbortSignal, what: "an AbortSignal" },
      onProgress: callable,
    });
    return this.perform(call, signal, undefined, onProgress);
  }

  async perform(
    call: ToolCall,
    signal: AbortSignal | undefined,
    fallback: RunCodeOptions["call"],
    onProgress?: CallOptions["onProgress"],
  ): Promise<Performed> {
    const frozen = copied(readCall(call));
    const { decision, execute } = this.#closed(frozen, await this.#decide(frozen));
    if (!decision.allowed) return { decision, ok: false, error: { code: decision.code, message: decision.reason } };
    const performed = await perform(frozen, decision, execute, { session: this, events: this.#events, signal, fallback, onProgress });
    this.#finding.record(decision.id, performed.ok);
    return performed;
  }

  async runCode(code: string, given: RunCodeOptions = {}): Promise<RunCodeResult> {
    this.#alive();
    return this.program(code, given);
  }

  /** A program whose calls are those of another call, where it has one. */
  async program(code: string, given: RunCodeOptions, callId?: string): Promise<RunCodeResult> {
    this.#presented = true;
    return this.#code.run(code, given, callId);
  }

  codeMode(given: CatalogOptions & { name?: string } = {}): ToolDefinition {
    this.#alive();
    return this.#code.tool(given);
  }

  use(provide: ToolProvider, given: { name?: string; optional?: boolean; timeoutMs?: number } = {}): () => void {
    this.#alive();
    expect("the provider", provide, callable);
    const { name, optional, timeoutMs } = options<{ name?: string; optional?: boolean; timeoutMs?: number }>(
      "the provider's options",
      given,
      { name: string, optional: boolean, timeoutMs: milliseconds },
    );
    const provider: Provider = {
      provide,
      name: (name ?? provide.name) || "provider",
      optional: optional ?? false,
      timeoutMs: timeoutMs ?? this.#limits.listenerMs ?? LISTENER_MS,
    };
    this.#requests.add(provider);
    return () => this.#requests.remove(provider);
  }

  async prepare(given: { context?: unknown; maxTools?: number } = {}): Promise<PreparedRequest> {
    this.#alive();
    const read = options<{ context?: unknown; maxTools?: number }>("the options of a request", given, {
      context: anything,
      maxTools: count,
    });
    this.#present();
    return this.#requests.prepare(read);
  }

  catalog(given: CatalogOptions = {}): Catalog {
    this.#alive();
    return this.#finding.catalog(given);
  }

  search(query: string, given: SearchOptions = {}): SearchPage {
    this.#alive();
    return this.#finding.search(query, given);
  }

  searchTool(given: SearchToolOptions = {}): ToolDeclaration {
    this.#alive();
    return searchTool(given);
  }

  get usage(): PublicUsage {
    return this.#finding.usage;
  }

  pinDefinitions(): void {
    this.#alive();
    this.#change(() => this.tree.native.pinDefinitions(this.index));
  }

  approve(id: string): void {
    this.#alive();
    expect("the tool to approve", id, string);
    this.#change(() => this.tree.native.approve(this.index, id.toWellFormed()));
  }

  spawn(given: ChildOptions): ToolSession {
    this.#alive();
    const { name, scope } = options<ChildOptions>("the child", given, { name: string, scope: object }, ["name"]);
    if (name === "") throw invalid("`name` of the child", "a name", name);
    const { text, narrow } = readScope(scope ?? {});
    const id = this.#childId(name);
    const spec = JSON.stringify({ id: id.toWellFormed(), scope: text });
    return this.#change(() => {
      const index = this.tree.native.spawn(this.index, spec);
      const child = new ToolSession(new Seed(this, id, index, narrow) as SessionOptions);
      this.#children.set(id, child);
      const named = [...(scope?.allow ?? []), ...(scope?.required ?? [])].filter((selector) => selector !== "*");
      // To ask what a child's selectors mean is to judge every tool for it, so only where there is something to load.
      if (named.length > 0 && this.#family.awaitsLoad) for (const source of child.#pending(named)) void source.load();
      return child;
    });
  }

  /** The name, told apart from those of living brothers and sisters: a path means one session. */
  #childId(name: string): string {
    let id = name;
    for (let number = 2; this.#children.has(id); number++) id = `${name}-${number}`;
    return id;
  }

  dispose(): void {
    if (this.over) return;
    for (const child of this.#children.values()) child.dispose();
    this.#state = "disposed";
    this.#parent?.forget(this);
    this.#family.changeOf(this, () => this.tree.native.dispose(this.index));
    if (this.#parent === undefined) for (const source of this.#family.sources.values()) source.stop();
    this.#events.emit("session_end", undefined);
    this.#events.clear();
    this.#code.close();
    this.#requests.dispose();
    this.predicates = [];
    this.#family.note(this);
    this.#active.clear();
  }

  /** A child is over. */
  forget(child: ToolSession): void {
    this.#children.delete(child.id);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  // What the door and the family ask of a session.

  guards(): readonly Listener<"before_tool_call">[] {
    return this.#events.over("before_tool_call");
  }

  execute(run: readonly [number, string] | undefined): Execute | undefined {
    return run && this.#family.sources.get(run[0])?.execute(run[1]);
  }

  wishers(): readonly Listener<"catalog">[] {
    return this.#events.over("catalog");
  }

  wish(listener: Listener<"catalog">): unknown {
    return listener.call({ session: this });
  }

  listenerFailed(listener: Listener, message: string): void {
    this.#events.failed(listener, message);
  }

  async loadFor(name: string): Promise<void> {
    const index = crossing(() => this.tree.native.awaitedSource(this.index, name.toWellFormed()));
    if (index !== null) await this.#family.sources.get(index)?.load();
  }

  heard(): Diagnostic[] {
    return this.#family.tellDiagnostics(this);
  }

  catalogText(given: CatalogOptions): string {
    return this.#finding.catalog(given).text;
  }

  codeSource(spec: SourceSpec): Source {
    return this.#family.source(`host:${CODE_SOURCE}`) ?? this.#family.add(spec);
  }

  watch(changed: () => void): () => void {
    return this.#family.watch(changed);
  }

  /** The tool that requests put last, and its definition as it is now. */
  get last(): { readonly slot: Slot; readonly define: () => FrozenDefinition } | undefined {
    const { slot } = this.#code;
    return slot === undefined ? undefined : { slot, define: () => this.#code.define(slot) };
  }

  get activeChanges(): number {
    return this.#active.changes;
  }

  get compacted(): number {
    return this.#finding.compacted;
  }

  weights(slots: Uint32Array): Float64Array {
    return this.#finding.weights(slots);
  }

  tell(diagnostic: Diagnostic): void {
    this.#events.tell(diagnostic);
  }

  // The rest is this session's own.

  async #decide(call: ToolCall): Promise<PassedDecision> {
    if (this.over) return this.#refused(call);
    this.#presented = true;
    const passed = await passDoor(this, call);
    this.#family.tellDiagnostics(this);
    this.#tellOfDecision(call, passed);
    return passed;
  }

  /**
   * Between the door and the tool others have their turn, such as who hears of the decision. A scope that they change
   * holds; of a definition that they change, the one that was decided on runs.
   */
  #closed(call: ToolCall, passed: PassedDecision): PassedDecision {
    if (!passed.decision.allowed || (!this.over && passed.generation === this.generation)) return passed;
    const closed = this.over ? this.#refused(call) : closeDoor(this, call, passed);
    if (closed.decision.allowed || closed.decision.code === "changed") return passed;
    this.#tellOfDecision(call, closed);
    return closed;
  }

  #tellOfDecision(call: ToolCall, { decision, fingerprint }: PassedDecision): void {
    this.#events.decided({ call, decision, generation: this.generation, ...(fingerprint !== undefined && { fingerprint }) });
  }

  #refused({ name, parentCallId }: ToolCall): PassedDecision {
    const decision = this.#ended(name, parentCallId);
    return { decision, slot: undefined, fingerprint: undefined, run: undefined, execute: undefined, generation: this.generation };
  }

  #ended(name: string, parentCallId?: string): Decision {
    const via = parentCallId === undefined ? "direct" : "code";
    return Object.freeze({ allowed: false, code: "disposed", reason: "the session is over", name, via, path: this.path });
  }

  #alive(): void {
    if (this.over) {
      throw new ToolscopeError("ERR_TOOLSCOPE_SESSION_DISPOSED", `session \`${this.id}\` is disposed; make a new one`);
    }
  }

  #change<T>(act: () => T): T {
    return this.#family.changeOf(this, act);
  }

  #present(): void {
    if (this.#presented) return;
    this.#presented = true;
    this.tree.native.present(this.index);
  }

  /** Declares tools or stops it, and tells of that at once; the next delta that is returned says so, too. */
  #declare(act: () => void): void {
    this.#change(act);
    this.#active.hold();
    this.#tellOf(this.#active.told(false));
  }

  /** Brings the active set up to date. */
  #delta(compact: boolean): ActiveDelta {
    const told = this.#active.told(compact);
    const delta = this.#active.returned(told);
    this.#tellOf(told);
    return delta;
  }

  #tellOf(delta: ActiveDelta): void {
    if (delta.changed) this.#events.emit("tools_changed", delta);
  }
}
