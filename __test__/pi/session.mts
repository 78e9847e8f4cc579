// Real pi sessions for the tests: pi's own loader, extensions, agent loop and code mode; only the model's answers are
// scripted. Everything lives below one temporary folder, away from the user's settings.
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = mkdtempSync(join(tmpdir(), "toolscope-pi-"));
process.env.PI_CODING_AGENT_DIR = join(root, "agent");
process.env.PI_OFFLINE ??= "1";
process.on("exit", () => rmSync(root, { recursive: true, force: true }));

/** A folder of its own, removed when the process ends. */
export const folder = (): string => mkdtempSync(join(root, "folder-"));

/** The folder of a package as a module in `from` would find it. */
function packageFolder(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    if (existsSync(path)) return realpathSync(path);
    if (dirname(folder) === folder) throw new Error(`\`${name}\` is not installed; run \`npm ci\``);
  }
}

/** The pi under test: the newest of the peer range, or the one that TOOLSCOPE_TEST_PI names (`pi-oldest`). */
export const piFolder: string = packageFolder(
  process.env.TOOLSCOPE_TEST_PI ?? "@earendil-works/pi-coding-agent",
  dirname(fileURLToPath(import.meta.url)),
);
const load = (folder: string): Promise<unknown> => import(pathToFileURL(join(folder, "dist", "index.js")).href);
const pi = (await load(piFolder)) as typeof import("@earendil-works/pi-coding-agent");
export const piModule: typeof import("@earendil-works/pi-coding-agent") = pi;
const ai = (await load(packageFolder("@earendil-works/pi-ai", piFolder))) as typeof import("@earendil-works/pi-ai");

export type AgentSession = InstanceType<typeof pi.AgentSession>;
export type ExtensionApi = Parameters<import("@earendil-works/pi-coding-agent").ExtensionFactory>[0];
export type Extension = import("@earendil-works/pi-coding-agent").InlineExtension;
type CustomTool = NonNullable<NonNullable<Parameters<typeof pi.createAgentSession>[0]>["customTools"]>[number];

/** One answer of the model: a text, or calls (a name, or a name with its arguments). */
export type Answer = string | readonly (string | { name: string; args: Record<string, unknown> })[];
/** An answer that is made when its turn comes. */
export type Step = Answer | (() => Answer);

/** How one call ended, as pi tells its listeners. */
export interface EndedCall {
  name: string;
  nested: boolean;
  ok: boolean;
  text: string;
}

export interface PiEnvironment {
  session: AgentSession;
  /** The names of the tools that the model was shown, request by request. */
  shown: string[][];
  /** What each request's system prompt said. */
  prompts: string[];
  /** What each tool's declaration said, request by request. */
  descriptions: Map<string, string>[];
  calls: EndedCall[];
  /** Errors that pi reported of extensions. */
  errors: string[];
  /** Appends answers to the script. */
  script(...steps: Step[]): void;
  /** Lets extensions start (`session_start`), as a front end of pi does. */
  bind(): Promise<void>;
}

/** A tool that records its runs in `log`. */
export function tool(name: string, log: string[], extra: Record<string, unknown> = {}): CustomTool {
  return {
    name,
    label: name,
    description: `${name} does what ${name} says`,
    parameters: { type: "object", properties: { q: { type: "string" } } },
    execute: async () => {
      log.push(name);
      return { content: [{ type: "text", text: `${name} ran` }], details: {} };
    },
    ...extra,
  } as unknown as CustomTool;
}

/** An inline extension; its path is `<inline:NAME>`. */
export const inline = (name: string, factory: (api: ExtensionApi) => void | Promise<void>): Extension => ({
  name,
  factory,
});

export interface PiOptions {
  extensions?: readonly Extension[];
  /** Paths of extensions, such as `builtin:codemode` (see `builtIn`) or a file. */
  paths?: readonly string[];
  steps?: readonly Step[];
  tools?: string[];
  excludeTools?: string[];
  customTools?: CustomTool[];
  settings?: Record<string, unknown>;
  /** A session file's manager, for a session that is resumed. */
  manager?: import("@earendil-works/pi-coding-agent").SessionManager;
  cwd?: string;
}

/** pi's own extensions as the command line loads them: by `builtin:` path. */
export const builtIn = {
  codemode: { name: "codemode", factory: pi.createCodemodeExtension(), builtin: true } as Extension,
  toolSearch: { name: "tool-search", factory: pi.createToolSearchExtension(), builtin: true } as Extension,
};

export const mcpExtension = (): Extension => ({ name: "mcp", factory: pi.createMcpExtension() });

export async function createPi(options: PiOptions = {}): Promise<PiEnvironment> {
  const cwd = options.cwd ?? folder();
  const agentDir = process.env.PI_CODING_AGENT_DIR as string;
  const faux = ai.fauxProvider({ models: [{ id: "faux-1", contextWindow: 10_000_000 }] });
  const modelRuntime = await pi.ModelRuntime.create({ authPath: join(agentDir, "auth.json"), modelsPath: null });
  modelRuntime.registerNativeProvider(faux.provider);
  const settingsManager = pi.SettingsManager.inMemory(options.settings ?? {});
  const resourceLoader = new pi.DefaultResourceLoader({
    cwd,
    agentDir,
    settingsManager,
    extensionFactories: [...(options.extensions ?? [])],
    additionalExtensionPaths: [...(options.paths ?? [])],
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
    appendSystemPromptOverride: () => [],
  });
  await resourceLoader.reload();
  const { session } = await pi.createAgentSession({
    cwd,
    agentDir,
    settingsManager,
    modelRuntime,
    model: faux.getModel(),
    thinkingLevel: "off",
    sessionManager: options.manager ?? pi.SessionManager.inMemory(cwd),
    resourceLoader,
    ...(options.tools && { tools: options.tools }),
    ...(options.excludeTools && { excludeTools: options.excludeTools }),
    ...(options.customTools && { customTools: options.customTools }),
  });
  const environment: PiEnvironment = {
    session,
    shown: [],
    prompts: [],
    descriptions: [],
    calls: [],
    errors: [],
    script: (...steps) => faux.appendResponses(steps.map(respond)),
    bind: () =>
      session.bindExtensions({ onError: (error) => environment.errors.push(`${error.event}: ${error.error}`) }),
  };
  type Respond = Extract<Parameters<typeof faux.setResponses>[0][number], (...given: never[]) => unknown>;
  const respond =
    (step: Step): Respond =>
    (context) => {
      const declared = ai.getCurrentTools(context.messages);
      environment.shown.push(declared.map(({ name }) => name));
      environment.descriptions.push(new Map(declared.map(({ name, description }) => [name, description])));
      environment.prompts.push(ai.getCurrentSystemPrompt(context.messages) ?? "");
      const answer = typeof step === "function" ? step() : step;
      if (typeof answer === "string") return ai.fauxAssistantMessage(answer);
      const calls = answer.map((call) =>
        typeof call === "string"
          ? ai.fauxToolCall(call, {})
          : ai.fauxToolCall(call.name, call.args as Parameters<typeof ai.fauxToolCall>[1]),
      );
      return ai.fauxAssistantMessage(calls, { stopReason: "toolUse" });
    };
  faux.setResponses((options.steps ?? []).map(respond));
  session.subscribe((event) => {
    if (event.type !== "tool_execution_end") return;
    const content = (event.result?.content ?? []) as { text?: string }[];
    environment.calls.push({
      name: event.toolName,
      nested: event.parentToolCallId !== undefined,
      ok: !event.isError,
      text: content.map(({ text }) => text ?? "").join(""),
    });
  });
  return environment;
}
