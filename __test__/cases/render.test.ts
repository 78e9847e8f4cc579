// The public cases of the kind `render`, each by its id; every signature is also checked by the compiler.
import { describe, expect, it } from "vitest";
import { type JsonSchema, renderCatalog, renderSignature } from "../../index.js";
import { tool } from "../support/case.js";
import { compile } from "../support/compiler.js";

/** The type of the input, after the compiler has checked that the signature takes each of `accepted` and none of `refused`. */
function inputType(inputSchema: JsonSchema, accepted: string[] = [], refused: string[] = []): string {
  const full = renderSignature(tool(inputSchema));
  const calls = [
    ...accepted.map((sample) => `tools.s.t(${sample});`),
    ...refused.map((sample) => `// @ts-expect-error\ntools.s.t(${sample});`),
  ];
  expect(compile([[full, ...calls].join("\n")])).toEqual([]);
  const compact = renderSignature(tool(inputSchema), "compact");
  expect(compile([[compact, ...accepted.map((sample) => `tools.s.t(${sample});`)].join("\n")], ["--noImplicitAny", "false"])).toEqual([]);
  const match = /t\(input: (.*)\): Promise<unknown> \} \};$/s.exec(full);
  expect(match, full).not.toBeNull();
  return match?.[1] ?? "";
}

describe("render cases", () => {
  it("root-oneof-siblings", () => {
    const type = inputType(
      {
        type: "object",
        properties: { by_id: { type: "object" }, by_name: { type: "object" } },
        oneOf: [{ required: ["by_id"] }, { required: ["by_name"] }],
      },
      ["{ by_id: {} }", "{ by_name: {} }"],
      ["{}", "7"],
    );
    const any = "Record<string, unknown>";
    expect(type).toBe(`{ by_id: ${any}; by_name?: ${any} } | { by_id?: ${any}; by_name: ${any} }`);
  });

  // The case writes `Array<A | B>`; DESIGN §12 asks for item unions in parentheses, and the two are the same type.
  it("items-union-erased", () => {
    const variant = (key: string, field: string, type: string) => ({
      type: "object",
      required: ["k"],
      properties: { k: { const: key }, [field]: { type } },
    });
    const schema = (variants: object[]) => ({
      type: "object",
      required: ["ops"],
      properties: { ops: { type: "array", items: { oneOf: variants } } },
    });
    const two = [variant("add", "n", "number"), variant("del", "id", "string")];
    expect(inputType(schema(two), ['{ ops: [{ k: "add", n: 1 }, { k: "del", id: "x" }] }'], ['{ ops: [{ k: "other" }] }'])).toBe(
      '{ ops: ({ k: "add"; n?: number } | { k: "del"; id?: string })[] }',
    );

    const many = Array.from({ length: 14 }, (_, index) => variant(`op${index}`, `field${index}`, "string"));
    const catalog = renderCatalog([tool(schema(many))], { budget: 300 });
    expect(catalog.tokens).toBeLessThanOrEqual(300);
    expect(catalog.shown).toEqual([{ id: "s/t", level: "full" }]);
    for (let index = 0; index < 14; index++) expect(catalog.text).toContain(`k: "op${index}"`);

    // Over the limit of one signature depth goes and the discriminators stay; identical variants never pile up.
    const deep = { type: "object", properties: { inner: { type: "array", items: variant("x", "y".repeat(150), "string") } } };
    const long = Array.from({ length: 40 }, (_, index) => ({ ...variant(`op${index}`, "f", "string"), properties: { k: { const: `op${index}` }, deep } }));
    const type = inputType(schema(long));
    for (let index = 0; index < 40; index++) expect(type).toContain(`k: "op${index}"`);
    expect(type.length).toBeLessThan(4_000);
    expect(inputType({ type: "array", items: { anyOf: [{}, {}, {}] } })).toBe("unknown[]");
  });

  it("local-refs", () => {
    const type = inputType(
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/p~1q", description: "keep this note" }, b: { $ref: "#/definitions/R" } },
        $defs: { "p/q": { type: "integer" } },
        definitions: { R: { type: "object", properties: { x: { type: "string" } }, required: ["x"] } },
      },
      ['{ a: 1, b: { x: "" } }'],
      ["{ b: {} }"],
    );
    expect(type).toBe("{ /** keep this note */ a?: number; b?: { x: string } }");
  });

  it("self-only-ref", () => {
    expect(
      inputType(
        {
          type: "object",
          additionalProperties: { $ref: "#/definitions/L" },
          definitions: { L: { oneOf: [{ type: "string" }, { $ref: "#/definitions/L" }] } },
        },
        ['{ a: "x" }'],
        ["{ a: 1 }"],
      ),
    ).toBe("Record<string, string>");
    expect(inputType({ $ref: "#" })).toBe("unknown");
    expect(inputType({ $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } }, $ref: "#/$defs/A" })).toBe("unknown");
  });

  it("nullable-enum-comment", () => {
    const type = inputType(
      {
        type: "object",
        properties: {
          r: { $ref: "#/$defs/R", nullable: true },
          e: { enum: [] },
          g: { type: "string", description: "glob a/**/*.ts */ x() /*" },
          m: { enum: ['a"b', "c\nd", 1, null, true] },
        },
        $defs: { R: { type: "object" } },
      },
      ['{ r: null, g: "", m: "c\\nd" }'],
      ["{ e: 1 }", '{ m: "other" }'],
    );
    expect(type).toBe(
      '{ r?: Record<string, unknown> | null; e?: never; /** glob a/** /*.ts * / x() /* */ g?: string; m?: "a\\"b" | "c\\nd" | 1 | null | true }',
    );
  });

  it("defs-dropped", () => {
    const type = inputType(
      {
        type: "object",
        properties: { task: { $ref: "#/$defs/M" } },
        required: ["task"],
        $defs: { M: { type: "object", properties: { title: { type: "string" }, prio: { type: "integer" } }, required: ["title"] } },
      },
      ['{ task: { title: "x" } }'],
      ["{ task: {} }", "{}"],
    );
    expect(type).toBe("{ task: { title: string; prio?: number } }");
  });
});
