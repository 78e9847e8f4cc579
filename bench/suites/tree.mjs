// The tree: what a child costs, and how fast a change at the root is felt by a thousand of them.
import { createRequire } from "node:module";
import { compare, summary, time } from "../measure.mjs";

const { ToolSession } = createRequire(import.meta.url)("../../index.js");

const SOURCES = 10;
const TOOLS = 100;
const CHILDREN = 1_000;

/** A root over a thousand tools in ten sources. */
function root(scope = {}) {
  const session = new ToolSession({ scope, limits: { children: 1_000_000, spawned: 1_000_000_000, depth: 16 } });
  for (let at = 0; at < SOURCES; at++) {
    const tools = Array.from({ length: TOOLS }, (_, tool) => ({ name: `tool_${at}_${tool}`, inputSchema: { type: "object" } }));
    session.addSource({ kind: at === 0 ? "builtin" : "ext", name: `source-${at}`, tools });
  }
  session.start();
  return session;
}

export async function run(report) {
  spawning(report);
  checking(report);
  propagation(report, "propagate_1000", {}, late);
  propagation(report, "propagate_1000_narrow", { narrow: (source) => source.name !== "source-9" }, late);
  propagation(report, "propagate_1000_scope", {}, excluded);
}

function spawning(report) {
  const session = root();
  const scope = { allow: ["tool_0_1", "ext:source-1", "ext:source-2/tool_2_7"], exclude: ["tool_1_3"] };
  const operations = 200;
  const children = [];
  const ours = () => {
    for (let at = 0; at < operations; at++) children.push(session.spawn({ name: `child-${children.length}`, scope }));
  };
  const before = () => {
    for (const child of children.splice(0)) child.dispose();
    globalThis.gc?.();
  };
  report(compare("spawn_1000", { ours, operations, rounds: 21, before }));
  const child = children[0] ?? session.spawn({ name: "last", scope });
  if (!child.checkScope("tool_0_1").allowed || child.checkScope("tool_1_3").allowed) throw new Error("the child's scope does not hold");
  session.dispose();
}

function checking(report) {
  const session = root();
  let deepest = session;
  for (let depth = 1; depth <= 5; depth++) deepest = deepest.spawn({ name: `level-${depth}`, scope: { exclude: [`tool_${depth}_0`] } });
  const names = session.activeTools().filter((name) => !/_[1-5]_0$/.test(name));
  let allowed = 0;
  const all = (asked) => () => {
    for (let round = 0; round < 20; round++) {
      for (let at = 0; at < names.length; at++) allowed += asked.checkScope(names[at]).allowed ? 1 : 0;
    }
  };
  const operations = names.length * 20;
  report(compare("check_depth_5", { ours: all(deepest), peer: all(session), peerName: "the same check at the root", operations, rounds: 41 }));
  if (allowed === 0 || allowed % names.length !== 0 || deepest.checkScope("tool_5_0").allowed) throw new Error("the checks did not allow");
  session.dispose();
}

/** A tool comes late; each child has it. */
function late(session, round) {
  const name = `late_${round + 100}`;
  const source = session.source("ext:source-1");
  return { name, allowed: true, change: () => source.add({ name, inputSchema: { type: "object" } }) };
}

/** The root's scope excludes a tool, and in the next round does not; each child follows. */
function excluded(session, round) {
  const gone = round % 2 === 0;
  return { name: "tool_1_1", allowed: !gone, change: () => session.setScope(gone ? { exclude: ["tool_1_1"] } : {}) };
}

/** One change at the root, and then one check in each child, which has to have felt it. */
function propagation(report, name, scope, changeOf) {
  const session = root();
  const children = Array.from({ length: CHILDREN }, (_, at) => session.spawn({ name: `child-${at}`, scope }));
  for (const child of children) {
    child.start();
    child.checkScope("tool_1_1");
  }
  const samples = [];
  for (let round = -4; round < 30; round++) {
    const { name: tool, allowed, change } = changeOf(session, round);
    let felt = 0;
    const spent = time(() => {
      change();
      for (const child of children) felt += child.checkScope(tool).allowed === allowed ? 1 : 0;
    });
    if (felt !== CHILDREN) throw new Error(`only ${felt} children felt the change`);
    if (round >= 0) samples.push(spent);
  }
  report(summary(name, "ns", samples));
  session.dispose();
}
