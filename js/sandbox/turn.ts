let since: number | undefined;

/** How long, in ms, the event loop has had no turn since the sandbox last took its time. */
export function away(): number {
  const now = performance.now();
  if (since === undefined) {
    since = now;
    setImmediate(() => (since = undefined));
  }
  return now - since;
}
