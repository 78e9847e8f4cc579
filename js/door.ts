import type { SessionEvents, ToolCall } from "../index.js";
import type { Execute } from "./declaration.js";
import { type Listener, isLate, isThenable, within } from "./listener.js";
import { crossing } from "./native.js";
import { messageOf } from "./options.js";
import type { Slot, Tree } from "./tree.js";
import { type CrossedDecision, callText, readDecision } from "./verdict.js";

export type Guard = Listener<"before_tool_call">;
type GuardedCall = Parameters<SessionEvents["before_tool_call"]>[0];

/** What a door needs of the session it belongs to. */
export interface DoorHost {
  readonly tree: Tree;
  readonly index: number;
  readonly path: readonly string[];
  readonly over: boolean;
  /** Guards from the root down, as they are now. */
  guards(): readonly Guard[];
  /** What runs the tool that the core names. */
  execute(run: CrossedDecision["run"]): Execute | undefined;
  /** Loads the lazy source that a call of this name waits for, if there is one. */
  loadFor(name: string): Promise<void>;
}

/** How a guard answered, in the core's words; nothing where it let the call pass. */
interface Refusal {
  readonly by: string;
  readonly reason?: string;
  readonly problem?: string;
}

/** A decision, and what runs the tool: taken together, since a later look could find another definition's. */
export type PassedDecision = CrossedDecision & {
  readonly execute: Execute | undefined;
  /** The tree's, when it was decided. */
  readonly generation: number;
};

/** Passes a call through the door: scope, guards in their order, then scope and definition once more. */
export async function passDoor(host: DoorHost, call: ToolCall): Promise<PassedDecision> {
  const text = callText(call);
  const open = (): CrossedDecision => readDecision(crossing(() => host.tree.native.openDoor(host.index, text)), host.path);
  let opened = open();
  if (!opened.decision.allowed && opened.decision.code === "pending") {
    await host.loadFor(call.name);
    opened = open();
  }
  const guards = host.guards();
  const passed = { ...opened, execute: host.execute(opened.run), generation: host.tree.generation };
  if (!opened.decision.allowed || guards.length === 0) return passed;
  return closeDoor(host, call, passed, await ask(host, guards, call, opened.decision.id));
}

/** Decides once more on a call that scope let pass: in scope still, of the same definition, and not refused by a guard. */
export function closeDoor(host: DoorHost, call: ToolCall, opened: PassedDecision, refusal?: Refusal): PassedDecision {
  const { slot, fingerprint, run } = opened;
  const said = refusal && JSON.stringify(refusal, wellFormed);
  const text = crossing(() => host.tree.native.closeDoor(host.index, callText(call), slot as Slot, fingerprint, said));
  const { decision } = readDecision(text, host.path);
  return { decision, slot, fingerprint, run, execute: host.execute(run), generation: host.tree.generation };
}

/** Asks guards one after the other; the first refusal ends it. */
async function ask(host: DoorHost, guards: readonly Guard[], call: ToolCall, id: string): Promise<Refusal | undefined> {
  const guarded: GuardedCall = Object.freeze({ ...call, id, path: host.path });
  for (const guard of guards) {
    const refusal = await answer(guard, guarded);
    if (refusal !== undefined) return refusal;
    if (host.over) return undefined;
  }
  return undefined;
}

/** One guard's answer. Whatever is not plainly a pass refuses. */
async function answer({ name: by, call: guard, timeoutMs }: Guard, call: GuardedCall): Promise<Refusal | undefined> {
  try {
    const given: unknown = guard(call);
    const said: unknown = isThenable(given) ? await within(given, timeoutMs) : given;
    if (said === undefined) return undefined;
    if (isLate(said)) return { by, problem: `it did not settle within ${timeoutMs} ms` };
    const { block, reason } = said as { block?: unknown; reason?: unknown };
    if (block !== true) return { by, problem: "it returned neither nothing nor `{ block: true }`" };
    if (reason !== undefined && typeof reason !== "string") return { by, problem: "the reason it gave is no string" };
    return reason === undefined ? { by } : { by, reason };
  } catch (error) {
    return { by, problem: messageOf(error) };
  }
}

/** Text from a listener may hold half a character, which JSON can say and UTF-8 cannot. */
const wellFormed = (_key: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value);

/** A deep, frozen copy of a call's input: what was decided on is what runs, whoever holds the original. */
export function frozenCopy<T>(input: T): T {
  return freeze(structuredClone(input));
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  // What holds bytes or keeps its content in slots cannot be frozen, and being a copy needs not be.
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value;
  Object.freeze(value);
  if (value instanceof Map) for (const entry of value) entry.forEach(freeze);
  else if (value instanceof Set) value.forEach(freeze);
  else for (const key of Object.keys(value)) freeze((value as Record<string, unknown>)[key]);
  return value;
}

