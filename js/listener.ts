import type { SessionEvents } from "../index.js";
import { messageOf } from "./options.js";

export type EventName = keyof SessionEvents;

/** One listener, as it was registered. */
export interface Listener<E extends EventName = EventName> {
  readonly event: E;
  readonly call: SessionEvents[E];
  readonly name: string;
  readonly timeoutMs: number;
}

/** The listeners of one session, by event, in their order. */
export class Listeners {
  readonly #byEvent = new Map<EventName, Listener[]>();

  add(listener: Listener): void {
    // A new list each time: one that is being walked stays as it was.
    this.#byEvent.set(listener.event, [...(this.#byEvent.get(listener.event) ?? []), listener]);
  }

  remove(listener: Listener): boolean {
    const before = this.#byEvent.get(listener.event) ?? [];
    const after = before.filter((other) => other !== listener);
    if (after.length === 0) this.#byEvent.delete(listener.event);
    else this.#byEvent.set(listener.event, after);
    return after.length < before.length;
  }

  of<E extends EventName>(event: E): readonly Listener<E>[] {
    return (this.#byEvent.get(event) as Listener<E>[] | undefined) ?? [];
  }

  clear(): void {
    this.#byEvent.clear();
  }
}

const late: unique symbol = Symbol("late");

/**
 * A value within a time, or {@link late}. The timer holds the process for as long as somebody waits; where nobody does,
 * `holds` is false.
 */
export async function within<T>(value: PromiseLike<T>, ms: number, holds = true): Promise<T | typeof late> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<typeof late>((resolve) => {
    timer = setTimeout(resolve, ms, late);
    if (!holds) timer.unref();
  });
  try {
    return await Promise.race([value, limit]);
  } finally {
    clearTimeout(timer);
  }
}
export const isLate = (value: unknown): value is typeof late => value === late;

export const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";

/**
 * Tells every listener of an event. One that throws or rejects is reported to `failed` and stops nobody else. Returns
 * what is still under way.
 */
export function tell<E extends Exclude<EventName, "before_tool_call" | "catalog">>(
  listeners: readonly Listener<E>[],
  event: Parameters<SessionEvents[E]>[0],
  failed: (listener: Listener<E>, message: string) => void,
): Promise<void>[] {
  const underWay: Promise<void>[] = [];
  for (const listener of listeners) {
    try {
      const result: unknown = (listener.call as (event: unknown) => unknown)(event);
      if (!isThenable(result)) continue;
      const settled = within(result, listener.timeoutMs, false).then(
        (value) => {
          if (isLate(value)) failed(listener, `it did not settle within ${listener.timeoutMs} ms`);
        },
        (error: unknown) => failed(listener, messageOf(error)),
      );
      underWay.push(settled);
    } catch (error) {
      failed(listener, messageOf(error));
    }
  }
  return underWay;
}
