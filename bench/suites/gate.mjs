// The gate: what a check, a turn and a registration cost with ten thousand tools in fifty sources.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { inventory } from "../gate/inventory.mjs";
import { compare, median, summary, time, value, wall } from "../measure.mjs";

const { ToolSession } = createRequire(import.meta.url)("../../index.js");

/** The same text in another string object, not yet hashed: as it comes out of a model's answer. */
const fresh = (text) => Buffer.from(text, "latin1").toString("latin1");

/** The same shuffle at every run. */
function shuffled(items) {
  const copy = [...items];
  let state = 0x2545f491;
  for (let at = copy.length - 1; at > 0; at--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (at + 1);
    [copy[at], copy[other]] = [copy[other], copy[at]];
  }
  return copy;
}

function started(scope) {
  const session = new ToolSession({ scope });
  for (const spec of inventory()) session.addSource(spec);
  session.start();
  return session;
}

export async function run(report) {
  checks(report);
  turns(report);
  registration(report, "register_10k", inventory());
  // A tool that a catalog may list is looked at once more when it comes in.
  const listed = inventory().map((spec) => ({ ...spec, tools: spec.tools.map((tool) => ({ ...tool, exposure: "deferred" })) }));
  registration(report, "register_10k_listed", listed, 0);
  importing(report);
  memory(report);
}

function checks(report) {
  const open = started({});
  const names = shuffled(open.activeTools());
  const set = new Set(names);
  const kept = new Array(names.length);
  const all = (session, list) => () => {
    for (let at = 0; at < list.length; at++) kept[at] = session.checkScope(list[at]);
  };
  let seen = 0;
  const has = (list) => () => {
    for (let at = 0; at < list.length; at++) seen += set.has(list[at]) ? 1 : 0;
  };
  const operations = names.length;
  report(compare("check_allowed", { ours: all(open, names), peer: has(names), peerName: "Set.has", operations, rounds: 41 }));

  const samples = [];
  const peerSamples = [];
  for (let round = 0; round < 30; round++) {
    const mine = names.map(fresh);
    const theirs = names.map(fresh);
    const ours = () => samples.push(time(all(open, mine), operations));
    const peer = () => peerSamples.push(time(has(theirs), operations));
    for (const turn of round % 2 === 0 ? [peer, ours] : [ours, peer]) turn();
  }
  report(summary("check_allowed_first_use", "ns", samples, { name: "Set.has", samples: peerSamples }));
  if (kept.some((decision) => !decision.allowed) || seen === 0) throw new Error("the checks did not allow");

  const narrow = started({ allow: ["mcp:*"] });
  const refused = shuffled(narrow.tools().filter((tool) => !tool.inScope).map((tool) => tool.name));
  report(compare("check_refused", { ours: all(narrow, refused), operations: refused.length, rounds: 41 }));
  // Asked for the first time since something changed, so that each crosses.
  const first = [];
  for (let round = 0; round < 9; round++) {
    narrow.setScope({ allow: ["mcp:*"] });
    narrow.checkScope(names[0]);
    first.push(time(all(narrow, refused), refused.length));
  }
  report(summary("check_refused_first_use", "ns", first));
  const slip = () => {
    kept[0] = narrow.checkScope("mcp__source-4__serach_channel_4x94");
  };
  report(compare("check_unknown", { ours: slip, rounds: 41 }));
  if (!/did you mean/.test(kept[0].reason)) throw new Error("the unknown name got no suggestion");
}

function turns(report) {
  let asked = 0;
  const narrow = () => {
    asked += 1;
    return true;
  };
  const session = started({ narrow });
  session.endTurn();
  const before = asked;
  const unchanged = () => {
    for (let turn = 0; turn < 10_000; turn++) session.endTurn();
  };
  report(compare("end_turn_unchanged", { ours: unchanged, operations: 10_000, rounds: 21 }));
  if (asked !== before) throw new Error(`the predicate was asked ${asked - before} times on turns without change`);

  const source = session.source("mcp:source-24");
  const samples = [];
  for (let round = 0; round < 50; round++) {
    source.add({ name: `late_${round}`, inputSchema: { type: "object" } });
    let delta;
    samples.push(time(() => (delta = session.endTurn())));
    if (delta.added.length !== 1 || delta.reset) throw new Error("one tool was added, and the delta does not say so");
  }
  report(summary("end_turn_one_change", "ns", samples));
}

/** `direct` is how many of the tools are declared to the model, and so may be called. */
function registration(report, name, specs, direct = 10_000) {
  const tools = specs.flatMap((spec) => spec.tools);
  let session;
  const ours = () => {
    session = new ToolSession();
    const reports = specs.map((spec) => session.addSource(spec).report.added.length);
    session.start();
    const active = session.activeTools();
    const checked = specs.filter((spec) => session.checkScope(`${spec.kind}:${spec.name}/${spec.tools[0].name}`).allowed);
    const passed = direct > 0 ? 50 : 0;
    if (reports.some((added) => added !== 200) || active.length !== direct || checked.length !== passed) throw new Error("not all registered");
  };
  let parsed;
  const peer = () => {
    parsed = JSON.parse(JSON.stringify(tools));
  };
  const before = () => {
    session?.dispose();
    session = parsed = undefined;
    globalThis.gc?.();
  };
  report(compare(name, { ours, peer, peerName: "JSON.stringify + JSON.parse", rounds: 11, before }));
}

function importing(report) {
  const entry = JSON.stringify(fileURLToPath(new URL("../../index.js", import.meta.url)));
  const run = (script) => wall(() => spawnSync(process.execPath, ["-e", script]));
  const samples = [];
  const empty = [];
  for (let round = 0; round < 15; round++) {
    empty.push(run(""));
    samples.push(run(`require(${entry})`));
  }
  report(value("import", "ns", median(samples) - median(empty)));
}

function memory(report) {
  const multiples = Array.from({ length: 3 }, () => {
    const script = fileURLToPath(new URL("../gate/memory.mjs", import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, ["--expose-gc", script], { encoding: "utf8" });
    if (stdout === "") throw new Error(`the memory process failed: ${stderr}`);
    const { grown, text } = JSON.parse(stdout);
    return grown / text;
  });
  report(summary("memory_10k", "times the text", multiples));
}
