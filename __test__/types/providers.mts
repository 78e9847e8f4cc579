// Compiled against the published SDKs by providers.test.ts, never run: what the functions give is what the SDKs take.
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import type { PreparedRequest } from "toolscope";
import { anthropicDelta, anthropicTools, chatTools, responsesDelta, responsesTools } from "toolscope/providers";

export function wireForms(request: PreparedRequest, claude: Anthropic, openai: OpenAI): void {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
  void claude.messages.create({ model: "claude-opus-5-5", max_tokens: 1, messages, tools: anthropicTools(request, { deferred: "native", cache: true, strict: true }) });
  const forClaude = anthropicDelta(request);
  const tools: Anthropic.Beta.BetaToolUnion[] = forClaude.reset ? forClaude.tools : [];
  const content: Anthropic.Beta.BetaContentBlockParam[] = forClaude.reset ? [] : forClaude.items;
  void claude.beta.messages.create({ model: "claude-opus-5-5", max_tokens: 1, betas: ["inline-tools-2026-09-15"], messages: [{ role: "user", content }], tools });

  const namespace = () => ({ name: "crm", description: "customers" });
  void openai.responses.create({ model: "gpt-5", input: "go", tools: responsesTools(request, { deferred: "native", namespace, strict: true }) });
  const forOpenAi = responsesDelta(request);
  void openai.responses.create({ model: "gpt-5", ...(forOpenAi.reset ? { tools: forOpenAi.tools, input: "go" } : { input: forOpenAi.items }) });
  void openai.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content: "go" }], tools: chatTools(request, { strict: true }) });
}
