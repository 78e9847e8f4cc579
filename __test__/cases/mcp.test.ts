// The public cases about what MCP servers do, on a server over the wire.
import { describe, expect, test } from "vitest";
import { type ScopeSpec, ToolSession } from "../../index.js";
import { connectMcp } from "../../dist/adapters/mcp.js";
import { type Generation, type TinyOptions, atEnd, clientOf, generations, until, ways } from "../mcp/hosts.js";

async function connected(generation: Generation, server: TinyOptions, name: string, scope: ScopeSpec = {}, session = new ToolSession({ scope })) {
  atEnd(() => session.dispose());
  const tiny = await ways.stdio(generation, server);
  const client = clientOf(generation);
  const connection = connectMcp(session, client, { name });
  const transport = await tiny.transport();
  await client.connect(transport);
  await until(() => connection.source.state === "ready");
  return { session, client, connection, tiny, transport };
}
const ids = (session: ToolSession): string[] => session.tools().map(({ id }) => id);
const activeIds = (session: ToolSession): string[] => session.tools().filter(({ active }) => active).map(({ id }) => id);

describe.each(generations)("with $version", (generation) => {
  test("first-page-only: a tool of a later page is there", async () => {
    const { session } = await connected(generation, { tools: ["a", "b", "c"], pageSize: 2 }, "s", { allow: ["mcp:s/c"] });
    session.start();
    expect(ids(session)).toEqual(["mcp:s/a", "mcp:s/b", "mcp:s/c"]);
    expect(activeIds(session)).toEqual(["mcp:s/c"]);
  });

  test("listchanged-index-stale: a notice that was not announced brings the tool", async () => {
    const unlock = { tools: ["change"], listChanged: false };
    const { session } = await connected(generation, unlock, "lazy");
    session.start();
    const { generation: before } = session;
    await session.call({ name: "mcp:lazy/change", input: { add: ["secret_number"] } });
    await until(() => ids(session).includes("mcp:lazy/secret_number"));
    expect(session.generation).toBeGreaterThan(before);
    expect(await session.call({ name: "mcp__lazy__secret_number", input: {} })).toMatchObject({ ok: true });
  });

  test("listchanged-index-stale: search finds it", async () => {
    const { session } = await connected(generation, { tools: ["change"], listChanged: false }, "lazy");
    session.search("secret number");
    await session.call({ name: "mcp:lazy/change", input: { add: ["secret_number"] } });
    await until(() => ids(session).includes("mcp:lazy/secret_number"));
    expect(session.search("secret number").items[0]).toMatchObject({ id: "mcp:lazy/secret_number" });
  });

  test("transient-drop-permanent: reconnected, the tools are back under their names", async () => {
    const { session, client, connection, tiny, transport } = await connected(generation, { tools: ["p"] }, "n");
    const deltas = [session.start()];
    await tiny.crash(transport);
    await until(() => connection.source.state === "failed");
    deltas.push(session.endTurn());
    await client.connect(await tiny.transport());
    await until(() => connection.source.state === "ready");
    deltas.push(session.endTurn());
    expect(deltas.map(({ active }) => active)).toEqual([["mcp__n__p"], [], ["mcp__n__p"]]);
    expect(deltas.slice(1)).toMatchObject([{ removed: ["mcp__n__p"] }, { added: ["mcp__n__p"] }]);
  });

  test("same-server-normalise: three tools of one server stay three, each called by its raw name", async () => {
    const { session } = await connected(generation, { tools: ["a.b", "a_b", "c"] }, "s");
    const names = session.start().active;
    expect(new Set(names).size).toBe(3);
    const ran: unknown[] = [];
    for (const name of names) {
      const { value } = await session.call({ name, input: {} });
      ran.push(JSON.parse((value as { content: [{ text: string }] }).content[0].text).name);
    }
    expect(ran).toEqual(["a.b", "a_b", "c"]);
  });

  test("mcp-absent-in-child, no-list-plus-mcp-throws: a child without a list has the parent's MCP tools", async () => {
    const root = new ToolSession();
    root.addSource({ kind: "builtin", name: "agent", tools: [{ name: "read" }] });
    const child = root.spawn({ name: "child" });
    root.start();
    child.start();
    await connected(generation, { tools: ["find"] }, "docs", undefined, root);
    expect(child.endTurn().active).toEqual(["read", "mcp__docs__find"]);
    expect(await child.call({ name: "mcp__docs__find", input: {} })).toMatchObject({ ok: true });
  });
});

describe("beside the clients' own listings: one bad tool", () => {
  const sound = { type: "object" };
  const every = generations.map(({ version }) => version);
  // What each listing does with the whole server for the sake of the one tool: the reason why we read the raw answer.
  const bad = [
    { what: "a boolean sub-schema", tool: { name: "odd", inputSchema: { ...sound, properties: { open: true } } }, throws: ["sdk 1.x"] },
    { what: "no schema", tool: { name: "bare" }, throws: every },
    { what: "no name", tool: { inputSchema: sound }, throws: every },
  ];
  test.each(generations.flatMap((generation) => bad.map((one) => ({ ...one, generation, version: generation.version }))))(
    "$what, with $version",
    async ({ generation, version, tool, throws }) => {
      const { session, client } = await connected(generation, { tools: ["good", tool, "last"] }, "s");
      expect(ids(session)).toEqual(["good", tool.name, "last"].flatMap((name) => (name === undefined ? [] : [`mcp:s/${name}`])));
      const listing = client.listTools();
      if (throws.includes(version)) await expect(listing).rejects.toThrow();
      else expect((await listing).tools).toHaveLength(3);
    },
  );
});
