import type { Decision, ToolCall } from "../index.js";
import { crossing, native } from "./native.js";
import type { Slot, Tree } from "./tree.js";

/** A decision as it crosses: the contract's, with what this side needs to go on. */
export interface CrossedDecision {
  readonly decision: Decision;
  readonly slot: Slot | undefined;
  readonly fingerprint: string | undefined;
  /** The source whose `execute` it is, and the raw name it has there. */
  readonly run: readonly [number, string] | undefined;
}

/** Reads a decision's text; the decision is frozen through and through. */
export function readDecision(text: string, path: readonly string[]): CrossedDecision {
  return splitDecision(JSON.parse(text) as Decision & Omit<CrossedDecision, "decision">, path);
}

export function splitDecision(
  crossed: Decision & Partial<Omit<CrossedDecision, "decision">>,
  path: readonly string[],
): CrossedDecision {
  const { slot, fingerprint, run, ...rest } = crossed;
  return { decision: Object.freeze({ ...rest, path }) as Decision, slot, fingerprint, run };
}

/** A call as the core reads it. */
export const callText = (call: ToolCall): string =>
  JSON.stringify({ name: call.name.toWellFormed(), id: call.id?.toWellFormed(), code: call.parentCallId !== undefined });

/**
 * This side's copy of one session's verdicts: a mask that the core writes, and the decisions made from it.
 *
 * A check costs one look at the clock, one at the table of names and one at the kept decisions. What the copy does not
 * know is asked across; what it knows is of the clock's own generation.
 */
export class Verdicts {
  readonly #tree: Tree;
  readonly #session: number;
  readonly #path: readonly string[];
  #mask = new Uint8Array(0);
  #direct: (Decision | undefined)[] = [];
  #code: (Decision | undefined)[] = [];
  #at = -1;

  constructor(tree: Tree, session: number, path: readonly string[]) {
    this.#tree = tree;
    this.#session = session;
    this.#path = path;
  }

  /** The decision on a call by name or id. */
  check(name: string, code: boolean): Decision {
    if (this.#tree.generation !== this.#at) this.#sync();
    const slot = this.#tree.slotOf(name);
    if (slot === undefined) return this.#ask({ name, ...(code && { parentCallId: "" }) });
    const kept = (code ? this.#code : this.#direct)[slot];
    if (kept !== undefined) return kept;
    return this.#decide(name, slot, code);
  }

  /** The decision on a call whose host has said which tool it is going to run. */
  checkIdentified(call: ToolCall): Decision {
    if (this.#tree.generation !== this.#at) this.#sync();
    const slot = this.#tree.slotOf(call.name);
    if (slot !== undefined && this.#tree.idOf(slot) === call.id) return this.check(call.name, call.parentCallId !== undefined);
    return this.#ask(call);
  }

  #decide(name: string, slot: Slot, code: boolean): Decision {
    const bit = code ? native.MASK_CODE : native.MASK_DIRECT;
    if (((this.#mask[slot] as number) & bit) === 0) return this.#ask({ name, ...(code && { parentCallId: "" }) });
    const decision: Decision = Object.freeze({
      allowed: true,
      id: this.#tree.idOf(slot),
      name: this.#tree.nameOf(slot),
      via: code ? "code" : "direct",
      path: this.#path,
    });
    (code ? this.#code : this.#direct)[slot] = decision;
    return decision;
  }

  #ask(call: ToolCall): Decision {
    const { decision, slot } = readDecision(
      crossing(() => this.#tree.native.check(this.#session, callText(call))),
      this.#path,
    );
    if (slot === undefined || call.id !== undefined) return decision;
    if (decision.id === call.name) this.#tree.keepId(call.name, slot);
    // An alias is looked up each time: another tool may come to bear it.
    if (this.#tree.slotOf(call.name) === slot) (call.parentCallId === undefined ? this.#direct : this.#code)[slot] = decision;
    return decision;
  }

  #sync(): void {
    if (this.#mask.length < this.#tree.slots) {
      const mask = new Uint8Array(Math.max(64, this.#tree.slots, this.#mask.length * 2));
      mask.set(this.#mask);
      this.#mask = mask;
    }
    const changed = this.#tree.native.sync(this.#session, this.#mask);
    if (changed === null) {
      this.#direct = [];
      this.#code = [];
    } else {
      for (const slot of changed) {
        this.#direct[slot] = undefined;
        this.#code[slot] = undefined;
      }
    }
    this.#tree.readNames();
    this.#at = this.#tree.generation;
  }
}
