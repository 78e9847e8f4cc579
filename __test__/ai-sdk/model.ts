// The AI SDK in the newest and the oldest version that the peer range admits, and a model that follows a script.
import * as newest from "ai";
import * as oldest from "ai-oldest";
import { MockLanguageModelV4 } from "ai/test";
import { MockLanguageModelV4 as OldestModel } from "ai-oldest/test";

export const versions = [
  { version: "ai 7", ai: newest, Model: MockLanguageModelV4 },
  { version: "ai 7.0.0, the oldest", ai: oldest as unknown as typeof newest, Model: OldestModel as unknown as typeof MockLanguageModelV4 },
];

export interface Call {
  readonly toolName: string;
  readonly input?: unknown;
}
/** One step: calls, or the last word. */
export type Step = readonly Call[] | string;

/** What the model was asked, step by step. */
export interface Asked {
  readonly tools: readonly { name: string; description?: string; inputSchema?: object }[];
  /** The text of system messages. */
  readonly system: string;
  /** What tool calls came back as, by tool name. */
  readonly results: readonly { toolName: string; type: string; text: string }[];
}

/** A model that makes the calls of each step, and records what it was asked. */
export function scripted(Model: typeof MockLanguageModelV4, steps: readonly Step[]) {
  const asked: Asked[] = [];
  let at = 0;
  const next = ({ tools = [], prompt }: Parameters<MockLanguageModelV4["doGenerate"]>[0]) => {
    const step = steps[at++] ?? "done";
    const results = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
    asked.push({
      tools: tools as Asked["tools"],
      system: prompt.flatMap((message) => (message.role === "system" ? [message.content] : [])).join("\n---\n"),
      results: results.flatMap((part) =>
        part.type === "tool-result" ? [{ toolName: part.toolName, type: part.output.type, text: JSON.stringify(part.output) }] : [],
      ),
    });
    const calls = typeof step === "string" ? [] : step;
    const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
    const content = calls.map(({ toolName, input = {} }, index) => ({
      type: "tool-call" as const,
      toolCallId: `call-${at}-${index}`,
      toolName,
      input: JSON.stringify(input),
    }));
    const text = { type: "text" as const, text: typeof step === "string" ? step : "" };
    return { text, content, usage, finishReason: { unified: calls.length > 0 ? ("tool-calls" as const) : ("stop" as const), raw: undefined } };
  };
  const model = new Model({
    doGenerate: async (options) => {
      const { text, content, usage, finishReason } = next(options);
      return { content: content.length > 0 ? content : [text], finishReason, usage, warnings: [] };
    },
    doStream: async (options) => {
      const { text, content, usage, finishReason } = next(options);
      const parts = content.length > 0 ? content : [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: text.text }, { type: "text-end", id: "1" }];
      return { stream: ReadableStream.from([{ type: "stream-start", warnings: [] }, ...parts, { type: "finish", usage, finishReason }]) as never };
    },
  });
  return { model, asked, shown: (step: number): string[] => asked[step]?.tools.map(({ name }) => name) ?? [] };
}
