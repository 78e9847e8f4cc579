import { away } from "./turn.js";

/** How long the event loop may be kept from its turn by one answer after the other, in ms. */
const AWAY = 1;

/**
 * When to wait awake for what a program says next. From its sleep the event loop is woken in tens of microseconds,
 * several times what a program takes for its next call; so who has just answered one looks for the next a moment first
 * (src/execute/awake.rs). The loop has its turn all the same, every millisecond.
 */
export function keepVigil(look: () => void): void {
  if (away() < AWAY) look();
}
