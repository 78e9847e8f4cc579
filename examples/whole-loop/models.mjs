// Models that make the calls of a script, turn by turn, and record which tools they were shown.
import { MockLanguageModelV4 } from "ai/test";

/** @param {readonly (readonly [string, object][])[]} script */
export function scriptedModel(script) {
  const shown = [];
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  const model = new MockLanguageModelV4({
    doGenerate: async ({ tools = [] }) => {
      shown.push(tools.map(({ name }) => name));
      const calls = script[shown.length - 1] ?? [];
      const content = calls.map(([toolName, input], at) => ({ type: "tool-call", toolCallId: `sdk-${shown.length}-${at}`, toolName, input: JSON.stringify(input) }));
      const isOver = content.length === 0;
      return {
        content: isOver ? [{ type: "text", text: "done" }] : content,
        finishReason: { unified: isOver ? "stop" : "tool-calls" },
        usage,
        warnings: [],
      };
    },
  });
  return { model, shown };
}

/** The same behind the Messages API, as a `fetch` for the official client. */
export function scriptedAnthropic(script) {
  const shown = [];
  async function fetch(_url, { body }) {
    const { tools = [], model } = JSON.parse(body);
    shown.push(tools.map(({ name }) => name));
    const calls = script[shown.length - 1] ?? [];
    const uses = calls.map(([name, input], at) => ({ type: "tool_use", id: `loop-${shown.length}-${at}`, name, input }));
    const isOver = uses.length === 0;
    const message = {
      id: `message-${shown.length}`,
      type: "message",
      role: "assistant",
      model,
      content: isOver ? [{ type: "text", text: "done" }] : uses,
      stop_reason: isOver ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    return new Response(JSON.stringify(message), { headers: { "content-type": "application/json" } });
  }
  return { fetch, shown };
}
