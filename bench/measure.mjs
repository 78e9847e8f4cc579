// How every suite measures: repeated runs in one process, the median of them, and peers interleaved with ours,
// since a machine's speed drifts and only a ratio within one run holds.

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** A figure that has one value, such as a size or a share. */
export const value = (name, unit, single) => ({ name, unit, median: single, min: single, max: single, n: 1 });

/** A figure from samples, beside its peer's samples where there is one. */
export function summary(name, unit, samples, peer) {
  const figure = { name, unit, median: median(samples), min: Math.min(...samples), max: Math.max(...samples), n: samples.length };
  if (peer === undefined) return figure;
  const peerMedian = median(peer.samples);
  return { ...figure, peer: peer.name, peerMedian, ratio: peerMedian / figure.median };
}

/**
 * Nanoseconds of this process's time on the processors (its garbage collector's threads too) that `run()` takes, divided
 * by the operations it does. A busy neighbour stretches the wall's time, not this.
 */
export function time(run, operations = 1) {
  const started = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(started);
  return ((user + system) * 1_000) / operations;
}

/** Nanoseconds on the wall that `run()` takes. */
export function wall(run) {
  const started = process.hrtime.bigint();
  run();
  return Number(process.hrtime.bigint() - started);
}

/**
 * `rounds` samples of ours and of the peer in turn, after `warmup` rounds that do not count. Each is a function that
 * does `operations` operations and returns nothing; `before` runs untimed ahead of each.
 */
export function compare(name, { ours, peer, peerName, operations = 1, rounds = 15, warmup = 3, before = () => {} }) {
  const samples = [];
  const peerSamples = [];
  for (let round = -warmup; round < rounds; round++) {
    before();
    const mine = time(ours, operations);
    const theirs = peer === undefined ? 0 : time(peer, operations);
    if (round < 0) continue;
    samples.push(mine);
    peerSamples.push(theirs);
  }
  return summary(name, "ns", samples, peer === undefined ? undefined : { name: peerName, samples: peerSamples });
}
