import type { ActiveDelta } from "../index.js";
import { crossing } from "./native.js";
import type { Slot, Tree } from "./tree.js";

/** The names a session's model is told of, brought up to date as the session goes on. */
export class ActiveTools {
  readonly #tree: Tree;
  readonly #index: number;
  #names: readonly string[] = Object.freeze([]);
  #unchanged: ActiveDelta | undefined;

  constructor(tree: Tree, index: number) {
    this.#tree = tree;
    this.#index = index;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  clear(): void {
    this.#names = Object.freeze([]);
  }

  /** What has changed since the last time. Where the clock stands still there is nothing to ask. */
  update(compact: boolean): ActiveDelta {
    const { generation } = this.#tree;
    if (this.#unchanged?.generation === generation && !compact) return this.#unchanged;
    const { from, generation: to, added, removed, redefined, reset } = crossing(() => this.#tree.native.delta(this.#index, compact));
    const changed = reset !== undefined || added.length + removed.length + redefined.length > 0;
    this.#tree.readNames();
    if (reset !== undefined) this.#names = this.#named(reset);
    else if (added.length > 0) this.#names = Object.freeze([...this.#names, ...this.#named(added)]);
    const active = this.#names;
    const none = { changed: false, added: this.#named([]), removed: this.#named([]), redefined: this.#named([]), active, reset: false };
    this.#unchanged = Object.freeze({ ...none, from: to, generation: to });
    if (!changed) return this.#unchanged.from === from ? this.#unchanged : Object.freeze({ ...this.#unchanged, from });
    return Object.freeze({
      changed,
      from,
      generation: to,
      added: this.#named(added),
      removed: this.#named(removed),
      redefined: this.#named(redefined),
      active,
      reset: reset !== undefined,
    });
  }

  #named(slots: Iterable<Slot>): string[] {
    return Object.freeze(Array.from(slots, (slot) => this.#tree.nameOf(slot))) as string[];
  }
}
