import type { Diagnostic, SourceSpec, SourceView } from "../index.js";
import { Definitions } from "./definition.js";
import { within } from "./listener.js";
import { crossing } from "./native.js";
import { type Narrow, askPredicate } from "./scope.js";
import { Source, type SourceHost } from "./source.js";
import type { Tree } from "./tree.js";

/** A predicate that changes sources each time it is asked is asked this often, and then closed on doubt. */
const NARROW_ROUNDS = 100;

/** A session, as its family sees it. */
export interface Member {
  readonly index: number;
  readonly over: boolean;
  /** Its predicates, by the layer of the scope. */
  readonly predicates: readonly (Narrow | undefined)[];
  tell(diagnostic: Diagnostic): void;
}

/** What the sessions of one tree share. */
export class Family implements SourceHost {
  readonly tree: Tree;
  readonly root: Member;
  readonly loadMs: number;
  readonly sources: Map<number, Source> = new Map();
  /** The sessions that have a predicate. */
  readonly #narrowing = new Set<Member>();
  readonly definitions: Definitions;
  readonly #waiting = new Set<() => void>();
  readonly #watching = new Set<() => void>();
  #asking = false;
  #depth = 0;

  constructor(tree: Tree, root: Member, loadMs: number) {
    this.tree = tree;
    this.root = root;
    this.loadMs = loadMs;
    this.definitions = new Definitions(tree);
  }

  get over(): boolean {
    return this.root.over;
  }

  /** Whether a source can still be loaded on demand. */
  get awaitsLoad(): boolean {
    for (const source of this.sources.values()) {
      if (source.spec.load !== undefined && source.state !== "ready" && source.state !== "closed") return true;
    }
    return false;
  }

  /** Takes note of whether a session has a predicate now. */
  note(session: Member): void {
    if (session.predicates.some((predicate) => predicate !== undefined)) this.#narrowing.add(session);
    else this.#narrowing.delete(session);
  }

  change<T>(act: () => T): T {
    return this.changeOf(this.root, act);
  }

  /** Runs a change, then, once, everything that follows from it before anybody else can look. */
  changeOf<T>(session: Member, act: () => T): T {
    this.#depth += 1;
    try {
      return crossing(act);
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0) this.#follow(session);
    }
  }

  #follow(session: Member): void {
    this.#askPredicates();
    this.tellDiagnostics(session);
    for (const changed of this.#watching) changed();
    this.wake();
  }

  add(spec: SourceSpec): Source {
    const source = new Source(this, spec);
    return this.change(() => {
      this.sources.set(source.index, source);
      source.arrive();
      return source;
    });
  }

  source(id: string): Source | undefined {
    const index = this.tree.native.sourceIndex(id.toWellFormed());
    return index === null ? undefined : this.sources.get(index);
  }

  /** Has somebody told of every change, until it is called off. */
  watch(changed: () => void): () => void {
    this.#watching.add(changed);
    return () => this.#watching.delete(changed);
  }

  /** Has everybody who waits look again. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** When something of the registry changes next, or `ms` have passed. */
  async changed(ms: number): Promise<void> {
    let wake = (): void => {};
    const change = new Promise<void>((resolve) => {
      wake = resolve;
      this.#waiting.add(wake);
    });
    await within(change, ms);
    this.#waiting.delete(wake);
  }

  /** Tells what the core has to tell, and returns it. */
  tellDiagnostics(session: Member): Diagnostic[] {
    if (!this.tree.telling) return [];
    const diagnostics = JSON.parse(this.tree.native.takeDiagnostics()) as Diagnostic[];
    for (const diagnostic of diagnostics) session.tell(diagnostic);
    return diagnostics;
  }

  /**
   * Asks each predicate about each source whose map it has not seen. A predicate may change sources itself: what it
   * changes is asked about in the next round, never inside this one.
   */
  #askPredicates(): void {
    if (this.#asking) return;
    this.#asking = true;
    try {
      for (const session of this.#narrowing) this.#askAll(session);
    } finally {
      this.#asking = false;
    }
  }

  #askAll(session: Member): void {
    const { native } = this.tree;
    for (let round = 0; ; round++) {
      const text = native.narrowQuestions(session.index);
      if (text === null) return;
      for (const [layer, source, version, tools] of JSON.parse(text) as [number, number, number, string[]][]) {
        const answer =
          round < NARROW_ROUNDS
            ? askPredicate(session.predicates[layer] as Narrow, this.#view(source, tools))
            : { problem: "it changes the source each time it is asked" };
        native.narrowAnswered(session.index, [layer, source, version], answer.whole, answer.names, answer.problem);
      }
    }
  }

  #view(index: number, tools: string[]): SourceView {
    const { id, spec } = this.sources.get(index) as Source;
    const { kind, name, aliases, path } = spec;
    return Object.freeze({
      id,
      kind,
      name,
      aliases: Object.freeze([...(aliases ?? [])]),
      ...(path !== undefined && { path }),
      tools: Object.freeze(tools),
    });
  }
}
