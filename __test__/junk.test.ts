// Arbitrary junk as arguments of every public method: never a crash, never an error that is not ours, and afterwards
// the session works as before.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ToolSession, ToolscopeError } from "../index.js";
import { controlled } from "./fixture.js";

const runs = { numRuns: Number(process.env["TOOLSCOPE_FUZZ_RUNS"] ?? 150) };

/** What a callback of junk throws is its own: it may pass through, and ours may not. */
class Mine extends Error {}
const boom = (): never => {
  throw new Mine("boom");
};
const trap = new Proxy({}, { get: boom, ownKeys: boom, getPrototypeOf: boom });

const names = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "*", "none", "control", "host:control/control", "__proto__", "\u{d800}", "ext:", "mcp__", "a/b@readOnly", '"', "n".repeat(70_000)),
);
const callbacks = fc.constantFrom<() => unknown>(() => {}, boom, async () => {}, () => Promise.reject(new Mine("boom")), () => true, () => "x", () => [""], () => [, ""], () => trap, () => ({ then: boom }));
const odd = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withSparseArray: true, withTypedArray: true, withNullPrototype: true, withBoxedValues: true }),
  names,
  callbacks,
  fc.constantFrom<unknown>(undefined, null, Number.NaN, -0, 2 ** 53, trap, Symbol("s"), new Array(4), Promise.resolve()),
);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> => fc.oneof({ weight: 3, arbitrary: value }, odd);
const list = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> => maybe(fc.array(maybe(value), { maxLength: 6 }));
const record = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> => maybe(fc.record(model, { requiredKeys: [] }));

const kinds = fc.constantFrom("builtin", "host", "ext", "mcp");
const exposures = fc.constantFrom("direct", "model-only", "code", "deferred", "hidden");
const schemas = fc.oneof(fc.boolean(), fc.dictionary(fc.string(), fc.jsonValue()), fc.constant({ type: "object", properties: { p: { type: "string" } } }));
const hints = record({ readOnlyHint: maybe(fc.boolean()), destructiveHint: maybe(fc.boolean()), title: odd });
const declaration = record({ name: maybe(names), description: maybe(fc.string()), inputSchema: maybe(schemas), outputSchema: maybe(schemas), annotations: hints, exposure: maybe(exposures), category: odd, execute: maybe(callbacks) });
const source = record({
  kind: maybe(kinds), name: maybe(names), aliases: list(names), path: odd, description: odd, precedence: maybe(fc.integer()),
  exposedName: maybe(callbacks), trustHints: odd, tools: list(declaration), declares: list(names), load: maybe(callbacks),
});
const scope = record({ allow: list(names), exclude: list(names), required: list(names), narrow: maybe(callbacks), sealed: odd.filter((value) => value !== true), requireGuards: list(names) });
const call = maybe(fc.record({ name: maybe(names), id: maybe(names), input: odd, callId: odd, parentCallId: odd }, { requiredKeys: [] }));
const events = fc.constantFrom("session_start", "turn_end", "before_tool_call", "decision", "tools_changed", "diagnostic", "session_end");

/** One way to call one method. A parameter that is left out is an argument that is left out. */
type Act = readonly [method: string, ...args: unknown[]];
const act = (method: string, ...args: fc.Arbitrary<unknown>[]): fc.Arbitrary<Act> => fc.tuple(fc.constant(method), ...args) as unknown as fc.Arbitrary<Act>;
const acts = fc.oneof(
  act("addSource", source),
  act("source", maybe(names)),
  act("setScope", scope),
  act("report"),
  act("resolve", list(names)),
  act("tools"),
  act("activeTools"),
  act("activate", maybe(names), maybe(names)),
  act("deactivate", maybe(names)),
  act("explain", maybe(names)),
  act("on", maybe(events), maybe(callbacks), record({ name: maybe(names), timeoutMs: maybe(fc.integer({ min: 0, max: 3 })) })),
  act("start"),
  act("ready", fc.oneof(odd, fc.constant(0))),
  act("endTurn"),
  act("refresh"),
  act("compact"),
  act("checkScope", fc.oneof(maybe(names), call)),
  act("beforeToolCall", call),
  act("call", call, fc.oneof(fc.constant(undefined), record({ signal: odd }))),
  act("afterToolCall", record({ id: maybe(names), ok: maybe(fc.boolean()), ms: odd, callId: odd })),
  act("pinDefinitions"),
  act("approve", maybe(names)),
);

/** Whether something thrown may have been: one of ours, or the junk's own. */
function expectFair(thrown: unknown, what: string): void {
  if (thrown instanceof Mine) return;
  expect(thrown, what).toBeInstanceOf(ToolscopeError);
  const { code, message } = thrown as ToolscopeError;
  expect(code, what).toMatch(/^ERR_TOOLSCOPE_[A-Z_]+$/);
  expect(code, `${what}: ${message}`).not.toBe("ERR_TOOLSCOPE_INTERNAL");
  expect(message.length, what).toBeLessThan(5_000);
}

async function run(on: object, [method, ...args]: Act): Promise<unknown> {
  try {
    const result: unknown = (on as Record<string, (...given: unknown[]) => unknown>)[method]?.(...args);
    // A junk guard may hang for its time, or junk itself be a promise: nobody waits for long.
    return await Promise.race([result, new Promise((resolve) => setTimeout(resolve, 20).unref())]);
  } catch (error) {
    expectFair(error, method);
    return undefined;
  }
}

describe("junk", () => {
  test("as arguments of every method of a session", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 12 }), fc.boolean(), async (given, started) => {
        const { session, works } = controlled({ limits: { listenerMs: 3, loadMs: 3 } });
        if (started) session.start();
        for (const one of given) {
          const made = await run(session, one);
          // What a listener of junk breaks is the junk's; the control must not hang on it.
          if (one[0] === "on" && typeof made === "function") (made as () => void)();
        }
        // Whatever the scope came to be, the host can always take it back.
        await recovered(session);
        await works();
      }),
      runs,
    );
  });

  /** Closes what junk has added, and opens the scope; only a seal cannot be taken back, so there is none. */
  async function recovered(session: ToolSession): Promise<void> {
    session.setScope({});
    const ids = new Set(session.tools().map((tool) => tool.source));
    for (const id of ids) if (id !== "host:control") session.source(id)?.close();
    const { decision } = await session.call({ name: "control" });
    if (!decision.allowed) throw new Error(`control is ${decision.code}`);
    session.activate("control");
  }

  test("as what a source is given", async () => {
    const changes = fc.oneof(act("set", list(declaration)), act("add", declaration, declaration), act("remove", maybe(names)), act("fail", maybe(fc.string())));
    await fc.assert(
      fc.asyncProperty(kinds, names, fc.array(changes, { minLength: 1, maxLength: 8 }), async (kind, name, given) => {
        const { session, works } = controlled();
        session.start();
        let handle: object;
        try {
          handle = session.addSource({ kind, name });
        } catch (error) {
          return expectFair(error, "addSource");
        }
        for (const one of given) await run(handle, one);
        const { generation } = session;
        session.endTurn();
        expect(session.generation).toBe(generation);
        session.source((handle as { id: string }).id)?.close();
        await works();
      }),
      runs,
    );
  });

  test("as the input of a call: what is allowed runs on a copy, what is no data is said to be none", async () => {
    await fc.assert(
      fc.asyncProperty(odd, async (input) => {
        const { session, works } = controlled();
        try {
          expect((await session.call({ name: "control", input })).ok).toBe(true);
        } catch (error) {
          expectFair(error, "call");
        }
        await works();
      }),
      runs,
    );
  });

  test("as selectors: each ends in a state, and excluding it twice is excluding it once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(names, { maxLength: 5 }), async (selectors) => {
        const { session } = controlled();
        session.addSource({ kind: "mcp", name: "kb", tools: [{ name: "find" }, { name: "a/b" }] });
        const { allow, exclude, required } = session.setScope({ allow: selectors, exclude: selectors, required: selectors });
        for (const entries of [allow, exclude, required]) {
          expect(entries).toHaveLength(selectors.length);
          for (const { state, column, message } of entries) {
            expect(["active", "pending", "excluded", "shadowed", "ambiguous", "unknown", "invalid"]).toContain(state);
            if (state === "invalid") expect([column !== undefined && column >= 1, typeof message]).toEqual([true, "string"]);
          }
        }
        const denied = session.tools().length;
        session.setScope({ exclude: [...selectors, ...selectors] });
        expect(session.tools()).toHaveLength(denied);
        // Whatever is granted is granted under the exclusion: nothing of it is.
        for (const { id } of session.tools()) expect(selectors.some((selector) => selector === id)).toBe(false);
      }),
      runs,
    );
  });
});
