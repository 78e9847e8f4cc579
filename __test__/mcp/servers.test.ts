// `toolscope/mcp` on published servers: `server-everything` over stdio and streamable HTTP, `server-filesystem` over
// stdio, with each generation of the client.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ScopeSpec, ToolSession } from "../../index.js";
import { type McpOptions, connectMcp } from "../../dist/adapters/mcp.js";
import { type Generation, type Tiny, type Transport, atEnd, clientOf, generations, until } from "./hosts.js";

const require = createRequire(import.meta.url);
function program(name: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/${name}/package.json`);
  const [bin] = Object.values(require(manifest).bin) as [string];
  return join(dirname(manifest), bin);
}
const everything = program("server-everything");
const filesystem = program("server-filesystem");

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const reaches: Record<string, (generation: Generation) => Promise<Tiny>> = {
  async stdio({ stdio }) {
    return {
      transport: () => stdio({ command: process.execPath, args: [everything, "stdio"] }),
      crash: async (transport) => void process.kill((transport as { _process?: ChildProcess })._process?.pid as number, "SIGKILL"),
      revive: async () => {},
    };
  },
  async http({ http }) {
    const port = await freePort();
    let server: ChildProcess;
    const revive = async (): Promise<void> => {
      server = spawn(process.execPath, [everything, "streamableHttp"], {
        env: { ...process.env, PORT: String(port) },
        stdio: ["ignore", "ignore", "pipe"],
      });
      await new Promise<void>((resolve) => server.stderr?.on("data", (text) => /listening/i.test(text) && resolve()));
    };
    const crash = async (): Promise<void> => {
      const gone = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGKILL");
      await gone;
    };
    await revive();
    atEnd(() => server.kill("SIGKILL"));
    return { transport: () => http(new URL(`http://127.0.0.1:${port}/mcp`)), crash, revive };
  },
};

async function connected(generation: Generation, transport: Transport, options: McpOptions, scope: ScopeSpec = {}) {
  const session = new ToolSession({ scope });
  atEnd(() => session.dispose());
  const client = clientOf(generation);
  const connection = connectMcp(session, client, options);
  await client.connect(transport);
  await until(() => connection.source.state === "ready");
  return { session, client, connection };
}
const textOf = (value: unknown): string => (value as { content: [{ text: string }] }).content[0].text;

const each = generations.flatMap((generation) => Object.keys(reaches).map((way) => ({ title: `${generation.version} over ${way}`, generation, way })));

describe.each(each)("server-everything, $title", ({ generation, way }) => {
  test("lists, calls, reports progress, is cancelled, crashes and comes back", async () => {
    const server = await reaches[way]!(generation);
    const transport = await server.transport();
    const scope = { allow: ["mcp:everything"], exclude: ["get-env"] };
    const { session, client, connection } = await connected(generation, transport, { name: "everything" }, scope);
    const before = session.start().active;
    expect(before).toContain("mcp__everything__echo");
    expect(before).not.toContain("mcp__everything__get-env");

    const echo = await session.call({ name: "mcp__everything__echo", input: { message: "hello" } });
    expect(textOf(echo.value)).toContain("hello");
    expect(await session.call({ name: "mcp__everything__get-env", input: {} })).toMatchObject({ ok: false, error: { code: "excluded" } });

    const long = { name: "mcp:everything/trigger-long-running-operation", input: { duration: 0.2, steps: 4 } };
    const progress: unknown[] = [];
    expect(await session.call(long, { onProgress: (step) => void progress.push(step) })).toMatchObject({ ok: true });
    expect(progress.length).toBeGreaterThanOrEqual(3);
    expect(progress[0]).toMatchObject({ progress: 1, total: 4 });
    const slow = { ...long, input: { duration: 60, steps: 1 } };
    expect(await session.call(slow, { signal: AbortSignal.timeout(50) })).toMatchObject({ ok: false });

    await server.crash(transport);
    await until(() => connection.source.state === "failed");
    expect(session.checkScope("mcp__everything__echo")).toMatchObject({ allowed: false, code: "pending" });
    expect(session.endTurn().active).toEqual([]);
    await server.revive();
    await client.close();
    await client.connect(await server.transport());
    await until(() => connection.source.state === "ready");
    expect(session.endTurn().active).toEqual(before);
  });
});

describe.each(generations)("server-filesystem, $version", (generation) => {
  test("what is read-only by its trusted hints reads; nothing writes", async () => {
    const folder = await mkdtemp(join(tmpdir(), "toolscope-files-"));
    atEnd(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "note.txt"), "a note");
    const transport = generation.stdio({ command: process.execPath, args: [filesystem, folder] });
    const { session } = await connected(generation, transport, { name: "files", trustHints: true }, { allow: ["mcp:files@readOnly"] });
    expect(session.start().active).toContain("mcp__files__read_text_file");
    expect(session.activeTools()).not.toContain("mcp__files__write_file");
    const read = await session.call({ name: "mcp__files__read_text_file", input: { path: join(folder, "note.txt") } });
    expect(textOf(read.value)).toBe("a note");
    const write = { name: "mcp__files__write_file", input: { path: join(folder, "note.txt"), content: "overwritten" } };
    expect(await session.call(write)).toMatchObject({ ok: false, error: { code: "out_of_scope" } });
    expect(await readFile(join(folder, "note.txt"), "utf8")).toBe("a note");
    // The server's own refusal is a failed call, with what it says.
    const outside = await session.call({ name: "mcp__files__read_text_file", input: { path: "/etc/hostname" } });
    expect(outside).toMatchObject({ ok: false, decision: { allowed: true }, error: { message: expect.stringMatching(/denied|outside/i) } });
  });
});
