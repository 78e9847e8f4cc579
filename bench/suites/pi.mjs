// What a scope costs a real pi session of 1,000 tools: the same prompts on an attached and on a plain session, in turn.
import { attachToPi } from "../../dist/adapters/pi.js";
import { median, summary } from "../measure.mjs";
import { createPi, inline, tool } from "../../__test__/pi/session.mts";

const TOOLS = 1_000;
const TURNS = 10;
const CALLS = 100;
const ROUNDS = 5;
/** Prompts of each session in a round. */
const PROMPTS = 8;

/** This thread's processor time in ns: what else the machine, the compiler and the collector do is left out. */
function processorTime() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1_000;
}

async function session(attached) {
  let nested = 0;
  const extensions = Array.from({ length: 10 }, (_, extension) =>
    inline(`extension${extension}`, (pi) => {
      for (let index = 0; index < TOOLS / 10; index++)
        pi.registerTool(tool(`tool_${extension}_${index}`, { push() {} }));
    }),
  );
  // As code mode does: one call that makes others.
  const execute = async (_id, _input, _signal, _update, context) => {
    const started = processorTime();
    for (let call = 0; call < CALLS; call++) await context.executeTool("tool_0_0", { q: "some text" });
    nested = processorTime() - started;
    return { content: [], details: {} };
  };
  extensions.push(inline("script", (pi) => pi.registerTool(tool("script", [], { execute }))));
  const { session, script, bind } = await createPi({ extensions });
  await bind();
  // A scope that has something to leave out.
  if (attached) attachToPi(session, { exclude: ["ext:extension9/tool_9_9*"] });
  return {
    async prompt(...answers) {
      script(...answers, "done");
      const started = processorTime();
      await session.prompt("go");
      return processorTime() - started;
    },
    takeNested: () => nested,
    end: () => session.dispose(),
  };
}

const call = { name: "tool_0_0", args: { q: "some text" } };
/** Each gives ns per operation on one session. */
const measures = {
  turn_overhead: async ({ prompt }) => (await prompt(...Array.from({ length: TURNS }, () => ["tool_0_0"]))) / TURNS,
  call_overhead: async ({ prompt }) => (await prompt(Array.from({ length: CALLS }, () => call))) / CALLS,
  nested_call_overhead: async ({ prompt, takeNested }) => {
    await prompt(["script"]);
    return takeNested() / CALLS;
  },
};

/**
 * The difference of two sessions' quickest prompts, which stand side by side; whatever comes on top only adds. Every
 * round has sessions of its own, since a turn's cost grows with its transcript.
 */
async function overhead(name) {
  const differences = [];
  const plain = [];
  for (let round = -1; round < ROUNDS; round++) {
    const sessions = { plain: await session(false), attached: await session(true) };
    const took = { plain: Infinity, attached: Infinity };
    for (let prompt = 0; prompt < PROMPTS; prompt++) {
      // Whoever goes second finds warmer caches, so they take turns at it.
      for (const which of prompt % 2 === 0 ? ["plain", "attached"] : ["attached", "plain"]) {
        globalThis.gc?.();
        took[which] = Math.min(took[which], await measures[name](sessions[which]));
      }
    }
    for (const { end } of Object.values(sessions)) end();
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
  for (const name of Object.keys(measures)) report(await overhead(name));
}
