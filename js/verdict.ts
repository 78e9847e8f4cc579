import type { Decision, RefusalCode, ToolCall } from "../index.js";
import { crossing, native } from "./native.js";
import type { Slot, Tree } from "./tree.js";

const { MASK_CODE, MASK_DIRECT } = native;

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
 * This side's copy of one session's verdicts: a mask that the core writes, and the refusals that were asked for.
 *
 * A check costs one look at the clock, one at the table of names and one at the mask. What the copy does not know is
 * asked across; what it knows is of the clock's own generation.
 */
export class Verdicts {
  readonly #tree: Tree;
  readonly #session: number;
  readonly #path: readonly string[];
  #mask = new Uint8Array(0);
  readonly #refusals = [new Map<Slot, Decision>(), new Map<Slot, Decision>()] as const;
  #at = -1;

  constructor(tree: Tree, session: number, path: readonly string[]) {
    this.#tree = tree;
    this.#session = session;
    this.#path = path;
  }

  /** The decision on a call by name or id. */
  check(name: string, code: boolean): Decision {
    const tree = this.#tree;
    if (tree.generation !== this.#at) this.#sync();
    const slot = tree.slotOf(name);
    if (slot === undefined) return this.#ask(code ? { name, parentCallId: "" } : { name });
    if (((this.#mask[slot] as number) & (code ? MASK_CODE : MASK_DIRECT)) === 0) {
      return name === tree.nameOf(slot) ? this.#refuse(slot, code) : this.#ask(code ? { name, parentCallId: "" } : { name });
    }
    return { allowed: true, id: tree.idOf(slot), name: tree.nameOf(slot), via: code ? "code" : "direct", path: this.#path };
  }

  /** The decision on a call whose host has said which tool it is going to run. */
  checkIdentified(call: ToolCall): Decision {
    if (this.#tree.generation !== this.#at) this.#sync();
    const slot = this.#tree.slotOf(call.name);
    if (slot !== undefined && this.#tree.idOf(slot) === call.id) return this.check(call.name, call.parentCallId !== undefined);
    return this.#ask(call);
  }

  #refuse(slot: Slot, code: boolean): Decision {
    const kept = this.#refusals[code ? 1 : 0].get(slot);
    if (kept !== undefined) return kept;
    const text = this.#tree.native.refusal(this.#session, slot, code);
    const afterCode = text.indexOf("\n");
    const afterReason = text.indexOf("\n", afterCode + 1);
    const refused = {
      allowed: false as const,
      code: text.slice(0, afterCode) as RefusalCode,
      reason: afterReason < 0 ? text.slice(afterCode + 1) : text.slice(afterCode + 1, afterReason),
      id: this.#tree.idOf(slot),
      name: this.#tree.nameOf(slot),
      via: code ? ("code" as const) : ("direct" as const),
      path: this.#path,
    };
    const decision: Decision = Object.freeze(afterReason < 0 ? refused : { ...refused, by: text.slice(afterReason + 1) });
    this.#refusals[code ? 1 : 0].set(slot, decision);
    return decision;
  }

  #ask(call: ToolCall): Decision {
    const { decision, slot } = readDecision(
      crossing(() => this.#tree.native.check(this.#session, callText(call))),
      this.#path,
    );
    if (slot !== undefined && decision.id === call.name) this.#tree.keepId(call.name, slot);
    return decision;
  }

  #sync(): void {
    if (this.#mask.length < this.#tree.slots) {
      const mask = new Uint8Array(Math.max(64, this.#tree.slots, this.#mask.length * 2));
      mask.set(this.#mask);
      this.#mask = mask;
    }
    this.#tree.native.sync(this.#session, this.#mask);
    for (const refusals of this.#refusals) refusals.clear();
    this.#tree.readNames();
    this.#at = this.#tree.generation;
  }
}
