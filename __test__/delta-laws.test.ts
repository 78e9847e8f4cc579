// Laws of what a host is told: whoever follows the deltas, returned or told, and whoever asks for requests, has at every
// moment what the session has.
import fc from "fast-check";
import { expect, it } from "vitest";
import { type ActiveDelta, type Exposure, type ToolDefinition, ToolSession, type ToolSource } from "../index.js";

const names = ["a", "b", "c", "d"] as const;
const exposures = ["direct", "model-only", "code", "deferred", "hidden"] as const;

interface World {
  readonly session: ToolSession;
  readonly sources: Readonly<Record<"builtin" | "kb", ToolSource>>;
  /** What the deltas that methods returned make, and what those of events do. */
  readonly returned: Follower;
  readonly told: Follower;
  request: readonly ToolDefinition[];
}

/** A host's list of names with their descriptions, kept by deltas alone. */
class Follower {
  names: readonly string[] = [];
  readonly #descriptions = new Map<string, string | undefined>();

  constructor(readonly session: ToolSession) {}

  follow({ changed, added, removed, redefined, active, reset }: ActiveDelta): void {
    const before = this.names;
    this.names = reset ? active : [...before, ...added];
    expect(this.names).toEqual(active);
    expect(reset).toBe(!before.every((name, at) => active[at] === name));
    expect(changed).toBe(reset || added.length + removed.length + redefined.length > 0);
    expect(new Set([...before.filter((name) => !removed.includes(name)), ...added])).toEqual(new Set(active));
    const said = new Map(this.session.tools().filter((tool) => tool.shadowedBy === undefined).map((tool) => [tool.name, tool.description]));
    for (const name of [...added, ...redefined]) this.#descriptions.set(name, said.get(name));
    for (const name of active) expect(this.#descriptions.get(name), name).toBe(said.get(name));
  }
}

function world(): World {
  const session = new ToolSession();
  const sources = {
    builtin: session.addSource({ kind: "builtin", name: "agent", tools: [{ name: "a" }, { name: "b", exposure: "deferred" }] }),
    kb: session.addSource({ kind: "mcp", name: "kb" }),
  };
  const [returned, told] = [new Follower(session), new Follower(session)];
  // Of what changes between two turns the registry says more than the last event did, so only the lists are followed.
  session.on("tools_changed", ({ added, active, reset }) => {
    told.names = reset ? active : [...told.names, ...added];
    expect(told.names).toEqual(active);
  });
  return { session, sources, returned, told, request: [] };
}

const source = fc.constantFrom("builtin", "kb");
const declaration = fc.record({
  name: fc.constantFrom(...names),
  description: fc.constantFrom("one", "two"),
  exposure: fc.constantFrom<Exposure>(...exposures),
});

/** One thing that happens; each says how it is done. */
const event: fc.Arbitrary<(world: World) => void | Promise<void>> = fc.oneof(
  fc.tuple(source, declaration).map(([at, tool]) => ({ sources }: World) => void sources[at].add(tool)),
  fc.tuple(source, fc.uniqueArray(declaration, { selector: ({ name }) => name })).map(
    ([at, tools]) => ({ sources }: World) => void sources[at].set(tools),
  ),
  fc.tuple(source, fc.constantFrom(...names)).map(([at, name]) => ({ sources }: World) => sources[at].remove(name)),
  source.map((at) => ({ sources }: World) => sources[at].fail("down")),
  fc.subarray([...names]).map((exclude) => ({ session }: World) => void session.setScope({ exclude })),
  fc.tuple(fc.nat(8), fc.boolean()).map(([at, on]) => ({ session }: World) => {
    const known = session.tools().filter(({ inScope, exposure }) => inScope && exposure !== "code" && exposure !== "hidden");
    const tool = known[at % Math.max(1, known.length)];
    if (tool === undefined) return;
    if (on) session.activate(tool.id);
    else session.deactivate(tool.id);
  }),
  fc.nat(400).map((budget) => ({ session }: World) => void session.codeMode({ budget })),
  fc.constant(({ session, returned }: World) => returned.follow(session.endTurn())),
  fc.constant(({ session, returned }: World) => returned.follow(session.refresh())),
  fc.constant(({ session, returned }: World) => returned.follow(session.compact())),
  fc.constant(async (world: World) => {
    const { session } = world;
    const { tools, delta } = await session.prepare();
    world.request = delta.reset ? tools : [...world.request, ...delta.added];
    expect(world.request).toEqual(tools);
    // The tool that runs programs is put last, whenever it came, with the catalog as it is now.
    const isLast = ({ id }: { id: string }): boolean => id === "host:toolscope/execute";
    const infos = new Map(session.tools().filter((tool) => tool.shadowedBy === undefined).map((tool) => [tool.name, tool]));
    const declared = session.activeTools().flatMap((name) => {
      const info = infos.get(name);
      return info !== undefined && session.checkScope({ name, id: info.id }).allowed ? [info] : [];
    });
    const [others, last] = [tools.filter((tool) => !isLast(tool)), tools.filter(isLast)];
    expect([...others, ...last]).toEqual(tools);
    expect(others.map(({ id, name, description }) => ({ id, name, description }))).toEqual(
      declared.filter((tool) => !isLast(tool)).map(({ id, name, description }) => ({ id, name, description: description ?? "" })),
    );
    expect(last.length).toBe(declared.filter(isLast).length);
  }),
);

it("deltas, returned or told, and requests follow the session through whatever happens", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 24 }), async (events) => {
      const played = world();
      played.returned.follow(played.session.start());
      for (const happens of events) {
        await happens(played);
        expect(played.told.names).toEqual(played.session.activeTools());
      }
      played.returned.follow(played.session.endTurn());
      expect(played.returned.names).toEqual(played.session.activeTools());
    }),
    { numRuns: 400 },
  );
});

it("a generation stands for one order", () => {
  const session = new ToolSession();
  session.addSource({ kind: "mcp", name: "kb", tools: [{ name: "late" }] });
  const agent = session.addSource({ kind: "builtin", name: "agent" });
  session.start();
  session.endTurn();
  agent.set([{ name: "read" }]);
  session.endTurn();
  const before = session.generation;
  expect(session.compact().active).toEqual(["read", "mcp__kb__late"]);
  const after = session.generation;
  expect(after).toBeGreaterThan(before);
  session.compact();
  expect(session.generation).toBe(after);
});
