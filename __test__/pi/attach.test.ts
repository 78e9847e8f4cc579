// What an attachment does over the life of a real pi session: sources, widening and narrowing, reload, resume, children, its end.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { attachToPi, attachmentOf } from "../../dist/adapters/pi.js";
import { ToolSession } from "../../index.mjs";
import {
  type ExtensionApi,
  type PiEnvironment,
  type PiOptions,
  builtIn,
  createPi,
  folder,
  inline,
  piModule,
  tool,
} from "./session.mts";

const errorCode = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return undefined;
};

async function session(options: PiOptions): Promise<PiEnvironment> {
  const environment = await createPi(options);
  await environment.bind();
  return environment;
}
const owning = (name: string, ...tools: ReturnType<typeof tool>[]) =>
  inline(name, (pi) => tools.forEach((each) => pi.registerTool(each)));
const active = ({ session }: PiEnvironment): string[] => session.getActiveToolNames();

test("each tool is fed under its owner, by pi's names", async () => {
  const environment = await session({
    extensions: [
      owning("Alpha", tool("find", [], { exposure: "codemode" })),
      owning("gamma", tool("read", [])),
      builtIn.codemode,
    ],
    paths: ["builtin:codemode"],
    customTools: [tool("report", [])],
  });
  const { session: scope } = attachToPi(environment.session, {});
  const known = new Map(scope.tools().map((each) => [each.id, each]));
  expect([...known.keys()]).toEqual(
    expect.arrayContaining([
      "builtin:read",
      "builtin:grep",
      "host:sdk/report",
      "ext:Alpha/find",
      "ext:gamma/read",
      "ext:codemode/codemode",
    ]),
  );
  expect(known.get("ext:Alpha/find")).toMatchObject({ name: "find", exposure: "code" });
  expect(known.get("builtin:read")).toMatchObject({ name: "read", shadowedBy: "ext:gamma/read" });
  expect([...scope.activeTools()].sort()).toEqual(active(environment).sort());
});

test("attached before extensions start, it holds from the start", async () => {
  const log: string[] = [];
  const environment = await createPi({
    extensions: ["alpha", "beta"].map((name) =>
      inline(name, (pi) => void pi.on("session_start", async () => pi.registerTool(tool(`${name}_start`, log)))),
    ),
    steps: [["alpha_start", "beta_start"], "done"],
  });
  attachToPi(environment.session, { allow: ["ext:alpha"] });
  await environment.bind();
  await environment.session.prompt("go");
  expect(environment.shown[0]).toEqual(["alpha_start"]);
  expect(log).toEqual(["alpha_start"]);
});

test("an extension answers to its file's, its folder's and its package's name", async () => {
  const at = folder();
  const write = (path: string, name: string): string => {
    mkdirSync(join(at, path, ".."), { recursive: true });
    writeFileSync(
      join(at, path),
      `export default (pi) => pi.registerTool({ name: "${name}", label: "${name}", description: "", parameters: { type: "object", properties: {} }, execute: async () => ({ content: [], details: {} }) });`,
    );
    return join(at, path);
  };
  const paths = [
    write("lone.ts", "lone_do"),
    write("folded/index.ts", "folded_do"),
    write("packed/src/entry.ts", "packed_do"),
    write("other/lone.ts", "other_do"),
  ];
  writeFileSync(
    join(at, "packed", "package.json"),
    JSON.stringify({ name: "@acme/pi-packed", pi: { extensions: ["./src"] } }),
  );
  const environment = await session({ paths });
  const { session: scope } = attachToPi(environment.session, { allow: ["ext:FOLDED", "ext:pi-packed"] });
  expect(active(environment).sort()).toEqual(["folded_do", "packed_do"]);
  scope.setScope({ allow: ["ext:entry/packed_do"] });
  scope.refresh();
  expect(active(environment)).toEqual(["packed_do"]);
  // Two files of one name: the name alone says neither.
  scope.setScope({ allow: ["ext:lone"] });
  scope.refresh();
  expect(active(environment)).toEqual([]);
});

test("nameless inline extensions of pi's own answer to their short names, others to names their host gives", async () => {
  const environment = await session({
    extensions: [piModule.createCodemodeExtension(), (pi: ExtensionApi) => pi.registerTool(tool("mine_do", []))],
  });
  attachToPi(
    environment.session,
    { allow: ["ext:codemode", "ext:mine"] },
    { aliases: ({ path }) => (path === "<inline:2>" ? ["mine"] : []) },
  );
  environment.session.setActiveToolsByName(["codemode", "mine_do", "read"]);
  expect(active(environment).sort()).toEqual(["codemode", "mine_do"]);
});

test("a tool that comes back into scope is as active as it was; a new one follows pi's own rule", async () => {
  const log: string[] = [];
  let beta: ExtensionApi | undefined;
  const environment = await session({
    extensions: [
      owning("alpha", tool("alpha_a", log), tool("alpha_b", log), tool("alpha_idle", log, { defaultActive: false })),
      inline("beta", (pi) => void (beta = pi)),
    ],
    steps: ["one", "two", "three"],
  });
  environment.session.setActiveToolsByName(["read", "alpha_a", "alpha_b", "alpha_idle"]);
  const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha", "builtin:read"] });
  environment.session.setActiveToolsByName(["read", "alpha_a", "alpha_idle"]);
  await environment.session.prompt("one");
  expect(environment.shown.at(-1)).toEqual(["read", "alpha_a", "alpha_idle"]);
  scope.setScope({ allow: ["builtin:read"] });
  beta?.registerTool(tool("beta_new", log));
  beta?.registerTool(tool("beta_idle", log, { defaultActive: false }));
  await environment.session.prompt("two");
  expect(environment.shown.at(-1)).toEqual(["read"]);
  scope.setScope({});
  await environment.session.prompt("three");
  // alpha_b and the built-ins were put away by somebody else, and stay so.
  expect([...(environment.shown.at(-1) as string[])].sort()).toEqual(["alpha_a", "alpha_idle", "beta_new", "read"]);
  expect([...scope.activeTools()].sort()).toEqual(["alpha_a", "alpha_idle", "beta_new", "read"]);
});

test("what the session's host activates or deactivates reaches pi, and the other way round", async () => {
  const environment = await session({
    extensions: [owning("alpha", tool("alpha_a", []), tool("alpha_b", []))],
    steps: ["done"],
  });
  const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha"] });
  scope.deactivate("alpha_a");
  expect(active(environment)).toEqual(["alpha_b"]);
  scope.activate("alpha_a");
  expect(active(environment).sort()).toEqual(["alpha_a", "alpha_b"]);
  environment.session.setActiveToolsByName(["alpha_a"]);
  await environment.session.prompt("go");
  expect(scope.activeTools()).toEqual(["alpha_a"]);
});

test("the scope holds across reload, for built-ins, late tools and what was deactivated", async () => {
  const log: string[] = [];
  const extension = (name: string) =>
    inline(name, (pi) => {
      pi.registerTool(tool(`${name}_load`, log));
      if (loads === 0) pi.registerTool(tool(`${name}_once`, log));
      pi.on("session_start", async () => {
        pi.registerTool(tool(`${name}_start`, log));
        // The first turn after a reload may be an extension's own.
        if (name === "alpha" && loads++ > 0) pi.sendUserMessage("hello from alpha");
      });
    });
  let loads = 0;
  const environment = await session({
    extensions: [extension("alpha"), extension("beta")],
    customTools: [tool("report", log)],
    steps: [["bash", "beta_load", "report"], "done", ["bash", "beta_start", "alpha_start"], "done"],
  });
  const { session: scope } = attachToPi(environment.session, { allow: ["ext:alpha", "builtin:read", "builtin:write"] });
  environment.session.setActiveToolsByName(["read", "alpha_load"]);
  await environment.session.reload();
  await expect.poll(() => environment.shown.length).toBe(2);
  await environment.session.waitForIdle();
  await environment.session.prompt("go");
  expect(new Set(environment.shown.flat())).toEqual(new Set(["read", "alpha_load", "alpha_start"]));
  expect(log).toEqual(["alpha_start"]);
  for (const { name, text } of environment.calls.filter(({ name }) => name !== "alpha_start"))
    expect(text, name).toMatch(/not available in this session/);
  expect(scope.tools().map(({ id }) => id)).not.toContain("ext:beta/beta_once");
  // Still in step after it.
  scope.setScope({ allow: ["ext:beta"] });
  environment.script("done");
  await environment.session.prompt("again");
  expect([...(environment.shown.at(-1) as string[])].sort()).toEqual(["beta_load", "beta_start"]);
  expect(environment.errors).toEqual([]);
});

test("a loader that loads for another session changes nothing for this one", async () => {
  const log: string[] = [];
  const apis: ExtensionApi[] = [];
  const environment = await session({
    extensions: [inline("beta", (pi) => void apis.push(pi))],
    steps: [["beta_do"], "done"],
  });
  attachToPi(environment.session, { allow: ["builtin:read"] });
  await environment.session.resourceLoader.reload();
  expect(apis.length).toBe(2);
  apis[0]?.registerTool(tool("beta_do", log));
  await environment.session.prompt("go");
  expect(environment.shown[0]).toEqual(["read"]);
  expect(log).toEqual([]);
  expect(environment.session.resourceLoader.getExtensions().extensions.map(({ path }) => path)).toEqual([
    "<inline:beta>",
  ]);
});

test("steered and followed-up messages run under the scope", async () => {
  const log: string[] = [];
  let beta: ExtensionApi | undefined;
  const environment = await session({
    extensions: [owning("alpha", tool("alpha_do", log)), inline("beta", (pi) => void (beta = pi))],
    steps: [],
  });
  attachToPi(environment.session, { allow: ["ext:alpha"] });
  environment.script(
    () => {
      void environment.session.steer("rather this");
      void environment.session.followUp("and that");
      beta?.registerTool(tool("beta_do", log));
      return ["alpha_do"];
    },
    ["beta_do"],
    "done",
    ["beta_do"],
    "done",
  );
  await environment.session.prompt("go");
  expect(environment.shown.length).toBe(5);
  expect(new Set(environment.shown.flat())).toEqual(new Set(["alpha_do"]));
  expect(log).toEqual(["alpha_do"]);
});

test("a resumed session, whose transcript declared more, runs under the scope from its first turn", async () => {
  const log: string[] = [];
  const extensions = [owning("alpha", tool("alpha_do", log)), owning("beta", tool("beta_do", log))];
  const cwd = folder();
  const manager = piModule.SessionManager.inMemory(cwd);
  const first = await session({ extensions, manager, cwd, steps: ["hello"] });
  await first.session.prompt("hello");
  expect(first.shown[0]).toContain("beta_do");
  first.session.dispose();
  const resumed = await session({ extensions, manager, cwd, steps: [["beta_do"], "done"] });
  attachToPi(resumed.session, { allow: ["ext:alpha"] });
  await resumed.session.prompt("go on");
  expect(resumed.shown[0]).toEqual(["alpha_do"]);
  expect(log).toEqual([]);
});

test("row 12: a nested agent regains nothing", async () => {
  const log: string[] = [];
  const extensions = ["alpha", "beta"].map((name) =>
    inline(name, (pi) => {
      pi.registerTool(tool(`${name}_load`, log));
      pi.on("before_agent_start", async () => pi.registerTool(tool(`${name}_late`, log)));
    }),
  );
  const parent = await session({ extensions, steps: ["hello"] });
  const attachment = attachToPi(parent.session, { allow: ["ext:alpha", "builtin:read"] });
  await parent.session.prompt("hello");
  const child = await session({ extensions, steps: [["alpha_late", "beta_late", "bash"], "done"] });
  const inner = attachToPi(child.session, { allow: ["*"] }, { parent: attachment, name: "child" });
  expect(inner.session.path).toEqual([...attachment.session.path, inner.session.id]);
  await child.session.prompt("go");
  expect(new Set(child.shown.flat())).toEqual(new Set(["read", "alpha_load", "alpha_late"]));
  expect(log).toEqual(["alpha_late"]);
  // Also through a session that the spawner made itself, and at any later moment.
  const grandchild = await session({ extensions, steps: [["alpha_load"], "done"] });
  attachToPi(grandchild.session, inner.session.spawn({ name: "grandchild" }));
  attachment.session.setScope({ allow: ["builtin:read"] });
  await grandchild.session.prompt("go");
  expect(grandchild.shown[0]).toEqual(["read"]);
  expect(log).toEqual(["alpha_late"]);
  expect([...parent.errors, ...child.errors, ...grandchild.errors]).toEqual([]);
  parent.session.dispose();
  await expect(
    child.session.getToolDefinition("read")?.execute("id", { path: "x" }, undefined, undefined, {} as never),
  ).rejects.toThrow();
  expect(active(child)).toEqual([]);
});

test("detached, pi has its own definitions and active tools back", async () => {
  const log: string[] = [];
  const definition = Object.freeze(tool("alpha_do", log));
  const report = tool("report", log);
  const environment = await session({
    extensions: [owning("alpha", definition), owning("beta", tool("beta_do", log))],
    customTools: [report],
    steps: [["beta_do", "report"], "done"],
  });
  environment.session.setActiveToolsByName(active(environment).filter((name) => name !== "edit"));
  const before = active(environment);
  const bash = environment.session.getToolDefinition("bash")?.execute;
  const extensions = environment.session.resourceLoader.getExtensions().extensions.map(({ path }) => path);
  const attachment = attachToPi(environment.session, { allow: ["ext:alpha"] });
  expect(active(environment)).toEqual(["alpha_do"]);
  expect(attachmentOf(environment.session)).toBe(attachment);
  expect(errorCode(() => attachToPi(environment.session, {}))).toBe("ERR_TOOLSCOPE_PI_ATTACHED");
  attachment.dispose();
  attachment.dispose();
  expect(attachmentOf(environment.session)).toBeUndefined();
  expect(attachment.session.state).toBe("disposed");
  expect(active(environment).sort()).toEqual(before.sort());
  expect(environment.session.getToolDefinition("alpha_do")).toBe(definition);
  expect(environment.session.getToolDefinition("report")).toBe(report);
  expect(environment.session.getToolDefinition("bash")?.execute).toBe(bash);
  expect(environment.session.resourceLoader.getExtensions().extensions.map(({ path }) => path)).toEqual(extensions);
  await environment.session.prompt("go");
  expect(log.sort()).toEqual(["beta_do", "report"]);
  attachToPi(environment.session, { allow: ["builtin:read"] });
  expect(active(environment)).toEqual(["read"]);
});

test("a session that is disposed under pi closes everything; one that was given outlives pi's", async () => {
  const log: string[] = [];
  const environment = await session({
    extensions: [owning("alpha", tool("alpha_do", log))],
    steps: [["alpha_do"], "done"],
  });
  const { session: scope } = attachToPi(environment.session, {});
  scope.dispose();
  await environment.session.prompt("go");
  expect(environment.shown).toEqual([[], []]);
  expect(environment.calls[0]?.ok).toBe(false);
  expect(log).toEqual([]);
});

test("an attachment that fails leaves pi as it was", async () => {
  const log: string[] = [];
  const environment = await session({
    extensions: [owning("alpha", tool("alpha_do", log))],
    steps: [["alpha_do"], "done"],
  });
  const { session: pi } = environment;
  const before = active(environment);
  const over = new ToolSession();
  over.dispose();
  expect(errorCode(() => attachToPi(pi, over))).toBe("ERR_TOOLSCOPE_SESSION_DISPOSED");
  expect(errorCode(() => attachToPi(pi, {}, { parent: over }))).toBe("ERR_TOOLSCOPE_SESSION_DISPOSED");
  expect(errorCode(() => attachToPi(pi, { allow: "read" } as never))).toBe("ERR_TOOLSCOPE_INVALID_ARGUMENT");
  expect(errorCode(() => attachToPi(pi, new ToolSession(), { parent: new ToolSession() }))).toBe(
    "ERR_TOOLSCOPE_INVALID_ARGUMENT",
  );
  expect(errorCode(() => attachToPi(pi, null as never))).toBe("ERR_TOOLSCOPE_INVALID_ARGUMENT");
  expect(errorCode(() => attachToPi(pi, {}, { parents: over } as never))).toBe("ERR_TOOLSCOPE_INVALID_ARGUMENT");
  expect(errorCode(() => attachToPi(pi, {}, { onError: "log" } as never))).toBe("ERR_TOOLSCOPE_INVALID_ARGUMENT");
  for (const none of [undefined, null, {}, pi.agent]) {
    expect(errorCode(() => attachToPi(none as never, {}))).toBe("ERR_TOOLSCOPE_HOST_UNSUPPORTED");
  }
  const inner = pi as unknown as { _baseToolDefinitions: unknown };
  const base = inner._baseToolDefinitions;
  inner._baseToolDefinitions = undefined;
  expect(errorCode(() => attachToPi(pi, {}))).toBe("ERR_TOOLSCOPE_HOST_UNSUPPORTED");
  inner._baseToolDefinitions = base;
  expect(attachmentOf(pi)).toBeUndefined();
  await pi.prompt("go");
  expect(active(environment)).toEqual(before);
  expect(log).toEqual(["alpha_do"]);
});

test("an attachment that fails, wherever it fails, leaves pi as it was", async () => {
  const log: string[] = [];
  const api: ExtensionApi[] = [];
  const environment = await session({
    extensions: [owning("alpha", tool("alpha_do", log), tool("fs.read", log)), inline("beta", (pi) => void api.push(pi))],
    customTools: [tool("report", log)],
    steps: [["alpha_do", "report", "fs.read", "beta_do"], "done"],
  });
  const { session: pi } = environment;
  pi.setActiveToolsByName(["write", "report", "alpha_do", "fs.read", "read"]);
  const { extensions, runtime } = pi.resourceLoader.getExtensions();
  const names = pi.getAllTools().map(({ name }) => name);
  const state = (): unknown[] => [
    // pi appends what becomes active again.
    active(environment).sort(),
    names.map((name) => pi.getToolDefinition(name)),
    names.map((name) => (pi.getToolDefinition(name) as { execute: unknown }).execute),
    names.map((name) => (pi.getToolDefinition(name) as { exposure?: unknown }).exposure),
    extensions.map(({ path }) => path),
    extensions.flatMap(({ tools }) => [...tools.values()].map(({ definition }) => definition)),
    [pi, pi.resourceLoader].flatMap((each) => ["reload", "dispose"].map((key) => (each as never)[key])),
    runtime.refreshTools,
    attachmentOf(pi),
  ];
  const before = state();
  // Each thing that the adapter calls fails at each of its calls in turn, once.
  const ours = ["on", "addSource", "start", "checkScope", "activate", "deactivate", "activeTools", "codeMode"];
  const pis = ["getActiveToolNames", "setActiveToolsByName", "getToolDefinition", "subscribe"];
  const failures = new Map<string, number>();
  for (const method of [...ours, ...pis, "refreshTools"]) {
    for (let nth = 1, reached = true; reached && nth < 40; nth++) {
      const scope = new ToolSession({ scope: { exclude: ["read", "bash"] } });
      const target = (ours.includes(method) ? scope : method === "refreshTools" ? runtime : pi) as unknown as Record<string, unknown>;
      const own = Object.getOwnPropertyDescriptor(target, method);
      const original = target[method] as (...given: unknown[]) => unknown;
      let calls = 0;
      target[method] = (...given: unknown[]) => {
        if (++calls === nth) throw new Error("broken");
        return Reflect.apply(original, target, given);
      };
      let attachment: { dispose(): void } | undefined;
      try {
        attachment = attachToPi(pi, scope, { codeMode: true, onError: () => {} });
      } catch (error) {
        expect((error as Error).message, method).toBe("broken");
        failures.set(method, (failures.get(method) ?? 0) + 1);
      }
      reached = calls >= nth;
      calls = Number.POSITIVE_INFINITY;
      if (attachment !== undefined) attachment.dispose();
      if (own === undefined) delete target[method];
      else Object.defineProperty(target, method, own);
      if (attachment === undefined) expect(state(), `${method}, call ${nth}`).toEqual(before);
      pi.setActiveToolsByName(before[0] as string[]);
      scope.dispose();
    }
  }
  expect([...failures.keys()]).toEqual(expect.arrayContaining(["activate", "activeTools", "codeMode", "deactivate", "getToolDefinition", "on", "refreshTools", "start", "subscribe"]));
  // It is pi as it was: what registers now is there, and everything runs unasked.
  api[0]?.registerTool(tool("beta_do", log));
  await pi.prompt("go");
  expect(log).toEqual(["alpha_do", "report", "fs.read", "beta_do"]);
});

test("in the middle of a turn an attachment that fails, and one that ends, leave that turn's tools as they were", async () => {
  for (const ends of [false, true]) {
    const log: string[] = [];
    let environment: PiEnvironment | undefined;
    const execute = async () => {
      const scope = new ToolSession({ scope: { exclude: ["second"] } });
      if (!ends) scope.deactivate = scope.activate = () => { throw new Error("broken"); };
      const pi = (environment as PiEnvironment).session;
      if (ends) attachToPi(pi, scope).dispose();
      else expect(() => attachToPi(pi, scope)).toThrow("broken");
      log.push("first");
      return { content: [], details: {} };
    };
    environment = await session({
      extensions: [owning("alpha", tool("first", log, { execute }), tool("second", log), tool("idle", log, { defaultActive: false, exposure: "model-only" }))],
      steps: [["first", "second"], "done"],
    });
    await environment.session.prompt("go");
    expect(log).toEqual(["first", "second"]);
    expect(environment.calls.map(({ ok }) => ok)).toEqual([true, true]);
  }
});

test("SDK tools that two sessions share are under the scope of each", async () => {
  const log: string[] = [];
  const customTools = [tool("report", log), tool("other", log, { exposure: "deferred" })];
  const one = await session({ customTools, steps: [["report", "other"], "done"] });
  const two = await session({ customTools, steps: [["report", "other"], "done"] });
  attachToPi(one.session, { allow: ["host:sdk/report"] });
  attachToPi(two.session, { allow: ["host:sdk/other"] });
  await one.session.prompt("go");
  expect(log).toEqual(["report"]);
  expect(two.session.getAllTools().find(({ name }) => name === "other")?.exposure).toBe("deferred");
  expect(one.session.getAllTools().find(({ name }) => name === "other")?.exposure).toBe("hidden");
  expect(customTools.map(({ exposure }) => exposure)).toEqual([undefined, "deferred"]);
});

test("no failure of ours reaches pi", async () => {
  const log: string[] = [];
  let alpha: ExtensionApi | undefined;
  const environment = await session({
    extensions: [inline("alpha", (pi) => (pi.registerTool(tool("alpha_do", log)), void (alpha = pi)))],
    steps: [["alpha_do"], ["alpha_do"], "done"],
  });
  const errors: unknown[] = [];
  const { session: scope } = attachToPi(
    environment.session,
    { allow: ["ext:alpha"] },
    { onError: (error) => (errors.push(error), broken()) },
  );
  const broken = (): never => {
    throw new Error("broken");
  };
  for (const method of ["endTurn", "refresh", "beforeToolCall", "afterToolCall", "activate", "deactivate"] as const) {
    Object.defineProperty(scope, method, { value: broken, configurable: true });
  }
  Object.defineProperty(scope.source("ext:alpha"), "add", { value: broken });
  alpha?.registerTool(tool("alpha_new", log));
  await environment.session.prompt("go");
  expect(log).toEqual([]);
  expect(environment.calls.map(({ ok }) => ok)).toEqual([false, false]);
  expect(environment.shown.at(-1)).toEqual(["alpha_do"]);
  expect(errors.length).toBeGreaterThan(0);
});

test("what is out of scope is not in the system prompt", async () => {
  const environment = await session({
    extensions: [
      owning(
        "beta",
        tool("beta_do", [], { promptSnippet: "beta_do does it all", promptGuidelines: ["prefer beta_do"] }),
      ),
    ],
    steps: ["done"],
  });
  attachToPi(environment.session, { allow: ["builtin:read"] });
  await environment.session.prompt("go");
  expect(environment.prompts[0]).not.toMatch(/beta_do|- bash/);
});
