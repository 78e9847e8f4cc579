// Laws of requests over whatever providers return.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type PreparedRequest, type ToolDefinition, type ToolProvider, ToolSession } from "../index.js";

const pool = ["a", "b", "c", "d", "e", "f"];

/** One thing a provider does to the list it is handed. */
type Move =
  | { do: "drop" | "repeat" | "rename" | "defer" | "rewrite"; at: number }
  | { do: "reverse" | "invent" | "steal" | "junk" | "hang" | "throw" };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constantFrom("drop", "repeat", "rename", "defer", "rewrite"), at: fc.nat(9) }),
  fc.record({ do: fc.constantFrom("reverse", "invent", "steal", "junk", "hang", "throw") }),
);

/** Another session's tools, to be passed off as this one's. */
const foreign: ToolDefinition = { id: "ext:other/x", name: "x", description: "", inputSchema: { type: "object" } };

function providing(moves: readonly Move[]): ToolProvider {
  return (handed) => {
    const tools = [...handed] as ToolDefinition[];
    for (const { do: what, ...rest } of moves) {
      const at = "at" in rest ? rest.at % Math.max(1, tools.length) : 0;
      const tool = tools[at];
      if (what === "reverse") tools.reverse();
      else if (what === "invent") tools.push({ ...foreign, id: `builtin:${pool.length}`, name: "made-up" });
      else if (what === "steal") tools.unshift(foreign);
      else if (what === "junk") tools.push(null as unknown as ToolDefinition, 7 as unknown as ToolDefinition);
      else if (what === "hang") return new Promise<never>(() => {});
      else if (what === "throw") throw new Error("thrown");
      else if (tool === undefined) continue;
      else if (what === "drop") tools.splice(at, 1);
      else if (what === "repeat") tools.push(tool);
      else if (what === "rename") tools[at] = { ...tool, name: "renamed" };
      else if (what === "defer") tools[at] = { ...tool, deferred: true };
      else tools[at] = { ...tool, description: "rewritten", inputSchema: { type: "object", title: "rewritten" } };
    }
    return { tools, prompt: "p" };
  };
}

interface World {
  session: ToolSession;
  ran: string[];
}

function world(excluded: readonly string[]): World {
  const ran: string[] = [];
  const session = new ToolSession({ scope: { exclude: [...excluded], required: ["a"] } });
  const tools = (source: string) => (name: string) => ({ name, description: source, execute: async () => void ran.push(`${source}/${name}`) });
  session.addSource({ kind: "builtin", name: "agent", tools: pool.map(tools("builtin")) });
  session.addSource({ kind: "ext", name: "e", tools: ["c", "g"].map(tools("ext")) });
  session.start();
  return { session, ran };
}

/** What a host that follows the deltas has. */
function followed(before: readonly ToolDefinition[], request: PreparedRequest): readonly ToolDefinition[] {
  return request.delta.reset ? request.tools : [...before, ...request.delta.added];
}

it("whatever providers return, a request holds tools in scope, each once, under its own name, the required ones too", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(pool),
      fc.array(fc.array(move, { maxLength: 5 }), { maxLength: 3 }),
      fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
      async (excluded, providers, maxTools) => {
        const { session, ran } = world(excluded);
        for (const moves of providers) session.use(providing(moves), { optional: true, timeoutMs: 5 });
        const { tools } = await session.prepare(maxTools === undefined ? {} : { maxTools });
        const ids = tools.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const tool of tools) {
          expect(session.checkScope({ name: tool.name, id: tool.id })).toMatchObject({ allowed: true, id: tool.id, name: tool.name });
        }
        if (!excluded.includes("a")) expect(ids).toContain("builtin:a");
        // Which declaration runs is not the providers' to say.
        for (const tool of tools) await session.call({ name: tool.name });
        expect(ran).toEqual(ids.map((id) => id.replace("builtin:", "builtin/").replace("ext:e/", "ext/")));
      },
    ),
    { numRuns: 150 },
  );
});

it("equal content gives equal bytes, and the delta applied to the last request gives this one", async () => {
  const step = fc.oneof(
    fc.record({ add: fc.constantFrom(...pool, "h", "i") }),
    fc.record({ remove: fc.constantFrom(...pool) }),
    fc.record({ exclude: fc.subarray(pool) }),
    fc.record({ providers: fc.array(fc.array(move.filter(({ do: what }) => what !== "hang"), { maxLength: 3 }), { maxLength: 2 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const play = async (check: boolean): Promise<PreparedRequest> => {
        const { session } = world([]);
        const agent = session.source("builtin");
        let off: (() => void)[] = [];
        let host: readonly ToolDefinition[] = [];
        let request = await session.prepare();
        host = followed(host, request);
        for (const what of steps) {
          if ("add" in what) agent?.add({ name: what.add, description: `again ${what.add}`, execute: async () => {} });
          else if ("remove" in what) agent?.remove(what.remove);
          else if ("exclude" in what) session.setScope({ exclude: what.exclude, required: ["a"] });
          else {
            for (const remove of off) remove();
            off = what.providers.map((moves) => session.use(providing(moves), { optional: true }));
          }
          session.endTurn();
          const before = request;
          request = await session.prepare();
          host = followed(host, request);
          if (!check) continue;
          expect(host).toEqual(request.tools);
          const same = (at: number): boolean => JSON.stringify(request.tools[at]) === JSON.stringify(before.tools[at]);
          for (let at = 0; at < request.stablePrefix; at++) expect(same(at)).toBe(true);
          if (request.stablePrefix < Math.min(request.tools.length, before.tools.length)) expect(same(request.stablePrefix)).toBe(false);
        }
        return request;
      };
      const [one, other] = [await play(true), await play(false)];
      expect(JSON.stringify(other.tools)).toBe(JSON.stringify(one.tools));
      expect(other.fingerprint).toBe(one.fingerprint);
    }),
    { numRuns: 120 },
  );
});
