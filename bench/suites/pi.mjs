// What a scope costs a real pi session of 1,000 tools: the same prompts on an attached and on a plain session, in turn.
import { attachToPi } from "../../dist/adapters/pi.js";
import { median, summary } from "../measure.mjs";
import { createPi, inline, tool } from "../../__test__/pi/session.mts";

const TOOLS = 1_000;
const TURNS = 40;
const CALLS = 200;
const ROUNDS = 15;

async function session(attached) {
  const environment = await createPi({
    extensions: Array.from({ length: 10 }, (_, extension) =>
      inline(`extension${extension}`, (pi) => {
        for (let index = 0; index < TOOLS / 10; index++) pi.registerTool(tool(`tool_${extension}_${index}`, { push() {} }));
      }),
    ),
  });
  await environment.bind();
  // A scope that has something to leave out, with as many tools shown as on the plain session but for those.
  if (attached) attachToPi(environment.session, { exclude: ["ext:extension9/tool_9_9*"] });
  return environment;
}

/** Nanoseconds that one prompt of these answers takes. */
async function prompt({ session, script }, ...answers) {
  script(...answers, "done");
  const started = process.hrtime.bigint();
  await session.prompt("go");
  return Number(process.hrtime.bigint() - started);
}

/**
 * Overhead per operation: the difference of two prompts that stand side by side, one of each session. Every round has
 * sessions of its own, since a turn's cost grows with its transcript.
 */
async function overhead(name, operations, ...answers) {
  const differences = [];
  const plain = [];
  for (let round = -3; round < ROUNDS; round++) {
    const sessions = { plain: await session(false), attached: await session(true) };
    const took = { plain: Infinity, attached: Infinity };
    for (const each of Object.values(sessions)) await prompt(each, ["tool_0_0"]);
    // The lesser of two: whatever else the machine does only adds. Whoever goes second finds warmer caches, so they take turns.
    for (const order of [["plain", "attached"], ["attached", "plain"]]) {
      for (const which of order) took[which] = Math.min(took[which], (await prompt(sessions[which], ...answers)) / operations);
    }
    for (const { session } of Object.values(sessions)) session.dispose();
    if (round < 0) continue;
    differences.push(took.attached - took.plain);
    plain.push(took.plain);
  }
  return { ...summary(name, "ns", differences), peer: "plain session", peerMedian: median(plain), ratio: median(plain) / median(differences) };
}

export async function run(report) {
  report(await overhead("turn_overhead", TURNS, ...Array.from({ length: TURNS }, () => ["tool_0_0"])));
  report(await overhead("call_overhead", CALLS, Array.from({ length: CALLS }, () => ({ name: "tool_0_0", args: { q: "some text" } }))));
}
