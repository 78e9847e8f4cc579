// The data sets of the suite: tools, queries with the tools that answer them, and a prototype's first ten.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = join(process.env.TOOLSCOPE_DATA || join(root, "..", "shared"), "data");

/** Whether the data sets are there; they are no part of the project. */
export const present = existsSync(folder);

const lines = (...path) =>
  readFileSync(join(folder, ...path), "utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));

/** A set's tools, as `ToolIndex` takes them. */
const tools = (set) =>
  lines(set, "tools.jsonl").map(({ server, serverDescription, ...tool }) => {
    return { ...tool, source: server, sourceDescription: serverDescription };
  });

/** Queries with what answers them, as groups of which any member does. */
const queries = (set, file) =>
  lines(set, file).map(({ id, query, gold, goldGroups }) => ({ id, query, groups: goldGroups ?? gold.map((one) => [one]) }));

/** The five sets: their name, tools, queries, and the prototype's first ten of each query. */
export function sets() {
  const live = tools("livemcpbench");
  const names = new Set(live.map((tool) => tool.name));
  const many = [...live, ...tools("toolgym_smithery").filter((tool) => !names.has(tool.name))];
  const human = queries("livemcpbench", "queries.jsonl");
  const agent = queries("livemcpbench", "queries_agent.jsonl");
  const bfcl = queries("bfcl", "queries.jsonl");
  const even = Array.from({ length: 1000 }, (_, number) => bfcl[Math.floor((number * bfcl.length) / 1000)]);
  return [
    { name: "live", tools: live, queries: human },
    { name: "live_agent", tools: live, queries: agent },
    { name: "live8k", tools: many, queries: human },
    { name: "live8k_agent", tools: many, queries: agent },
    { name: "bfcl", tools: tools("bfcl"), queries: even },
  ].map((set) => {
    const tops = new Map(lines("prototype", `${set.name}.jsonl`).map(({ query, top }) => [query, top]));
    return { ...set, prototype: set.queries.map(({ id }) => tops.get(id)) };
  });
}

/** What is indexed of a tool, as named texts: the same for every library. */
export function fields(tool) {
  const texts = { parameters: [], parameterDescriptions: [], values: [] };
  const visit = (schema, isRoot) => {
    if (typeof schema !== "object" || schema === null) return;
    if (Array.isArray(schema)) return schema.forEach((one) => visit(one, false));
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      texts.parameters.push(name);
      visit(property, false);
    }
    if (!isRoot) {
      texts.parameterDescriptions.push(...[schema.title, schema.description].filter((text) => typeof text === "string"));
    }
    texts.values.push(...[schema.enum ?? []].flat().filter((text) => typeof text === "string"));
    for (const key of ["items", "anyOf", "oneOf", "allOf"]) visit(schema[key], false);
  };
  visit(tool.inputSchema, true);
  return {
    id: idOf(tool),
    name: tool.name,
    title: tool.annotations?.title ?? "",
    description: tool.description ?? "",
    parameters: texts.parameters.join(" "),
    parameterDescriptions: texts.parameterDescriptions.join(" "),
    values: texts.values.join(" "),
    source: tool.source,
    sourceDescription: tool.sourceDescription ?? "",
    category: tool.category ?? "",
  };
}

/** A tool's id, as the data sets and `ToolIndex` write it. */
export const idOf = (tool) => `${tool.source}/${tool.name}`;
