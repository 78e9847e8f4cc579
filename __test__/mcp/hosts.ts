// The official client in every generation and version that the peer ranges admit at their ends, behind one face.
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as FirstHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as SecondClient, StreamableHTTPClientTransport as SecondHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldestFirstClient } from "mcp-sdk-oldest/client/index.js";
import { StdioClientTransport as OldestFirstStdio } from "mcp-sdk-oldest/client/stdio.js";
import { StreamableHTTPClientTransport as OldestFirstHttp } from "mcp-sdk-oldest/client/streamableHttp.js";
import { Client as OldestSecondClient, StreamableHTTPClientTransport as OldestSecondHttp } from "mcp-client-oldest";
import { StdioClientTransport as OldestSecondStdio } from "mcp-client-oldest/stdio";
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import type { McpClient } from "../../dist/adapters/mcp.js";
import { type TinyOptions, serveHttp } from "./server.mjs";

export interface Transport {
  close(): Promise<void>;
}
export interface Host extends McpClient {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
}
type Made<T> = new (...args: never[]) => T;

export interface Generation {
  readonly version: string;
  readonly client: (options?: object) => Host;
  readonly stdio: (parameters: object) => Transport;
  readonly http: (url: URL) => Transport;
}

function generation(version: string, Client: Made<unknown>, Stdio: Made<unknown>, Http: Made<unknown>): Generation {
  const make = <T>(Class: Made<unknown>, ...args: unknown[]): T => new (Class as new (...args: unknown[]) => T)(...args);
  return {
    version,
    client: (options) => make(Client, { name: "toolscope-test", version: "1.0.0" }, options),
    stdio: (parameters) => make(Stdio, { stderr: "ignore", ...parameters }),
    http: (url) => make(Http, url),
  };
}

export const generations: readonly Generation[] = [
  generation("sdk 1.x", FirstClient, FirstStdio, FirstHttp),
  generation("sdk 1.10.2, the oldest", OldestFirstClient, OldestFirstStdio, OldestFirstHttp),
  generation("client 2.x", SecondClient, SecondStdio, SecondHttp),
  generation("client 2.0.0, the oldest", OldestSecondClient, OldestSecondStdio, OldestSecondHttp),
];

/** The tests' own server, reached one way or the other; `crash` ends it as a fault would, `revive` brings it back. */
export interface Tiny {
  transport(): Promise<Transport> | Transport;
  crash(transport: Transport): Promise<void>;
  revive(): Promise<void>;
}
export type { TinyOptions } from "./server.mjs";

const ends: (() => unknown)[] = [];
/** At the end of the test, the last first. */
export const atEnd = (end: () => unknown): void => void ends.push(end);
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const program = fileURLToPath(new URL("server.mjs", import.meta.url));

export const ways = {
  async stdio({ stdio }: Generation, options: TinyOptions): Promise<Tiny> {
    return {
      transport: () => stdio({ command: process.execPath, args: [program, JSON.stringify(options)] }),
      // Not every version tells the process id by its public surface.
      crash: async (transport) => void process.kill((transport as { _process?: ChildProcess })._process?.pid as number, "SIGKILL"),
      revive: async () => {},
    };
  },
  async http({ http }: Generation, options: TinyOptions): Promise<Tiny> {
    const server = await serveHttp(options);
    let up = true;
    atEnd(() => up && server.stop());
    return {
      transport: () => http(server.url),
      async crash() {
        up = false;
        await server.stop();
      },
      async revive() {
        await server.start();
        up = true;
      },
    };
  },
} as const;
export type Way = keyof typeof ways;

/** A host's client, closed at the end of the test. */
export function clientOf(generation: Generation, options?: object): Host {
  const client = generation.client(options);
  atEnd(() => client.close());
  return client;
}

export const each: readonly { title: string; generation: Generation; way: Way }[] = generations.flatMap((generation) =>
  (["stdio", "http"] as const).map((way) => ({ title: `${generation.version} over ${way}`, generation, way })),
);

/** Resolves once `holds` does; the test's own time is the limit. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}
