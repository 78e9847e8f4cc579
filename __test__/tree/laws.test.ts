// DESIGN §3, invariant 4: at any depth and at any later moment, whatever a child may call, its parent may.
//
// A deferred tool is the one exception that §16 makes: a child that names it has it loaded, its parent may still have
// to load it. The parent's scope has it all the same, and says so: `not_loaded` and nothing else.
//
// TOOLSCOPE_HISTORIES sets how many histories are drawn (default 10 000), TOOLSCOPE_SEED the first of them.
import { expect, it } from "vitest";
import type { Decision } from "../../index.js";
import { type Member, World, hasLoaded } from "./world.js";

const histories = Number(process.env["TOOLSCOPE_HISTORIES"] ?? 10_000);
const first = Number(process.env["TOOLSCOPE_SEED"] ?? 1);
const STEPS = 14;

/** Whether a child's decision is no wider than its parent's. */
const implies = (child: Member, mine: Decision, above: Decision, id: string): boolean =>
  !mine.allowed || above.allowed || (above.code === "not_loaded" && hasLoaded(child, id));

function fail(world: World, seed: number, child: Member, mine: Decision, above: Decision): never {
  const told = [`seed ${seed}: ${child.session.path.join("/")} may call ${mine.name}, and its parent may not`, ...world.steps];
  throw new Error([...told, JSON.stringify(mine), JSON.stringify(above)].join("\n"));
}

function check(world: World, seed: number, spellings: readonly string[], seen: { allowed: number; refused: number }): void {
  for (const child of world.members) {
    const { parent, session } = child;
    if (parent === undefined) continue;
    for (const name of spellings) {
      for (const call of [name, { name, parentCallId: "outer" }]) {
        const mine = session.checkScope(call);
        if (!mine.allowed) {
          seen.refused += 1;
          continue;
        }
        seen.allowed += 1;
        const above = parent.session.checkScope(call);
        if (!implies(child, mine, above, mine.id)) fail(world, seed, child, mine, above);
      }
    }
  }
}

/** The same at the door, where listeners have their say. */
async function checkDoor(world: World, seed: number): Promise<number> {
  const { dice, members } = world;
  const children = members.filter((member) => member.parent !== undefined);
  const ids = world.ids();
  if (children.length === 0 || ids.length === 0) return 0;
  const child = dice.one(children);
  const id = dice.one(ids);
  const call = { name: id };
  const mine = await child.session.beforeToolCall(call);
  const above = await (child.parent as Member).session.beforeToolCall(call);
  if (!implies(child, mine, above, id)) fail(world, seed, child, mine, above);
  return !mine.allowed && mine.code === "vetoed" ? 1 : 0;
}

it(`whatever a child may call, its parent may: ${histories} histories`, { timeout: 60_000 + histories * 20 }, async () => {
  const seen = { allowed: 0, refused: 0 };
  let vetoed = 0;
  for (let seed = first; seed < first + histories; seed++) {
    const world = new World(seed);
    for (let step = 0; step < STEPS; step++) {
      world.step();
      check(world, seed, world.names(), seen);
    }
    check(world, seed, world.ids(), seen);
    vetoed += await checkDoor(world, seed);
    world.members[0]?.session.dispose();
  }
  // A law over histories in which nothing is allowed, or nothing vetoed, would show nothing.
  expect(seen.allowed).toBeGreaterThan(histories * 10);
  expect(seen.refused).toBeGreaterThan(histories * 10);
  expect(vetoed).toBeGreaterThan(histories / 1_000);
});
