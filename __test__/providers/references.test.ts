// What is sent takes what the schema took, and every reference in it leads to what it led to.
import Draft7 from "ajv";
import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema, PreparedRequest } from "../../index.js";
import { anthropicInput, anthropicTools, chatTools, responsesTools } from "../../dist/adapters/providers.js";

type Schema = Record<string, unknown>;
const requestOf = (inputSchema: JsonSchema): PreparedRequest =>
  ({ tools: [{ id: "ext:s/t", name: "t", description: "", inputSchema }], stablePrefix: 0 }) as unknown as PreparedRequest;
const openAi = (schema: JsonSchema): Schema => (chatTools(requestOf(schema))[0] as { function: { parameters: Schema } }).function.parameters;
const anthropic = (schema: JsonSchema): Schema => (anthropicTools(requestOf(schema))[0] as { input_schema: Schema }).input_schema;

const quiet = { strict: false, validateFormats: false, logger: false } as const;
const ajv = new Ajv(quiet);
const compiled = (schema: Schema) => {
  // One compiler for all: to make one costs more than to compile. What it knows by its address it forgets.
  ajv.removeSchema();
  return ajv.compile(schema);
};
const compiled7 = (schema: Schema) => new Draft7(quiet).compile(schema);

/** Every reference, each found by its pointer alone, as an API that knows no identifiers finds it. */
function expectResolved(root: Schema): number {
  let count = 0;
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    for (const [key, value] of Object.entries(part)) {
      if (key !== "$ref" || typeof value !== "string") {
        visit(value);
        continue;
      }
      count += 1;
      expect(value).toMatch(/^#(\/|$)/);
      let at: unknown = root;
      for (const step of value.split("/").slice(1)) {
        const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
        expect(Object.hasOwn(at as object, name), `${value} in ${JSON.stringify(root)}`).toBe(true);
        at = (at as Schema)[name];
      }
      expect(typeof at).toBe("object");
    }
    expect(Object.keys(part).filter((key) => ["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"].includes(key))).toEqual([]);
  };
  visit(root);
  return count;
}

const node = { type: "object", properties: { k: { type: "string" } }, required: ["k"] };
const a = (reference: Schema, more: Schema): Schema => ({ type: "object", properties: { a: reference }, ...more });

describe("a reference", () => {
  /** Each of them says that `a` is a node. */
  const ways: { [way: string]: Schema } = {
    "an anchor": a({ $ref: "#node" }, { $defs: { n: { $anchor: "node", ...node } } }),
    "an anchor of draft 7": a({ $ref: "#node" }, { definitions: { n: { $id: "#node", ...node } } }),
    "an anchor of draft 4": a({ $ref: "#node" }, { definitions: { n: { id: "#node", ...node } } }),
    "a dynamic one": a({ $dynamicRef: "#node" }, { $defs: { n: { $dynamicAnchor: "node", ...node } } }),
    "its own address": a({ $ref: "https://x/y#/$defs/n" }, { $id: "https://x/y", $defs: { n: node } }),
    "its own address from its host": a({ $ref: "/y#/$defs/n" }, { $id: "https://x/y", $defs: { n: node } }),
    "an address within": a({ $ref: "n.json" }, { $id: "https://x/y", $defs: { n: { $id: "n.json", ...node } } }),
    "an urn": a({ $ref: "urn:example:n" }, { $defs: { n: { $id: "urn:example:n", ...node } } }),
    "an anchor within another address": a({ $ref: "n.json#node" }, { $defs: { m: { $id: "n.json", $defs: { n: { $anchor: "node", ...node } } } } }),
    "a pointer from another address": a({ $ref: "n.json" }, { $defs: { m: { $id: "n.json", $ref: "#/$defs/n", $defs: { n: node } } } }),
    "a pointer past another address": a({ $id: "n.json", $ref: "#/definitions/n" }, { definitions: { n: node } }),
    "the words of another draft": a({ $ref: "#/$defs/n" }, { definitions: { n: node } }),
    "the words of another draft, the other way": a({ $ref: "#/definitions/n" }, { $defs: { n: node } }),
    "no keyword's place": a({ $ref: "#/components/schemas/n" }, { components: { schemas: { n: { $ref: "#/components/schemas/m" }, m: node } } }),
    "a pattern's place": a({ $ref: "#/properties/b/patternProperties/%5Ex" }, { properties: { a: { $ref: "#/properties/b/patternProperties/%5Ex" }, b: { patternProperties: { "^x": node } } } }),
    "an alternative at the root": a({ $ref: "#/oneOf/0" }, { oneOf: [node, { type: "object" }] }),
    "a name to be escaped": a({ $ref: "#/$defs/a%20b~1c%25" }, { $defs: { "a b/c%": node } }),
    "a definition in both words": a({ $ref: "#/definitions/n" }, { definitions: { n: node }, $defs: { n: { type: "number" } } }),
    "a definition's definition": a({ $ref: "#/definitions/m/definitions/n" }, { definitions: { m: { definitions: { n: node } } } }),
  };
  test.each(Object.entries(ways))("by %s leads where it led", (_way, schema) => {
    for (const wire of [openAi(schema), anthropic(schema)]) {
      expect(expectResolved(wire)).toBeGreaterThan(0);
      const takes = compiled(wire);
      expect([{ k: "x" }, { k: 1 }, {}, "x"].map((one) => takes({ a: one }))).toEqual([true, false, false, false]);
    }
  });

  test("to the root means the root as it was", () => {
    const schema = { anyOf: [{ type: "object", properties: { kids: { type: "array", items: { $ref: "#" } } } }, { type: "string" }] };
    const takes = compiled(openAi(schema));
    expect([{ kids: ["x", { kids: [] }] }, { kids: [1] }].map((input) => takes(input))).toEqual([true, false]);
  });

  test("that depends on the way to it is the root's, or open", () => {
    const list = { $id: "list", type: "array", items: { $dynamicRef: "#item" }, $defs: { none: { $dynamicAnchor: "item", not: {} } } };
    const ofStrings = { $id: "https://x/s", ...a({ $ref: "list" }, { $defs: { item: { $dynamicAnchor: "item", type: "string" }, list } }) };
    const takes = compiled(openAi(ofStrings));
    expect([["x"], [1]].map((input) => takes({ a: input }))).toEqual([true, false]);
    const inner = { $id: "inner", $ref: "list", $defs: { item: { $dynamicAnchor: "item", type: "string" } } };
    const open = openAi(a({ $ref: "inner" }, { $defs: { inner, list } }));
    expectResolved(open);
    expect(compiled(open)({ a: ["x"] })).toBe(true);
    const tree = { $recursiveAnchor: true, ...a({ type: "array", items: { $recursiveRef: "#" } }, {}) };
    expect(openAi(tree)).toEqual(a({ type: "array", items: { $ref: "#" } }, {}));
  });

  test("that leads nowhere is left out, and what is excluded by it is not", () => {
    const dead = { $ref: "https://elsewhere/s.json" };
    expect(openAi(a(dead, {}))).toEqual(a({}, {}));
    expect(openAi(a({ not: dead }, {}))).toEqual(a({}, {}));
    expect(openAi(a({ oneOf: [dead, { type: "string" }] }, {}))).toEqual(a({ anyOf: [{}, { type: "string" }] }, {}));
    expect(openAi(a({ oneOf: [{ $ref: "#/$defs/d" }, { type: "string" }] }, { $defs: { d: dead } }))).toMatchObject(a({ anyOf: [{ $ref: "#/$defs/d" }, { type: "string" }] }, {}));
  });

  test("in data, or as a property's name, is none", () => {
    const data = { $ref: "#/nowhere" };
    const schema = a({ default: data, enum: [data, "x"], const: data, type: "object" }, { properties: { b: { properties: { $ref: { type: "string" } }, examples: [data] } } });
    for (const wire of [openAi(schema), anthropic(schema)]) expect(wire).toEqual(schema);
  });

  test("to a part that is true or false says so itself", () => {
    const schema = { type: "object", properties: { yes: { $ref: "#/$defs/t" }, no: { $ref: "#/$defs/f" } }, $defs: { t: true, f: false } };
    expect(openAi(schema)).toMatchObject({ properties: { yes: {}, no: { not: {} } } });
  });
});

test("names that a part of the root lets pass are not refused by what forbids the rest", () => {
  const part = { patternProperties: { "^x": { type: "number" } } };
  const named = { a: { type: "string" } };
  for (const [more, input] of [
    [{ allOf: [part] }, { x: 1 }],
    [{ anyOf: [{ additionalProperties: { type: "number" } }] }, { b: 1 }],
    [{ if: { properties: { b: { const: 1 } }, required: ["b"] }, then: { required: ["b"] } }, { b: 1 }],
    [{ $ref: "#/$defs/p", $defs: { p: part } }, { x: 1 }],
    [part, { x: 1 }],
  ] as [Schema, Schema][]) {
    const schema = { type: "object", properties: named, ...more, unevaluatedProperties: false };
    expect(compiled(schema)(input), JSON.stringify(schema)).toBe(true);
    expect(compiled(openAi(schema))(input), JSON.stringify(openAi(schema))).toBe(true);
  }
  const closed = openAi({ type: "object", properties: named, allOf: [{ properties: { b: { type: "number" } } }], unevaluatedProperties: false });
  expect([{ a: "x", b: 1 }, { c: 1 }].map((input) => compiled(closed)(input))).toEqual([true, false]);
});

describe("Anthropic's names", () => {
  const schema = {
    type: "object",
    properties: { "a b": { type: "string" }, c: { $ref: "#/properties/a%20b" }, kid: { $ref: "#" } },
    required: ["a b"],
    dependentRequired: { "a b": ["c"], c: ["a b"] },
    propertyNames: { enum: ["a b", "c", "kid"] },
  };
  test("are what the rest of the schema goes by", () => {
    const wire = anthropic(schema);
    expect(expectResolved(wire)).toBe(4);
    expect(wire).toMatchObject({ required: ["a_b"], dependentRequired: { a_b: ["c"], c: ["a_b"] }, properties: { c: { $ref: "#/properties/a_b" } } });
    const takes = compiled(wire);
    const inputs = [{ a_b: "x", c: "y" }, { a_b: "x" }, { c: "y" }, { a_b: "x", c: 1 }];
    expect(inputs.map((input) => takes(input))).toEqual([true, false, false, false]);
  });
  test("hold at the root alone, where they are taken back", () => {
    const takes = compiled(anthropic(schema));
    const input = { a_b: "x", c: "y", kid: { "a b": "x", c: "y" } };
    expect(takes(input)).toBe(true);
    expect(compiled(schema)(anthropicInput({ inputSchema: schema }, input))).toBe(true);
    expect(takes({ ...input, kid: { a_b: "x" } })).toBe(false);
  });
});

describe("names by patterns", () => {
  const properties = { a: { type: "string" } };
  test.each([
    ["open beyond them", { patternProperties: { "^x": { type: "number" } } }, { additionalProperties: true }],
    ["closed beyond them", { patternProperties: { "^x": { type: "number" } }, additionalProperties: false }, { additionalProperties: { type: "number" } }],
    ["otherwise beyond them", { patternProperties: { "^x": { type: "number" } }, additionalProperties: { type: "null" } }, { additionalProperties: { anyOf: [{ type: "number" }, { type: "null" }] } }],
    ["several", { patternProperties: { "^y": { type: "string" }, "^x": { type: "number" } }, additionalProperties: false }, { additionalProperties: { anyOf: [{ type: "number" }, { type: "string" }] } }],
    ["any", { patternProperties: { "^(.*)$": { type: "number" } } }, { additionalProperties: { type: "number" } }],
    ["no name", { patternProperties: { "^$": { type: "number" } } }, { additionalProperties: true }],
    ["none", { patternProperties: {} }, {}],
  ])("%s", (_what, said, sent) => {
    expect(openAi({ type: "object", properties, ...said })).toEqual({ type: "object", properties, ...sent });
  });
});

describe("whatever the schema", () => {
  const names = ["a", "b", "x y", "$ref"];
  const name = fc.constantFrom(...names);
  const references = ["#", "#/$defs/D", "#/$defs/E", "#anchor", "here.json", "/root.json#/$defs/D", "inner.json", "inner.json#/$defs/I", "#/properties/a", "#/properties/x%20y",
    "#/anyOf/0", "#/allOf/0/properties/a", "#/$defs/P/patternProperties/%5Ea", "#/elsewhere/s", "https://far/away", "#gone"].map(($ref) => ({ $ref }));
  const leaves: fc.Arbitrary<unknown> = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom<unknown>(
      {}, true, { type: "string" }, { type: "number" }, { enum: ["a", 1] }, { const: "a" }, { type: ["string", "null"] }, { type: "array", items: { type: "string" } },
      { type: "string", pattern: "^a" }, { type: "array", prefixItems: [{ type: "string" }], items: false },
    ) },
    { weight: 30, arbitrary: fc.constantFrom<unknown>(...references.slice(0, 8), ...references.slice(12, 14)) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...references) },
  );
  const { part, object } = fc.letrec<{ part: unknown; object: Schema }>((tie) => {
    const some = fc.array(tie("part"), { minLength: 1, maxLength: 2 });
    const byName = fc.dictionary(name, tie("part"), { maxKeys: 2 });
    const keywords: { [keyword: string]: fc.Arbitrary<unknown> } = {
      required: fc.subarray(names, { maxLength: 2 }), additionalProperties: fc.oneof(fc.boolean(), tie("part")),
      patternProperties: fc.dictionary(fc.constantFrom("^a", "^x", ".*"), tie("part"), { maxKeys: 2 }),
      dependentRequired: fc.dictionary(name, fc.subarray(names, { maxLength: 1 }), { maxKeys: 1 }),
      propertyNames: fc.constantFrom({ maxLength: 1 }, { pattern: "^[a-z]" }), minProperties: fc.constantFrom(0, 1),
      unevaluatedProperties: fc.boolean(), if: tie("part"), then: tie("part"), oneOf: some, anyOf: some, allOf: some,
      dependentSchemas: fc.dictionary(name, tie("part"), { maxKeys: 1 }),
    };
    const entries = Object.entries(keywords).map(([keyword, values]) => values.map((one) => [keyword, one] as const));
    return {
      part: fc.oneof(
        { maxDepth: 2, depthSize: "small", withCrossShrink: true },
        leaves, leaves, tie("object"),
        some.map((anyOf) => ({ anyOf })), some.map((oneOf) => ({ oneOf })), some.map((allOf) => ({ allOf })), tie("part").map((not) => ({ not })),
      ),
      object: fc.tuple(byName, fc.uniqueArray(fc.oneof(...entries), { selector: ([keyword]) => keyword, maxLength: 2 })).map(
        ([properties, more]) => ({ properties, ...Object.fromEntries(more) }),
      ),
    };
  });
  const definitions = fc.record({
    D: object, E: part, A: fc.constant({ $anchor: "anchor", type: "string" }), H: fc.constant({ $id: "here.json", ...node }),
    I: part.map((I) => ({ $id: "inner.json", type: "object", properties: { a: { $ref: "#/$defs/I" } }, $defs: { I } })),
    P: fc.constant({ patternProperties: { "^a": { type: "number" } } }),
  });
  const choices = ["$ref", "anyOf", "oneOf", "allOf", "if", "then", "dependentSchemas"];
  const roots = fc.tuple(object, definitions, part).map(
    // As text and back: no part is two parts, as in what servers send.
    ([schema, $defs, s]) => JSON.parse(JSON.stringify({ ...schema, type: "object", $id: "https://x/root.json", $defs, elsewhere: { s } })) as Schema,
  );
  const value = fc.constantFrom<unknown>("a", "b", 1, null, [], ["x"], { a: "a" }, { k: "k" }, { a: 1, "x y": null }, { a: { a: "a" } });
  const inputs = fc.array(fc.dictionary(name, value, { maxKeys: 3 }), { minLength: 12, maxLength: 12 });

  test("every reference resolves, and what was taken is taken", { timeout: 120_000 }, () => {
    let [taken, kept] = [0, 0];
    fc.assert(
      fc.property(roots, inputs, (schema, given) => {
        const [wire, claude] = [openAi(schema), anthropic(schema)];
        kept += expectResolved(wire) + expectResolved(claude);
        const [takes, takesClaude] = [compiled(wire), compiled(claude)];
        // A parameter that one alternative alone declares is shown as that one has it.
        if (choices.some((key) => key in schema)) return;
        let took;
        try {
          took = compiled(schema);
        } catch {
          return;
        }
        const legal = new Map(Object.keys(wire["properties"] as Schema).map((own, at) => [own, Object.keys(claude["properties"] as Schema)[at] as string]));
        for (const input of given) {
          let isTaken;
          try {
            isTaken = took(input);
          } catch {
            return; // Ajv follows a reference to itself for ever.
          }
          if (!isTaken) continue;
          taken += 1;
          expect(takes(input), JSON.stringify([input, schema, wire])).toBe(true);
          const renamed = Object.fromEntries(Object.entries(input).map(([own, one]) => [legal.get(own) ?? own, one]));
          expect(takesClaude(renamed), JSON.stringify([renamed, schema, claude])).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
    expect(kept).toBeGreaterThan(500);
    expect(taken).toBeGreaterThan(100);
  });

  test("the order of its keys is none of the bytes'", () => {
    const shuffled = (one: unknown): unknown => {
      if (Array.isArray(one)) return one.map(shuffled);
      if (typeof one !== "object" || one === null) return one;
      return Object.fromEntries(Object.entries(one).reverse().map(([key, inner]) => [key, shuffled(inner)]));
    };
    fc.assert(
      fc.property(roots, (schema) => {
        const other = shuffled(schema) as Schema;
        for (const form of [chatTools, anthropicTools, responsesTools]) expect(JSON.stringify(form(requestOf(other)))).toBe(JSON.stringify(form(requestOf(schema))));
      }),
      { numRuns: 150 },
    );
  });
});

test("many references down two words at every step cost no more than they are long", () => {
  const tree = (depth: number): Schema => (depth === 0 ? { type: "string" } : { definitions: { a: tree(depth - 1) }, $defs: { a: tree(depth - 1) } });
  const nowhere = (at: number): Schema => ({ $ref: `#/${"definitions/a/".repeat(13)}nowhere${at}` });
  const properties = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`p${at}`, nowhere(at)]));
  const request = requestOf({ type: "object", properties, ...tree(13) });
  const started = performance.now();
  chatTools(request);
  // A third of a second; every way of every reference took forty.
  expect(performance.now() - started).toBeLessThan(8_000);
});

test("draft 7 and 2020-12 agree on what is sent of draft 7", () => {
  const schema = a({ $ref: "#node" }, { definitions: { n: { $id: "#node", ...node } } });
  const [before, after] = [compiled7({ ...schema, $schema: "http://json-schema.org/draft-07/schema#" }), compiled(openAi(schema))];
  for (const input of [{ a: { k: "x" } }, { a: {} }, {}]) expect(after(input)).toBe(before(input));
});
