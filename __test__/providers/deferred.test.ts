// Deferred tools behind an API's own search, and the names that group them: what an API would refuse never leaves.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PreparedRequest, type ToolDeclaration, type ToolDefinition, ToolSession } from "../../index.js";
import {
  anthropicDelta,
  anthropicInput,
  anthropicTools,
  chatTools,
  openAiMaxTools,
  responsesDelta,
  responsesTools,
} from "../../dist/adapters/providers.js";
import { INVALID, junk } from "../bad-input/junk.js";
import { expectError } from "../fixture.js";

const native = { deferred: "native" } as const;
const inputSchema = { type: "object" };
const numbered = (count: number): ToolDeclaration[] => Array.from({ length: count }, (_, at) => ({ name: `t${at}`, inputSchema }));

async function prepared(tools: ToolDeclaration[], options: { maxTools?: number } = {}): Promise<PreparedRequest> {
  const session = new ToolSession();
  session.addSource({ kind: "ext", name: "e", tools });
  session.start();
  return session.prepare(options);
}
const byTens = ({ name }: ToolDefinition) => ({ name: `of_${name.slice(0, -1)}`, description: `Tools of ${name.slice(0, -1)}.` });
const limit = "ERR_TOOLSCOPE_PROVIDER_LIMIT";

describe("the API's own search", () => {
  test("comes first exactly where something deferred is sent", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }), async (count, maxTools) => {
        const request = await prepared(numbered(count), { maxTools });
        const isSome = request.tools.some(({ deferred }) => deferred === true);
        for (const wire of [responsesTools(request, native), anthropicTools(request, native)]) {
          expect(wire.map(({ type }: { type?: string }) => type?.startsWith("tool_search") ?? false)).toEqual([
            ...(isSome ? [true] : []),
            ...request.tools.map(() => false),
          ]);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("128 tools of which none is deferred are 128 entries", async () => {
    expect(responsesTools(await prepared(numbered(128), { maxTools: openAiMaxTools }), native).length).toBe(128);
  });

  test("past the limit, each way out that the message names is one", async () => {
    const request = await prepared(numbered(200), { maxTools: openAiMaxTools });
    const { message, details } = expectError(() => responsesTools(request, native), limit);
    expect(details).toEqual({ tools: 201, limit: 128 });
    expect(message).toContain("`namespace`");
    expect(message).toContain('`deferred: "omit"`');
    expect(message).toContain("`maxTools: 128`");
    expect(responsesTools(request, { deferred: "omit" }).length).toBe(128);
    const grouped = responsesTools(request, { ...native, namespace: byTens });
    expect(grouped.length).toBeLessThanOrEqual(128);
    expect(grouped.flatMap((tool) => ("tools" in tool ? tool.tools : [])).length).toBe(200);
    const all = await prepared(numbered(200));
    for (const form of [responsesTools, chatTools]) expectError(() => form(all), limit, "maxTools: 128");
    expectError(() => responsesTools(all, native), limit, "maxTools: 128");
  });

  test("a first deferred tool brings the search with it, so the list is due afresh; a second one does not", async () => {
    const session = new ToolSession();
    const source = session.addSource({ kind: "ext", name: "e", tools: numbered(2) });
    session.use((tools) => ({ tools: tools.map((tool) => (tool.name.startsWith("d") ? { ...tool, deferred: true } : tool)) }));
    session.start();
    await session.prepare();
    const join = async (name: string) => {
      source.add({ name, inputSchema });
      session.endTurn();
      return session.prepare();
    };
    const first = await join("d1");
    expect(first.delta.reset).toBe(false);
    expect(first.tools.map(({ deferred }) => deferred === true)).toEqual([false, false, true]);
    expect(responsesDelta(first, native)).toEqual({ reset: true, tools: responsesTools(first, native) });
    expect(anthropicDelta(first, native)).toEqual({ reset: true, tools: anthropicTools(first, native) });
    expect([responsesDelta(first), anthropicDelta(first)]).toEqual([{ reset: false, items: [] }, { reset: false, items: [] }]);
    const second = await join("d2");
    for (const form of [responsesDelta, anthropicDelta]) expect(form(second, native)).toMatchObject({ reset: false, items: [{}] });
  });

  test("no tool beside it has its name", async () => {
    const name = "tool_search_tool_bm25";
    const request = await prepared([{ name }, { name: "d" }], { maxTools: 1 });
    expectError(() => anthropicTools(request, native), INVALID, /`tool_search_tool_bm25`.*`exposedName`.*`deferred: "omit"`/);
    expect(anthropicTools(request).map((tool) => tool.name)).toEqual([name]);
    expect(anthropicTools(await prepared([{ name }]), native).length).toBe(1);
  });
});

describe("bad input", () => {
  test("a namespace is a legal name that no tool has, and a description", async () => {
    const request = await prepared(numbered(3));
    const named = (name: string, description: unknown = "d") => ({ name, description });
    const bad = [null, 5, "x", true, [], {}, { name: "n" }, named("n", ""), named("n", 5), named(""), named("a b"), named("é"),
      named("n".repeat(65)), named("t1"), Promise.resolve(named("n"))];
    for (const value of bad) expectError(() => responsesTools(request, { namespace: junk(() => value) }), INVALID, /`namespace`.*`t0`/);
    const delta = junk<PreparedRequest>({ ...request, delta: { added: request.tools.slice(2), reset: false } });
    expectError(() => responsesDelta(delta, { namespace: () => ({ name: "t1", description: "d" }) }), INVALID, "`t1`");
    const thrown = new Error("the host's own");
    expect(() => responsesTools(request, { namespace: () => { throw thrown; } })).toThrow(thrown);
    expect(responsesTools(request, { namespace: () => undefined }).length).toBe(3);
  });

  test("a request's tools are definitions", () => {
    const whole = { id: "ext:e/a", name: "a", description: "", inputSchema };
    const parts = Object.keys(whole).slice(1).map((key) => ({ ...whole, [key]: undefined }));
    const bad = [null, 5, "x", [], {}, ...parts, { ...whole, name: 5 }, { ...whole, inputSchema: true }, { ...whole, inputSchema: null }];
    const empty = { added: [], removed: [], redefined: [], reset: true };
    for (const form of [anthropicTools, anthropicDelta, responsesTools, responsesDelta, chatTools]) {
      for (const tool of bad) {
        expectError(() => form(junk({ tools: [whole, tool], stablePrefix: 0, delta: empty })), INVALID, "`tools[1]`");
      }
      form(junk({ tools: [whole], stablePrefix: 0, delta: empty }));
    }
    for (const form of [anthropicDelta, responsesDelta]) {
      for (const delta of [{}, { reset: false }, { reset: false, added: 5 }, { reset: 1, added: [] }]) {
        expectError(() => form(junk({ tools: [whole], delta })), INVALID, "the request");
      }
      for (const tool of bad) expectError(() => form(junk({ tools: [whole], delta: { added: [tool], reset: false } })), INVALID, "`delta.added[0]`");
    }
  });

  test("a tool whose input is taken back has a schema", () => {
    for (const schema of [undefined, null, true, 5, "x", []]) {
      expectError(() => anthropicInput(junk({ inputSchema: schema }), {}), INVALID, "`inputSchema`");
    }
    expect(anthropicInput({ inputSchema: {} }, { a: 1 })).toEqual({ a: 1 });
  });
});
