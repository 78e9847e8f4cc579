import type { DeltaSlots } from "../binding.js";
import type { ActiveDelta } from "../index.js";
import { crossing } from "./native.js";
import type { Slot, Tree } from "./tree.js";

/** The names a session's model is told of, brought up to date as the session goes on. */
export class ActiveTools {
  readonly #tree: Tree;
  readonly #index: number;
  #names: readonly string[] = Object.freeze([]);
  #unchanged: ActiveDelta | undefined;
  #isHeld = false;
  #changes = 0;

  constructor(tree: Tree, index: number) {
    this.#tree = tree;
    this.#index = index;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** Counts the changes; what was made of the active tools is current while it stands. */
  get changes(): number {
    return this.#changes;
  }

  clear(): void {
    this.#names = Object.freeze([]);
  }

  /** What has changed since it was last told. Where the clock stands still there is nothing to ask. */
  told(compact: boolean): ActiveDelta {
    const { generation } = this.#tree;
    if (this.#unchanged?.generation === generation && !compact) return this.#unchanged;
    const slots = crossing(() => this.#tree.native.delta(this.#index, compact));
    const { from, generation: to, added, reset } = slots;
    this.#tree.readNames();
    if (reset !== undefined) this.#names = this.#named(reset);
    else if (added.length > 0) this.#names = Object.freeze([...this.#names, ...this.#named(added)]);
    const none = { changed: false, added: this.#named([]), removed: this.#named([]), redefined: this.#named([]), reset: false };
    this.#unchanged = Object.freeze({ ...none, active: this.#names, from: to, generation: to });
    const delta = this.#read(slots);
    if (delta.changed) {
      this.#changes += 1;
      return delta;
    }
    return this.#unchanged.from === from ? this.#unchanged : Object.freeze({ ...this.#unchanged, from });
  }

  /** From now on what is told is not returned, until it is returned as one. */
  hold(): void {
    this.#isHeld = true;
  }

  /** What has changed since it was last returned, given what has just been told. */
  returned(told: ActiveDelta): ActiveDelta {
    if (!this.#isHeld) return told;
    this.#isHeld = false;
    const slots = crossing(() => this.#tree.native.heldDelta(this.#index));
    return slots === null ? told : this.#read(slots);
  }

  #read({ from, generation, added, removed, redefined, reset }: DeltaSlots): ActiveDelta {
    return Object.freeze({
      changed: reset !== undefined || added.length + removed.length + redefined.length > 0,
      from,
      generation,
      added: this.#named(added),
      removed: this.#named(removed),
      redefined: this.#named(redefined),
      active: this.#names,
      reset: reset !== undefined,
    });
  }

  #named(slots: Iterable<Slot>): string[] {
    return Object.freeze(Array.from(slots, (slot) => this.#tree.nameOf(slot))) as string[];
  }
}
