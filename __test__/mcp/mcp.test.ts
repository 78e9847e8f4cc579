// `toolscope/mcp` on servers over stdio and streamable HTTP, with each generation of the official client alike.
import { describe, expect, test, vi } from "vitest";
import { type ScopeSpec, ToolSession } from "../../index.js";
import { type McpConnection, type McpOptions, connectMcp } from "../../dist/adapters/mcp.js";
import { type Host, type TinyOptions, atEnd, clientOf, each, generations, until, ways } from "./hosts.js";

function sessionOf(scope: ScopeSpec = {}): ToolSession {
  const session = new ToolSession({ scope });
  atEnd(() => session.dispose());
  return session;
}
const names = (session: ToolSession): string[] => session.tools().map(({ id }) => id.slice(id.indexOf("/") + 1));
const ready = (connection: McpConnection): Promise<void> => until(() => connection.source.state === "ready");

describe.each(each)("$title", ({ generation, way }) => {
  async function connected(options: TinyOptions, given: Partial<McpOptions> = {}, scope: ScopeSpec = {}) {
    const tiny = await ways[way](generation, options);
    const client = clientOf(generation);
    const session = sessionOf(scope);
    const connection = connectMcp(session, client, { name: "tiny", ...given });
    const transport = await tiny.transport();
    await client.connect(transport);
    await ready(connection);
    return { tiny, client, session, connection, transport };
  }
  const run = async (session: ToolSession, name: string, input?: object): Promise<unknown> => {
    const { ok, value, error } = await session.call({ name: `mcp:tiny/${name}`, input: input ?? {} });
    if (!ok) throw new Error(error?.message);
    return JSON.parse((value as { content: [{ text: string }] }).content[0].text);
  };

  test("connects before or after the server: pending until then, late tools where the scope has them", async () => {
    const tiny = await ways[way](generation, { tools: ["a", "b"] });
    const client = clientOf(generation);
    const session = sessionOf({ allow: ["mcp:tiny/b"] });
    const { source } = connectMcp(session, client, { name: "tiny", declares: ["b"] });
    session.start();
    expect(source.state).toBe("pending");
    expect(session.checkScope("mcp__tiny__b")).toMatchObject({ allowed: false, code: "pending" });
    await client.connect(await tiny.transport());
    await until(() => source.state === "ready");
    expect(session.endTurn().added).toEqual(["mcp__tiny__b"]);
    expect(session.checkScope("mcp__tiny__a")).toMatchObject({ allowed: false, code: "out_of_scope" });

    const second = sessionOf();
    const late = connectMcp(second, client, { name: "tiny" });
    await ready(late);
    expect(names(second)).toEqual(["a", "b"]);
  });

  test("the server's instructions are what its source is for; without any, the host's word stands", async () => {
    for (const instructions of ["ask it about Oslo", undefined]) {
      const tiny = await ways[way](generation, { tools: ["a"], ...(instructions !== undefined && { instructions }) });
      const client = clientOf(generation);
      const connection = connectMcp(sessionOf(), client, { name: "tiny", description: "the host's word" });
      const described = vi.spyOn(connection.source, "describe");
      await client.connect(await tiny.transport());
      await ready(connection);
      expect(described.mock.calls).toEqual([[instructions ?? "the host's word"]]);
    }
  });

  test("the host's categories of a server reach the catalog", async () => {
    const categories = [{ name: "issues", match: "^issue_", description: "all about issues" }];
    const tools = ["issue_open", "issue_close", "other"];
    const { session, connection } = await connected({ tools }, { categories, exposure: "code" });
    session.start();
    expect(session.catalog({ budget: 60 }).categories).toEqual([{ namespace: "mcp:tiny", name: "issues", unshown: expect.any(Number) }]);
    connection.dispose();
    expect(session.catalog().categories).toEqual([]);
  });

  test("reads every page", async () => {
    const tools = Array.from({ length: 23 }, (_, at) => `tool${at}`);
    const { session } = await connected({ tools, pageSize: 5 });
    expect(names(session)).toEqual(tools);
  });

  test.each([true, false])("hears that the list has changed (announced: %s), many notices as one", async (listChanged) => {
    const { session, connection } = await connected({ tools: ["change", "stats", "a"], listChanged });
    session.start();
    await session.call({ name: "mcp:tiny/change", input: { add: ["c", "d"], remove: ["a"], notices: 5 } });
    await until(() => names(session).includes("d"));
    expect(session.endTurn()).toMatchObject({ added: ["mcp__tiny__c", "mcp__tiny__d"], removed: ["mcp__tiny__a"] });
    expect(session.checkScope("mcp:tiny/a")).toMatchObject({ allowed: false, code: "unknown" });
    expect(await run(session, "stats")).toMatchObject({ lists: 2 });
    expect(connection.source.report.quarantined).toEqual([]);
  });

  test("a notice during a listing is not lost", async () => {
    const { session } = await connected({ tools: ["a"], noticeWhileListing: true });
    await until(() => names(session).includes("during"));
  });

  test("a server that sends a notice after each listing is asked ever more seldom", async () => {
    const { session } = await connected({ tools: ["stats"], noticeAfterListing: true });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { lists } = (await run(session, "stats")) as { lists: number };
    expect(lists).toBeGreaterThan(1);
    expect(lists).toBeLessThanOrEqual(5);
  });

  test("a crash: its tools are pending; it comes back in its old places under its old names", async () => {
    const { session, connection, client, transport, tiny } = await connected({ tools: ["a", "b"] }, {}, { allow: ["*", "mcp:tiny/b"] });
    session.addSource({ kind: "mcp", name: "other", tools: [{ name: "x" }] });
    const before = session.start().active;
    expect(before).toEqual(["mcp__tiny__a", "mcp__tiny__b", "mcp__other__x"]);
    await tiny.crash(transport);
    await until(() => connection.source.state === "failed");
    expect(session.endTurn()).toMatchObject({ active: ["mcp__other__x"] });
    expect(session.checkScope("mcp__tiny__a")).toMatchObject({ allowed: false, code: "pending" });
    expect(session.report().allow.find(({ selector }) => selector === "mcp:tiny/b")).toMatchObject({ state: "pending" });

    await tiny.revive();
    await client.close();
    await client.connect(await tiny.transport());
    await ready(connection);
    expect(session.endTurn().active).toEqual(before);
    expect(await run(session, "a", { q: 1 })).toEqual({ name: "a", input: { q: 1 } });
  });

  test("a new client takes the source over under its name; while the old one is connected the name is taken", async () => {
    const { session, connection, client, tiny } = await connected({ tools: ["a", "b"] });
    const before = session.start().active;
    const next = clientOf(generation);
    expect(() => connectMcp(session, next, { name: "Tiny" })).toThrow(expect.objectContaining({ code: "ERR_TOOLSCOPE_SOURCE_DUPLICATE" }));
    await client.close();
    expect(connection.source.state).toBe("failed");
    session.endTurn();
    const again = connectMcp(session, next, { name: "tiny" });
    await next.connect(await tiny.transport());
    await ready(again);
    expect(session.endTurn().active).toEqual(before);
    connection.dispose();
    expect(again.source.state).toBe("ready");
  });

  test.each(["connected", "not yet connected"])("under the name of a source that the host closed, one is added anew for a client that is %s", async (how) => {
    for (const closes of [true, false]) {
      const { session, connection, client, tiny } = await connected({ tools: ["a"] }, { trustHints: true });
      if (closes) await client.close();
      connection.source.close();
      const next = clientOf(generation);
      if (how === "connected") await next.connect(await tiny.transport());
      const again = connectMcp(session, next, { name: "tiny", trustHints: false });
      if (how !== "connected") await next.connect(await tiny.transport());
      await ready(again);
      expect(names(session)).toEqual(["a"]);
      connection.dispose();
      expect(again.source.state).toBe("ready");
      again.dispose();
      for (const one of [client, next]) expect(Object.hasOwn(one, "connect")).toBe(false);
    }
  });

  test("a new client takes the source over as it was added; another word on it is refused, and the source left", async () => {
    const first = { aliases: ["old"], declares: ["a"], path: "/x", trustHints: true };
    const { session, connection, client, tiny } = await connected({ tools: ["a"] }, first);
    await client.close();
    const next = clientOf(generation);
    for (const other of [{ aliases: ["new"] }, { declares: [] }, { path: "/y" }, { trustHints: false }]) {
      expect(() => connectMcp(session, next, { name: "tiny", ...other })).toThrow(
        expect.objectContaining({ code: "ERR_TOOLSCOPE_INVALID_ARGUMENT", message: expect.stringContaining(Object.keys(other)[0] as string) }),
      );
    }
    expect(Object.hasOwn(next, "connect")).toBe(false);
    const again = connectMcp(session, next, { name: "tiny", ...first });
    expect(again.source).toBe(connection.source);
    await next.connect(await tiny.transport());
    await ready(again);
  });

  test("bad tools are quarantined alone", async () => {
    const loops = { type: "object", properties: { open: true, shut: false } };
    const { session, connection } = await connected({
      tools: [
        "good",
        { name: "boolean", inputSchema: loops, description: "has a boolean sub-schema" },
        { description: "has no name", inputSchema: { type: "object" } },
        { name: "huge", describedBy: 5_000_000, inputSchema: { type: "object" } },
        { name: "listed", inputSchema: [] },
        { name: "last", inputSchema: { type: "object" } },
      ],
    });
    expect(names(session)).toEqual(["good", "boolean", "last"]);
    expect(connection.source.report.quarantined.map(({ name }) => name)).toEqual(["", "huge", "listed"]);
    expect(session.checkScope("mcp:tiny/huge")).toMatchObject({ allowed: false, code: "quarantined" });
    expect(await run(session, "boolean")).toEqual({ name: "boolean", input: {} });
  });

  test("keeps annotations, believed only where the host trusts them; takes no word of the host's from a server", async () => {
    const tools = [
      { name: "look", title: "Look", annotations: { readOnlyHint: true }, inputSchema: { type: "object" }, exposure: "hidden" },
      { name: "drop", inputSchema: { type: "object" } },
    ];
    const scope = { allow: ["mcp:tiny@readOnly"] };
    const trusted = await connected({ tools }, { trustHints: true }, scope);
    expect(trusted.session.start().active).toEqual(["mcp__tiny__look"]);
    expect(trusted.session.tools().map(({ exposure }) => exposure)).toEqual(["direct", "direct"]);
    const other = await connected({ tools }, {}, scope);
    expect(other.session.start().active).toEqual([]);
  });

  test("the host says how tools are exposed; one it cannot say anything of is hidden", async () => {
    const exposure = (name: string): "code" | undefined => {
      if (name === "b") throw new Error("no rule for b");
      return name === "a" ? "code" : undefined;
    };
    const { session } = await connected({ tools: ["a", "b", "c"] }, { exposure });
    expect(session.tools().map((tool) => tool.exposure)).toEqual(["code", "hidden", "direct"]);
  });

  test("a callback of the host's that answers what it should not hides the tool and says so; no promise is left alone", async () => {
    const answers: readonly (() => unknown)[] = [
      async () => "direct",
      async () => Promise.reject(new Error("db down")),
      () => ({ then: () => { throw new Error("a trap"); } }),
      () => "bogus",
      () => null,
      () => { throw new Error("no rule"); },
    ];
    for (const answer of answers) {
      const errors: string[] = [];
      const given = { exposure: answer as never, onError: ({ message }: Error) => errors.push(message) };
      const { session, connection } = await connected({ tools: ["a"] }, given);
      expect(session.tools().map((tool) => tool.exposure)).toEqual(["hidden"]);
      expect(connection.source.report.quarantined).toEqual([]);
      expect(errors).toEqual([expect.stringMatching(/^server `mcp:tiny` has a tool that is kept hidden: /)]);
      // A name that is none is said as such by the session; what it rejects with is nobody's.
      const named = await connected({ tools: ["a"] }, { exposedName: answer as never });
      expect(named.connection.source.state).toBe("ready");
    }
  });

  test("the server receives raw names, whatever the model is shown", async () => {
    const raw = "get weather/now.v2 (beta) 🌦";
    const { session } = await connected({ tools: [raw, "__proto__"] });
    const [name] = session.start().active as [string];
    expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const { value } = await session.call({ name, input: { city: "Oslo" } });
    expect(JSON.parse((value as { content: [{ text: string }] }).content[0].text)).toEqual({ name: raw, input: { city: "Oslo" } });
    expect(await run(session, "__proto__")).toMatchObject({ name: "__proto__" });
  });

  test("a signal cancels the call on the server, and progress comes back", async () => {
    const { session } = await connected({ tools: ["wait", "stats"] });
    const abort = new AbortController();
    const progress: unknown[] = [];
    const call = session.call(
      { name: "mcp:tiny/wait", input: {} },
      { signal: abort.signal, onProgress: (step) => void (progress.push(step), progress.length === 2 && abort.abort(new Error("enough"))) },
    );
    expect(await call).toMatchObject({ ok: false, decision: { allowed: true } });
    expect(progress).toMatchObject([
      { progress: 1, total: 3, message: "step 1" },
      { progress: 2, total: 3, message: "step 2" },
    ]);
    await until(async () => ((await run(session, "stats")) as { cancelled: number[] }).cancelled.length === 1);
    expect(session.source("mcp:tiny")?.state).toBe("ready");
  });

  test("a listener of progress that throws is reported and fails no call", async () => {
    const { session } = await connected({ tools: ["wait"] });
    const diagnostics: string[] = [];
    session.on("diagnostic", ({ code }) => void diagnostics.push(code));
    const onProgress = (): void => {
      throw new Error("no");
    };
    expect(await session.call({ name: "mcp:tiny/wait", input: { ms: 10 } }, { onProgress })).toMatchObject({ ok: true });
    expect(diagnostics).toEqual(["listener_failed", "listener_failed"]);
  });

  test("a result that says it is an error is a failed call; code gets what the output schema describes", async () => {
    const structured = {
      name: "structured",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", properties: { degrees: { type: "number" } } },
    };
    const { session } = await connected({ tools: ["fail", structured] });
    expect(await session.call({ name: "mcp:tiny/fail", input: {} })).toMatchObject({ ok: false, error: { message: "no such city" } });
    const direct = await session.call({ name: "mcp:tiny/structured", input: {} });
    expect(direct.value).toMatchObject({ content: [{ text: "21 degrees" }], structuredContent: { degrees: 21 } });
    const fromCode = await session.call({ name: "mcp:tiny/structured", input: {}, parentCallId: "1" });
    expect(fromCode.value).toEqual({ degrees: 21 });
  });

  test("why a tool failed is what the server said, in whichever form", async () => {
    const image = { type: "image", data: "AA==", mimeType: "image/png" };
    const resource = { type: "resource", resource: { uri: "x:y", text: "in a resource" } };
    const structuredContent = { error: { code: 5 } };
    const { session } = await connected({ tools: ["failWith"] });
    for (const [result, message] of [
      [{ content: [resource] }, "in a resource"],
      [{ content: [image, { type: "text", text: "bad" }, resource] }, "[image]\nbad\nin a resource"],
      [{ content: [], structuredContent }, '{"error":{"code":5}}'],
      [{ content: [image], structuredContent }, '{"error":{"code":5}}'],
      [{ content: [{ type: "text", text: "bad" }], structuredContent }, "bad"],
      [{ content: [image] }, "[image]"],
      [{ content: [] }, "the tool failed and did not say why"],
    ] as const) {
      expect(await session.call({ name: "mcp:tiny/failWith", input: result })).toMatchObject({ ok: false, error: { message } });
    }
  });

  test("a listing that the server refuses leaves the tools it listed before, and is tried again", async () => {
    const errors: string[] = [];
    const { session, connection } = await connected(
      { tools: ["change", "a"], failLists: [2] },
      { onError: ({ message }) => errors.push(message) },
    );
    await session.call({ name: "mcp:tiny/change", input: { add: ["c"] } });
    await until(() => errors.length > 0);
    expect(errors[0]).toMatch(/cannot list just now/);
    expect(connection.source.state).toBe("ready");
    expect(session.checkScope("mcp:tiny/a").allowed).toBe(true);
    await until(() => names(session).includes("c"));
  });

  test("what the host's listener throws or rejects with ends no listing and no retry", async () => {
    const heard: string[] = [];
    const loud = [
      ({ message }: Error) => {
        heard.push(message);
        throw new Error("the host's own");
      },
      async ({ message }: Error) => {
        heard.push(message);
        throw new Error("the host's own");
      },
    ];
    for (const onError of loud) {
      heard.length = 0;
      const { session, connection } = await connected({ tools: ["a"], failLists: [1] }, { onError });
      expect(heard).toEqual([expect.stringMatching(/cannot list just now/)]);
      await connection.refresh();
      expect(names(session)).toEqual(["a"]);
    }
  });

  test("a handshake that is under way is waited for; handlers of the host's stay", async () => {
    const tiny = await ways[way](generation, { tools: ["change"] });
    const client = clientOf(generation) as Host & { onclose?: () => void; fallbackNotificationHandler?: (n: { method: string }) => Promise<void> };
    const heard: string[] = [];
    client.fallbackNotificationHandler = async ({ method }) => void heard.push(method);
    client.onclose = () => void heard.push("closed");
    const connecting = client.connect(await tiny.transport());
    const session = sessionOf();
    const connection = connectMcp(session, client, { name: "tiny" });
    await connecting;
    await ready(connection);
    await session.call({ name: "mcp:tiny/change", input: { add: ["c"] } });
    await until(() => names(session).includes("c"));
    await client.close();
    expect(connection.source.state).toBe("failed");
    expect(heard).toEqual(["notifications/tools/list_changed", "closed"]);
  });

  test("disposing lets go of the client and closes the source; so does disposing the session", async () => {
    const { session, connection, client } = await connected({ tools: ["a"] });
    const second = sessionOf();
    await ready(connectMcp(second, client, { name: "tiny" }));
    expect(Object.hasOwn(client, "connect")).toBe(true);
    connection[Symbol.dispose]();
    connection.dispose();
    expect(session.source("mcp:tiny")).toBeUndefined();
    expect(names(second)).toEqual(["a"]);
    second.dispose();
    expect(Object.hasOwn(client, "connect")).toBe(false);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["a"]);
  });

  describe("the client is as it was after the last session lets go, however often, and", () => {
    type Held = Record<"connect" | "onmessage" | "onclose" | "onerror", ((...args: unknown[]) => unknown) | undefined>;
    const keys = ["onmessage", "onclose", "onerror", "connect"] as const;
    const wrappers: Record<string, readonly ("before" | "during" | "put back")[]> = {
      "the host wraps nothing": [],
      "what the host had put before ours stays": ["before"],
      "what the host puts after ours stays": ["during"],
      "the host takes out what it put after ours": ["during", "put back"],
    };
    test.each(Object.entries(wrappers))("%s", async (_title, steps) => {
      const tiny = await ways[way](generation, { tools: ["change", "stats"] });
      const client = clientOf(generation);
      const transport = await tiny.transport();
      await client.connect(transport);
      const places = keys.map((key) => [(key === "connect" ? client : transport) as unknown as Held, key] as const);
      const heard: string[] = [];
      const wrapAll = (): (() => void) => {
        const undo = places.map(([target, key]) => {
          const own = target[key];
          target[key] = function (this: unknown, ...args) {
            heard.push(key);
            return own?.apply(this, args);
          };
          return () => void (target[key] = own);
        });
        return () => undo.forEach((one) => one());
      };
      if (steps.includes("before")) wrapAll();
      const state = () => places.map(([target, key]) => Object.getOwnPropertyDescriptor(target, key));
      const before = state();
      for (let round = 0; round < 10; round++) {
        const session = new ToolSession();
        connectMcp(session, client, { name: "tiny" });
        const unwrap = steps.includes("during") && (round === 0 || steps.includes("put back")) ? wrapAll() : undefined;
        const during = state();
        session.dispose();
        if (round === 0 && steps.includes("during")) expect(state()).toEqual(during);
        if (steps.includes("put back")) unwrap?.();
      }
      if (!steps.includes("during")) expect(state()).toEqual(before);
      heard.length = 0;
      const { tools } = await client.listTools();
      expect(tools).toHaveLength(2);
      if (!steps.includes("put back") && steps.length > 0) expect(heard).toContain("onmessage");

      const session = sessionOf();
      const again = connectMcp(session, client, { name: "tiny" });
      await ready(again);
      const { lists } = (await run(session, "stats")) as { lists: number };
      await session.call({ name: "mcp:tiny/change", input: { add: ["late"] } });
      await until(() => names(session).includes("late"));
      expect(await run(session, "stats")).toMatchObject({ lists: lists + 1 });
      await client.close();
      expect(again.source.state).toBe("failed");
    });
  });

  test("a client that sessions come to and go from is as it was, whatever the host has put on its transport", async () => {
    const { session, client, transport, tiny } = await connected({ tools: ["a", "change"] });
    session.dispose();
    const callbacks = transport as unknown as Record<"onmessage" | "onclose" | "onerror", (...args: unknown[]) => void>;
    const { onmessage, onclose, onerror } = callbacks;
    for (let round = 0; round < 20; round++) connectMcp(sessionOf(), client, { name: "tiny" }).dispose();
    expect({ onmessage, onclose, onerror }).toEqual({ onmessage: callbacks.onmessage, onclose: callbacks.onclose, onerror: callbacks.onerror });
    // What the host puts on top of ours stays there, and what it is called through does not grow.
    let [depth, deepest] = [0, 0];
    const first = connectMcp(sessionOf(), client, { name: "tiny" });
    const ours = callbacks.onmessage;
    const hosts = (...args: unknown[]): void => ours.apply(transport, args);
    callbacks.onmessage = hosts;
    const below = callbacks.onmessage;
    first.dispose();
    expect(callbacks.onmessage).toBe(hosts);
    for (let round = 0; round < 20; round++) connectMcp(sessionOf(), client, { name: "tiny" }).dispose();
    expect(callbacks.onmessage).toBe(below);
    callbacks.onmessage = (...args) => {
      deepest = Math.max(deepest, (depth += 1));
      below.apply(transport, args);
      depth -= 1;
    };
    const last = sessionOf();
    const again = connectMcp(last, client, { name: "tiny" });
    await ready(again);
    await last.call({ name: "mcp:tiny/change", input: { add: ["late"] } });
    await until(() => names(last).includes("late"));
    expect(deepest).toBe(1);
    await tiny.crash(transport);
    await until(() => again.source.state === "failed");
  });

  test("a source that the host closes itself is left alone", async () => {
    const { session, connection, client } = await connected({ tools: ["a"] });
    connection.source.close();
    await connection.refresh();
    await client.close();
    expect(connection.source.state).toBe("closed");
    expect(session.tools()).toEqual([]);
  });
});

describe.each(generations)("$version", (generation) => {
  test.each(["repeated", "fresh"] as const)("stops at a list without an end (%s cursors) and keeps what came", async (endless) => {
    const tiny = await ways.stdio(generation, { tools: ["a"], endless });
    const client = clientOf(generation);
    const session = sessionOf();
    const errors: string[] = [];
    const connection = connectMcp(session, client, { name: "tiny", onError: ({ message }) => errors.push(message) });
    await client.connect(await tiny.transport());
    await ready(connection);
    expect(names(session)).toContain("a");
    expect(errors).toEqual([expect.stringMatching(/^server `mcp:tiny` is listed up to there: its list of tools (repeats|has no end)/)]);
  });

  test("over HTTP a server that needs no new handshake is back by itself", async () => {
    const tiny = await ways.http(generation, { tools: ["a"] });
    const client = clientOf(generation);
    const session = sessionOf();
    const connection = connectMcp(session, client, { name: "tiny" });
    const transport = await tiny.transport();
    await client.connect(transport);
    await ready(connection);
    await tiny.crash(transport);
    // A call that is lost shows that the server is, too.
    expect(await session.call({ name: "mcp:tiny/a", input: {} })).toMatchObject({ ok: false });
    await until(() => connection.source.state === "failed");
    await tiny.revive();
    await ready(connection);
    expect(await session.call({ name: "mcp:tiny/a", input: {} })).toMatchObject({ ok: true });
  });

  test("a connection that cannot be made says so", async () => {
    const client = clientOf(generation);
    const session = sessionOf({ allow: ["mcp:tiny"] });
    const { source } = connectMcp(session, client, { name: "tiny" });
    session.start();
    const ready = session.ready();
    const transport = generation.stdio({ command: "no-such-program-anywhere", args: [] });
    await expect(client.connect(transport)).rejects.toThrow();
    expect(source.state).toBe("failed");
    await ready;
  });
});

test.each(generations.flatMap((generation) => [
  { title: `${generation.version}, no such program`, generation, command: "no-such-program-anywhere", args: [] },
  { title: `${generation.version}, a server that ends at once`, generation, command: process.execPath, args: ["-e", "setTimeout(() => {}, 60)"] },
]))("a connection that was under way already and cannot be made says so: $title", async ({ generation, command, args }) => {
  const client = clientOf(generation);
  const connecting = client.connect(generation.stdio({ command, args }));
  const session = sessionOf();
  const { source } = connectMcp(session, client, { name: "tiny" });
  session.start();
  await expect(connecting).rejects.toThrow();
  await until(() => source.state === "failed");
  await session.ready();
});

test("what is no client is named as such", () => {
  const session = sessionOf();
  for (const client of [undefined, {}, { connect() {} }]) {
    expect(() => connectMcp(session, client as never, { name: "x" })).toThrow(expect.objectContaining({ code: "ERR_TOOLSCOPE_HOST_UNSUPPORTED" }));
  }
});
