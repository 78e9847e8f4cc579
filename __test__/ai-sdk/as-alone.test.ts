// Under `scopeTools`, the AI SDK does with a host's tools and options what it does with them alone.
import type { ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ToolSession } from "../../index.js";
import { scopeTools } from "../../dist/adapters/ai-sdk.js";
import { type Step, scripted, versions } from "./model.js";

type Tool = ToolSet[string];

describe.each(versions)("$version", ({ ai, Model }) => {
  const ran: unknown[] = [];
  const inputSchema = z.object({ q: z.string().optional() });

  /** What a generation does: what the model was asked, what came back, what ran. */
  async function outcome(steps: readonly Step[], options: object) {
    ran.length = 0;
    const { model, asked } = scripted(Model, steps);
    const base = { model, stopWhen: ai.isStepCount(9), prompt: "go" };
    const { content, text } = await ai.generateText({ ...base, ...options } as Parameters<typeof ai.generateText>[0]);
    return { asked, text, content: content.map(({ type }) => type), ran: [...ran] };
  }

  /** One tool, however an object comes to have its members. */
  class Written {
    #runs = 0;
    readonly inputSchema = inputSchema;
    get description() {
      return `has run ${this.#runs} times`;
    }
    needsApproval({ q }: { q?: string }) {
      return this.#runs > 0 && q !== "free";
    }
    execute(input: unknown) {
      this.#runs += 1;
      ran.push(input);
      return { runs: this.#runs };
    }
    toModelOutput({ output }: { output: { runs: number } }) {
      return { type: "text", value: `${output.runs} of ${this.#runs}` };
    }
    onInputAvailable({ input }: { input: unknown }) {
      ran.push(["available", input, this.#runs]);
    }
  }
  class Inherits extends Written {
    readonly strict = true;
    readonly inputExamples = [{ input: { q: "x" } }];
    override toModelOutput(options: { output: { runs: number } }) {
      return { ...super.toModelOutput(options), type: "text" };
    }
  }
  const stateful = () => ({
    inputSchema,
    confirmed: true,
    needsApproval() {
      return !this.confirmed;
    },
    execute(input: unknown) {
      this.confirmed = false;
      return ran.push(input);
    },
  });
  const execute = (input: unknown) => ran.push(input);
  const made: Record<string, () => object> = {
    "a literal": () => ({ inputSchema, description: "plain", needsApproval: true, execute }),
    "a class": () => new Written(),
    "a class of a class": () => new Inherits(),
    "an object with another behind it": () => Object.create({ inputSchema, description: "behind", needsApproval: () => true, execute }),
    "an object without a prototype": () => Object.assign(Object.create(null), { inputSchema, needsApproval: true, execute }),
    "a literal with state of its own": stateful,
    "a frozen one": () => Object.freeze({ inputSchema, needsApproval: async () => true, execute }),
    "members that are not enumerable": () => {
      const members = Object.entries({ inputSchema, needsApproval: true, execute, strict: true });
      return Object.defineProperties({}, Object.fromEntries(members.map(([key, value]) => [key, { value }])));
    },
    "a need that is merely truthy": () => ({ inputSchema, needsApproval: 1, execute }),
    "a need that is merely found truthy": () => ({ inputSchema, needsApproval: ({ q }: { q?: string }) => q, execute }),
    "a need by a context's default": () => ({
      inputSchema,
      contextSchema: z.object({ strict: z.boolean().default(true) }),
      needsApproval: (_: unknown, { context }: { context: { strict: boolean } }) => context.strict,
      execute,
    }),
    "a description by context": () => ({ inputSchema, description: ({ context }: { context?: object }) => JSON.stringify(context), execute }),
    "a client's": () => ({ inputSchema, description: "no execute" }),
  };
  const calls: Step[] = [[{ toolName: "it", input: { q: "a" } }], [{ toolName: "it", input: { q: "free" } }], [{ toolName: "it", input: { q: "b" } }]];

  test.each(Object.keys(made))("a tool that is %s", async (kind) => {
    const toolsContext = { it: {} };
    const alone = await outcome(calls, { tools: { it: made[kind]?.() }, toolsContext });
    const scoped = await outcome(calls, { ...scopeTools(new ToolSession(), { tools: { it: made[kind]?.() as Tool } }), toolsContext });
    expect(scoped).toEqual(alone);
    // What a provider says of it changes what is shown and nothing else.
    const session = new ToolSession();
    session.use((tools) => ({ tools: tools.map((tool) => ({ ...tool, description: "REWRITTEN" })) }));
    const rewritten = await outcome(calls, { ...scopeTools(session, { tools: { it: made[kind]?.() as Tool } }), toolsContext });
    const isShown = ({ asked, ...rest }: typeof alone) => ({
      ...rest,
      asked: asked.map((step) => ({ ...step, tools: step.tools.map((tool) => ({ ...tool, description: "REWRITTEN" })) })),
    });
    expect(rewritten).toEqual(isShown(alone));
  });

  test.each(["user-approval", { type: "denied", reason: "no" }, "not-applicable", undefined, null, () => "user-approval", async () => undefined])(
    "`toolApproval` that says %s",
    async (status) => {
      const toolApproval = { it: status } as never;
      for (const needsApproval of [undefined, true]) {
        const tools = { it: { inputSchema, needsApproval, execute } as unknown as Tool };
        const alone = await outcome(calls, { tools, toolApproval });
        expect(await outcome(calls, scopeTools(new ToolSession(), { tools, toolApproval }))).toEqual(alone);
      }
    },
  );

  // The host's own lists, wherever the SDK takes one; what is out of scope is as if it were not among the tools.
  type Choice = { outer?: readonly string[] | undefined; inner?: readonly string[] | undefined };
  type Given = { tools: ToolSet; prepareStep?: never };
  const scripts = (): Step[] => ["a", "b", "c", "a"].map((toolName) => [{ toolName }]);
  const hosts: Record<string, (given: Given, choice: Choice) => Promise<unknown>> = {
    generateText: (given, { outer }) => outcome(scripts(), { ...given, ...(outer && { activeTools: outer }) }),
    "generateText, said before": (given, { outer }) => outcome(scripts(), { ...(outer && { activeTools: outer }), ...given }),
    streamText: async (given, { outer }) => {
      ran.length = 0;
      const { model, asked } = scripted(Model, scripts());
      const settings = { model, stopWhen: ai.isStepCount(9), prompt: "go", ...given, ...(outer && { activeTools: outer }) };
      const { text } = ai.streamText(settings as Parameters<typeof ai.streamText>[0]);
      return { text: await text, asked, ran: [...ran] };
    },
    agent: async (given, { outer }) => {
      ran.length = 0;
      const { model, asked } = scripted(Model, scripts());
      const agent = new ai.ToolLoopAgent({ model, ...(outer && { activeTools: outer }), ...given } as never);
      const { text } = await agent.generate({ prompt: "go" });
      return { text, asked, ran: [...ran] };
    },
    "agent, for each call": async (given, { outer }) => {
      ran.length = 0;
      const { model, asked } = scripted(Model, scripts());
      const prepareCall = (call: object) => ({ ...call, ...(outer && { activeTools: outer }) });
      const agent = new ai.ToolLoopAgent({ model, ...given, prepareCall } as never);
      const { text } = await agent.generate({ prompt: "go" });
      return { text, asked, ran: [...ran] };
    },
  };
  const lists = [undefined, [], ["a"], ["c", "b"], ["a", "b", "c", "x"]];
  const choices: Choice[] = lists.flatMap((outer) => lists.map((inner) => ({ outer, inner })));

  test.each(Object.keys(hosts))("%s: `activeTools` chooses as ever", async (host) => {
    const make = (...names: string[]) =>
      Object.fromEntries(names.map((name) => [name, ai.tool({ inputSchema, execute: async () => ran.push(name) })])) as ToolSet;
    const run = hosts[host] as (given: Given, choice: Choice) => Promise<unknown>;
    for (const choice of choices) {
      const prepareStep = ({ stepNumber }: { stepNumber: number }) => (stepNumber % 2 === 1 ? { activeTools: choice.inner } : undefined);
      const own = { prepareStep: prepareStep as never };
      const alone = await run({ tools: make("a", "b", "c"), ...own }, choice);
      const scoped = scopeTools(new ToolSession(), { tools: make("a", "b", "c"), ...own });
      expect(await run(scoped as never, choice), JSON.stringify(choice)).toEqual(alone);
    }
  });

  test.each(Object.keys(hosts))("%s: `activeTools` brings in nothing that the step does not show", async (host) => {
    const run = hosts[host] as (given: Given, choice: Choice) => Promise<{ asked: { tools: { name: string }[] }[]; ran: string[] }>;
    const session = new ToolSession({ scope: { exclude: ["b"] } });
    const execute = (name: string) => () => ran.push(name);
    const exposures = { code: "code", later: "deferred", never: "hidden", alone: "model-only", a: "direct", b: "direct", c: "direct" } as const;
    const tools = Object.entries(exposures).map(([name, exposure]) => ({ name, exposure, execute: execute(name) }));
    session.addSource({ kind: "ext", name: "e", tools });
    for (const activeTools of [undefined, Object.keys(exposures), ["code", "b", "a"]]) {
      const { asked, ran: done } = await run(scopeTools(session) as never, { outer: activeTools });
      const expected = ["alone", "a", "c"].filter((name) => activeTools?.includes(name) ?? true);
      expect(asked.map(({ tools }) => tools.map(({ name }) => name))).toEqual(asked.map(() => expected));
      expect(done).not.toContain("b");
    }
  });

  test("what a step does not show is decided by the session, in its words, however it is called", async () => {
    const session = new ToolSession();
    const tools = ["one", "two", "three"].map((name) => ({ name, execute: () => ran.push(name) }));
    session.addSource({ kind: "ext", name: "e", tools: [...tools, { name: "later", exposure: "deferred", execute: () => ran.push("later") }] });
    const scoped = scopeTools(session, { maxTools: 2 });
    const { asked } = await outcome([[{ toolName: "later" }], [{ toolName: "three" }]], scoped);
    expect(asked[0]?.tools.length).toBe(2);
    expect(asked[1]?.results[0]?.text).toContain((session.checkScope("later") as { reason: string }).reason.slice(0, 20));
    // In scope and not declared: it may be called.
    expect(ran).toEqual(["three"]);
    expect(Object.keys(scoped.tools)).toEqual(asked[2]?.tools.map(({ name }) => name));
  });

  // Instructions: in each step the host's, as they would be alone, and behind them what the step's request adds.
  type Said = string | { role: "system"; content: string } | { role: "system"; content: string }[] | undefined;
  const outers: Said[] = [undefined, "BASE", "", { role: "system", content: "BASE" }, [{ role: "system", content: "ONE" }, { role: "system", content: "TWO" }]];
  const inners: Record<string, (Said | { system: string })[]> = {
    never: [],
    "in the first step": ["OWN"],
    "in a later step": [undefined, "OWN"],
    "as messages, then as text": [undefined, [{ role: "system", content: "OWN" }], undefined, "LAST"],
    "by the older name": [{ system: "OWN" }, undefined, { system: "AGAIN" }],
  };
  const fragments = [[], ["F"], ["F", "", "F"], ["", "F", "G", ""], ["F", "F", "F", "F", "F"]];

  /** One generation of four steps, whose `prepareStep` says `own`. */
  async function instructed(host: "generateText" | "streamText", outer: Said, own: (Said | { system: string })[], giving: (prepareStep: never) => object) {
    const { model, asked } = scripted(Model, Array.from({ length: 3 }, () => [{ toolName: "t" }]));
    const seen: unknown[] = [];
    const prepareStep = async ({ stepNumber, instructions }: { stepNumber: number; instructions?: unknown }) => {
      seen.push(instructions);
      const said = own[stepNumber];
      return said === undefined ? undefined : typeof said === "object" && "system" in said ? said : { instructions: said };
    };
    const settings = { model, stopWhen: ai.isStepCount(9), prompt: "go", ...(outer !== undefined && { instructions: outer }) };
    const given = giving(prepareStep as never);
    if (host === "generateText") await ai.generateText({ ...settings, ...given } as Parameters<typeof ai.generateText>[0]);
    else await ai.streamText({ ...settings, ...given } as Parameters<typeof ai.streamText>[0]).text;
    return { systems: asked.map(({ system }) => system), seen };
  }
  const isText = (said: unknown) => said === undefined || typeof said === "string" || Object.hasOwn(said as object, "system");

  test.each(["generateText", "streamText"] as const)("%s: instructions are as alone, and a request's fragments stand behind them in its step", async (host) => {
    const tools = { t: ai.tool({ inputSchema, execute: async () => "done" }) };
    for (const outer of outers) {
      for (const [when, own] of Object.entries(inners)) {
        const alone = await instructed(host, outer, own, (prepareStep) => ({ tools, prepareStep }));
        for (const perStep of fragments) {
          const session = new ToolSession();
          session.addSource({ kind: "ext", name: "e", tools: [{ name: "t", execute: () => "done" }] });
          let step = 0;
          session.use((tools) => ({ tools, prompt: perStep[step++] ?? "" }));
          const { systems, seen } = await instructed(host, outer, own, (prepareStep) => scopeTools(session, { prepareStep }));
          const expected = alone.systems.map((system, at) => {
            const fragment = perStep[at] ?? "";
            if (fragment === "" || system === "") return system || fragment;
            const base = own.slice(0, at + 1).findLast((said) => said !== undefined) ?? outer;
            return `${system}${isText(base) ? "\n\n" : "\n---\n"}${fragment}`;
          });
          const kind = JSON.stringify({ outer, when, perStep });
          expect(systems, kind).toEqual(expected);
          expect(seen, kind).toEqual(alone.seen);
        }
      }
    }
  });

  test("two generations over one `scopeTools` keep their own instructions", async () => {
    const session = new ToolSession();
    session.addSource({ kind: "ext", name: "e", tools: [{ name: "t", execute: () => "done" }] });
    let step = 0;
    session.use((tools) => ({ tools, prompt: step++ % 3 === 2 ? "" : "F" }));
    const scoped = scopeTools(session);
    const messages = [{ role: "user" as const, content: "go" }];
    const generations = ["ONE", "TWO"].map(async (instructions) => {
      const { model, asked } = scripted(Model, Array.from({ length: 5 }, () => [{ toolName: "t" }]));
      await ai.generateText({ model, ...scoped, stopWhen: ai.isStepCount(9), messages, instructions });
      return asked.map(({ system }) => system.replace("\n\nF", ""));
    });
    expect(await Promise.all(generations)).toEqual(["ONE", "TWO"].map((said) => Array(6).fill(said)));
  });

  test("a repair of the host's is handed its own instructions' form", async () => {
    const session = new ToolSession();
    session.use((tools) => ({ tools, prompt: "F" }));
    const handed: unknown[] = [];
    const repairToolCall = async ({ system, instructions }: { system?: unknown; instructions?: unknown }) => (handed.push(system, instructions), null);
    await outcome([[{ toolName: "nothing" }]], { ...scopeTools(session, { repairToolCall: repairToolCall as never }), instructions: "BASE" });
    expect(handed).toEqual(["BASE\n\nF", "BASE\n\nF"]);
  });
});
