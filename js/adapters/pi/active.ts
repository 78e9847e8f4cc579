/**
 * The active set on both sides: pi's is presented by subtraction, and the session is told what pi has active.
 */
import type { ActiveDelta, ToolSession } from "../../../index.js";
import type { GuardedTool } from "./guard.js";
import type { PiAgentSession } from "./host.js";
import type { Names } from "./names.js";
import type { Registry } from "./registry.js";

export class ActiveSet {
  /** What both sides had active when they were last in step, and the session's generation then. */
  #names: readonly string[] = [];
  #ours: readonly string[] = [];
  #generation = -1;
  /** Tools that were in step once; what the session adds of them later is its host's wish. */
  readonly #settled = new Set<string>();
  /** Whether a tool was active when it was hidden. */
  readonly #remembered = new Map<string, boolean>();
  #quiet = 0;

  constructor(
    readonly host: PiAgentSession,
    readonly session: ToolSession,
    readonly registry: Registry,
    readonly names: Names,
    /** Hears why a tool could not be made active. */
    readonly failed: (error: unknown) => void,
  ) {}

  /** Whether a change of the session's active set is our own doing. */
  get isQuiet(): boolean {
    return this.#quiet > 0;
  }

  quietly(run: () => void): void {
    this.#quiet++;
    try {
      run();
    } finally {
      this.#quiet--;
    }
  }

  /** At the start: every tool is as active as pi has it now. */
  rememberAll(): void {
    const names = new Set(this.host.getActiveToolNames());
    for (const { id, name } of this.registry.tools()) this.#remembered.set(id, names.has(name));
  }

  /** Before tools are hidden. */
  remember(tools: readonly GuardedTool[]): void {
    if (tools.length === 0) return;
    const names = new Set(this.host.getActiveToolNames());
    for (const tool of tools) {
      if (this.registry.effective(tool.name) === tool) this.#remembered.set(tool.id, names.has(tool.name));
    }
  }

  /** Tools that came back into scope are as active as they were when they left it; for new ones pi's own rule stands. */
  restore(appeared: readonly GuardedTool[]): void {
    const names = this.host.getActiveToolNames();
    const next = new Set(names);
    for (const { id, name } of appeared) {
      const was = this.#remembered.get(id);
      this.#remembered.delete(id);
      if (this.registry.effective(name)?.id !== id) continue;
      if (was === true) next.add(name);
      else if (was === false) next.delete(name);
    }
    if (differs(names, next)) this.host.setActiveToolsByName([...next]);
  }

  /** A deferred tool that pi has loaded since the last turn is loaded for the session too. */
  beforeCall(tool: GuardedTool): void {
    if (tool.exposure !== "deferred" && tool.exposure !== "codemode") return;
    if (!this.host.getActiveToolNames().includes(tool.name) || this.#isActive(tool)) return;
    this.quietly(() => this.#activate([tool]));
  }

  #isActive(tool: GuardedTool): boolean {
    const name = this.names.exposedOf(tool);
    return name !== undefined && this.session.activeTools().includes(name);
  }

  /** Tells the session what pi has active. Cost where nothing changed: one pass over pi's active names. */
  reconcile(): void {
    let names: readonly string[] = this.host.getActiveToolNames();
    // With no names: the session's list is brought up to date.
    if (this.#generation !== this.session.generation) this.quietly(() => this.session.activate());
    const ours = this.session.activeTools();
    // The session's list is another object when it is another list.
    if (this.#generation === this.session.generation && ours === this.#ours && same(names, this.#names)) return;
    const mine = this.names.toolsOf(ours);
    names = this.#declareNew(names, mine);
    const pis = new Set(names);
    const known = new Set(mine);
    const idle = mine.filter(({ name }) => !pis.has(name));
    const active = names.flatMap((name) => this.registry.effective(name) ?? []).filter((tool) => !known.has(tool));
    this.quietly(() => {
      if (idle.length > 0) this.session.deactivate(...idle.map(({ id }) => id));
      for (const tool of idle) this.registry.declare(tool, false);
      this.#activate(active);
    });
    for (const tool of this.registry.tools()) if (!tool.hidden) this.#settled.add(tool.name);
    this.#names = names;
    this.#ours = this.session.activeTools();
    this.#generation = this.session.generation;
  }

  /** A deferred tool that the session has active from the first on, since a child's scope names it, is declared to pi. */
  #declareNew(names: readonly string[], mine: readonly GuardedTool[]): readonly string[] {
    const fresh = mine.filter(({ name }) => !this.#settled.has(name) && !names.includes(name));
    const named = fresh.filter((tool) => tool.exposure === "deferred" && !tool.hidden).map(({ name }) => name);
    if (named.length === 0) return names;
    this.host.setActiveToolsByName([...names, ...named]);
    return this.host.getActiveToolNames();
  }

  #activate(tools: readonly GuardedTool[]): void {
    for (const tool of tools) this.registry.declare(tool, true);
    const ids = tools.filter((tool) => !tool.hidden).map(({ id }) => id);
    try {
      if (ids.length > 0) this.session.activate(...ids);
    } catch {
      // One that the session does not take must not keep the others from it.
      for (const id of ids) this.#activateAlone(id);
    }
  }

  #activateAlone(id: string): void {
    try {
      this.session.activate(id);
    } catch (error) {
      this.failed(error);
    }
  }

  /** Passes on to pi what the session's host activated or deactivated. */
  follow(delta: ActiveDelta): void {
    const names = this.host.getActiveToolNames();
    const next = new Set(names);
    for (const { name } of this.names.toolsOf(delta.removed)) next.delete(name);
    for (const { name, hidden } of this.names.toolsOf(delta.added)) {
      if (!hidden && this.#settled.has(name)) next.add(name);
    }
    if (differs(names, next)) this.host.setActiveToolsByName([...next]);
  }

  /** After the guards are gone: what was hidden is as active as it was when it was hidden. */
  giveBack(wasActive: ReadonlySet<string>, hidden: readonly GuardedTool[]): void {
    const next = new Set(this.host.getActiveToolNames());
    for (const { id, name } of hidden) {
      const was = this.#remembered.get(id);
      if (was === true) next.add(name);
      else if (was === false) next.delete(name);
    }
    for (const name of wasActive) next.add(name);
    this.host.setActiveToolsByName([...next]);
  }
}

const same = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name, index) => name === right[index]);

const differs = (names: readonly string[], next: ReadonlySet<string>): boolean =>
  next.size !== names.length || names.some((name) => !next.has(name));
