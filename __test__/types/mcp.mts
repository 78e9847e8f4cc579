// Compiled by host-types.test.ts, never run: every version of the client is a client.
import { Client as SecondClient } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { Client as OldestSecondClient } from "mcp-client-oldest";
import { Client as OldestFirstClient } from "mcp-sdk-oldest/client/index.js";
import type { ToolSession } from "toolscope";
import { connectMcp } from "toolscope/mcp";

export function connectAll(session: ToolSession): void {
  const info = { name: "host", version: "1.0.0" };
  using first = connectMcp(session, new FirstClient(info), { name: "first", declares: ["search"], exposure: "deferred" });
  connectMcp(session, new OldestFirstClient(info), { name: "second", exposure: (name) => (name === "x" ? "code" : undefined) });
  connectMcp(session, new SecondClient(info), { name: "third", trustHints: true });
  connectMcp(session, new OldestSecondClient(info), { name: "fourth", categories: [{ name: "c", match: "^c", description: "all c" }] });
  // @ts-expect-error a name is needed
  connectMcp(session, new FirstClient(info), {});
  // @ts-expect-error this is no client
  connectMcp(session, { connect() {} }, { name: "fifth" });
  void first.source.state;
}
