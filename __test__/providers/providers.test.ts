// `toolscope/providers`: the wire forms beside the published SDKs' types and the APIs' published limits.
import Draft7 from "ajv";
import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type JsonSchema, type PreparedRequest, type ToolDeclaration, ToolSession } from "../../index.js";
import {
  anthropicDelta,
  anthropicInput,
  anthropicTools,
  chatTools,
  openAiMaxTools,
  responsesDelta,
  responsesTools,
} from "../../dist/adapters/providers.js";

import { compile } from "../compile.js";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const data = process.env["TOOLSCOPE_DATA"] ?? join(root, "..", "shared", "data");

/** Schemas of every draft and habit that servers send, and some that none should. */
const oddities: JsonSchema[] = [
  { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  {},
  { type: "object" },
  { $schema: "http://json-schema.org/draft-07/schema#", $ref: "#/definitions/Input", definitions: { Input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } } },
  { oneOf: [{ type: "object", properties: { id: { type: "string" } }, required: ["id"] }, { type: "object", properties: { name: { type: "string" } }, required: ["name"] }] },
  { type: "object", properties: { x: { type: "string" } }, anyOf: [{ required: ["x"] }, { properties: { y: {} }, required: ["y"] }] },
  { allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { $ref: "#/$defs/b" }], $defs: { b: { properties: { b: { type: "integer" } } } } },
  { type: "object", properties: { pair: { type: "array", items: [{ type: "string" }, { type: "number" }], additionalItems: false } } },
  { type: "object", properties: { n: { type: "number", minimum: 0, exclusiveMinimum: true }, m: { type: "number", exclusiveMaximum: false } } },
  { type: "object", properties: { s: { type: "string", nullable: true }, any: { type: "any" }, list: { type: "array" } } },
  { type: "object", properties: { "filter[id]": { type: "string" }, "filter_id_": { type: "string" }, ["k".repeat(80)]: {} }, required: ["filter[id]"] },
  { type: "object", properties: { re: { type: "string", pattern: "(?<bad" } }, patternProperties: { "^(.*)$": { type: "string" } } },
  { type: "object", properties: { ok: true, no: false, required: { type: "string", required: true } }, required: ["ok"], enum: [] },
  { type: "object", properties: { far: { $ref: "https://example.com/s.json" }, gone: { $ref: "#/definitions/none" }, self: { $ref: "#" } } },
  { type: "object", properties: { ["__proto__"]: { type: "string" }, constructor: {} }, if: {}, then: {}, not: {}, const: 1, dependencies: { a: ["b"], c: { properties: {} } } },
  { $ref: "#" },
  { anyOf: [{ $ref: "#/$defs/d0" }], $defs: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at}`, { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] }])) },
];

async function requestOf(tools: readonly ToolDeclaration[], options: { maxTools?: number } = {}): Promise<PreparedRequest> {
  const session = new ToolSession();
  const source = session.addSource({ kind: "mcp", name: "s", tools });
  expect(source.report.quarantined).toEqual([]);
  session.start();
  const request = await session.prepare(options);
  expect(request.tools.length).toBe(tools.length);
  return request;
}
const twoHundred = Array.from({ length: 200 }, (_, at): ToolDeclaration => {
  const inputSchema = oddities[at % oddities.length] as JsonSchema;
  return { name: `tool${at}`, description: at % 7 === 0 ? `long ${"é𝒳".repeat(900)}` : `Does ${at}`, inputSchema };
});

const ajv = new Ajv({ strict: false, validateFormats: false });
const notAtRoot = ["$ref", "oneOf", "anyOf", "allOf", "not", "enum", "const", "if"];
/** What every API says of a tool's name and schema. */
function expectPublishedLimits(name: string, schema: Record<string, unknown>): void {
  expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(schema["type"]).toBe("object");
  expect(typeof schema["properties"]).toBe("object");
  expect(Object.keys(schema).filter((key) => notAtRoot.includes(key))).toEqual([]);
  expect(ajv.validateSchema(schema), ajv.errorsText(ajv.errors)).toBe(true);
}

describe("limits", () => {
  test("Anthropic Messages: 200 tools of every draft", async () => {
    for (const tool of anthropicTools(await requestOf(twoHundred))) {
      if (!("input_schema" in tool)) throw new Error("no tool search was asked for");
      expectPublishedLimits(tool.name, tool.input_schema);
      for (const key of Object.keys(tool.input_schema.properties)) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
    }
  });

  test("OpenAI: 200 tools, of which 128 are declared; more is an error that says what to do", async () => {
    const request = await requestOf(twoHundred, { maxTools: openAiMaxTools });
    for (const wire of [responsesTools(request), chatTools(request)]) {
      expect(wire.length).toBe(128);
      for (const tool of wire) {
        const { name, description = "", parameters } = ("function" in tool ? tool.function : tool) as { name: string; description?: string; parameters: Record<string, unknown> };
        expectPublishedLimits(name, parameters);
        expect(Array.from(description).length).toBeLessThanOrEqual(1_024);
        expect(description.isWellFormed()).toBe(true);
      }
    }
    const all = await requestOf(twoHundred);
    for (const form of [responsesTools, chatTools]) {
      expect(() => form(all)).toThrow(expect.objectContaining({ code: "ERR_TOOLSCOPE_PROVIDER_LIMIT", message: expect.stringContaining("maxTools: 128") }));
    }
  });

  const sets = ["livemcpbench", "github_mcp", "docker_registry", "toolgym_smithery"].map((set) => join(data, set, "tools.jsonl"));
  test.skipIf(!sets.every((file) => existsSync(file)))("every tool of the inventories of real servers", { timeout: 120_000 }, () => {
    let count = 0;
    for (const file of sets) {
      for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
        const { inputSchema } = JSON.parse(line) as { inputSchema?: JsonSchema };
        if (typeof inputSchema !== "object" || inputSchema === null) continue;
        const definition = { id: "mcp:s/t", name: "t", description: "", inputSchema };
        const request = { tools: [definition], stablePrefix: 0 } as unknown as PreparedRequest;
        const [claude] = anthropicTools(request) as unknown as [{ input_schema: Record<string, unknown> }];
        expectPublishedLimits("t", claude.input_schema);
        for (const key of Object.keys(claude.input_schema["properties"] as object)) expect(key).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
        expectPublishedLimits("t", (chatTools(request)[0] as { function: { parameters: Record<string, unknown> } }).function.parameters);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(9_000);
  });
});

describe("schemas", () => {
  const shown = async (inputSchema: JsonSchema) => (anthropicTools(await requestOf([{ name: "t", inputSchema }]))[0] as { input_schema: unknown }).input_schema;

  test("a reference at the root is followed, also from draft-07", async () => {
    expect(await shown(oddities[3] as JsonSchema)).toMatchObject({ type: "object", properties: { n: { type: "number" } }, required: ["n"] });
  });
  test("alternatives at the root become properties, and the model is told which belong together", async () => {
    expect(await shown(oddities[4] as JsonSchema)).toEqual({
      type: "object",
      description: "Exactly one of these sets of parameters is required: id; name.",
      properties: { id: { type: "string" }, name: { type: "string" } },
    });
    expect(await shown(oddities[6] as JsonSchema)).toMatchObject({ properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a"] });
  });
  test("what a part requires of properties that another part declares is said", async () => {
    const properties = { by_id: { type: "object" }, by_name: { type: "object" } };
    expect(await shown({ type: "object", properties, oneOf: [{ required: ["by_id"] }, { required: ["by_name"] }] })).toMatchObject({
      properties,
      description: "Exactly one of these sets of parameters is required: by_id; by_name.",
    });
    expect(await shown({ properties, allOf: [{ required: ["by_id"] }] })).toMatchObject({ required: ["by_id"] });
  });
  test("whatever parts a schema is made of, all their properties are shown, and what it takes is taken", async () => {
    const names = ["a", "b", "c", "d"];
    const nodeOf = (depth: number): fc.Arbitrary<JsonSchema> => {
      const leaf = {
        properties: fc.dictionary(fc.constantFrom(...names), fc.constantFrom({ type: "string" }, { type: ["string", "null"] }, {}), { maxKeys: 2 }),
        required: fc.subarray(names, { maxLength: 2 }),
      };
      if (depth === 0) return fc.record(leaf, { requiredKeys: [] });
      const inner = nodeOf(depth - 1);
      const lists = ["allOf", "anyOf", "oneOf"].map((key) => [key, fc.array(inner, { minLength: 1, maxLength: 2 })]);
      const single = ["if", "then", "else"].map((key) => [key, inner]);
      const named = ["dependentSchemas", "dependencies"].map((key) => [key, fc.dictionary(fc.constantFrom(...names), inner, { maxKeys: 1 })]);
      return fc.record({ ...leaf, ...Object.fromEntries([...lists, ...single, ...named]) }, { requiredKeys: [] });
    };
    const declared = (part: unknown, isNode = true): string[] => {
      if (typeof part !== "object" || part === null) return [];
      return Object.entries(part).flatMap(([key, value]) => {
        if (!isNode || Array.isArray(part)) return declared(value);
        if (key === "properties") return Object.keys(value as object);
        return key === "if" || key === "required" ? [] : declared(value, !["dependentSchemas", "dependencies"].includes(key));
      });
    };
    const inputs = Array.from({ length: 2 ** names.length }, (_, bits) => Object.fromEntries(names.filter((_name, at) => bits & (1 << at)).map((name) => [name, ""])));
    const draft7 = new Draft7({ strict: false });
    await fc.assert(
      fc.asyncProperty(nodeOf(2), async (schema) => {
        const flat = (await shown({ ...schema, type: "object" })) as { properties: object };
        expect(Object.keys(flat.properties).sort()).toEqual([...new Set(declared(schema))].sort());
        const [before, after] = [draft7.compile(schema), ajv.compile(flat)];
        for (const input of inputs.filter((input) => before(input))) expect(after(input), JSON.stringify(input)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
  test("a reference that may be null, and ones into what older drafts call otherwise, stay what they were", async () => {
    const schema = {
      type: "object",
      properties: {
        maybe: { $ref: "#/definitions/A", nullable: true, description: "Perhaps." },
        inner: { $ref: "#/definitions/A/definitions/definitions" },
        second: { $ref: "#/properties/pair/items/1" },
        pair: { type: "array", items: [{ type: "string" }, { type: "boolean" }] },
      },
      definitions: { A: { type: "string", definitions: { definitions: { type: "number" } } } },
    };
    const accepts = ajv.compile(await shown(schema) as object);
    expect(["x", null, 1].map((maybe) => accepts({ maybe }))).toEqual([true, true, false]);
    expect([1, "x"].map((inner) => accepts({ inner }))).toEqual([true, false]);
    expect([true, "x"].map((second) => accepts({ second }))).toEqual([true, false]);
    expect(await shown(schema)).toMatchObject({ properties: { maybe: { description: "Perhaps." } } });
  });
  test("older drafts are said in the words of 2020-12", async () => {
    expect(await shown(oddities[7] as JsonSchema)).toMatchObject({ properties: { pair: { prefixItems: [{ type: "string" }, { type: "number" }], items: { not: {} } } } });
    expect(await shown(oddities[8] as JsonSchema)).toMatchObject({ properties: { n: { exclusiveMinimum: 0 }, m: { type: "number" } } });
    expect(await shown(oddities[9] as JsonSchema)).toMatchObject({ properties: { s: { type: ["string", "null"] }, any: {}, list: { items: {} } } });
  });
  test("property names that an API does not take are taken back in a call's input", async () => {
    const schema = oddities[10] as JsonSchema;
    const { properties, required } = (await shown(schema)) as { properties: object; required: string[] };
    expect(Object.keys(properties)).toEqual(["filter_id__2", "filter_id_", "k".repeat(60)]);
    expect(required).toEqual(["filter_id__2"]);
    const input = anthropicInput({ inputSchema: schema }, { filter_id__2: "1", filter_id_: "2", ["k".repeat(60)]: 3 });
    expect(input).toEqual({ "filter[id]": "1", filter_id_: "2", ["k".repeat(80)]: 3 });
    expect(anthropicInput({ inputSchema: {} }, "text")).toBe("text");
  });
  test("references that lead nowhere are left out, the rest of a schema stays", async () => {
    expect(await shown(oddities[13] as JsonSchema)).toMatchObject({ properties: { far: {}, gone: {}, self: { $ref: "#" } } });
  });
  test("strict where it was asked for and the schema is so already", async () => {
    const closed = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };
    const request = await requestOf([{ name: "closed", inputSchema: closed }, { name: "open", inputSchema: { type: "object", properties: { a: {} } } }]);
    expect(responsesTools(request, { strict: true }).map((tool) => "strict" in tool && tool.strict)).toEqual([true, false]);
    expect(chatTools(request, { strict: true }).map((tool) => tool.function.strict)).toEqual([true, undefined]);
    expect(anthropicTools(request, { strict: true }).map((tool) => "strict" in tool)).toEqual([true, false]);
    expect(responsesTools(request).map((tool) => "strict" in tool && tool.strict)).toEqual([false, false]);
  });
});

describe("bytes", () => {
  /** The same content with its keys in another order. */
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).reverse().map(([key, inner]) => [key, shuffled(inner)]));
  };
  test("equal content gives equal bytes, in another session, whatever the order of keys", async () => {
    const one = await requestOf(twoHundred, { maxTools: openAiMaxTools });
    const other = await requestOf(twoHundred.map((tool) => ({ ...tool, inputSchema: shuffled(tool.inputSchema) as JsonSchema })), { maxTools: openAiMaxTools });
    for (const form of [anthropicTools, responsesTools, chatTools]) {
      expect(JSON.stringify(form(other))).toBe(JSON.stringify(form(one)));
      expect(JSON.stringify(form(one))).toBe(JSON.stringify(form(one)));
    }
  });
});

describe("deferred tools, namespaces and what changed", () => {
  const tools = (...names: string[]): ToolDeclaration[] => names.map((name) => ({ name, description: `Does ${name}`, inputSchema: { type: "object" } }));

  test("deferred tools are left out, or sent behind the API's own search", async () => {
    const request = await requestOf(tools("a", "b", "c"), { maxTools: 1 });
    expect(anthropicTools(request).length).toBe(1);
    expect(chatTools(request).length).toBe(1);
    expect(responsesTools(request).length).toBe(1);
    const native = { deferred: "native" } as const;
    expect(anthropicTools(request, native).map((tool) => [tool.name, "defer_loading" in tool])).toEqual([
      ["tool_search_tool_bm25", false],
      ...request.tools.map(({ name, deferred }) => [name, deferred === true]),
    ]);
    expect(responsesTools(request, native).map((tool) => [tool.type, "defer_loading" in tool])).toEqual([
      ["tool_search", false],
      ...request.tools.map(({ deferred }) => ["function", deferred === true]),
    ]);
  });

  test("namespaces stand where their first tool does", async () => {
    const request = await requestOf(tools("a1", "b1", "a2"));
    const namespace = ({ name }: { name: string }) => (name.includes("__a") ? { name: "a", description: "all of a" } : undefined);
    expect(responsesTools(request, { namespace })).toMatchObject([
      { type: "namespace", name: "a", description: "all of a", tools: [{ name: "mcp__s__a1" }, { name: "mcp__s__a2" }] },
      { type: "function", name: "mcp__s__b1" },
    ]);
  });

  test("an addition goes to the end where the API can take it; anything else is a fresh list", async () => {
    const session = new ToolSession();
    const source = session.addSource({ kind: "mcp", name: "s", tools: tools("a", "b") });
    session.start();
    const first = await session.prepare();
    source.add(...tools("c"));
    session.endTurn();
    const second = await session.prepare();
    const [, , added] = anthropicTools(second);
    expect(anthropicDelta(second)).toEqual({ reset: false, items: [{ type: "tool_addition", tool: { type: "tool_definition", definition: added } }] });
    expect(responsesDelta(second)).toEqual({ reset: false, items: [{ type: "additional_tools", role: "developer", tools: responsesTools(second).slice(2) }] });
    // What was sent stays as it was, so that an API's cache of it holds.
    expect(JSON.stringify(chatTools(second).slice(0, 2))).toBe(JSON.stringify(chatTools(first)));
    expect(anthropicTools(second, { cache: true }).map((tool) => "cache_control" in tool)).toEqual([false, true, false]);
    const third = await session.prepare();
    expect([anthropicDelta(third), responsesDelta(third)]).toEqual([{ reset: false, items: [] }, { reset: false, items: [] }]);
    source.remove("a");
    session.endTurn();
    const fourth = await session.prepare();
    expect(anthropicDelta(fourth)).toEqual({ reset: true, tools: anthropicTools(fourth) });
    expect(responsesDelta(fourth)).toEqual({ reset: true, tools: responsesTools(fourth) });
  });
});

test("the payload of a request of 200 tools type-checks against the published SDKs", { timeout: 120_000 }, async () => {
  const request = await requestOf(twoHundred);
  const capped = await requestOf(twoHundred, { maxTools: openAiMaxTools });
  const native = { deferred: "native" } as const;
  const payloads = [
    `import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages";`,
    `export const claude: NonNullable<MessageCreateParams["tools"]> = ${JSON.stringify(anthropicTools(request))};`,
    `export const claudeDeferred: NonNullable<MessageCreateParams["tools"]> = ${JSON.stringify(anthropicTools(capped, native))};`,
    `import type { ResponseCreateParams } from "openai/resources/responses/responses";`,
    `export const responses: NonNullable<ResponseCreateParams["tools"]> = ${JSON.stringify(responsesTools(capped))};`,
    `import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";`,
    `export const chat: NonNullable<ChatCompletionCreateParams["tools"]> = ${JSON.stringify(chatTools(capped))};`,
  ];
  const folder = await mkdtemp(join(here, "payload-"));
  try {
    await writeFile(join(folder, "payload.mts"), payloads.join("\n"));
    expect(await compile([join(folder, "payload.mts")])).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});
