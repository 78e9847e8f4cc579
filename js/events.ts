import type { Diagnostic, SessionEvents } from "../index.js";
import { type EventName, type Listener, Listeners, tell } from "./listener.js";

/** Diagnostics kept for a session that nobody listens to yet. */
const BACKLOG = 100;

/** What is told to the listeners of one session. */
export class Events {
  readonly #parent: Events | undefined;
  readonly #listeners = new Listeners();
  readonly #backlog: Diagnostic[] = [];

  constructor(parent: Events | undefined) {
    this.#parent = parent;
  }

  add(listener: Listener): void {
    this.#listeners.add(listener);
    // Ancestors have heard what waited for this session's first listener.
    if (listener.event === "diagnostic") for (const diagnostic of this.#backlog.splice(0)) this.#tellOwn(diagnostic);
  }

  remove(listener: Listener): boolean {
    return this.#listeners.remove(listener);
  }

  clear(): void {
    this.#listeners.clear();
  }

  /** Those of an event that hold for a session: its ancestors' and its own, root first. */
  over<E extends EventName>(event: E): readonly Listener<E>[] {
    const own = this.#listeners.of(event);
    return this.#parent === undefined ? own : [...this.#parent.over(event), ...own];
  }

  /** Tells this session's listeners; what is still under way. */
  emit<E extends Exclude<EventName, "before_tool_call" | "catalog">>(event: E, payload: Parameters<SessionEvents[E]>[0]): Promise<void>[] {
    const listeners = this.#listeners.of(event);
    if (listeners.length === 0) return [];
    return tell(listeners, payload, (listener, message) => this.failed(listener, message));
  }

  /** Tells a decision to this session's listeners, then its ancestors'. */
  decided(event: Parameters<SessionEvents["decision"]>[0]): void {
    this.emit("decision", event);
    this.#parent?.decided(event);
  }

  /** Tells a diagnostic to this session's listeners, or keeps it for the first one to come; ancestors hear it, too. */
  tell(diagnostic: Diagnostic): void {
    this.#tellOwn(diagnostic);
    this.#parent?.tell(diagnostic);
  }

  #tellOwn(diagnostic: Diagnostic): void {
    const listeners = this.#listeners.of("diagnostic");
    // A failing listener of diagnostics has nobody left to be reported to.
    if (listeners.length > 0) tell(listeners, diagnostic, () => {});
    else if (this.#backlog.length < BACKLOG) this.#backlog.push(diagnostic);
  }

  failed({ name, event }: Listener, message: string): void {
    this.tell({ level: "error", code: "listener_failed", message: `listener \`${name}\` of \`${event}\` failed: ${message}` });
  }
}
