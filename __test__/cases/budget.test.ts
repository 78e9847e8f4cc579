// Public cases of kind `budget` that a session's requests serve (DESIGN §10).
import { expect, it } from "vitest";
import { ToolSession, UsageLog } from "../../index.js";

const tools = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => ({ name: `${prefix}${at}` }));

it.each([
  [118, 15, 128],
  [300, 40, 64],
  [5, 5, 128],
])("provider-cap: %i tools and %i of the host's own are sent within %i, counted as they are sent", async (declared, hidden, cap) => {
  const usage = new UsageLog();
  const session = new ToolSession({ usage });
  session.addSource({ kind: "host", name: "sdk", tools: tools("h", hidden) });
  session.addSource({ kind: "mcp", name: "bulk", tools: tools("t", declared) });
  session.start();
  for (let at = 0; at < declared; at += 3) usage.record({ id: `mcp:bulk/t${at}`, session: "s" });
  const { tools: all, diagnostics } = await session.prepare({ maxTools: cap });
  const sent = all.filter(({ deferred }) => deferred !== true);
  const overflow = all.filter(({ deferred }) => deferred === true);
  expect(sent).toHaveLength(Math.min(cap, declared + hidden));
  expect(all).toHaveLength(declared + hidden);
  if (overflow.length === 0) return expect(diagnostics).toEqual([]);
  // Deferred by rank: nothing used gives way while something unused is left.
  const used = new Set(usage.rank().map(({ id }) => id));
  const unusedSent = sent.some(({ id }) => !used.has(id));
  if (unusedSent) expect(overflow.filter(({ id }) => used.has(id))).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "tools_deferred" }]);
  for (const { name } of overflow) expect(diagnostics[0]?.message).toContain(`\`${name}\``);
});
