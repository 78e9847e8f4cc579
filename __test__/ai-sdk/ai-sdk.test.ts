// `toolscope/ai-sdk` under generateText, streamText and an agent, with the SDK's own mock model.
import { experimental_codeModeTool as codeModeTool, experimental_createCodeModeTool as createCodeModeTool } from "@ai-sdk/code-mode";
import type { JSONSchema7, ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type ScopeSpec, ToolSession } from "../../index.js";
import { scopeTools } from "../../dist/adapters/ai-sdk.js";
import { type Step, scripted, versions } from "./model.js";

describe.each(versions)("$version", ({ ai, Model }) => {
  const many = { stopWhen: ai.isStepCount(30), prompt: "go" };
  const ran: { name: string; input: unknown }[] = [];
  /** Tools of the host's that record that they ran. */
  function recorded(...names: string[]) {
    ran.length = 0;
    const made = names.map((name) => {
      const execute = async (input: { q?: string | undefined }): Promise<string> => (ran.push({ name, input }), `${name} ran`);
      return [name, ai.tool({ description: `Does ${name}`, inputSchema: z.object({ q: z.string().optional() }), execute })] as const;
    });
    return Object.fromEntries(made) as ToolSet;
  }
  const declared = (...names: string[]) =>
    names.map((name) => ({ name, description: `Does ${name}`, execute: (input: unknown) => (ran.push({ name, input }), `${name} ran`) }));
  const play = (steps: readonly Step[]) => scripted(Model, steps);

  test("a late tool is there on the next step, where the scope has it", async () => {
    const session = new ToolSession({ scope: { allow: ["host:ai-sdk", "mcp:kb/search"] } });
    const kb = session.addSource({ kind: "mcp", name: "kb" });
    const connect = ai.tool({ inputSchema: z.object({}), execute: async () => (kb.set(declared("search", "drop")), "connected") });
    const { model, shown } = play([[{ toolName: "connect" }], [{ toolName: "mcp__kb__search", input: { q: "x" } }], "done"]);
    const { text } = await ai.generateText({ model, ...scopeTools(session, { tools: { connect } }), ...many });
    expect(text).toBe("done");
    expect([shown(0), shown(1)]).toEqual([["connect"], ["connect", "mcp__kb__search"]]);
    expect(ran.at(-1)).toEqual({ name: "search", input: { q: "x" } });
  });

  test("a call out of scope is refused, in the session's words, and the loop goes on", async () => {
    const session = new ToolSession({ scope: { exclude: ["shell"] } });
    const { model, asked, shown } = play([[{ toolName: "shell", input: { q: "rm" } }], [{ toolName: "read" }], "done"]);
    const decisions: unknown[] = [];
    session.on("decision", ({ decision }) => void decisions.push(decision));
    await ai.generateText({ model, ...scopeTools(session, { tools: recorded("read", "shell") }), ...many });
    expect(shown(0)).toEqual(["read"]);
    expect(ran.map(({ name }) => name)).toEqual(["read"]);
    const { reason } = session.checkScope("shell") as { reason: string };
    expect(asked[1]?.results.at(-1)?.text).toContain(JSON.stringify(reason).slice(1, -1));
    expect(decisions[0]).toMatchObject({ allowed: false, code: "excluded", id: "host:ai-sdk/shell" });
  });

  test("another spelling is taken to the one tool it fits", async () => {
    const session = new ToolSession();
    session.addSource({ kind: "mcp", name: "kb", tools: declared("search") });
    const { model, asked } = play([[{ toolName: "search", input: { q: "x" } }], [{ toolName: "no_such_tool" }], "done"]);
    ran.length = 0;
    await ai.generateText({ model, ...scopeTools(session), ...many });
    expect(ran).toEqual([{ name: "search", input: { q: "x" } }]);
    expect(asked[2]?.results.at(-1)).toMatchObject({ toolName: "no_such_tool", type: "error-text" });
  });

  test("the order only grows, over 20 steps, whoever comes and goes", async () => {
    const session = new ToolSession();
    session.addSource({ kind: "builtin", name: "host", tools: declared("zeta", "alpha") });
    const sources = ["c", "a", "b"].map((name) => session.addSource({ kind: "mcp", name }));
    let step = 0;
    const work = ai.tool({
      inputSchema: z.object({}),
      execute: async () => {
        const source = sources[step % 3];
        if (step % 4 === 0) source?.add({ name: `tool${20 - step}` });
        if (step % 5 === 4) source?.fail("down");
        step += 1;
        return "ok";
      },
    });
    const { model, asked, shown } = play(Array.from({ length: 20 }, () => [{ toolName: "work" }]));
    await ai.generateText({ model, ...scopeTools(session, { tools: { work } }), ...many });
    expect(asked.length).toBe(21);
    const place = new Map<string, number>();
    for (let at = 0; at < 21; at++) {
      // What was shown before keeps its order, and what is new stands behind it.
      const places = shown(at).map((name) => place.get(name) ?? Infinity);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      for (const name of shown(at)) if (!place.has(name)) place.set(name, place.size);
    }
    expect(shown(0)).toEqual(["zeta", "alpha", "work"]);
    expect(place.size).toBeGreaterThan(5);
  });

  test("a description and a schema that a provider wrote are shown, and the original runs", async () => {
    const session = new ToolSession();
    session.addSource({ kind: "mcp", name: "kb", tools: declared("search") });
    session.use((tools) => ({
      tools: tools.map((tool) => ({ ...tool, description: "REWRITTEN", inputSchema: { type: "object", properties: { q: { type: "string" } } } })),
      prompt: "a fragment",
    }));
    const { model, asked } = play([[{ toolName: "read", input: { q: "1" } }], [{ toolName: "mcp__kb__search", input: { q: "2" } }], "done"]);
    await ai.generateText({ model, ...scopeTools(session, { tools: recorded("read") }), ...many, instructions: "be brief" });
    expect(asked.map(({ tools }) => tools.map(({ description }) => description))).toEqual(Array(3).fill(["REWRITTEN", "REWRITTEN"]));
    expect(asked[0]?.tools[0]?.inputSchema).toEqual({ type: "object", properties: { q: { type: "string" } } });
    expect(ran).toEqual([{ name: "read", input: { q: "1" } }, { name: "search", input: { q: "2" } }]);
    expect(asked.map(({ system }) => system)).toEqual(Array(3).fill("be brief\n\na fragment"));
  });

  test("a listener is asked once for each call, and its veto reaches the model", async () => {
    const session = new ToolSession();
    const heard: string[] = [];
    session.on("before_tool_call", ({ name, input }) => {
      heard.push(name);
      return (input as { q?: string }).q === "bad" ? { block: true, reason: "not this one" } : undefined;
    });
    const { model, asked } = play([[{ toolName: "read", input: { q: "bad" } }], [{ toolName: "read", input: { q: "good" } }], "done"]);
    await ai.generateText({ model, ...scopeTools(session, { tools: recorded("read") }), ...many });
    expect(heard).toEqual(["read", "read"]);
    expect(ran.map(({ input }) => input)).toEqual([{ q: "good" }]);
    expect(asked[1]?.results[0]?.text).toContain("not this one");
  });

  test("approval: what the session refuses is denied before a person is asked; the host's own word counts for the rest", async () => {
    const session = new ToolSession();
    const tools = recorded("first", "second", "third");
    const needed = { ...tools["third"], needsApproval: true } as ToolSet[string];
    const toolApproval = { second: "user-approval" } as const;
    const scoped = scopeTools(session, { tools: { ...tools, third: needed }, toolApproval });
    const { model } = play([[{ toolName: "first" }, { toolName: "second" }, { toolName: "third" }], "done"]);
    // The scope changes while the model thinks.
    const doGenerate = model.doGenerate.bind(model);
    model.doGenerate = async (options) => {
      const answer = await doGenerate(options);
      session.setScope({ exclude: ["first"] });
      return answer;
    };
    const { content } = await ai.generateText({ model, ...scoped, ...many });
    const requests = content.filter((part) => part.type === "tool-approval-request");
    expect(requests.filter((part) => !(part as { isAutomatic?: boolean }).isAutomatic).map(({ toolCall }) => toolCall.toolName)).toEqual(["second", "third"]);
    expect(content).toContainEqual(expect.objectContaining({ type: "tool-approval-response", approved: false }));
    expect(ran).toEqual([]);
  });

  const others = [
    ["in scope", {}],
    ["out of scope", { allow: ["host:ai-sdk"] }],
    ["excluded", { exclude: ["ext:other"] }],
  ] as const;
  test.each(others)("another source's tool of the same name, %s, takes nothing from the host's: it waits for approval and streams", async (_, scope) => {
    for (const when of ["before", "meanwhile", "before each step, and rewritten"]) {
      const session = new ToolSession({ scope });
      let steps = 0;
      const shadow = () => {
        const tools = declared("drop", "slow");
        if (when !== "meanwhile" || steps > 0) session.addSource({ kind: "ext", name: `other${steps}`, aliases: steps === 0 ? ["other"] : [], tools });
        steps += 1;
      };
      if (when.endsWith("rewritten")) session.use((tools) => ({ tools: tools.map((tool) => ({ ...tool, description: `step ${steps}` })) }));
      const tools = recorded("look", "drop");
      const drop = { ...tools["drop"], needsApproval: true } as ToolSet[string];
      const slow = ai.tool({
        inputSchema: z.object({}),
        async *execute() {
          yield "half";
          yield "whole";
        },
      });
      const scoped = scopeTools(session, { tools: { look: tools["look"] as ToolSet[string], drop, slow }, prepareStep: () => (shadow(), {}) });
      const { model } = play([[{ toolName: "look" }], [{ toolName: "slow" }], [{ toolName: "drop" }], "done"]);
      const seen: unknown[] = [];
      const { fullStream, content } = ai.streamText({ model, ...scoped, ...many });
      for await (const part of fullStream) if (part.type === "tool-result" && part.preliminary === true) seen.push(part.output);
      expect(seen, when).toEqual(["half", "whole"]);
      expect((await content).map(({ type }) => type), when).toContain("tool-approval-request");
      expect(ran.map(({ name }) => name), when).toEqual(["look"]);
    }
  });

  test("approval given earlier, also in another process: the last door decides", async () => {
    const call = { type: "tool-call", toolCallId: "call-1", toolName: "write", input: { q: "x" } } as const;
    const messages = [
      { role: "user", content: "write it" },
      { role: "assistant", content: [call, { type: "tool-approval-request", approvalId: "a1", toolCallId: "call-1" }] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a1", approved: true }] },
    ];
    for (const exclude of [[], ["write"]]) {
      const session = new ToolSession({ scope: { exclude } });
      const { model, asked } = play(["done"]);
      const scoped = scopeTools(session, { tools: recorded("read", "write"), toolApproval: { write: "user-approval" } });
      await ai.generateText({ model, ...scoped, stopWhen: many.stopWhen, messages: messages as never }).catch(() => {});
      expect(ran.map(({ name }) => name)).toEqual(exclude.length === 0 ? ["write"] : []);
      if (exclude.length === 0) expect(asked[0]?.results[0]?.text).toContain("write ran");
    }
    // In the same process the tool is still there when the approval comes, and its door is shut.
    const session = new ToolSession();
    const scoped = scopeTools(session, { tools: recorded("read", "write"), toolApproval: { write: "user-approval" } });
    session.setScope({ exclude: ["write"] });
    const { model, asked } = play(["done"]);
    await ai.generateText({ model, ...scoped, stopWhen: many.stopWhen, messages: messages as never });
    expect(ran).toEqual([]);
    expect(asked[0]?.results[0]?.text).toMatch(/write/);
  });

  test("streamText: a tool that streams shows what it has so far, and is refused like any other", async () => {
    const session = new ToolSession();
    const slow = ai.tool({
      inputSchema: z.object({}),
      async *execute() {
        yield "half";
        yield "whole";
      },
    });
    session.on("before_tool_call", ({ callId }) => (callId === "call-2-0" ? { block: true, reason: "enough" } : undefined));
    const { model, asked } = play([[{ toolName: "slow" }], [{ toolName: "slow" }], "done"]);
    const seen: unknown[] = [];
    const { fullStream } = ai.streamText({ model, ...scopeTools(session, { tools: { slow } }), ...many });
    for await (const part of fullStream) if (part.type === "tool-result") seen.push([part.output, part.preliminary === true]);
    expect(seen).toEqual([["half", true], ["whole", true], ["whole", false]]);
    expect(asked[2]?.results.at(-1)?.text).toContain("enough");
  });

  test("an agent's child has the narrower scope, over the same tools", async () => {
    const session = new ToolSession({ scope: { exclude: ["shell"] } });
    const scoped = scopeTools(session, { tools: recorded("read", "write", "shell") });
    const child = session.spawn({ name: "reader", scope: { allow: ["read", "shell"] } });
    const { model, shown } = play([[{ toolName: "write" }, { toolName: "shell" }, { toolName: "read" }], "done"]);
    const agent = new ai.ToolLoopAgent({ model, ...scopeTools(child) });
    await agent.generate({ prompt: "go" });
    expect(shown(0)).toEqual(["read"]);
    expect(ran.map(({ name }) => name)).toEqual(["read"]);
    const other = play(["done"]);
    await ai.generateText({ model: other.model, ...scoped, ...many });
    expect(other.shown(0)).toEqual(["read", "write"]);
  });

  test("content of an MCP result is shown as content", async () => {
    const session = new ToolSession();
    const content = [{ type: "text", text: "a map" }, { type: "image", data: "aGk=", mimeType: "image/png" }];
    session.addSource({ kind: "mcp", name: "kb", tools: [{ name: "map", execute: () => ({ content }) }] });
    const { model, asked } = play([[{ toolName: "mcp__kb__map" }], "done"]);
    await ai.generateText({ model, ...scopeTools(session), ...many });
    expect(asked[1]?.results[0]).toMatchObject({ type: "content", text: expect.stringContaining('"a map"') });
    expect(asked[1]?.results[0]?.text).toContain('"image/png"');
  });

  test("input is validated by the tool's own schema, in every form the SDK takes, and wrong input does not run", async () => {
    const session = new ToolSession();
    const execute = async (input: unknown): Promise<string> => (ran.push({ name: "any", input }), "ok");
    ran.length = 0;
    const json: JSONSchema7 = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const tools = {
      zod: ai.tool({ inputSchema: z.object({ n: z.number() }), execute }),
      json: ai.tool({ inputSchema: ai.jsonSchema(json), execute }),
      later: ai.tool({ inputSchema: ai.jsonSchema(Promise.resolve(json) as never), execute }),
      lazy: ai.tool({ inputSchema: (() => ai.jsonSchema(json)) as never, execute }),
    };
    const { model, asked } = play([[{ toolName: "zod", input: { n: "one" } }], [{ toolName: "zod", input: { n: 1 } }], "done"]);
    await ai.generateText({ model, ...scopeTools(session, { tools }), ...many });
    expect(ran).toEqual([{ name: "any", input: { n: 1 } }]);
    expect(asked[1]?.results[0]?.type).toBe("error-text");
    expect(asked[0]?.tools.map(({ inputSchema }) => (inputSchema as { required?: string[] }).required)).toEqual(Array(4).fill(["n"]));
    const unreadable = { tools: { old: { inputSchema: { "~standard": { vendor: "x", validate() {} } } } as never } };
    expect(() => scopeTools(new ToolSession(), unreadable)).toThrow(expect.objectContaining({ code: "ERR_TOOLSCOPE_INVALID_ARGUMENT" }));
  });

  test("the host's own prepareStep narrows further and says the rest", async () => {
    const session = new ToolSession();
    const { model, shown, asked } = play([[{ toolName: "a" }], "done"]);
    const prepareStep = ({ stepNumber }: { stepNumber: number }) => (stepNumber === 0 ? { activeTools: ["b", "a", "x"] } : { instructions: "now" });
    await ai.generateText({ model, ...scopeTools(session, { tools: recorded("a", "b", "c"), prepareStep }), ...many });
    expect([shown(0), shown(1)]).toEqual([["a", "b"], ["a", "b", "c"]]);
    expect(asked[1]?.system).toBe("now");
  });

  test("a deferred tool is not shown; maxTools defers the least used", async () => {
    const session = new ToolSession();
    const { model, shown } = play(["done"]);
    await ai.generateText({ model, ...scopeTools(session, { tools: recorded("a", "b", "c"), maxTools: 2 }), ...many });
    expect(shown(0).length).toBe(2);
  });

  test("disposing closes the source of the host's tools: their doors are shut", async () => {
    const session = new ToolSession();
    const scoped = scopeTools(session, { tools: recorded("read") });
    expect(Object.keys(scoped)).toEqual(["tools", "prepareStep", "toolApproval", "experimental_repairToolCall"]);
    const execute = scoped.tools["read"]?.execute as (input: unknown, options: object) => Promise<unknown>;
    expect(await execute({}, { toolCallId: "1", messages: [] })).toBe("read ran");
    scoped[Symbol.dispose]();
    scoped.dispose();
    await expect(execute({}, { toolCallId: "2", messages: [] })).rejects.toMatchObject({ name: "ToolRefusedError", decision: { code: "unknown" } });
    expect(ran.length).toBe(1);
  });
});

// Code mode came with later versions of 7, and the package is for one of them.
describe("code mode of the AI SDK", () => {
  const { ai, Model } = versions[0] as (typeof versions)[number];
  const ran: string[] = [];
  const tools = Object.fromEntries(
    ["read", "shell", "ask"].map((name) => [name, ai.tool({ inputSchema: z.object({}), execute: async () => (ran.push(name), `${name} ran`) })]),
  );
  const js = (name: string): string => `try { return await tools.${name}({}) } catch (error) { return "refused: " + error.message }`;
  const sessionOf = (scope: ScopeSpec): { session: ToolSession; vias: string[] } => {
    ran.length = 0;
    const session = new ToolSession({ scope });
    const vias: string[] = [];
    session.on("decision", ({ decision }) => void vias.push(`${decision.name} ${decision.via} ${decision.allowed}`));
    return { session, vias };
  };

  test("bound by the SDK: every call of a program passes the door, and so does code mode itself", async () => {
    const { session, vias } = sessionOf({});
    session.on("before_tool_call", ({ name }) => (name === "shell" ? { block: true, reason: "no shell" } : undefined));
    const code = codeModeTool() as never;
    const { model, asked } = scripted(Model, ["read", "shell"].map((name) => [{ toolName: "code", input: { js: js(name) } }]));
    await ai.generateText({
      model,
      ...scopeTools(session, { tools: { code, ...tools } }),
      experimental_toolCallers: { read: ["code"], shell: ["code"] } as never,
      stopWhen: ai.isStepCount(5),
      prompt: "go",
    });
    expect(ran).toEqual(["read"]);
    expect(asked[2]?.results.map(({ text }) => text)).toEqual([expect.stringContaining("read ran"), expect.stringContaining("refused")]);
    expect(vias).toEqual(["code direct true", "read code true", "code direct true", "shell code false"]);
  });

  test("over the live record: a program cannot reach what is out of scope, however it came to know it", async () => {
    const { session, vias } = sessionOf({});
    const scoped = scopeTools(session, { tools });
    const code = createCodeModeTool(scoped.tools as never);
    session.setScope({ exclude: ["shell"] });
    const { model, asked } = scripted(Model, [[{ toolName: "code", input: { js: js("shell") } }], "done"]);
    await ai.generateText({ model, tools: { code }, stopWhen: ai.isStepCount(5), prompt: "go" });
    expect(ran).toEqual([]);
    expect(asked[1]?.results[0]?.text).toContain("refused");
    expect(vias).toEqual([expect.stringMatching(/^shell \w+ false$/)]);
  });
});
