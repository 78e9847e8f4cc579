// What a model sees of a tool's result: an MCP result's blocks, or all of it as JSON; and no result ends a generation.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { scopeTools } from "../../dist/adapters/ai-sdk.js";
import { scripted, versions } from "./model.js";

const text = { type: "text", text: "short" };
const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const file = { type: "file", mediaType: "image/png", data: { type: "data", data: "aGk=" } };
const link = { type: "resource_link", uri: "a:b", name: "b" };
const resource = { type: "resource", resource: { uri: "a:b", text: "R" } };
const asText = (value: unknown) => ({ type: "text", text: JSON.stringify(value) });

describe.each(versions)("$version", ({ ai, Model }) => {
  /** What the next request says of a tool that returned a value. */
  async function shownOf(kind: "ext" | "mcp", value: unknown): Promise<{ type: string; value: unknown }> {
    const session = new ToolSession();
    session.addSource({ kind, name: "e", tools: [{ name: "t", execute: () => value }] });
    const name = session.tools()[0]?.name as string;
    const { model, asked } = scripted(Model, [[{ toolName: name }], "done"]);
    const { text } = await ai.generateText({ model, ...scopeTools(session), stopWhen: ai.isStepCount(3), prompt: "go" });
    expect(text).toBe("done");
    return JSON.parse(asked[1]?.results[0]?.text ?? "null");
  }

  const results: [string, object, unknown[]][] = [
    ["a text", { content: [text] }, [text]],
    ["several blocks", { content: [text, image, link, resource] }, [text, file, asText(link), asText(resource)]],
    ["what is the client's", { content: [{ ...text, annotations: { priority: 1 }, _meta: { a: 1 } }], _meta: { b: 2 }, isError: false }, [text]],
    ["structured content that no text says", { content: [text], structuredContent: { rows: [1] } }, [text, asText({ rows: [1] })]],
    ["structured content beside an image", { content: [image], structuredContent: { w: 1 } }, [file, asText({ w: 1 })]],
    ["structured content as a text, too", { content: [{ type: "text", text: '{ "b": 2, "a": 1 }' }], structuredContent: { a: 1, b: 2 } }, [{ type: "text", text: '{ "b": 2, "a": 1 }' }]],
    ["a text wrapped for structured content", { content: [text], structuredContent: { result: "short" } }, [text]],
    ["a list wrapped for it", { content: [asText(1), asText({ a: 1 })], structuredContent: { result: [1, { a: 1 }] } }, [asText(1), asText({ a: 1 })]],
  ];
  test.each(results)("an MCP result with %s is content, whoever returned it", async (_, result, content) => {
    for (const kind of ["mcp", "ext"] as const) expect((await shownOf(kind, result)).value).toMatchObject(content);
    for (const kind of ["mcp", "ext"] as const) expect(await shownOf(kind, result)).toMatchObject({ type: "content", value: { length: content.length } });
  });

  test("structured content without any block is what is shown", async () => {
    for (const kind of ["mcp", "ext"] as const) {
      expect(await shownOf(kind, { content: [], structuredContent: { a: 1 } })).toEqual({ type: "json", value: { a: 1 } });
      expect(await shownOf(kind, { content: [] })).toEqual({ type: "json", value: { content: [] } });
    }
  });

  test("what a server adds to the protocol is no reason to show its blocks as JSON", async () => {
    const content = [text, { ...image, size: 3 }, { type: "video", url: "a:b" }, null, 5, { text: "no type" }];
    expect(await shownOf("mcp", { content, resultType: "complete", more: 1 })).toEqual({
      type: "content",
      value: [text, file, asText({ type: "video", url: "a:b" }), asText(null), asText(5), asText({ text: "no type" })].map((part) => expect.objectContaining(part)),
    });
  });

  const others: [string, unknown][] = [
    ["blocks of its own", { content: [{ title: "a" }], next: 3 }],
    ["texts", { content: ["a", "b"], total: 2 }],
    ["a field beside MCP's", { content: [text], rows: [{ a: 1 }] }],
    ["a field in a block", { content: [{ ...text, score: 0.5 }] }],
    ["a kind of block that MCP has not", { content: [text, { type: "paragraph", text: "x" }] }],
    ["a block that lacks its own", { content: [{ type: "image", data: "aGk=" }] }],
    ["an error that its source let pass", { content: [text], isError: true }],
    ["null among blocks", { content: [null] }],
    ["nothing in it", { content: [] }],
    ["no list", { content: { type: "text", text: "x" } }],
    ["a list of blocks", [text]],
    ["names of Object.prototype", { content: [{ type: "toString" }, { type: "__proto__" }] }],
  ];
  test.each(others)("a result with %s is JSON, whole", async (_, result) => {
    expect(await shownOf("ext", result)).toEqual({ type: "json", value: result });
  });

  test("of any JSON, nothing is lost", async () => {
    const whole = [text, image, link];
    const content = fc.record({ content: fc.array(fc.oneof(fc.constantFrom(...whole), fc.jsonValue())) });
    const anything = fc.oneof(fc.jsonValue(), fc.tuple(content, fc.dictionary(fc.string(), fc.jsonValue())).map(([one, other]) => ({ ...other, ...one })));
    await fc.assert(
      fc.asyncProperty(anything, async (result) => {
        const written = JSON.parse(JSON.stringify(result));
        const shown = await shownOf("ext", written);
        if (shown.type === "content") {
          expect(Object.keys(written)).toEqual(["content"]);
          for (const block of written.content) expect(whole).toContainEqual(block);
        } else expect(shown).toEqual({ type: typeof written === "string" ? "text" : "json", value: written });
      }),
      { numRuns: 60 },
    );
  });

  const circular: Record<string, unknown> = { a: 1 };
  circular["self"] = circular;
  const deep = Array.from({ length: 50_000 }).reduce((inside: object) => [inside], []);
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const odd: [string, unknown, unknown?][] = [
    ["undefined", undefined, { type: "json", value: null }],
    ["a BigInt", 10n, { type: "json", value: "10" }],
    ["a BigInt inside", { n: 1n, m: [2n] }, { type: "json", value: { n: "1", m: ["2"] } }],
    ["a cycle", circular, { type: "json", value: { a: 1, self: "[circular]" } }],
    ["one part twice", { a: text, b: [text] }, { type: "json", value: { a: text, b: [text] } }],
    ["a date", { at: new Date(0) }, { type: "json", value: { at: "1970-01-01T00:00:00.000Z" } }],
    ["a function", () => 1, { type: "json", value: null }],
    ["a symbol", Symbol("x"), { type: "json", value: null }],
    ["no number", Number.NaN, { type: "json", value: null }],
    ["a getter that throws", { get content() { throw new Error("gone"); } }, { type: "error-text", value: expect.stringContaining("gone") }],
    ["a `toJSON` that throws", { toJSON() { throw null; } }, { type: "error-text", value: expect.any(String) }],
    ["a revoked proxy", revoked.proxy],
    ["50,000 levels", deep],
    ["a cycle among blocks", { content: [circular] }],
    ["a BigInt among blocks", { content: [{ type: "x", n: 1n }] }],
    ["holes among blocks", { content: new Array(2) }],
    ["bytes that are none", { content: ["no base64!", "", "=", "a", "aGk=aGk=", "aGk===", "a".repeat(5), "é"].map((data) => ({ ...image, data })) }],
    ["bytes that may be", { content: ["aGk", "aG\nk=", "a-_k", "aGkaGk"].map((data) => ({ ...image, data })) }],
    ["a media type that is none", { content: ["", "image", "/", "image/ png"].map((mimeType) => ({ ...image, mimeType })) }],
  ];
  test.each(odd)("a tool that returns %s ends no generation", async (_, value, expected) => {
    for (const kind of ["ext", "mcp"] as const) {
      const shown = await shownOf(kind, value);
      if (expected !== undefined) expect(shown).toEqual(expected);
    }
  });
});
