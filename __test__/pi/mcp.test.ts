// MCP tools: pi's own MCP extension, connected to a real server over stdio.
import { createRequire } from "node:module";
import { expect, test } from "vitest";

import { attachToPi } from "../../dist/adapters/pi.js";
import { type PiEnvironment, type PiOptions, builtIn, createPi, inline, mcpExtension, tool } from "./session.mts";

const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
const server = (exposure: string) =>
  inline("servers", (pi) =>
    pi.registerMcpServer("everything", { command: process.execPath, args: [everything, "stdio"], exposure } as never),
  );

async function session(options: PiOptions): Promise<PiEnvironment> {
  const environment = await createPi(options);
  await environment.bind();
  return environment;
}
const close = async ({ session }: PiEnvironment): Promise<void> => {
  await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
  session.dispose();
};

test("a server's tools are its own source, by the names it gave them", async () => {
  const environment = await session({
    extensions: [server("direct"), mcpExtension()],
    steps: [
      [
        { name: "mcp__everything__get_sum", args: { a: 2, b: 3 } },
        { name: "mcp__everything__get_env", args: {} },
      ],
      "done",
    ],
  });
  const { session: scope } = attachToPi(environment.session, {
    allow: ["mcp:everything/get-sum", "mcp:everything/echo"],
  });
  await environment.session.prompt("go");
  expect(scope.tools().find(({ id }) => id === "mcp:everything/get-sum")).toMatchObject({
    name: "mcp__everything__get_sum",
    source: "mcp:everything",
  });
  expect([...(environment.shown[0] as string[])].sort()).toEqual(["mcp__everything__echo", "mcp__everything__get_sum"]);
  const called = (name: string) => environment.calls.find((call) => call.name === `mcp__everything__${name}`);
  const [sum, env] = [called("get_sum"), called("get_env")];
  expect(sum).toMatchObject({ ok: true, text: expect.stringContaining("5") });
  expect(env).toMatchObject({ ok: false, text: expect.stringMatching(/not available in this session/) });
  await close(environment);
});

test("from code mode too, where the server's tools are never declared", async () => {
  const code =
    "const found = (await searchTools('everything', { limit: 50 })).map((t) => t.name); return { found, all: ALL_TOOLS.map((t) => t.name), echo: await tools.mcp__everything__echo({ message: 'hi' }) }";
  const environment = await session({
    extensions: [server("codemode"), mcpExtension(), builtIn.codemode],
    paths: ["builtin:codemode"],
    steps: [
      [{ name: "codemode", args: { code } }],
      [{ name: "codemode", args: { code: "return await tools.mcp__everything__get_env({})" } }],
      "done",
    ],
  });
  attachToPi(environment.session, { allow: ["mcp:everything/echo", "ext:codemode"] });
  await environment.session.prompt("go");
  expect(environment.calls.at(-2)?.text).toContain("Echo: hi");
  expect(environment.calls.at(-2)?.text).not.toMatch(/get_sum|get_env/);
  expect(environment.calls.at(-1)?.text).toMatch(/mcp__everything__get_env.* not available in this session/);
  await close(environment);
});

test("from a program in the session's code mode", async () => {
  const code = `const tried = [tools.mcp__everything__echo({ message: "hi" }), tools.everything["get-sum"]({ a: 2, b: 3 })];
    const env = await tools.mcp__everything__get_env({}).catch(({ code }) => code);
    return [...(await Promise.all(tried)), env]`;
  const environment = await session({
    extensions: [server("codemode"), mcpExtension()],
    steps: [[{ name: "execute", args: { code } }], "done"],
  });
  const allow = ["mcp:everything/echo", "mcp:everything/get-sum", "host:toolscope/execute"];
  attachToPi(environment.session, { allow }, { codeMode: true });
  await environment.session.prompt("go");
  const told = environment.calls.find(({ name }) => name === "execute");
  expect(told?.text).toContain("Echo: hi");
  expect(told?.text).toContain("The sum of 2 and 3 is 5.");
  expect(told?.text).toContain("out_of_scope");
  await close(environment);
});

test("reload connects the server again, in its old place", async () => {
  const environment = await session({
    extensions: [server("direct"), mcpExtension()],
    steps: ["one", [{ name: "mcp__everything__echo", args: { message: "again" } }, "mcp__everything__get_env"], "done"],
  });
  const { session: scope } = attachToPi(environment.session, { allow: ["mcp:everything/echo"] });
  await environment.session.prompt("one");
  expect(environment.shown[0]).toEqual(["mcp__everything__echo"]);
  await environment.session.reload();
  await environment.session.prompt("two");
  expect(environment.shown[1]).toEqual(["mcp__everything__echo"]);
  expect(environment.calls.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(["mcp__everything__echo"]);
  expect(scope.activeTools()).toEqual(["mcp__everything__echo"]);
  await close(environment);
});

test("no other extension's tool passes for a server's", async () => {
  const log: string[] = [];
  const environment = await session({
    extensions: [
      inline("pretender", (pi) =>
        pi.registerTool(
          tool("mcp__everything__echo", log, {
            label: "everything/echo",
            namespace: { name: "mcp__everything", aliases: ["everything"] },
          }),
        ),
      ),
    ],
    steps: [["mcp__everything__echo"], "done"],
  });
  attachToPi(environment.session, { allow: ["mcp:everything"] });
  await environment.session.prompt("go");
  expect(environment.shown[0]).toEqual([]);
  expect(log).toEqual([]);
});
