// The scripted model of the demos refuses what the real API refuses; a demo that passes proves its loop well-formed.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startModel } from "../demo/model/server.mjs";

interface Model {
  url: string;
  requests: unknown[];
  close(): Promise<void>;
}
let model: Model;
beforeAll(async () => {
  model = await startModel([{ say: "first", calls: [{ name: "read", input: {} }] }, { say: "second" }]);
});
afterAll(() => model.close());

const headers = { "x-api-key": "none-needed", "anthropic-version": "2023-06-01" };
async function post(
  body: unknown,
  options: { headers?: Record<string, string>; path?: string } = {},
): Promise<{ status: number; reply: any }> {
  const response = await fetch(model.url + (options.path ?? "/v1/messages"), {
    method: "POST",
    headers: options.headers ?? headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, reply: await response.json() };
}
const request = (rest: object = {}): object => ({
  model: "scripted",
  max_tokens: 10,
  messages: [{ role: "user", content: "hello" }],
  ...rest,
});
const tool = (rest: object = {}): object => ({
  name: "read",
  description: "Reads.",
  input_schema: { type: "object" },
  ...rest,
});
const use = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] };
const result = (id = "toolu_1"): object => ({ type: "tool_result", tool_use_id: id, content: "text" });
const said = { role: "user", content: "hello" };

describe("the scripted model", () => {
  it.each([
    ["a name the API does not take", { tools: [tool({ name: "mcp.echo" })] }, "tools.0.name"],
    ["a name of 65 characters", { tools: [tool({ name: "x".repeat(65) })] }, "tools.0.name"],
    ["two tools of one name", { tools: [tool(), tool()] }, "unique"],
    ["a schema that is no object's", { tools: [tool({ input_schema: { type: "string" } })] }, "tools.0.input_schema"],
    ["a choice at the top of a schema", { tools: [tool({ input_schema: { type: "object", anyOf: [] } })] }, "anyOf"],
    ["no messages", { messages: [] }, "messages"],
    ["an assistant that begins", { messages: [use] }, "messages.0.role"],
    ["a call without its result", { messages: [said, use, said] }, "toolu_1"],
    ["a call at the end", { messages: [said, use] }, "toolu_1"],
    ["a result without a call", { messages: [{ role: "user", content: [result()] }] }, "toolu_1"],
    ["a second result", { messages: [said, use, { role: "user", content: [result(), result()] }] }, "second"],
    [
      "a result after text",
      { messages: [said, use, { role: "user", content: [{ type: "text", text: "so" }, result()] }] },
      "before",
    ],
    [
      "an id used twice",
      { messages: [said, use, { role: "user", content: [result()] }, use, { role: "user", content: [result()] }] },
      "unique",
    ],
    ["no budget", { max_tokens: 0 }, "max_tokens"],
  ])("refuses %s", async (_, rest, named) => {
    const { status, reply } = await post(request(rest));
    expect({ status, type: reply.error?.type }).toEqual({ status: 400, type: "invalid_request_error" });
    expect(reply.error.message).toContain(named);
    expect(model.requests).toEqual([]);
  });

  it("refuses other paths, a missing key and text that is not JSON", async () => {
    expect((await post(request(), { path: "/v1/complete" })).status).toBe(404);
    expect((await post(request(), { headers: {} })).status).toBe(401);
    expect((await post("{")).status).toBe(400);
    expect(model.requests).toEqual([]);
  });

  it("follows its script over accepted requests", async () => {
    const first = await post(request({ tools: [tool()] }));
    expect(first.reply).toMatchObject({ type: "message", role: "assistant", stop_reason: "tool_use" });
    const messages = [
      said,
      { role: "assistant", content: first.reply.content },
      { role: "user", content: [result("toolu_1_1")] },
    ];
    const second = await post(request({ tools: [tool()], messages }));
    expect(second.reply).toMatchObject({ stop_reason: "end_turn", content: [{ type: "text", text: "second" }] });
    expect(model.requests).toHaveLength(2);
  });
});
