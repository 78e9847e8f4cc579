// A real pi session for the demo: pi's own loader, MCP extension, code mode and agent loop. Only the model is scripted,
// by the provider that pi ships for tests.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const manifest = require.resolve("@modelcontextprotocol/server-everything/package.json");
const everything = join(dirname(manifest), require(manifest).bin["mcp-server-everything"]);

/**
 * @param {{ folder: string, secret: string, tools?: string[], answers: ((context: object) => object)[],
 *   extensions: { name: string, factory: (pi: object) => void }[] }} options `secret` is put into the MCP server's
 *   environment; `answers` make one answer of the model each, from the request it was sent.
 */
export async function startPi({ folder, secret, tools, answers, extensions }) {
  // Before pi is loaded: it is to read no settings but those below, and to ask no catalogue.
  process.env.PI_CODING_AGENT_DIR = join(folder, "agent");
  process.env.PI_OFFLINE = "1";
  const pi = await import("@earendil-works/pi-coding-agent");
  const { fauxProvider } = await import("@earendil-works/pi-ai");

  const agentDir = join(folder, "agent");
  const faux = fauxProvider({ models: [{ id: "scripted", contextWindow: 200_000 }] });
  faux.setResponses(answers);
  const modelRuntime = await pi.ModelRuntime.create({ authPath: join(agentDir, "auth.json"), modelsPath: null });
  modelRuntime.registerNativeProvider(faux.provider);
  const settingsManager = pi.SettingsManager.inMemory({});
  // `get-env` prints what pi hands on of this process's environment, which is nobody's business.
  const blank = Object.fromEntries(Object.keys(process.env).map((name) => [name, ""]));
  const server = {
    command: process.execPath,
    args: [everything, "stdio"],
    env: { ...blank, DEMO_SECRET: secret },
    exposure: "direct",
  };
  const resourceLoader = new pi.DefaultResourceLoader({
    cwd: folder,
    agentDir,
    settingsManager,
    extensionFactories: [
      ...extensions,
      { name: "servers", factory: (api) => api.registerMcpServer("everything", server) },
      { name: "mcp", factory: pi.createMcpExtension() },
      { name: "codemode", factory: pi.createCodemodeExtension(), builtin: true },
    ],
    additionalExtensionPaths: ["builtin:codemode"],
    noSkills: true,
    noPromptTemplates: true,
    noThemes: true,
    noContextFiles: true,
  });
  await resourceLoader.reload();
  const { session } = await pi.createAgentSession({
    cwd: folder,
    agentDir,
    settingsManager,
    modelRuntime,
    model: faux.getModel(),
    thinkingLevel: "off",
    sessionManager: pi.SessionManager.inMemory(folder),
    resourceLoader,
    ...(tools && { tools }),
  });
  return {
    session,
    async end() {
      await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
      session.dispose();
    },
  };
}
