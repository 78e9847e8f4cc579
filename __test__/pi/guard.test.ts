// What the adapter relies on in pi, each fact by itself, so that a pi that moves one is named by what it moved. It runs against the
// newest pi of the peer range, and against the oldest in a process of its own.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

import type { PiAgentSession, PiExtension, PiRuntime } from "../../js/adapters/pi/host.js";
import { type AgentSession, type ExtensionApi, builtIn, createPi, inline, piFolder, tool } from "./session.mts";

const { version } = JSON.parse(readFileSync(join(piFolder, "package.json"), "utf8")) as { version: string };
const accepts = (session: PiAgentSession): PiAgentSession => session;
const inner = (session: AgentSession) =>
  session as unknown as PiAgentSession & { _customTools: unknown; _baseToolDefinitions: unknown };
const loaded = (session: AgentSession) =>
  session.resourceLoader.getExtensions() as unknown as { extensions: PiExtension[]; runtime: PiRuntime };

describe(`pi ${version}`, () => {
  test("a session has every member that the adapter uses", async () => {
    const { session } = await createPi({
      extensions: [inline("alpha", (pi) => pi.registerTool(tool("alpha_do", [])))],
      customTools: [tool("report", [])],
    });
    accepts(session);
    for (const method of [
      "getAllTools",
      "getActiveToolNames",
      "setActiveToolsByName",
      "getToolDefinition",
      "subscribe",
      "reload",
      "dispose",
    ] as const) {
      expect(typeof session[method], `session.${method}`).toBe("function");
    }
    expect(typeof session.extensionRunner.emitError, "session.extensionRunner.emitError").toBe("function");
    expect(Array.isArray(session.agent.state.tools), "session.agent.state.tools is a list").toBe(true);
    const { extensions, runtime } = loaded(session);
    expect(extensions[0]?.tools, "an extension's tools are a Map").toBeInstanceOf(Map);
    expect(extensions[0]?.handlers, "an extension's handlers are a Map").toBeInstanceOf(Map);
    expect(typeof runtime.refreshTools, "runtime.refreshTools").toBe("function");
    const runner = session.extensionRunner as unknown as Record<string, unknown>;
    expect(runner.extensions, "extensionRunner.extensions is the loader's list").toBe(extensions);
    expect(runner.runtime, "extensionRunner.runtime is the loader's").toBe(runtime);
    expect(inner(session)._baseToolDefinitions, "session._baseToolDefinitions").toBeInstanceOf(Map);
    expect(Array.isArray(inner(session)._customTools), "session._customTools").toBe(true);
  });

  test("sourceInfo names the owner that has effect", async () => {
    const { session } = await createPi({
      extensions: [
        inline("alpha", (pi) => (pi.registerTool(tool("shared", [])), pi.registerTool(tool("read", [])))),
        inline("beta", (pi) => (pi.registerTool(tool("shared", [])), pi.registerTool(tool("report", [])))),
        builtIn.codemode,
      ],
      paths: ["builtin:codemode"],
      customTools: [tool("report", [])],
    });
    const owner = (name: string) => session.getAllTools().find((each) => each.name === name)?.sourceInfo.path;
    expect(owner("bash"), "a built-in's path").toBe("builtin:bash");
    expect(owner("read"), "an extension's tool replaces a built-in").toBe("<inline:alpha>");
    expect(owner("shared"), "the first extension owns a name").toBe("<inline:alpha>");
    expect(owner("report"), "an SDK tool comes before an extension's").toBe("<sdk:report>");
    expect(owner("codemode"), "a built-in extension's path").toBe("builtin:codemode");
    const alpha = loaded(session).extensions.find(({ path }) => path === "<inline:alpha>");
    expect(alpha?.tools.get("read")?.sourceInfo.path, "a live entry's sourceInfo").toBe("<inline:alpha>");
  });

  test("registering calls runtime.refreshTools, and the registry is built from the live maps then", async () => {
    let alpha: ExtensionApi | undefined;
    const { session, bind } = await createPi({ extensions: [inline("alpha", (pi) => void (alpha = pi))] });
    await bind();
    const { extensions, runtime } = loaded(session);
    let calls = 0;
    const { refreshTools } = runtime;
    runtime.refreshTools = () => {
      calls++;
      refreshTools();
    };
    alpha?.registerTool(tool("alpha_do", []));
    expect(calls, "registerTool() calls runtime.refreshTools()").toBe(1);
    const entry = extensions[0]?.tools.get("alpha_do");
    expect(entry?.definition.name, "the live map's entry is { definition, sourceInfo }").toBe("alpha_do");
    const other = {
      ...(entry as NonNullable<typeof entry>),
      definition: tool("alpha_do", [], { exposure: "hidden" }),
    } as unknown as NonNullable<typeof entry>;
    extensions[0]?.tools.set("alpha_do", other);
    refreshTools();
    expect(session.getToolDefinition("alpha_do"), "a refresh takes what the map holds").toBe(other.definition);
    expect(session.getActiveToolNames(), "a hidden tool is not active").not.toContain("alpha_do");
    extensions[0]?.tools.set("alpha_do", entry as NonNullable<typeof entry>);
    refreshTools();
    expect(session.getActiveToolNames(), "a tool that was hidden is activated like a new one").toContain("alpha_do");
  });

  test("pi reads `exposure` and `execute` at every use", async () => {
    const log: string[] = [];
    const definition = tool("alpha_do", log) as unknown as Record<string, unknown>;
    const environment = await createPi({
      extensions: [inline("alpha", (pi) => pi.registerTool(definition as never))],
      steps: [["alpha_do"], "done", "done"],
    });
    await environment.bind();
    definition.execute = async () => (log.push("replaced"), { content: [], details: {} });
    await environment.session.prompt("go");
    expect(log, "pi calls definition.execute as it is when the call runs").toEqual(["replaced"]);
    definition.exposure = "hidden";
    expect(environment.session.getAllTools().find(({ name }) => name === "alpha_do")?.exposure).toBe("hidden");
    await environment.session.prompt("again");
    expect(environment.shown.at(-1), "a hidden tool is left out of the next turn").not.toContain("alpha_do");
  });

  test("the order of one prompt, and that an extension appended to the list is heard last", async () => {
    const order: string[] = [];
    const extension = (name: string) =>
      inline(name, (pi) => {
        pi.registerTool(tool(`${name}_do`, order));
        for (const event of ["before_agent_start", "agent_start", "turn_start", "tool_call", "turn_end"] as const) {
          pi.on(event as "turn_start", async () => void order.push(`${name} ${event}`));
        }
      });
    const environment = await createPi({ extensions: [extension("alpha")], steps: [["alpha_do"], "done"] });
    const { session } = environment;
    const heard = (event: string) => async () => void order.push(`own ${event}`);
    const own: Record<string, unknown> = {
      ...loaded(session).extensions[0],
      path: "<inline:own>",
      tools: new Map(),
      handlers: new Map(["before_agent_start", "tool_execution_end"].map((event) => [event, [heard(event)]])),
    };
    loaded(session).extensions.push(own as unknown as PiExtension);
    await environment.bind();
    session.subscribe(({ type }) => {
      if (type === "turn_end" || type === "tool_execution_end") order.push(`listener ${type}`);
    });
    const { beforeToolCall } = session.agent;
    session.agent.beforeToolCall = async (...given) => {
      order.push("agent.beforeToolCall");
      return beforeToolCall?.(...given);
    };
    await session.prompt("go");
    expect(order.slice(0, order.indexOf("listener turn_end") + 1)).toEqual([
      "alpha before_agent_start",
      "own before_agent_start",
      "alpha agent_start",
      "alpha turn_start",
      "agent.beforeToolCall",
      "alpha tool_call",
      "alpha_do",
      "own tool_execution_end",
      "listener tool_execution_end",
      "alpha turn_end",
      "listener turn_end",
    ]);
  });

  test("a change of the active set in before_agent_start and at turn_end reaches the next request", async () => {
    let alpha: ExtensionApi | undefined;
    const environment = await createPi({
      extensions: [
        inline("alpha", (pi) => {
          alpha = pi;
          pi.on("before_agent_start", async () => pi.registerTool(tool("alpha_late", [])));
        }),
      ],
      steps: [["alpha_late"], "done"],
    });
    await environment.bind();
    environment.session.subscribe(({ type }) => {
      if (type === "turn_end") alpha?.setActiveTools(["read"]);
    });
    await environment.session.prompt("go");
    expect(environment.shown[0], "registered in before_agent_start, shown on the first turn").toContain("alpha_late");
    expect(environment.shown[1], "set at turn_end, shown on the next turn").toEqual(["read"]);
  });

  test("a nested call is announced with its parent before it runs, and comes to tool_call", async () => {
    const order: string[] = [];
    const environment = await createPi({
      extensions: [
        inline("alpha", (pi) => {
          pi.registerTool(tool("alpha_do", order, { exposure: "deferred" }));
          const via = {
            execute: async (
              _id: string,
              _input: unknown,
              _signal: unknown,
              _update: unknown,
              ctx: { executeTool: (name: string, input: unknown) => Promise<unknown> },
            ) => (await ctx.executeTool("alpha_do", {}), { content: [], details: {} }),
          };
          pi.registerTool(tool("alpha_via", [], via));
          pi.on(
            "tool_call",
            async (event) => void order.push(`tool_call ${event.toolName} ${event.parentToolCallId !== undefined}`),
          );
        }),
      ],
      steps: [["alpha_via"], "done"],
    });
    await environment.bind();
    environment.session.subscribe((event) => {
      if (event.type === "tool_execution_start")
        order.push(`start ${event.toolName} ${event.parentToolCallId !== undefined}`);
    });
    await environment.session.prompt("go");
    expect(order).toEqual([
      "start alpha_via false",
      "tool_call alpha_via false",
      "start alpha_do true",
      "tool_call alpha_do true",
      "alpha_do",
    ]);
  });

  test("the result of a call that ended can be rewritten by an extension's tool_execution_end", async () => {
    const environment = await createPi({
      extensions: [
        inline("alpha", (pi) => {
          pi.on("tool_execution_end", async ({ result }) => {
            result.content = [{ type: "text", text: "rewritten" }];
          });
        }),
      ],
      steps: [["nothing_of_the_kind"], "done"],
    });
    await environment.bind();
    await environment.session.prompt("go");
    expect(environment.calls[0]?.text).toBe("rewritten");
    const told = environment.session.messages.find(({ role }) => role === "toolResult") as unknown as {
      content: { text: string }[];
    };
    expect(told.content[0]?.text, "what the model is told").toBe("rewritten");
  });

  test("reload() loads anew before it builds, with new extension objects and new built-ins", async () => {
    const { session, bind } = await createPi({
      extensions: [inline("alpha", (pi) => pi.registerTool(tool("alpha_do", [])))],
    });
    await bind();
    const before = loaded(session);
    const base = inner(session)._baseToolDefinitions;
    const { resourceLoader } = session;
    const reload = resourceLoader.reload.bind(resourceLoader);
    let seen: string[] = [];
    resourceLoader.reload = async (...given) => {
      await reload(...given);
      const entry = loaded(session).extensions[0]?.tools.get("alpha_do");
      loaded(session).extensions[0]?.tools.set("alpha_do", {
        ...(entry as NonNullable<typeof entry>),
        definition: tool("alpha_do", [], { exposure: "hidden" }) as never,
      });
      seen = session.getActiveToolNames();
    };
    await session.reload();
    expect(seen, "the old registry is in effect until then").toContain("alpha_do");
    expect(session.getActiveToolNames(), "the new one takes what the maps hold then").not.toContain("alpha_do");
    expect(loaded(session).extensions).not.toBe(before.extensions);
    expect(loaded(session).runtime).not.toBe(before.runtime);
    expect(inner(session)._baseToolDefinitions).not.toBe(base);
  });
});

test.skipIf(process.env.TOOLSCOPE_TEST_PI !== undefined)(
  "the same holds for the oldest pi of the peer range, and so do the other tests of the adapter",
  { timeout: 180_000 },
  () => {
    const root = fileURLToPath(new URL("../..", import.meta.url));
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      peerDependencies: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    const range = manifest.peerDependencies["@earendil-works/pi-coding-agent"] as string;
    const oldest = JSON.parse(readFileSync(join(root, "node_modules", "pi-oldest", "package.json"), "utf8")) as {
      version: string;
    };
    expect(range.startsWith(`>=${oldest.version} `), `pi-oldest ${oldest.version} is the first of ${range}`).toBe(true);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "__test__/pi"],
      {
        cwd: root,
        env: { ...process.env, TOOLSCOPE_TEST_PI: "pi-oldest", NO_COLOR: "1" },
        encoding: "utf8",
      },
    );
    expect(status, `${stdout}\n${stderr}`).toBe(0);
  },
);
