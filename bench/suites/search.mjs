// Search: how often the right tool is among the first, beside other libraries and a plain prototype; and what it costs.
import { ToolIndex } from "../../index.mjs";
import { median, summary, time, value } from "../measure.mjs";
import { fields, idOf, present, sets } from "../search/data.mjs";
import * as libraries from "../search/libraries.mjs";
import { judge, lowerBound, mean } from "../search/measures.mjs";

const MEASURES = ["r5", "r10", "ndcg10"];
// Of the data sets' own papers and listing: R@5 on the human queries, and the best of four libraries over fewer fields.
const PUBLISHED = { "published BM25": 31.7, "published 8B embedding model": 53.5 };

export async function run(report) {
  if (!present) {
    console.error("search: skipped, since ../shared/data is not there (TOOLSCOPE_DATA names another folder)");
    return;
  }
  const all = sets();
  const indexes = new Map();
  for (const { tools } of all) if (!indexes.has(tools)) indexes.set(tools, new ToolIndex(tools));

  cost(report, all, indexes);
  await quality(report, all, indexes);
}

/** Every set, by every library: percent of the groups found, and how far above the prototype. */
async function quality(report, all, indexes) {
  const gains = [];
  const pi = await libraries.pi();
  if (pi === undefined) console.error("search: pi's ranking is not measured, since pi is not installed");
  const built = new Map();
  for (const { name, tools, queries, prototype } of all) {
    const index = indexes.get(tools);
    const ours = queries.map(({ query, groups }) => judge(groups, index.search(query).items.map((item) => item.id)));
    const theirs = queries.map(({ groups }, number) => judge(groups, prototype[number]));
    const peers = {};
    for (const library of ["minisearch", "orama", "flexsearch"]) {
      if (!built.has(tools)) built.set(tools, {});
      const find = (built.get(tools)[library] ??= libraries[library](tools));
      peers[library] = queries.map(({ query, groups }) => judge(groups, find(query)));
    }
    // It reads every tool anew for every query, which takes minutes on the larger sets.
    if (pi !== undefined && tools.length < 1000) {
      const find = pi(tools);
      peers.pi = queries.map(({ query, groups }) => judge(groups, find(query)));
    }
    const gain = {};
    for (const measure of MEASURES) {
      const percent = (judged) => 100 * mean(judged.map((one) => one[measure]));
      const beside = (peer, peerMedian) => {
        const mine = percent(ours);
        return report({ ...value(`${name}_${measure}`, "%", mine), peer, peerMedian, ratio: mine / peerMedian });
      };
      for (const [library, judged] of Object.entries(peers)) beside(library, percent(judged));
      beside("prototype", percent(theirs));
      if (name === "live" && measure === "r5") for (const [peer, r5] of Object.entries(PUBLISHED)) beside(peer, r5);
      gain[measure] = percent(ours) - percent(theirs);
      const differences = ours.map((one, number) => 100 * (one[measure] - theirs[number][measure]));
      report(value(`${name}_over_prototype_${measure}`, "points", gain[measure]));
      report(value(`${name}_over_prototype_${measure}_low`, "points", lowerBound(differences)));
    }
    gains.push(gain);
  }
  for (const measure of MEASURES) {
    report(value(`average_over_prototype_${measure}`, "points", mean(gains.map((gain) => gain[measure]))));
  }
}

/** Time and memory, on the human queries. */
function cost(report, all, indexes) {
  const [live, , many] = all;
  for (const [label, { tools, queries }] of [["527", live], ["8433", many]]) {
    const index = indexes.get(tools);
    const find = libraries.minisearch(tools);
    // A figure is over queries, each by its median over the rounds: what else the machine does is not theirs.
    const samples = queries.map(() => ({ ours: [], theirs: [] }));
    const rounds = label === "527" ? 21 : 11;
    for (let round = -2; round < rounds; round++) {
      for (const [number, { query }] of queries.entries()) {
        const ours = time(() => index.search(query)) / 1000;
        // The peer takes a hundred times as long: a few rounds tell enough.
        const theirs = round >= 0 && round < 3 ? time(() => find(query)) / 1000 : undefined;
        if (round < 0) continue;
        samples[number].ours.push(ours);
        if (theirs !== undefined) samples[number].theirs.push(theirs);
      }
    }
    const ours = samples.map((of) => median(of.ours)).sort((a, b) => a - b);
    report(summary(`query_${label}`, "µs", ours, { name: "minisearch", samples: samples.map((of) => median(of.theirs)) }));
    const late = ours[Math.ceil(ours.length * 0.99) - 1];
    report(value(`query_${label}_p99`, "µs", late));
    report(value(`query_${label}_p99_over_median`, "times", late / median(ours)));
  }

  const { tools } = many;
  const builds = Array.from({ length: 6 }, () => time(() => new ToolIndex(tools)) / 1e6).slice(1);
  const peer = { name: "minisearch", samples: [time(() => libraries.minisearch(tools)) / 1e6] };
  report(summary("index_8433", "ms", builds, peer));

  const index = indexes.get(tools);
  const adds = tools.filter((_, number) => number % 80 === 0).map((tool) => {
    index.remove(idOf(tool));
    return time(() => index.add(tool)) / 1000;
  });
  report(summary("add_one", "µs", adds.slice(5)));
  // The first search after a change also counts anew how rare each word is.
  const after = tools.filter((_, number) => number % 160 === 1).map((tool) => {
    index.remove(idOf(tool));
    index.add(tool);
    return time(() => index.search("list open pull requests")) / 1000;
  });
  report(summary("query_after_add", "µs", after));

  const text = tools.reduce((sum, tool) => sum + Object.values(fields(tool)).reduce((all, one) => all + Buffer.byteLength(one), 0), 0);
  const kept = [];
  const before = settled();
  for (let copy = 0; copy < 4; copy++) kept.push(new ToolIndex(tools));
  const grown = (settled() - before) / kept.length;
  report(value("index_memory_bytes", "MB", grown / 1e6));
  report(value("index_memory", "of the text", grown / text));

  for (const [name, query] of hostile()) {
    const runs = Array.from({ length: 9 }, () => time(() => index.search(query)) / 1000);
    report(summary(`hostile_${name}`, "µs", runs.slice(2)));
  }
}

/** Resident bytes, after what is garbage is gone. */
function settled() {
  for (let round = 0; round < 4; round++) globalThis.gc?.();
  return process.memoryUsage().rss;
}

/** Queries that ask for trouble. */
function hostile() {
  return [
    ["megabyte_of_words", "list open pull requests of the repository ".repeat(25_000)],
    ["megabyte_of_one_word", "a".repeat(1_000_000)],
    ["megabyte_of_new_words", Array.from({ length: 120_000 }, (_, number) => `zq${number.toString(36)}x`).join(" ")],
    ["megabyte_of_han", "检索".repeat(170_000)],
    ["stop_words", "the of and to in is it that for on with as at by ".repeat(200)],
    ["control_characters", "\u0000\u0001\u0002\u001b[31m\u007f\u202e\u200b".repeat(1000)],
    ["lone_surrogates", "\ud800 list \udfff issues \ud83d".repeat(1000)],
    ["regular_expression", "^(?:(a+)+)+$|[\\s\\S]*?(?=.*){1,99999}(\\w+\\s?)*$"],
    ["sql", "'; DROP TABLE tools; -- SELECT * FROM tools WHERE name LIKE '%issue%' OR 1=1"],
  ];
}
