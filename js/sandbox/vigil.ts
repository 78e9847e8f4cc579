/** How long the event loop may be kept from its turn by one answer after the other, in ms. */
const AWAY = 1;

/**
 * When to wait awake for what a program says next. From its sleep the event loop is woken in tens of microseconds,
 * several times what a program takes for its next call; so who has just answered one looks for the next a moment first
 * (src/execute/awake.rs). The loop has its turn all the same, every millisecond.
 */
export class Vigil {
  /** Since when the event loop has had no turn. */
  #since: number | undefined;

  /** `look` takes what comes within a moment. */
  keep(look: () => void): void {
    const now = performance.now();
    if (this.#since === undefined) {
      this.#since = now;
      setImmediate(() => (this.#since = undefined));
    }
    if (now - this.#since < AWAY) look();
  }
}
