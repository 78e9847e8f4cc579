// The public cases of the kinds `catalog` and `budget` that need no session, each by its id.
import { describe, expect, it } from "vitest";
import { renderCatalog, type SourcedTool } from "../../index.js";

const tools = (source: string, names: string[], sourceDescription?: string): SourcedTool[] =>
  names.map((name) => ({
    source,
    ...(sourceDescription === undefined ? {} : { sourceDescription }),
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  }));
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}_${index}`);

describe("catalog cases", () => {
  // DESIGN §12: headers are paid from the same budget, so that the total is within it, not on top of it.
  it("budget-headers", () => {
    const list = [
      ...tools("a", numbered("tool", 30), "x".repeat(300)),
      ...tools("b", ["only"]),
      ...tools("c", ["one", "two", "three", "four", "five"]),
    ];
    const catalog = renderCatalog(list, { budget: 150, pinned: ["c/one"] });
    expect(catalog.shown[0]).toEqual({ id: "c/one", level: "full" });
    expect(catalog.text).toContain("one(input: { query: string })");
    for (const [source, count] of [["a", 30], ["b", 1], ["c", 5]] as const) {
      // In the list of sources, or at the head of its block.
      const listed = new RegExp(`// sources:.*\\b${source} ${count}\\b|^${source}: \\{ // (\\d+ of )?${count}\\b`, "m");
      expect(catalog.text).toMatch(listed);
    }
    expect(catalog.tokens).toBe(Math.ceil(catalog.text.length / 4));
    expect(catalog.tokens).toBeLessThanOrEqual(150);
    expect(renderCatalog([...list].reverse(), { budget: 150, pinned: ["c/one"] }).text).toBe(catalog.text);
  });
});
