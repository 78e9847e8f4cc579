import type { SourceReport, SourceSpec, ToolDeclaration, ToolSource } from "../index.js";
import { type Execute, frame, ownName } from "./declaration.js";
import { isLate, within } from "./listener.js";
import { crossing } from "./native.js";
import { boolean, callable, expect, integer, invalid, list, messageOf, oneOf, options, string, strings } from "./options.js";
import type { Tree } from "./tree.js";

/** What a source needs of the session it is added to. */
export interface SourceHost {
  readonly tree: Tree;
  readonly loadMs: number;
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

const nothing: SourceReport = Object.freeze({ added: [], replaced: [], removed: [], quarantined: [] });

/** See index.d.ts. */
export class Source implements ToolSource {
  readonly id: string;
  readonly index: number;
  readonly spec: SourceSpec;
  readonly #host: SourceHost;
  readonly #executes = new Map<string, Execute>();
  #report: SourceReport = nothing;
  #loading: Promise<void> | undefined;
  #failures = 0;
  #notBefore = 0;

  constructor(host: SourceHost, given: SourceSpec) {
    const spec = options<SourceSpec>("the source", given, checks);
    if (spec.kind === undefined || spec.name === undefined) {
      throw invalid(`\`${spec.kind === undefined ? "kind" : "name"}\` of the source`, "one", undefined);
    }
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
    this.index = crossing(() => host.tree.native.addSource(text));
    this.id = host.tree.native.sourceId(this.index);
  }

  get state(): ToolSource["state"] {
    return this.#host.tree.native.sourceState(this.index) as ToolSource["state"];
  }

  get report(): SourceReport {
    return this.#report;
  }

  set(tools: readonly ToolDeclaration[]): SourceReport {
    if (!Array.isArray(tools)) throw invalid("the map of a source", "a list of tools", tools);
    return this.#receive(tools, true);
  }

  add(...tools: ToolDeclaration[]): SourceReport {
    return this.#receive(tools, false);
  }

  #receive(tools: readonly ToolDeclaration[], whole: boolean): SourceReport {
    const { native } = this.#host.tree;
    return this.#host.change(() => {
      const { lines, length, executes } = frame(tools, this.spec.exposedName);
      const text = whole ? native.set(this.index, lines, length) : native.add(this.index, lines, length);
      this.#report = Object.freeze(JSON.parse(text) as SourceReport);
      if (whole) this.#executes.clear();
      // A malformed redefinition withdraws the tool, its `execute` too.
      for (const { name } of this.#report.quarantined) this.#executes.delete(name);
      for (const [name, execute] of executes) this.#executes.set(name, execute);
      return this.#report;
    });
  }

  remove(...rawNames: string[]): void {
    if (!strings.is(rawNames)) throw invalid("a tool to remove", "raw names", rawNames);
    this.#host.change(() => {
      this.#report = Object.freeze(JSON.parse(this.#host.tree.native.remove(this.index, rawNames)) as SourceReport);
      for (const name of rawNames) this.#executes.delete(name);
    });
  }

  fail(reason: string): void {
    if (!string.is(reason)) throw invalid("the reason of a failure", "a string", reason);
    this.#host.change(() => this.#host.tree.native.fail(this.index, reason));
  }

  describe(description: string | undefined): void {
    if (description !== undefined) expect("the description of the source", description, string);
    this.#host.change(() => this.#host.tree.native.describe(this.index, description?.toWellFormed()));
  }

  close(): void {
    this.#host.change(() => this.#host.tree.native.close(this.index));
    this.#executes.clear();
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
      this.#loading = this.#attempt(load).finally(() => {
        this.#loading = undefined;
      });
    }
    return this.#loading;
  }

  async #attempt(load: NonNullable<SourceSpec["load"]>): Promise<void> {
    const abort = new AbortController();
    try {
      const tools = await within(Promise.resolve(load(abort.signal)), this.#host.loadMs);
      if (isLate(tools)) throw new Error(`it did not load within ${this.#host.loadMs} ms`);
      if (!Array.isArray(tools)) throw new TypeError("`load` gave no list of tools");
      if (this.state === "closed") return;
      this.set(tools);
      this.#failures = 0;
    } catch (error) {
      abort.abort(error);
      this.#notBefore = performance.now() + Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** this.#failures);
      this.#failures += 1;
      if (this.state !== "closed") this.fail(messageOf(error));
    }
  }
}

