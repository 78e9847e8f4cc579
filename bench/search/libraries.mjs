// The peers, each over the same fields as ours and otherwise as its own documentation sets it up for full text.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { create, insertMultiple, search } from "@orama/orama";
import FlexSearch from "flexsearch";
import MiniSearch from "minisearch";

import { fields, idOf } from "./data.mjs";

const names = Object.keys(fields({ source: "", name: "" })).filter((name) => name !== "id");

/** Any word may match, as a question's words are never all there. */
export function minisearch(tools) {
  const index = new MiniSearch({ fields: names, storeFields: [] });
  index.addAll(tools.map(fields));
  return (query) => index.search(query).slice(0, 10).map((hit) => hit.id);
}

/** English stemming, and any word may match. */
export function orama(tools) {
  const schema = Object.fromEntries(names.map((name) => [name, "string"]));
  const index = create({ schema, components: { tokenizer: { stemming: true, language: "english" } } });
  insertMultiple(index, tools.map(fields), tools.length);
  return (query) => search(index, { term: query, limit: 10, threshold: 1 }).hits.map((hit) => hit.id);
}

/** The English encoder, and any word may match. */
export function flexsearch(tools) {
  const index = new FlexSearch.Index({ tokenize: "strict", encoder: FlexSearch.Charset.LatinBalance });
  tools.forEach((tool, number) => {
    const { id: _, ...texts } = fields(tool);
    index.add(number, Object.values(texts).join(" "));
  });
  return (query) => index.search(query, { limit: 10, suggest: true }).map((number) => idOf(tools[number]));
}

/** pi's own ranking, out of its package's folder since it is not exported; undefined where pi is not installed. */
export async function pi() {
  let entry;
  try {
    entry = fileURLToPath(import.meta.resolve("@earendil-works/pi-coding-agent"));
  } catch {
    return undefined;
  }
  const file = join(dirname(entry), "extensions", "tool-search", "tool.js");
  if (!existsSync(file)) return undefined;
  const { Bm25Ranker, createToolSearchDocument } = await import(pathToFileURL(file));
  return (tools) => {
    const documents = tools.map((tool) => {
      const namespace = { name: tool.source, description: tool.sourceDescription };
      const { description = "", inputSchema: parameters } = tool;
      return createToolSearchDocument({ name: idOf(tool), description, parameters }, namespace);
    });
    const ranker = new Bm25Ranker();
    return (query) => ranker.rank(query, documents, 10).map((hit) => hit.name);
  };
}
