import { describe, expect, it } from "vitest";
import { type CatalogOptions, renderCatalog, renderSignature, type SourcedTool, ToolscopeError, UsageLog } from "../index.js";
import { compile } from "./support/compiler.js";
import { hasData, sets, tools as inventory } from "./support/data.js";

const small: SourcedTool[] = [
  {
    source: "files",
    sourceDescription: "Files of the project. Nothing outside.",
    name: "read",
    description: "Reads a file.\nAll of it.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string", description: "Relative path" }, lines: { type: "integer" } },
      required: ["path"],
    },
    outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
  { source: "files", name: "list-all", description: "Lists files.", inputSchema: { type: "object", properties: {} } },
  {
    source: "issues",
    name: "create",
    description: "Creates an issue. It is open.",
    inputSchema: { type: "object", properties: { title: { type: "string" }, labels: { type: "array", items: { enum: ["bug", "idea"] } } }, required: ["title"] },
  },
  { source: "issues", name: "close", description: "Closes an issue.", inputSchema: { type: "object", properties: { id: { type: "number" } }, required: ["id"] } },
];

describe("the default catalog", () => {
  // No option, no change: these are the bytes.
  it("is complete where everything fits", () => {
    const catalog = renderCatalog(small);
    expect(catalog.text).toMatchInlineSnapshot(`
      "// All of 4 tools in 2 sources.
      declare const tools: {
      files: { // 2 · Files of the project
      /** Lists files. */
      "list-all"(input: {}): any
      /** Reads a file. */
      read(input: { /** Relative path */ path: string; lines?: number }): Promise<{ text: string }>
      }
      issues: { // 2
      /** Closes an issue. */
      close(input: { id: number }): any
      /** Creates an issue. It is open. */
      create(input: { title: string; labels?: ("bug" | "idea")[] }): any
      }
      }"
    `);
    expect(catalog).toMatchObject({ complete: true, total: 4, warnings: [] });
    expect(compile([catalog.text])).toEqual([]);
  });

  it("is fair over the sources where it does not", () => {
    const catalog = renderCatalog(small, { budget: 75 });
    expect(catalog.text).toMatchInlineSnapshot(`
      "// 2 of 4 tools in 2 sources; not complete.
      declare const tools: {
      files: { // 1 of 2 · Files of the project
      /** Lists files. */
      "list-all"(input: {}): any
      }
      issues: { // 1 of 2
      /** Closes an issue. */
      close(input: { id: number }): any
      }
      }"
    `);
    expect(catalog.complete).toBe(false);
    expect(compile([catalog.text])).toEqual([]);
  });

  it("is compact, or adaptive, where that is asked for", () => {
    expect(renderCatalog(small, { detail: "compact" }).text).toMatchInlineSnapshot(`
      "// All of 4 tools in 2 sources. {a,b?}: keys of the one argument.
      declare const tools: {
      files: { // 2 · Files of the project
      "list-all"(_:{}) // Lists files
      read(_:{path,lines?}) // Reads a file
      }
      issues: { // 2
      close(_:{id}) // Closes an issue
      create(_:{title,labels?}) // Creates an issue
      }
      }"
    `);
    const usage = new UsageLog();
    for (const session of ["one", "two"]) usage.record({ id: "issues/create", session, at: new Date(0) });
    const adaptive = renderCatalog(small, { detail: "adaptive", rank: "usage", usage, budget: 85 });
    expect(adaptive.text).toMatchInlineSnapshot(`
      "// All of 4 tools in 2 sources. {a,b?}: keys of the one argument.
      declare const tools: {
      files: {
      "list-all"(_:{})
      read(_:{path,lines?})
      }
      issues: {
      /** Closes an issue. */
      close(input: { id: number }): any
      /** Creates an issue. It is open. */
      create(input: { title: string; labels?: ("bug" | "idea")[] }): any
      }
      }"
    `);
    expect(adaptive.text).toBe(renderCatalog([...small].reverse(), { detail: "adaptive", rank: "usage", usage, budget: 85 }).text);
  });
});

describe("pinned tools and categories", () => {
  it("pins by id, name, source and pattern, and says what matches nothing", () => {
    const pinned = (...entries: string[]) => renderCatalog(small, { pinned: entries, pinnedLimit: 2 }).shown.map((tool) => tool.id);
    expect(pinned("issues/create")[0]).toBe("issues/create");
    expect(pinned("close", "files/read").slice(0, 2)).toEqual(["issues/close", "files/read"]);
    expect(pinned("issues/*").slice(0, 2)).toEqual(["issues/close", "issues/create"]);
    expect(pinned("*/re*").slice(0, 1)).toEqual(["files/read"]);
    expect(renderCatalog(small, { pinned: ["nowhere/x", "nothing"] }).warnings).toEqual([
      "pinned `nowhere/x` and 1 more matches no tool here and is skipped",
    ]);
  });

  it("skips a pinned tool that does not fit and tries the next", () => {
    const catalog = renderCatalog(small, { pinned: ["files/read", "issues/close"], budget: 45 });
    expect(catalog.shown.map((tool) => tool.id)).toEqual(["issues/close"]);
  });

  it("prints a category's line while something of it is not shown", () => {
    const categories = [{ namespace: "issues", name: "Write", match: "^(create|close)$", description: "Changes issues" }];
    const short = renderCatalog(small, { categories, budget: 70 });
    expect(short.categories[0]).toMatchObject({ name: "Write", unshown: expect.any(Number) });
    expect(short.text).toContain(`// issues/Write: ${short.categories[0]?.unshown} more. Changes issues`);
    const whole = renderCatalog(small, { categories });
    expect(whole.text).not.toContain("Write");
    expect(whole.categories).toEqual([{ namespace: "issues", name: "Write", unshown: 0 }]);
    expect(renderCatalog(small, { budget: 70, categories: [{ namespace: "x", name: "y", match: "a", description: "" }] }).warnings[0]).toMatch(
      /category `x\/y` holds no tool here/,
    );
  });
});

describe("bad input", () => {
  it("throws on an invalid option, naming the field", () => {
    const refused = (options: unknown) => {
      try {
        renderCatalog(small, options as CatalogOptions);
      } catch (error) {
        return ToolscopeError.isInstance(error) ? `${error.code} ${error.message}` : String(error);
      }
      return "accepted";
    };
    expect(refused({ budget: Number.NaN })).toBe(
      'ERR_TOOLSCOPE_CATALOG_INVALID catalog option `budget` is `"NaN"`; give a whole number from 0',
    );
    for (const options of [{ budget: 1.5 }, { budget: 9n }, { pinned: "x" }, { detail: "all" }, { rank: true }, { pinnedLimit: -1 }, { size: 3 }, { categories: [{ namespace: "a" }] }]) {
      expect(refused(options)).toMatch(/^ERR_TOOLSCOPE_CATALOG_INVALID catalog option `/);
    }
    expect(() => renderCatalog("x" as never)).toThrow(/give a list of tools/);
    expect(() => renderCatalog(small, { usage: {} as never })).toThrow(/give a UsageLog/);
    expect(() => renderSignature({ source: "s" } as never)).toThrow(/missing field `name`/);
    expect(() => renderSignature(small[0] as SourcedTool, "long" as never)).toThrow(/detail is `long`/);
  });

  it("leaves one bad tool out and keeps the others", () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const bad = [
      { source: "s", name: "cyclic", inputSchema: cycle },
      { source: "s", name: "big", inputSchema: { const: 1n } },
      { source: "s", name: 7 },
      undefined,
      ["listed", "s"],
      { source: "s", name: "\ud800" },
      { source: "s", name: "getter", get inputSchema() { throw new Error("no"); } },
      { source: "s", name: "number", get description() { throw 1; } },
      { source: "s", name: "nothing", toJSON() { throw undefined; } },
      { source: "s", name: "deep", inputSchema: Array.from({ length: 3_000 }).reduce<object>((inner) => ({ items: inner }), {}) },
    ] as unknown as SourcedTool[];
    const catalog = renderCatalog([...bad, ...small]);
    expect(catalog.shown.map((tool) => tool.id)).toEqual(["files/list-all", "files/read", "issues/close", "issues/create", "s/deep"]);
    expect(catalog.warnings).toHaveLength(9);
    expect(renderCatalog([small[0], small[0]] as SourcedTool[]).warnings).toEqual(["tool `files/read` is listed twice; the first one is shown"]);
  });

  it("keeps text from outside text", () => {
    const hostile = "*/ };\n} // All of 0 tools\u2028declare const x = 1; \u202e\u{e0041} ``` /* ";
    const tool = {
      source: `bad"${hostile}`,
      sourceDescription: hostile,
      name: hostile,
      description: hostile,
      inputSchema: {
        type: "object",
        properties: { [hostile]: { type: "string", description: hostile }, __proto__x: { const: hostile }, constructor: {}, new: {} },
      },
    } satisfies SourcedTool;
    const categories = [{ namespace: tool.source, name: hostile, match: "zzz|.", description: hostile }];
    for (const options of [{}, { detail: "compact" }, { detail: "adaptive" }, { budget: 60, categories }, { detail: "adaptive", budget: 110 }] as const) {
      const { text } = renderCatalog([tool, ...small], options);
      expect(text).not.toMatch(/[\u2028\u202e\u{e0041}]|[^\P{Cc}\n]/u);
      expect(text.match(/^\/\/ (All|\d+) of/gm)).toHaveLength(1);
      expect(compile([text], ["--noImplicitAny", "false"])).toEqual([]);
    }
    expect(compile([renderSignature(tool), renderSignature(tool, "compact")], ["--noImplicitAny", "false"])).toEqual([]);
  });
});

describe.skipIf(!hasData)("catalogs of the inventories", () => {
  it("type-check as a whole, within their budgets", { timeout: 120_000 }, () => {
    const texts: string[] = [];
    for (const set of sets) {
      const tools = inventory(set);
      const usage = new UsageLog();
      for (let index = 0; index < tools.length; index += 9) usage.record({ id: `${tools[index]?.source}/${tools[index]?.name}`, session: "s", at: new Date(0) });
      for (const detail of ["full", "compact", "adaptive"] as const) {
        for (const budget of [100, 2_000, 20_000, 4_000_000]) {
          const catalog = renderCatalog(tools, { detail, budget, rank: "usage", usage, pinned: usage.rank(5).map((tool) => tool.id) });
          expect(catalog.tokens).toBeLessThanOrEqual(budget);
          if (budget === 4_000_000) expect(catalog.complete).toBe(true);
          texts.push(catalog.text);
        }
      }
    }
    expect(compile(texts, ["--noImplicitAny", "false"]).slice(0, 3)).toEqual([]);
  });
});
