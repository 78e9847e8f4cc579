// Which tools are sent as strict: a schema that a strict mode refuses fails the whole request, not the tool.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema, PreparedRequest } from "../../index.js";
import { anthropicDelta, anthropicTools, chatTools, responsesTools } from "../../dist/adapters/providers.js";

type Schema = Record<string, unknown>;
const closed = (properties: Schema, more: Schema = {}): Schema => ({
  type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more,
});
const requestOf = (...schemas: JsonSchema[]): PreparedRequest => {
  const tools = schemas.map((inputSchema, at) => ({ id: `ext:s/t${at}`, name: `t${at}`, description: "", inputSchema }));
  return { tools, stablePrefix: 0, delta: { added: [], removed: [], redefined: [], reset: true } } as unknown as PreparedRequest;
};
/** Whether each form marks the schema strict, and what it sends. */
function sent(schema: JsonSchema): { openai: boolean; anthropic: boolean; parameters: Schema; input: Schema } {
  const request = requestOf(schema);
  const [chat] = chatTools(request, { strict: true });
  const [response] = responsesTools(request, { strict: true }) as { strict: boolean }[];
  const [claude] = anthropicTools(request, { strict: true }) as { strict?: boolean; input_schema: Schema }[];
  expect(response?.strict).toBe(chat?.function.strict === true);
  return {
    openai: chat?.function.strict === true,
    anthropic: claude?.strict === true,
    parameters: chat?.function.parameters as Schema,
    input: claude?.input_schema as Schema,
  };
}

/** The rules as the guides state them, told apart from the code under test: a list of what is wrong. */
function faults(root: Schema, mayRecurse: boolean): string[] {
  const wrong: string[] = [];
  const [values, texts, unions] = [[] as unknown[], [] as string[], [] as Schema[]];
  let properties = 0;
  const definitions = (root["$defs"] ?? {}) as Record<string, Schema>;
  const fits = (value: unknown, type: string): boolean => {
    if (type === "null") return value === null;
    if (type === "integer") return Number.isInteger(value);
    return typeof value === type && (value === null) === false && !Array.isArray(value) && type !== "object";
  };
  const visit = (node: Schema, levels: number): void => {
    const keys = new Set(Object.keys(node));
    for (const note of ["title", "description"]) keys.delete(note);
    if (node === root) keys.delete("$defs");
    if (keys.has("$ref")) {
      if (Object.keys(node).length > 1) wrong.push("a reference with company");
      const name = /^#\/\$defs\/([^/]+)$/.exec(node["$ref"] as string)?.[1];
      if (node["$ref"] !== "#" && (name === undefined || definitions[name] === undefined)) wrong.push("a reference to no definition");
      return;
    }
    if (keys.has("anyOf")) {
      unions.push(node);
      if (keys.size > 1) wrong.push("a choice with company");
      for (const one of node["anyOf"] as Schema[]) visit(one, levels);
      return;
    }
    const types = [node["type"]].flat() as string[];
    if (Array.isArray(node["type"]) && node["type"].length > 1) unions.push(node);
    if (node["type"] === undefined || types.length === 0) wrong.push("no type");
    const known = new Set(["type", "enum", "const"]);
    if (types.includes("object") || types.includes("array")) levels += 1;
    if (levels > 5) wrong.push("too deep");
    if (types.includes("object")) {
      for (const key of ["properties", "required", "additionalProperties"]) known.add(key);
      const names = Object.keys((node["properties"] ?? {}) as Schema);
      if (node["properties"] === undefined || node["additionalProperties"] !== false) wrong.push("an open object");
      if (JSON.stringify([...((node["required"] ?? []) as string[])].sort()) !== JSON.stringify(names.sort())) wrong.push("optional");
      properties += names.length;
      texts.push(...names);
      for (const one of Object.values((node["properties"] ?? {}) as Record<string, Schema>)) visit(one, levels);
    }
    if (types.includes("array")) {
      known.add("items");
      if (node["items"] === undefined) wrong.push("a list of anything");
      else visit(node["items"] as Schema, levels);
    }
    for (const key of keys) if (!known.has(key)) wrong.push(`the keyword ${key}`);
    const said = [...((node["enum"] ?? []) as unknown[]), ...(keys.has("const") ? [node["const"]] : [])];
    for (const value of said) if (!types.some((type) => fits(value, type))) wrong.push("a value of no type");
    values.push(...((node["enum"] ?? []) as unknown[]));
    texts.push(...said.map(String));
  };
  visit(root, 0);
  for (const [name, one] of Object.entries(definitions)) {
    texts.push(name);
    visit(one, 0);
  }
  if (properties > 100) wrong.push("too many properties");
  if (values.length > 500) wrong.push("too many values");
  if (texts.join("").length > 15_000) wrong.push("too long");
  if (!mayRecurse && unions.length > 16) wrong.push("too many unions");
  // Following references: no end without an object or list between, and none at all where recursion is refused.
  const follow = (node: Schema, path: { node: Schema; levels: number }[], levels: number): void => {
    const before = path.find((step) => step.node === node);
    if (before !== undefined) {
      if (!mayRecurse || before.levels === levels) wrong.push("recursion");
      return;
    }
    const reference = node["$ref"] as string | undefined;
    const here = [...path, { node, levels }];
    if (reference !== undefined) {
      const target = reference === "#" ? root : definitions[reference.slice("#/$defs/".length)];
      if (target !== undefined) follow(target, here, levels);
      return;
    }
    for (const one of (node["anyOf"] ?? []) as Schema[]) follow(one, here, levels);
    for (const one of [...Object.values((node["properties"] ?? {}) as object), node["items"]]) if (one) follow(one as Schema, here, levels + 1);
  };
  for (const start of [root, ...Object.values(definitions)]) follow(start, [], 0);
  return wrong;
}

const deep = (levels: number): Schema => (levels === 1 ? closed({ x: { type: "string" } }) : closed({ n: deep(levels - 1) }));
const text = { type: "string" };
const manyOf = (count: number, schema: Schema): Schema => closed(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema])));
const A = closed({ y: text });

describe("strict", () => {
  test("nothing that a strict mode refuses is strict", () => {
    const refused: { [what: string]: Schema } = {
      "anything": closed({ x: {} }),
      "anything, as true": closed({ x: true }),
      "nothing": closed({ x: false }),
      "a description alone": closed({ x: { description: "d" } }),
      "a list of anything": closed({ x: { type: "array" } }),
      "values without a type": closed({ x: { enum: ["a"] } }),
      "a value without a type": closed({ x: { const: "a" } }),
      "values that are no scalars": closed({ x: { type: ["string", "object"], properties: {}, additionalProperties: false, enum: ["a", { b: 1 }] } }),
      "values of another type": closed({ x: { type: "string", enum: ["a", 1] } }),
      "a choice of anything": closed({ x: { anyOf: [{}, { type: "null" }] } }),
      "a choice with a type beside it": closed({ x: { type: "string", anyOf: [text] } }),
      "an open object among types": closed({ x: { type: ["object", "null"] } }),
      "an object without properties": closed({ x: { type: "object", additionalProperties: false } }),
      "an object that leaves one out": closed({ x: { type: "object", properties: { a: text }, additionalProperties: false } }),
      "a reference with a description": closed({ x: { $ref: "#/$defs/A", description: "d" } }, { $defs: { A } }),
      "a reference elsewhere": closed({ x: { $ref: "https://a/b" } }),
      "a reference to a property": closed({ x: text, y: { $ref: "#/properties/x" } }),
      "a reference to a nested definition": closed({ x: { $ref: "#/$defs/A/$defs/B" } }, { $defs: { A: { ...A, $defs: { B: text } } } }),
      "a definition that is open": closed({ x: text }, { $defs: { A: { type: "object", properties: {} } } }),
      "references in a circle": closed({ x: { $ref: "#/$defs/A" } }, { $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] } } }),
      "references in a circle with a way out": closed({ x: { $ref: "#/$defs/A" } }, {
        $defs: { A: { anyOf: [closed({ y: { $ref: "#/$defs/B" } }), { $ref: "#/$defs/B" }] }, B: { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }] } },
      }),
      "16 levels": deep(16),
      "levels behind references": closed({ x: { $ref: "#/$defs/A" } }, { $defs: { A: closed({ b: { $ref: "#/$defs/B" } }), B: deep(4) } }),
      "a long way by references": closed({ x: { $ref: "#/$defs/d0" } }, {
        $defs: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`d${at}`, at === 19_999 ? text : { $ref: `#/$defs/d${at + 1}` }])),
      }),
      "101 properties": manyOf(101, text),
      "501 values": closed({ x: { type: "integer", enum: Array.from({ length: 501 }, (_, at) => at) } }),
      "long values": closed({ x: { type: "string", enum: Array.from({ length: 300 }, (_, at) => `${"long".repeat(7)}${at}`) } }),
      "much text": closed({ x: { type: "string", enum: ["w".repeat(15_000)] } }),
      "a keyword": closed({ x: { type: "string", minLength: 1 } }),
    };
    for (const [what, schema] of Object.entries(refused)) {
      const { openai, anthropic } = sent(schema);
      expect([what, openai, anthropic]).toEqual([what, false, false]);
    }
  });

  test("what strict modes take is strict", () => {
    const taken: { [what: string]: Schema } = {
      "nothing at all": closed({}),
      "scalars": closed({ a: text, b: { type: "number" }, c: { type: ["boolean", "null"], description: "d" }, d: { type: "integer", enum: [1, 2] } }),
      "a value": closed({ x: { type: "string", const: "a" } }),
      "lists and objects": closed({ x: { type: "array", items: closed({ y: { type: ["string", "null"], enum: ["a", null] } }) } }),
      "a choice": closed({ x: { anyOf: [{ $ref: "#/$defs/A" }, { type: "null" }], description: "d" } }, { $defs: { A } }),
      "one definition twice": closed({ x: { $ref: "#/$defs/A" }, y: { type: "array", items: { $ref: "#/$defs/A" } } }, { $defs: { A } }),
      "5 levels": deep(5),
    };
    for (const [what, schema] of Object.entries(taken)) {
      const { openai, anthropic } = sent(schema);
      expect([what, openai, anthropic]).toEqual([what, true, true]);
    }
  });

  test("recursion is OpenAI's alone", () => {
    for (const schema of [
      closed({ x: { anyOf: [{ $ref: "#" }, { type: "null" }] } }),
      closed({ x: { $ref: "#/$defs/N" } }, { $defs: { N: closed({ kids: { type: "array", items: { $ref: "#/$defs/N" } } }) } }),
    ]) expect(sent(schema)).toMatchObject({ openai: true, anthropic: false });
  });

  test("whatever is marked keeps to the rules", () => {
    const names = fc.constantFrom("a", "b", "c");
    const { node } = fc.letrec<{ node: Schema }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 5, depthSize: "medium", withCrossShrink: true },
        { weight: 4, arbitrary: fc.constantFrom<Schema>(text, { type: ["string", "null"] }, { type: "integer", enum: [1, 2] }, { type: "string", const: "a" }) },
        { weight: 1, arbitrary: fc.constantFrom<Schema>({}, { enum: ["a"] }, { type: "array" }, { type: ["object", "null"] }, { type: "string", enum: ["a", 1] }, { type: "string", default: "a" }) },
        { weight: 2, arbitrary: fc.constantFrom<Schema>(...["#", "#/$defs/a", "#/$defs/b", "#/$defs/z", "#/properties/a"].map(($ref) => ({ $ref }))) },
        { weight: 1, arbitrary: fc.constant<Schema>({ $ref: "#/$defs/a", description: "d" }) },
        { weight: 2, arbitrary: fc.array(tie("node"), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })) },
        { weight: 2, arbitrary: tie("node").map((items) => ({ type: "array", items })) },
        { weight: 3, arbitrary: fc.dictionary(names, tie("node"), { maxKeys: 2 }).map((properties) => closed(properties)) },
        { weight: 1, arbitrary: fc.dictionary(names, tie("node"), { maxKeys: 2 }).map((properties) => ({ type: "object", properties })) },
      ),
    }));
    const schemas = fc.tuple(fc.dictionary(names, node, { maxKeys: 2 }), fc.dictionary(fc.constantFrom("a", "b"), node)).map(
      ([properties, $defs]) => closed(properties, { $defs }),
    );
    let [marked, recursive] = [0, 0];
    fc.assert(
      fc.property(schemas, (schema) => {
        const { openai, anthropic, parameters, input } = sent(schema);
        if (openai) expect(faults(parameters, true)).toEqual([]);
        if (anthropic) expect(faults(input, false)).toEqual([]);
        if (anthropic) expect(openai).toBe(true);
        marked += Number(openai);
        recursive += Number(openai && !anthropic);
      }),
      { numRuns: 4_000 },
    );
    expect(marked).toBeGreaterThan(200);
    expect(recursive).toBeGreaterThan(10);
  });

  test("Anthropic takes 20 strict tools and 16 parameters of several types in a request: the first ones are", () => {
    const marked = (request: PreparedRequest) => anthropicTools(request, { strict: true }).map((tool) => "strict" in tool);
    const plain = marked(requestOf(...Array.from({ length: 30 }, () => A)));
    expect(plain).toEqual(Array.from({ length: 30 }, (_, at) => at < 20));
    const [nine, seven, one] = [9, 7, 1].map((count) => manyOf(count, { type: ["string", "null"] })) as [Schema, Schema, Schema];
    expect(marked(requestOf(nine, nine, seven, one, A))).toEqual([true, false, true, false, true]);
    expect(marked(requestOf(manyOf(17, { anyOf: [text, { type: "null" }] })))).toEqual([false]);
  });

  test("a tool that joins later is strict only where the request has room for it", () => {
    const { tools } = requestOf(...Array.from({ length: 22 }, () => A));
    for (const before of [18, 20, 21]) {
      const delta = { added: tools.slice(before), removed: [], redefined: [], reset: false };
      const request = { tools, stablePrefix: before, delta } as unknown as PreparedRequest;
      const { items } = anthropicDelta(request, { strict: true }) as { items: { tool: { definition: object } }[] };
      expect(items.map(({ tool }) => tool.definition)).toEqual(anthropicTools(request, { strict: true }).slice(before));
    }
  });
});
