// What needs an approval runs from no program, whoever runs the program and however the need is said.
import { experimental_codeModeTool as codeModeTool, experimental_createCodeModeTool as createCodeModeTool } from "@ai-sdk/code-mode";
import type { ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ToolSession } from "../../index.js";
import { type ScopeToolsOptions, scopeTools } from "../../dist/adapters/ai-sdk.js";
import { type Step, scripted, versions } from "./model.js";

type Tool = ToolSet[string];
type Asks = Pick<ScopeToolsOptions, "toolApproval"> & { readonly needsApproval?: unknown; readonly source?: "ext" };

describe.each(versions)("$version", ({ ai, Model, version }) => {
  const ran: string[] = [];
  class Asking {
    inputSchema = z.object({});
    needsApproval(): boolean {
      return true;
    }
    execute(): number {
      return ran.push("it");
    }
  }
  const approve = (status: unknown) => ({ toolApproval: { it: status } as never });
  const generic = (status: unknown) => ({ toolApproval: (({ toolCall }: { toolCall: { toolName: string } }) => (toolCall.toolName === "it" ? status : undefined)) as never });
  const asking: Record<string, Asks> = {
    "the tool": { needsApproval: true },
    "the tool, for some input": { needsApproval: () => true },
    "the tool's class": { needsApproval: Asking },
    "the tool, though the host lets it pass": { needsApproval: true, ...approve("not-applicable") },
    "the host": approve("user-approval"),
    "the host, which denies it": approve({ type: "denied", reason: "not today" }),
    "the host, for some input": approve(async () => "user-approval"),
    "the host, for any tool": generic({ type: "user-approval" }),
    "the host, who fails": approve(() => Promise.reject(new Error("no"))),
    "the host, of another source's": { source: "ext", ...approve("user-approval") },
    "the host, for any of another source's": { source: "ext", ...generic("user-approval") },
  };
  const free: Record<string, Asks> = {
    nobody: {},
    "the host, who lets it pass": approve("not-applicable"),
    "the host, who approves it": approve(() => ({ type: "approved" })),
    "the host, of another tool": { toolApproval: { other: "user-approval" } as never },
    "the host, who says nothing": generic(undefined),
    "the host, who lets another source's pass": { source: "ext", ...approve("approved") },
  };

  function scoped({ needsApproval, source, toolApproval }: Asks) {
    ran.length = 0;
    const session = new ToolSession();
    const execute = () => ran.push("it");
    const own = (needsApproval === Asking ? new Asking() : { inputSchema: z.object({}), needsApproval, execute }) as Tool;
    if (source !== undefined) session.addSource({ kind: source, name: "e", tools: [{ name: "it", execute }] });
    const tools = source === undefined ? { it: own } : {};
    return { session, options: { tools, ...(toolApproval !== undefined && { toolApproval }) } };
  }
  const generate = async (steps: readonly Step[], options: object) => {
    const { model } = scripted(Model, steps);
    return ai.generateText({ model, stopWhen: ai.isStepCount(5), prompt: "go", ...options } as Parameters<typeof ai.generateText>[0]);
  };
  const js = "try { return await tools.it({}) } catch (error) { return error.message }";
  const programs: Record<string, (asks: Asks) => Promise<void>> = {
    "the session's code mode": async (asks) => {
      const { session, options } = scoped(asks);
      session.codeMode();
      await generate([[{ toolName: "execute", input: { code: js } }]], scopeTools(session, options));
    },
    runCode: async (asks) => {
      const { session, options } = scoped(asks);
      scopeTools(session, options);
      await session.runCode(js);
    },
    "a child's runCode": async (asks) => {
      const { session, options } = scoped(asks);
      scopeTools(session, options);
      await session.spawn({ name: "child" }).runCode(js);
    },
  };
  // Code mode came with later versions of 7.
  if (version === "ai 7") {
    Object.assign(programs, {
      "code mode of the AI SDK, bound by it": async (asks: Asks) => {
        const { session, options } = scoped(asks);
        const all = scopeTools(session, { ...options, tools: { ...options.tools, code: codeModeTool() as never } });
        await generate([[{ toolName: "code", input: { js } }]], { ...all, experimental_toolCallers: { it: ["code"] } });
      },
    });
  }

  describe.each(Object.keys(programs))("from %s", (program) => {
    const run = programs[program] as (asks: Asks) => Promise<void>;
    test.each(Object.keys(asking))("it does not run where an approval is asked for by %s", async (who) => {
      await run(asking[who] as Asks);
      expect(ran).toEqual([]);
    });
    test.each(Object.keys(free))("it runs where an approval is asked for by %s", async (who) => {
      await run(free[who] as Asks);
      expect(ran).toEqual(["it"]);
    });
  });

  test.each(Object.keys(asking))("a direct call asks %s, as ever", async (who) => {
    const asks = asking[who] as Asks;
    const { session, options } = scoped(asks);
    const result = await generate([[{ toolName: "it" }]], scopeTools(session, options)).catch(() => undefined);
    const isAsked = result?.content.some((part) => part.type === "tool-approval-request" && !(part as { isAutomatic?: boolean }).isAutomatic) ?? false;
    expect(ran).toEqual(who.includes("lets it pass") ? ["it"] : []);
    expect(isAsked).toBe(!who.includes("lets it pass") && !who.includes("denies") && !who.includes("fails"));
  });

  test.runIf(version === "ai 7")("code mode of the AI SDK over the live record asks by its own approvals, as it does alone", async () => {
    for (const needsApproval of [true, Asking]) {
      for (const approval of [undefined, { onApprovalRequired: () => "denied" }, { onApprovalRequired: () => "approved" }]) {
        const { session, options } = scoped({ needsApproval });
        const code = createCodeModeTool(scopeTools(session, options).tools as never, { approval } as never);
        await generate([[{ toolName: "code", input: { js } }]], { tools: { code } });
        expect(ran).toEqual(approval?.onApprovalRequired() === "approved" ? ["it"] : []);
      }
    }
  });

  test("programs are not told of a tool that asks, and learn why it does not run", async () => {
    const { session, options } = scoped({ needsApproval: true, ...approve("user-approval") });
    scopeTools(session, options);
    session.start();
    expect(session.catalog().text).not.toContain("it(");
    expect(session.checkScope({ name: "it", parentCallId: "1" })).toMatchObject({ code: "not_exposed" });
    const other = scoped(approve("user-approval"));
    const guarded = scopeTools(other.session, other.options);
    const call = { name: "it", callId: "1:1", parentCallId: "1" };
    expect(await other.session.beforeToolCall(call)).toMatchObject({ code: "vetoed", by: "toolApproval", reason: expect.stringContaining("needs an approval") });
    expect(await other.session.beforeToolCall({ name: "it" })).toMatchObject({ allowed: true });
    guarded.dispose();
    other.session.addSource({ kind: "ext", name: "later", tools: [{ name: "it" }] });
    expect(await other.session.beforeToolCall(call)).toMatchObject({ allowed: true });
  });

  test.runIf(version === "ai 7")("the SDK's own tool search, whose `execute` each step replaces, is decided before it runs", async () => {
    for (const block of [true, false]) {
      const { session } = scoped({});
      const decisions: string[] = [];
      session.on("before_tool_call", ({ name }) => (block && name === "find" ? { block: true, reason: "no search" } : undefined));
      session.on("decision", ({ decision: { name, allowed } }) => void decisions.push(`${name} ${allowed}`));
      const it = Object.assign(new Asking(), { needsApproval: false, description: "finds whales", deferLoading: true }) as unknown as Tool;
      const { tools, ...scope } = scopeTools(session, { tools: { find: ai.toolSearch() as never, it } });
      const result = await generate([[{ toolName: "find", input: { query: "whales" } }], [{ toolName: "it" }], "done"], { tools, ...scope });
      expect(decisions[0]).toBe(`find ${!block}`);
      expect(JSON.stringify(result.steps[0]?.content)).toContain(block ? "no search" : "finds whales");
      expect(ran).toEqual(block ? [] : ["it"]);
    }
  });
});
