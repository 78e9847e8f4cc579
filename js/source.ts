import type { SourceReport, SourceSpec, ToolDeclaration, ToolSource } from "../index.js";
import { type Execute, type Framed, frame, ownName } from "./declaration.js";
import { ToolscopeError } from "./errors.js";
import { isLate, within } from "./listener.js";
import { crossing } from "./native.js";
import { boolean, callable, expect, integer, invalid, list, messageOf, oneOf, options, string, strings } from "./options.js";
import type { Tree } from "./tree.js";

/** What a source needs of the session it is added to. */
export interface SourceHost {
  readonly tree: Tree;
  readonly loadMs: number;
  /** Whether the session is over. */
  readonly over: boolean;
  /** Runs a change of the registry and everything that follows from it. */
  change<T>(act: () => T): T;
}

/** After a failed load the next demand waits this long, and twice as long after each further one. */
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;

const checks = {
  kind: oneOf("builtin", "host", "ext", "mcp"),
  name: string,
  aliases: strings,
  path: string,
  description: string,
  precedence: integer,
  exposedName: callable,
  trustHints: boolean,
  tools: list,
  declares: strings,
  load: callable,
} as const;

/** Reads a report's text; the report is frozen through and through, since everybody is given the same one. */
function readReport(text: string): SourceReport {
  const report = JSON.parse(text) as SourceReport;
  report.quarantined.forEach(Object.freeze);
  Object.values(report).forEach(Object.freeze);
  return Object.freeze(report);
}

const nothing: SourceReport = readReport('{"added":[],"replaced":[],"removed":[],"quarantined":[]}');

/**
 * See index.d.ts. A new one is in the registry and has no tools: whoever makes it makes it known, and then lets it
 * {@link arrive}, since nobody can be asked about a source that nobody knows.
 */
export class Source implements ToolSource {
  readonly id: string;
  readonly index: number;
  readonly spec: SourceSpec;
  readonly #host: SourceHost;
  readonly #executes = new Map<string, Execute>();
  #closed = false;
  #arriving: Framed | undefined;
  #report: SourceReport = nothing;
  #loading: Promise<void> | undefined;
  #abort: AbortController | undefined;
  #failures = 0;
  #notBefore = 0;

  constructor(host: SourceHost, given: SourceSpec) {
    const spec = options<SourceSpec>("the source", given, checks, ["kind", "name"]);
    this.#host = host;
    this.spec = spec;
    const { kind, name, aliases, description, precedence, trustHints, declares, exposedName } = spec;
    const own = (raw: string): [string, string | null] => {
      return [raw.toWellFormed(), exposedName === undefined ? null : ownName(exposedName, raw)];
    };
    const text = JSON.stringify({
      kind,
      name: name.toWellFormed(),
      aliases: aliases?.map((alias) => alias.toWellFormed()),
      description: description?.toWellFormed(),
      precedence,
      trustHints,
      declares: declares?.map(own),
      lazy: spec.load !== undefined,
    });
    // All that is foreign is read before anything changes: a trap in it leaves no source behind.
    if (spec.tools !== undefined) this.#arriving = frame(spec.tools, exposedName);
    this.index = crossing(() => host.tree.native.addSource(text));
    this.id = host.tree.native.sourceId(this.index);
  }

  /** Takes in the tools it came with, and lets the session follow. */
  arrive(): void {
    const framed = this.#arriving;
    this.#arriving = undefined;
    if (framed === undefined) this.#host.change(() => {});
    else this.#receive(framed, true);
  }

  get state(): ToolSource["state"] {
    return this.#closed ? "closed" : (this.#host.tree.native.sourceState(this.index) as ToolSource["state"]);
  }

  get report(): SourceReport {
    return this.#report;
  }

  set(tools: readonly ToolDeclaration[]): SourceReport {
    if (!Array.isArray(tools)) throw invalid("the map of a source", "a list of tools", tools);
    return this.#receive(frame(tools, this.spec.exposedName), true);
  }

  add(...tools: ToolDeclaration[]): SourceReport {
    return this.#receive(frame(tools, this.spec.exposedName), false);
  }

  #receive({ lines, length, executes }: Framed, whole: boolean): SourceReport {
    const { native } = this.#host.tree;
    // The source is ready by this; a load under way would come too late.
    this.stop();
    return this.#host.change(() => {
      const text = whole ? native.set(this.#place, lines, length) : native.add(this.#place, lines, length);
      this.#report = readReport(text);
      if (whole) this.#executes.clear();
      // A malformed redefinition withdraws the tool, its `execute` too.
      for (const { name } of this.#report.quarantined) this.#executes.delete(name);
      for (const [name, execute] of executes) {
        if (execute === undefined) this.#executes.delete(name);
        else this.#executes.set(name, execute);
      }
      return this.#report;
    });
  }

  remove(...rawNames: string[]): void {
    if (!strings.is(rawNames)) throw invalid("a tool to remove", "raw names", rawNames);
    this.#host.change(() => {
      this.#report = readReport(this.#host.tree.native.remove(this.#place, rawNames));
      for (const name of rawNames) this.#executes.delete(name);
    });
  }

  fail(reason: string): void {
    if (!string.is(reason)) throw invalid("the reason of a failure", "a string", reason);
    this.#host.change(() => this.#host.tree.native.fail(this.#place, reason));
  }

  describe(description: string | undefined): void {
    if (description !== undefined) expect("the description of the source", description, string);
    this.#host.change(() => this.#host.tree.native.describe(this.index, description?.toWellFormed()));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#host.change(() => this.#host.tree.native.close(this.index));
    this.#executes.clear();
    this.stop();
  }

  /** Where the core has it, which may be another's place once it is closed. */
  get #place(): number {
    if (!this.#closed) return this.index;
    const message = `source \`${this.id}\` is closed for good; add it again with \`addSource\``;
    throw new ToolscopeError("ERR_TOOLSCOPE_SOURCE_CLOSED", message);
  }

  /** Nobody waits for its load any longer. */
  stop(): void {
    this.#abort?.abort();
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** What runs a tool of this source. */
  execute(rawName: string): Execute | undefined {
    return this.#executes.get(rawName);
  }

  /**
   * Loads a lazy source; concurrent demands share one load, and a failed one is tried again on a later demand. Never
   * rejects: how it ended is the source's state.
   */
  load(): Promise<void> {
    const { load } = this.spec;
    if (load === undefined || this.state === "ready" || this.state === "closed") return Promise.resolve();
    if (this.#loading === undefined) {
      if (performance.now() < this.#notBefore) return Promise.resolve();
      let follow: (attempt: Promise<void>) => void = () => {};
      // There before `load` runs: what `load` asks for may be this very source.
      const loading = new Promise<void>((resolve) => {
        follow = resolve;
      });
      this.#loading = loading;
      const attempt = this.#attempt(load).finally(() => {
        this.#loading = undefined;
        this.#abort = undefined;
      });
      follow(attempt);
      return loading;
    }
    return this.#loading;
  }

  async #attempt(load: NonNullable<SourceSpec["load"]>): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    const aborted = new Promise<never>((_resolve, reject) => {
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason), { once: true });
    });
    try {
      const loaded = (async () => load(abort.signal))();
      const tools = await within(Promise.race([loaded, aborted]), this.#host.loadMs);
      if (isLate(tools)) throw new Error(`\`${this.id}\` did not load within ${this.#host.loadMs} ms`);
      if (!Array.isArray(tools)) throw new TypeError("`load` gave no list of tools");
      abort.signal.throwIfAborted();
      // What was loaded may live on what it was loaded with.
      this.#abort = undefined;
      this.set(tools);
      this.#failures = 0;
    } catch (error) {
      abort.abort(error);
      if (this.#host.over || this.state === "closed" || this.state === "ready") return;
      this.#notBefore = performance.now() + Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** this.#failures);
      this.#failures += 1;
      this.fail(messageOf(error));
    }
  }
}

