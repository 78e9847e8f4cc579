// What a scope costs a real pi session of 1,000 tools: the same prompts on an attached and on a plain session, in turn.
import { attachToPi } from "../../dist/adapters/pi.js";
import { median, summary } from "../measure.mjs";
import { createPi, inline, tool } from "../../__test__/pi/session.mts";

const TOOLS = 1_000;
const TURNS = 20;
const CALLS = 100;
const ROUNDS = 5;
/** Prompts of each session in a round. */
const PROMPTS = 6;

async function session(attached) {
  const environment = await createPi({
    extensions: Array.from({ length: 10 }, (_, extension) =>
      inline(`extension${extension}`, (pi) => {
        for (let index = 0; index < TOOLS / 10; index++)
          pi.registerTool(tool(`tool_${extension}_${index}`, { push() {} }));
      }),
    ),
  });
  await environment.bind();
  // A scope that has something to leave out, with as many tools shown as on the plain session but for those.
  if (attached) attachToPi(environment.session, { exclude: ["ext:extension9/tool_9_9*"] });
  return environment;
}

/** Processor time that one prompt of these answers takes, in ns: what else the machine does in the meantime is left out. */
async function prompt({ session, script }, ...answers) {
  script(...answers, "done");
  const started = process.cpuUsage();
  await session.prompt("go");
  const { user, system } = process.cpuUsage(started);
  return (user + system) * 1_000;
}

/**
 * Overhead per operation: the difference of two sessions' quickest prompts, which stand side by side; whatever comes on
 * top, collecting garbage say, only adds. Every round has sessions of its own, since a turn's cost grows with its transcript.
 */
async function overhead(name, operations, ...answers) {
  const differences = [];
  const plain = [];
  for (let round = -1; round < ROUNDS; round++) {
    const sessions = { plain: await session(false), attached: await session(true) };
    const took = { plain: Infinity, attached: Infinity };
    for (let turn = 0; turn < PROMPTS; turn++) {
      // Whoever goes second finds warmer caches, so they take turns at it.
      for (const which of turn % 2 === 0 ? ["plain", "attached"] : ["attached", "plain"]) {
        globalThis.gc?.();
        took[which] = Math.min(took[which], (await prompt(sessions[which], ...answers)) / operations);
      }
    }
    for (const { session } of Object.values(sessions)) session.dispose();
    if (round < 0) continue;
    differences.push(took.attached - took.plain);
    plain.push(took.plain);
  }
  return {
    ...summary(name, "ns", differences),
    peer: "plain session",
    peerMedian: median(plain),
    ratio: median(plain) / median(differences),
  };
}

export async function run(report) {
  report(await overhead("turn_overhead", TURNS, ...Array.from({ length: TURNS }, () => ["tool_0_0"])));
  report(
    await overhead(
      "call_overhead",
      CALLS,
      Array.from({ length: CALLS }, () => ({ name: "tool_0_0", args: { q: "some text" } })),
    ),
  );
}
