// Servers of the protocol's revision 2026-07-28, which only clients of the second generation speak.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ToolSession } from "../../index.js";
import { connectMcp } from "../../dist/adapters/mcp.js";
import { atEnd, clientOf, generations, until } from "./hosts.js";

const program = fileURLToPath(new URL("modern-server.mjs", import.meta.url));

test.each(generations.filter(({ version }) => version.startsWith("client")))("$version listens for notices, and lists and calls as ever", async (generation) => {
  const session = new ToolSession();
  atEnd(() => session.dispose());
  const errors: string[] = [];
  const client = clientOf(generation, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const { source } = connectMcp(session, client, { name: "modern", onError: ({ message }) => errors.push(message) });
  await client.connect(generation.stdio({ command: process.execPath, args: [program] }));
  await until(() => source.state === "ready");
  expect(session.start().active).toEqual(["mcp__modern__grow"]);
  await session.call({ name: "mcp:modern/grow", input: { name: "late" } });
  await until(() => session.tools().length > 1);
  const { added } = session.endTurn();
  expect(added).toEqual(["mcp__modern__late"]);
  expect(await session.call({ name: "mcp__modern__late", input: {} })).toMatchObject({ ok: true, value: { content: [{ text: "late ran" }] } });
  await client.close();
  expect(source.state).toBe("failed");
  expect(errors).toEqual([]);
});
