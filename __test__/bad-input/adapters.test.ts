// Bad arguments of the entry points for hosts: an error that names the value, and nothing added.
import { describe, expect, test } from "vitest";
import { CodeSandbox, ToolIndex, ToolSession, ToolscopeError, UsageLog } from "../../index.js";
import { scopeTools } from "../../dist/adapters/ai-sdk.js";
import { connectMcp } from "../../dist/adapters/mcp.js";
import { attachToPi } from "../../dist/adapters/pi.js";
import * as providers from "../../dist/adapters/providers.js";
import { expectError } from "../fixture.js";
import { INVALID, junk } from "./junk.js";

const nothing = [null, 5, "x", [], () => {}, true];
const noSession = [undefined, null, 5, {}, [], { checkScope: true }];
const client = { connect: async () => {}, request: async () => {}, callTool: async () => {} };

test("every error is of the package's own class", () => {
  expect(expectError(() => scopeTools(junk(null)), INVALID)).toBeInstanceOf(ToolscopeError);
  expect(expectError(() => connectMcp(junk(null), junk(client), { name: "a" }), INVALID)).toBeInstanceOf(ToolscopeError);
});

describe("scopeTools", () => {
  test("a session, and options by their names", () => {
    for (const session of noSession) expectError(() => scopeTools(junk(session)), INVALID, /session/);
    for (const options of nothing) expectError(() => scopeTools(new ToolSession(), junk(options)), INVALID, "scopeTools()");
    expectError(() => scopeTools(new ToolSession(), junk({ tool: {} })), INVALID, /`tool`.*`tools`/);
    for (const [key, value] of Object.entries({ tools: [], source: 5, maxTools: -1, prepareStep: {}, toolApproval: 5, repairToolCall: true })) {
      expectError(() => scopeTools(new ToolSession(), junk({ [key]: value })), INVALID, `\`${key}\``);
    }
  });

  test("a tool that cannot be read leaves no source behind", async () => {
    const unreadable = [null, 5, "x", [], { inputSchema: {} }, { inputSchema: null }, { inputSchema: 5 }, { inputSchema: () => null }];
    for (const tool of unreadable) {
      const session = new ToolSession();
      expectError(() => scopeTools(session, junk({ tools: { fine: { execute: () => 1 }, a: tool } })), INVALID, "`a`");
      expect(session.source("host:ai-sdk")).toBeUndefined();
      // The name is free.
      scopeTools(session, { tools: {} });
      expect(session.source("host:ai-sdk")?.state).toBe("ready");
    }
    const thrown = new Error("the schema's own");
    const throwing = { inputSchema: () => { throw thrown; } };
    const session = new ToolSession();
    expect(() => scopeTools(session, junk({ tools: { a: throwing } }))).toThrow(thrown);
    expect(session.source("host:ai-sdk")).toBeUndefined();
  });

  test("a schema that never comes fails the source, and each step says so", async () => {
    const session = new ToolSession();
    const late = { inputSchema: { jsonSchema: Promise.reject(new Error("no schema today")) } };
    const { prepareStep } = scopeTools(session, junk({ tools: { late } }));
    await expect(Promise.resolve(prepareStep(junk({})))).rejects.toThrow("no schema today");
    expect(session.source("host:ai-sdk")?.state).toBe("failed");
  });
});

describe("connectMcp", () => {
  test("a session, a client, and options by their names", () => {
    for (const session of noSession) expectError(() => connectMcp(junk(session), junk(client), { name: "a" }), INVALID, /session/);
    for (const none of noSession) expectError(() => connectMcp(new ToolSession(), junk(none), { name: "a" }), "ERR_TOOLSCOPE_HOST_UNSUPPORTED");
    const session = new ToolSession();
    for (const options of [...nothing, undefined, {}]) expectError(() => connectMcp(session, junk(client), junk(options)), INVALID, "connectMcp()");
    const wrong = { exposure: "bogus", callTimeoutMs: "x", kind: "builtin", categories: {}, onError: "log", declares: [5], exposedName: "x", trustHints: 1 };
    for (const [key, value] of Object.entries(wrong)) {
      expectError(() => connectMcp(session, junk(client), junk({ name: "a", [key]: value })), INVALID, `\`${key}\``);
    }
    expect(session.source("mcp:a")).toBeUndefined();
  });
});

describe("attachToPi", () => {
  const methods = ["getAllTools", "getActiveToolNames", "setActiveToolsByName", "getToolDefinition", "subscribe"];
  const pi = junk<Parameters<typeof attachToPi>[0]>(Object.fromEntries(methods.map((method) => [method, () => []])));

  test("options by their names", () => {
    for (const options of nothing) expectError(() => attachToPi(pi, {}, junk(options)), INVALID, "attachToPi()");
    for (const parent of [null, {}, [], { session: {} }, { session: null }, 5]) expectError(() => attachToPi(pi, {}, junk({ parent })), INVALID, "`parent`");
    for (const [key, value] of Object.entries({ name: 5, aliases: [], session: [], codeMode: 1, toolSearch: "yes", onError: {}, parents: {} })) {
      expectError(() => attachToPi(pi, {}, junk({ [key]: value })), INVALID, `\`${key}\``);
    }
  });
});

describe("the providers' forms", () => {
  const { anthropicTools, anthropicDelta, responsesTools, responsesDelta, chatTools, anthropicInput } = providers;
  test("a request, and options by their names", async () => {
    const session = new ToolSession();
    session.start();
    const request = await session.prepare();
    for (const form of [anthropicTools, anthropicDelta, responsesTools, responsesDelta, chatTools]) {
      for (const value of [...nothing, undefined, {}, { tools: 5 }]) expectError(() => form(junk(value)), INVALID, "the request");
      for (const value of nothing) expectError(() => form(request, junk(value)), INVALID);
      expectError(() => form(request, junk({ strick: true })), INVALID, "`strick`");
      expectError(() => form(request, junk({ strict: "yes" })), INVALID, "`strict`");
      form(request, { strict: true });
    }
    for (const form of [anthropicDelta, responsesDelta]) expectError(() => form(junk({ tools: [] })), INVALID, "the request");
    expectError(() => anthropicTools(request, junk({ deferred: "later" })), INVALID, "`deferred`");
    for (const value of nothing) expectError(() => anthropicInput(junk(value), {}), INVALID, "the tool");
  });
});

test("lists of tools, and the time of a use", async () => {
  for (const value of [5, null, "x", {}, [null], [5], ["x"]]) {
    expectError(() => new ToolIndex(junk(value)), INVALID);
    expectError(() => new CodeSandbox({ tools: junk(value) }), INVALID);
  }
  const index = new ToolIndex();
  expectError(() => index.add(junk(null)), INVALID);
  expect(index.size).toBe(0);
  const usage = new UsageLog();
  for (const at of ["2020", 5, null, {}, [], true, "", { getTime: () => 1 }]) {
    expectError(() => usage.record(junk({ id: "a/b", session: "s", at })), INVALID, "at");
  }
  expect(usage.rank()).toEqual([]);
});
