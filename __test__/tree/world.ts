// Random histories of a tree, taken from a seed: sources that come, go and fail, scopes that are set at any level,
// children that are spawned and disposed of at any time, guards that come and go. Shared by the laws of trees.
import { type Exposure, type ScopeSpec, type SourceKind, ToolSession, type ToolSource } from "../../index.js";

/** Numbers that follow from a seed alone. */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = (seed ^ 0x9e37_79b9) >>> 0;
  }
  /** A whole number below `sides`. */
  below(sides: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }
  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }
  some<T>(of: readonly T[], most: number): T[] {
    return Array.from({ length: this.below(most + 1) }, () => this.one(of));
  }
  often(share: number): boolean {
    return this.below(100) < share;
  }
}

const places: readonly (readonly [SourceKind, string])[] = [
  ["builtin", "builtin"],
  ["host", "app"],
  ["ext", "foo"],
  ["ext", "web"],
  ["mcp", "kb"],
];
const raws = ["read", "find", "task", "a_b"];
const exposures: readonly Exposure[] = ["direct", "direct", "direct", "deferred", "code", "model-only", "hidden"];
const idOf = (kind: SourceKind, name: string, raw: string): string => (kind === "builtin" ? `builtin:${raw}` : `${kind}:${name}/${raw}`);
/** Every id that a history can come to know. */
export const ids: readonly string[] = places.flatMap(([kind, name]) => raws.map((raw) => idOf(kind, name, raw)));
const selectors = [
  ...ids,
  ...raws,
  "*",
  "none",
  "r*",
  "ext:*",
  "ext:foo",
  "ext:web",
  "mcp:kb",
  "mcp__kb__find",
  "host:*/find",
  "builtin:*",
  "*:read",
  "ext:*@readOnly",
];
const guards = ["approve", "audit"];

/** One session with what the law has to know of it. */
export interface Member {
  readonly session: ToolSession;
  readonly parent: Member | undefined;
  /** The scopes it was given: the one it was spawned with, and the one it set. */
  readonly scopes: (ScopeSpec | undefined)[];
  /** Ids of the tools it was told to declare. */
  readonly activated: Set<string>;
}

export class World {
  readonly members: Member[] = [];
  readonly steps: string[] = [];
  readonly dice: Dice;
  readonly #sources: ToolSource[] = [];
  /** The raw names that each open source has or announces, by its id. */
  readonly #known = new Map<string, Set<string>>();
  readonly #ends = new Map<ToolSession, (() => void)[]>();
  #spawned = 0;

  constructor(seed: number) {
    this.dice = new Dice(seed);
    const scope = this.#scope();
    const session = new ToolSession({ id: "root", scope, spawnTools: this.dice.often(50) ? ["task"] : [] });
    this.members.push({ session, parent: undefined, scopes: [scope, undefined], activated: new Set() });
    for (let sources = this.dice.below(4); sources > 0; sources--) this.#addSource();
    if (this.dice.often(70)) session.start();
  }

  #scope(): ScopeSpec {
    const { dice } = this;
    const scope: ScopeSpec = {};
    if (dice.often(60)) scope.allow = dice.some(selectors, 5);
    if (dice.often(30)) scope.exclude = dice.some(selectors.slice(0, -12), 2);
    if (dice.often(20)) scope.required = dice.some(selectors, 2);
    if (dice.often(15)) scope.sealed = true;
    if (dice.often(8)) scope.requireGuards = [dice.one(guards)];
    if (dice.often(15)) {
      const open = dice.below(3);
      scope.narrow = (source) => {
        if (open === 2 && source.name === "web") throw new Error("out of order");
        return open === 0 ? source.name !== "foo" : source.tools.filter((raw) => raw !== "read");
      };
    }
    return scope;
  }

  #declarations(): { name: string; exposure: Exposure }[] {
    return raws.filter(() => this.dice.often(60)).map((name) => ({ name, exposure: this.dice.one(exposures) }));
  }

  #addSource(): void {
    const [kind, name] = this.dice.one(places);
    const root = this.members[0]?.session as ToolSession;
    if (this.#sources.some((source) => source.id === (kind === "builtin" ? "builtin" : `${kind}:${name}`) && source.state !== "closed")) return;
    const declares = this.dice.often(30) ? this.dice.some(raws, 2) : undefined;
    const tools = declares === undefined ? this.#declarations() : undefined;
    const source = root.addSource({ kind, name, ...(declares && { declares }), ...(tools && { tools }) });
    this.#known.set(source.id, new Set(declares ?? tools?.map((tool) => tool.name)));
    this.steps.push(`add ${source.id}`);
    this.#sources.push(source);
  }

  /** The ids that can be known now, also of tools whose name another one owns. */
  ids(): string[] {
    return [...this.#known].flatMap(([source, raws]) => Array.from(raws, (raw) => (source === "builtin" ? `builtin:${raw}` : `${source}/${raw}`)));
  }

  /** The names by which a model can call what can be known now. */
  names(): string[] {
    const names = [...this.#known].flatMap(([source, raws]) => Array.from(raws, (raw) => (source === "mcp:kb" ? `mcp__kb__${raw}` : raw)));
    return [...new Set(names)];
  }

  /** Whatever happens next. */
  step(): void {
    const { dice } = this;
    const member = dice.one(this.members);
    const { session } = member;
    const open = this.#sources.filter((source) => source.state !== "closed");
    const source = open.length > 0 ? dice.one(open) : undefined;
    const does = dice.below(16);
    if (does < 2) return this.#addSource();
    if (does < 6 && source !== undefined) {
      this.steps.push(`${["set", "add", "remove", "fail or close"][does - 2]} ${source.id}`);
      this.#change(source, does);
      return;
    }
    if (does < 10) return this.#spawn(member);
    if (does < 12) {
      const scope = this.#scope();
      this.steps.push(`${session.path.join("/")} setScope ${JSON.stringify(scope)}`);
      session.setScope(scope);
      member.scopes[member.parent === undefined ? 0 : 1] = scope;
    } else if (does === 12) {
      this.steps.push(`${session.path.join("/")} start, end of turn`);
      session.start();
      session.endTurn();
    } else if (does === 13) this.#guard(session);
    else if (does === 14) {
      const name = dice.one(raws);
      this.steps.push(`${session.path.join("/")} activate ${name}`);
      const { id } = session.checkScope(name);
      if (id !== undefined) member.activated.add(id);
      try {
        session.activate(name);
      } catch {
        // It is not there, or not in scope: then nothing happens.
      }
    } else if (member.parent !== undefined && dice.often(50)) this.#dispose(member);
    else session.refresh();
  }

  #change(source: ToolSource, how: number): void {
    const known = this.#known.get(source.id) as Set<string>;
    if (how === 2 || how === 3) {
      const tools = this.#declarations();
      if (how === 2) known.clear();
      for (const { name } of tools) known.add(name);
      if (how === 2) source.set(tools);
      else source.add(...tools);
    } else if (how === 4) {
      const names = this.dice.some(raws, 2);
      for (const name of names) known.delete(name);
      source.remove(...names);
    } else if (this.dice.often(60)) source.fail("gone for now");
    else {
      source.close();
      this.#known.delete(source.id);
    }
  }

  #spawn(parent: Member): void {
    if (this.members.length >= 7) return;
    const scope = this.dice.often(80) ? this.#scope() : undefined;
    const name = `c${++this.#spawned}`;
    this.steps.push(`${parent.session.path.join("/")} spawn ${name} ${JSON.stringify(scope)}`);
    const session = parent.session.spawn({ name, ...(scope !== undefined && { scope }) });
    this.members.push({ session, parent, scopes: [scope, undefined], activated: new Set() });
    if (this.dice.often(50)) session.start();
  }

  #guard(session: ToolSession): void {
    const ends = this.#ends.get(session) ?? [];
    this.#ends.set(session, ends);
    if (ends.length > 0 && this.dice.often(50)) {
      this.steps.push(`${session.path.join("/")} guard ends`);
      ends.pop()?.();
      return;
    }
    const vetoed = new Set(this.dice.some(ids, 3));
    const name = this.dice.one(guards);
    this.steps.push(`${session.path.join("/")} ${name} vetoes ${[...vetoed].join(" ")}`);
    const end = session.on("before_tool_call", ({ id }) => (vetoed.has(id) ? { block: true, reason: "not that" } : undefined), { name });
    ends.push(end);
  }

  #dispose(member: Member): void {
    this.steps.push(`${member.session.path.join("/")} dispose`);
    member.session.dispose();
    for (let at = this.members.length - 1; at >= 0; at--) {
      if (this.members[at]?.session.state === "disposed") this.members.splice(at, 1);
    }
  }
}

/** Whether a deferred tool counts as loaded for a session: its own scopes name it, or it was activated. */
export function hasLoaded({ scopes, activated }: Member, id: string): boolean {
  const raw = id.slice(Math.max(id.indexOf("/"), id.indexOf(":")) + 1);
  const texts = scopes.flatMap((scope) => [...(scope?.allow ?? []), ...(scope?.required ?? [])]);
  return activated.has(id) || texts.some((text) => text === id || text === raw || text === "mcp__kb__find");
}
