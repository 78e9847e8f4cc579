import { expect } from "vitest";
import {
  type Diagnostic,
  type RefusalCode,
  type ScopeSpec,
  type SessionOptions,
  type ToolDeclaration,
  ToolSession,
  type ToolSource,
  ToolscopeError,
} from "../index.js";

/** Declarations that are nothing but a name. */
export const tools = (...names: string[]): ToolDeclaration[] => names.map((name) => ({ name }));

/** Sources by id, each with the raw names of its tools; `host:app`, `ext:foo`, `mcp:kb`, or `builtin`. */
export type Sources = { readonly [id: string]: readonly (string | ToolDeclaration)[] };

export function addSource(session: ToolSession, id: string, given: readonly (string | ToolDeclaration)[]): ToolSource {
  const [kind, name = "builtin"] = id.split(":") as ["builtin" | "host" | "ext" | "mcp", string?];
  return session.addSource({ kind, name, tools: given.map((tool) => (typeof tool === "string" ? { name: tool } : tool)) });
}

/** A session over sources that are all there, in this order, not yet started. */
export function sessionOf(scope: ScopeSpec | undefined, sources: Sources, more: SessionOptions = {}): ToolSession {
  const session = new ToolSession({ ...(scope !== undefined && { scope }), ...more });
  for (const [id, given] of Object.entries(sources)) addSource(session, id, given);
  return session;
}

/** The ids of what is declared to the model, in order. */
export function activeIds(session: ToolSession): string[] {
  const ids = new Map(session.tools().map((tool) => [tool.name, tool.id]));
  return session.activeTools().map((name) => ids.get(name) ?? `(unknown name ${name})`);
}

/** The exposed name of a tool of the registry. */
export function nameOf(session: ToolSession, id: string): string {
  const found = session.tools().find((tool) => tool.id === id);
  if (found === undefined) throw new Error(`no tool ${id}`);
  return found.name;
}

/** `allowed`, or the code of the refusal. */
export function verdict(session: ToolSession, name: string): "allowed" | RefusalCode {
  const decision = session.checkScope(name);
  return decision.allowed ? "allowed" : decision.code;
}

/** What the door says: `allowed`, or the code of the refusal. */
export async function door(session: ToolSession, name: string): Promise<"allowed" | RefusalCode> {
  const decision = await session.beforeToolCall({ name });
  return decision.allowed ? "allowed" : decision.code;
}

/** Every diagnostic from now on, and what was kept until now. */
export function diagnosticsOf(session: ToolSession): Diagnostic[] {
  const heard: Diagnostic[] = [];
  session.on("diagnostic", (diagnostic) => heard.push(diagnostic));
  return heard;
}

/** Expects one of our errors, with this code, and a message in the house's form. */
export function expectError(act: () => unknown, code: string, saying?: string | RegExp): ToolscopeError {
  let thrown: unknown;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  return expectOurs(thrown, code, saying);
}

export async function expectRejection(act: () => Promise<unknown>, code: string, saying?: string | RegExp): Promise<ToolscopeError> {
  let promise: Promise<unknown>;
  try {
    promise = act();
  } catch (error) {
    throw new Error("an async method threw instead of rejecting", { cause: error });
  }
  const thrown: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  return expectOurs(thrown, code, saying);
}

function expectOurs(thrown: unknown, code: string, saying?: string | RegExp): ToolscopeError {
  expect(thrown).toBeInstanceOf(ToolscopeError);
  const error = thrown as ToolscopeError;
  expect(error.code).toBe(code);
  expect(error.message).toMatch(/^[^A-Z\n]/);
  expect(error.message.length).toBeLessThan(2_000);
  if (saying !== undefined) expect(error.message).toMatch(saying);
  return error;
}

/**
 * A session with one tool that must go on working, and a check that it did: scope, door, execution, registry, turn.
 */
export function controlled(options: SessionOptions = {}): { session: ToolSession; works: () => Promise<void> } {
  const session = new ToolSession(options);
  session.addSource({ kind: "host", name: "control", tools: [{ name: "control", execute: (input) => ({ echoed: input }) }] });
  let grown = 0;
  const works = async (): Promise<void> => {
    expect(session.checkScope("control").allowed).toBe(true);
    expect(await session.call({ name: "control", input: { n: 1 } })).toMatchObject({ ok: true, value: { echoed: { n: 1 } } });
    const name = `late${grown++}`;
    const source = session.addSource({ kind: "host", name: `control-${name}`, tools: tools(name) });
    expect(verdict(session, name)).toBe("allowed");
    if (session.state === "started") expect(session.endTurn().active).toContain(name);
    source.close();
    expect(verdict(session, name)).toBe("unknown");
    if (session.state === "started") {
      const { active } = session.endTurn();
      expect(active).toContain("control");
      expect(active).not.toContain(name);
    }
  };
  return { session, works };
}
