// How much of what is called a catalog shows: calls of real sessions, half of the sessions as history, half scored.
// The prototype and its splits come from the data's own script, so that both see the same sessions.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { dataFolder, hasData, lines, tools as read } from "../data.mjs";
import { value } from "../measure.mjs";
import core from "../../index.js";

const { renderCatalog, UsageLog } = core;
const SET = "livemcpbench";
const RESPLITS = Array.from({ length: 20 }, (_, index) => index + 1);
const BUDGETS = [500, 1_000, 2_000, 4_000, 8_000];

const python = (...args) => JSON.parse(execFileSync("python3", args, { encoding: "utf8", maxBuffer: 1 << 26 }));
/** The sessions whose calls are history, drawn as the prototype draws them. */
const DRAW = `
import json, random, sys
calls = [json.loads(line) for line in open(sys.argv[1] + "/calls.jsonl")]
tools = {t["server"] + "/" + t["name"] for t in map(json.loads, open(sys.argv[1] + "/tools.jsonl"))}
sessions = sorted({c["session"] for c in calls if c["tool"] in tools})
random.Random(int(sys.argv[2])).shuffle(sessions)
print(json.dumps(sessions[: len(sessions) // 2]))`;

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

export async function run(report) {
  if (!hasData()) return console.error(`ranking: skipped, there is no data in ${dataFolder}; set TOOLSCOPE_DATA`);
  const tools = read(SET);
  const ids = new Set(tools.map((tool) => `${tool.source}/${tool.name}`));
  const calls = lines(SET, "calls.jsonl").filter((call) => ids.has(call.tool));
  const folder = join(dataFolder, SET);

  const fixed = {
    history: calls.filter((call) => call.split === "train"),
    scored: calls.filter((call) => call.split === "test"),
    prototype: python(join(dataFolder, "prototype", "catalog.py"), folder),
  };
  const resplits = RESPLITS.map((seed) => {
    const first = new Set(python("-c", DRAW, folder, String(seed)));
    return {
      history: calls.filter((call) => first.has(call.session)),
      scored: calls.filter((call) => !first.has(call.session)),
      prototype: python(join(dataFolder, "prototype", "catalog.py"), folder, String(seed)),
    };
  });

  // The trace has no times, so that every use is as recent as every other.
  const at = new Date(0);
  const used = (calls, session = (call) => call.session) => {
    const log = new UsageLog();
    calls.forEach((call, index) => log.record({ id: call.tool, session: session(call, index), at }));
    return log;
  };
  function shares(catalog, scored) {
    const level = new Map(catalog.shown.map((tool) => [tool.id, tool.level]));
    const share = (holds) => (100 * scored.filter((call) => holds(level.get(call.tool))).length) / scored.length;
    return { parameters: share((level) => level === "full" || level === "compact"), named: share((level) => level !== undefined) };
  }
  /** Every way to make a catalog, on one split, at one budget. */
  function measure({ history, scored }, budget) {
    const usage = used(history);
    // An oracle knows the scored calls, each of them for itself.
    const future = used(scored, (_, index) => `call ${index}`);
    const pinned = usage.rank().map((tool) => tool.id);
    return {
      default: shares(renderCatalog(tools, { budget }), scored),
      pinned: shares(renderCatalog(tools, { budget, pinned }), scored),
      adaptive: shares(renderCatalog(tools, { budget, detail: "adaptive", rank: "usage", usage }), scored),
      oracle: shares(renderCatalog(tools, { budget, detail: "adaptive", rank: "usage", usage: future }), scored),
    };
  }

  for (const budget of BUDGETS) {
    const suffix = budget === 2_000 ? "" : `_${budget}`;
    const one = measure(fixed, budget);
    report(value(`default_shown${suffix}`, "%", one.default.parameters));
    report(value(`pinned_full_shown${suffix}`, "%", one.pinned.parameters));
    report(value(`adaptive_parameters${suffix}`, "%", one.adaptive.parameters));
    report(value(`adaptive_named${suffix}`, "%", one.adaptive.named));
    report(value(`oracle_shown${suffix}`, "%", one.oracle.parameters));
    const all = resplits.map((split) => measure(split, budget));
    report(value(`resplits_adaptive_parameters${suffix}`, "%", mean(all.map((shares) => shares.adaptive.parameters))));
    report(value(`resplits_adaptive_named${suffix}`, "%", mean(all.map((shares) => shares.adaptive.named))));
    report(value(`resplits_default_shown${suffix}`, "%", mean(all.map((shares) => shares.default.parameters))));
    report(value(`resplits_pinned_full_shown${suffix}`, "%", mean(all.map((shares) => shares.pinned.parameters))));
    if (budget !== 2_000) continue;
    // The prototype's two forms: parameters first, and a quarter of the budget kept for names.
    const over = (form, what) => all.map((shares, index) => shares.adaptive[what] - resplits[index].prototype[form][what]);
    const paired = (name, differences) =>
      report({ ...value(name, "points", mean(differences)), min: Math.min(...differences), max: Math.max(...differences), n: differences.length });
    report(value("prototype_parameters", "%", fixed.prototype.parameters_first.parameters));
    report(value("prototype_named", "%", fixed.prototype.names_kept.named));
    paired("adaptive_over_prototype", over("parameters_first", "parameters"));
    paired("adaptive_over_prototype_names_kept", over("names_kept", "parameters"));
    paired("adaptive_named_over_prototype_names_kept", over("names_kept", "named"));
    const worse = all.filter((shares) => shares.adaptive.parameters < Math.max(shares.default.parameters, shares.pinned.parameters));
    report(value("resplits_below_default_or_pinned", "splits", worse.length));
  }
}
