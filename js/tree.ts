import { type Native, crossing, native } from "./native.js";

/** A place in the registry's memory; it never comes to mean another tool. */
export type Slot = number;

// A clock's places, as src/node/tree.rs writes them.
const GENERATION = 0;
const NAMES = 1;
const DIAGNOSTICS = 2;
const SLOTS = 3;
const DECLARATIONS = 4;

const PLACES = 5;

// Clocks lie side by side in memory that trees share. An array for each tree would outlive it until the finalizer of the
// core's half has run: the engine, seeing so much survive, lets its young generation grow, and with it the number of dead
// trees that wait for the next collection. No clock is used twice, so none is ever read for another tree; the memory goes
// with the last of its trees.
const CLOCKS = 256;
let clocks: Float64Array = new Float64Array(0);
let taken = 0;

interface NameNews {
  readonly slots: Slot[];
  readonly owners: Slot[];
  readonly exposed: string[];
  readonly ids: string[];
}

/**
 * One registry with its sessions, and this side's copy of its names.
 *
 * The copy is never asked while it is behind: the core writes the clock at the end of every call that could have
 * changed anything, and whoever reads the copy compares the clock first.
 */
export class Tree {
  readonly native: InstanceType<Native["Tree"]>;
  readonly #clocks: Float64Array;
  readonly #at: number;
  readonly #slotOf = new Map<string, Slot>();
  readonly #nameOf: string[] = [];
  readonly #idOf: string[] = [];
  #namesAt = 0;

  constructor(spec: string) {
    if (taken === clocks.length) {
      clocks = new Float64Array(CLOCKS * PLACES);
      taken = 0;
    }
    this.#clocks = clocks;
    this.#at = taken;
    taken += PLACES;
    this.native = crossing(() => new native.Tree(spec, this.#clocks, this.#at));
  }

  get generation(): number {
    return this.#clocks[this.#at + GENERATION] as number;
  }

  get slots(): number {
    return this.#clocks[this.#at + SLOTS] as number;
  }

  /** Counts changes of declarations. */
  get declarations(): number {
    return this.#clocks[this.#at + DECLARATIONS] as number;
  }

  /** Whether the core has something to tell. */
  get telling(): boolean {
    return this.#clocks[this.#at + DIAGNOSTICS] !== 0;
  }

  /** The slot that an exposed name, or an id that was asked before, means. Current after {@link readNames}. */
  slotOf(spelling: string): Slot | undefined {
    return this.#slotOf.get(spelling);
  }

  nameOf(slot: Slot): string {
    return this.#nameOf[slot] as string;
  }

  idOf(slot: Slot): string {
    return this.#idOf[slot] as string;
  }

  /** An id means its slot for good, so it can be kept beside the names, which no id can be. */
  keepId(id: string, slot: Slot): void {
    this.#slotOf.set(id, slot);
  }

  /** Brings the names up to date; nothing where they are. */
  readNames(): void {
    if (this.#clocks[this.#at + NAMES] === this.#namesAt) return;
    const { slots, owners, exposed, ids } = JSON.parse(this.native.takeNames()) as NameNews;
    // First all that names no longer mean, then what they mean now.
    slots.forEach((slot, at) => {
      const before = this.#nameOf[slot];
      if (before !== undefined && before !== exposed[at] && this.#slotOf.get(before) === slot) this.#slotOf.delete(before);
    });
    slots.forEach((slot, at) => {
      const name = exposed[at] as string;
      const owner = owners[at] as Slot;
      this.#nameOf[slot] = name;
      this.#idOf[slot] = ids[at] as string;
      if (owner < 0) this.#slotOf.delete(name);
      else this.#slotOf.set(name, owner);
    });
    this.#namesAt = this.#clocks[this.#at + NAMES] as number;
  }
}
