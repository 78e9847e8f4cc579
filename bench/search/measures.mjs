// How good ten results are, and how sure a difference is.

/** Shares of the groups met in the first 5 and 10, and nDCG of the first 10, each group counting once. */
export function judge(groups, top) {
  const met = (count) => {
    const first = new Set(top.slice(0, count));
    return groups.filter((group) => group.some((id) => first.has(id))).length / groups.length;
  };
  const gain = (rank) => 1 / Math.log2(rank + 2);
  const ranks = groups.map((group) => top.slice(0, 10).findIndex((id) => group.includes(id))).filter((rank) => rank >= 0);
  const ideal = Array.from({ length: Math.min(10, groups.length) }, (_, rank) => gain(rank)).reduce((a, b) => a + b, 0);
  return { r5: met(5), r10: met(10), ndcg10: ranks.reduce((sum, rank) => sum + gain(rank), 0) / ideal };
}

/** The mean of numbers. */
export const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The 2.5th percentile of the mean of paired differences, over `draws` resamples with a fixed seed. */
export function lowerBound(differences, draws = 10_000) {
  // Mulberry32: small, and the same everywhere.
  let state = 20_261_130;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const means = Array.from({ length: draws }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < differences.length; drawn++) sum += differences[Math.floor(random() * differences.length)];
    return sum / differences.length;
  });
  return means.sort((a, b) => a - b)[Math.floor(draws * 0.025)];
}
