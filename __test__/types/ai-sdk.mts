// Compiled by host-types.test.ts, never run: what scopeTools gives is what generations and agents take.
import { type LanguageModel, ToolLoopAgent, generateText, isStepCount, streamText, tool } from "ai";
import type { ToolSession } from "toolscope";
import { scopeTools } from "toolscope/ai-sdk";
import { z } from "zod";

export async function generate(session: ToolSession, model: LanguageModel): Promise<void> {
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => city });
  const client = tool({ inputSchema: z.object({ question: z.string() }) });
  const scoped = scopeTools(session, {
    tools: { weather, client },
    maxTools: 10,
    prepareStep: ({ stepNumber }) => (stepNumber === 0 ? { activeTools: ["weather"] } : {}),
    toolApproval: { weather: "user-approval" },
  });
  const { text } = await generateText({ model, ...scoped, stopWhen: isStepCount(9), prompt: "go" });
  streamText({ model, ...scoped, instructions: text, prompt: "go" });
  const agent = new ToolLoopAgent({ model, ...scopeTools(session.spawn({ name: "child" })) });
  await agent.generate({ prompt: "go" });
  scoped.dispose();
}
