// The bars that the ranking must not fall below, by the bench's own measures; the bench prints the figures.
import { describe, expect, test } from "vitest";

import { ToolIndex } from "../../index.js";
import { present, sets } from "../../bench/search/data.mjs";
import { judge, lowerBound, mean } from "../../bench/search/measures.mjs";

describe.skipIf(!present)("quality (skipped where ../shared/data is not there)", () => {
  const indexes = new Map<unknown, ToolIndex>();
  const gains = (present ? sets() : []).map(({ name, tools, queries, prototype }) => {
    const index = indexes.get(tools) ?? new ToolIndex(tools);
    indexes.set(tools, index);
    const differences = (queries as { query: string; groups: string[][] }[]).map(({ query, groups }, number) => {
      const ours = judge(groups, index.search(query).items.map((item) => item.id));
      const theirs = judge(groups, prototype[number]);
      return { r10: 100 * (ours.r10 - theirs.r10), ndcg10: 100 * (ours.ndcg10 - theirs.ndcg10) };
    });
    return { name: name as string, r10: differences.map((one) => one.r10), ndcg10: differences.map((one) => one.ndcg10) };
  });

  test("two points above the prototype, on the average of the five sets", () => {
    expect(mean(gains.map((gain) => mean(gain.r10)))).toBeGreaterThanOrEqual(2);
    expect(mean(gains.map((gain) => mean(gain.ndcg10)))).toBeGreaterThanOrEqual(2);
  });

  test("not below the prototype on bfcl and the agent's queries", () => {
    const below = gains.filter(({ name }) => name === "bfcl" || name.endsWith("agent"));
    expect(below).toHaveLength(3);
    for (const { name, r10, ndcg10 } of below) expect(Math.min(mean(r10), mean(ndcg10)), name).toBeGreaterThanOrEqual(0);
  });

  test("on the human queries, surely not two points below it", () => {
    const human = gains.filter(({ name }) => name === "live" || name === "live8k");
    expect(human).toHaveLength(2);
    for (const { name, r10, ndcg10 } of human) expect(Math.min(...[r10, ndcg10].map((gain) => lowerBound(gain) ?? Number.NaN)), name).toBeGreaterThanOrEqual(-2);
  });
});
