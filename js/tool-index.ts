import type { SearchExplanation, SearchOptions, SearchPage, SourcedTool, ToolIndex as Public } from "../index.js";
import { ToolscopeError } from "./errors.js";
import { expect, list, object, options, string, strings, type Check } from "./options.js";
import { crossing, native, type Native } from "./native.js";

/** A page as the addon gives it: with slots in place of descriptions, which this side has. */
interface NativePage {
  items: (Omit<SearchPage["items"][number], "description"> & { slot: number })[];
  total: number;
  next: number | null;
}

/** See index.d.ts. */
export class ToolIndex implements Public {
  readonly #native: InstanceType<Native["NativeToolIndex"]> = new native.NativeToolIndex();
  /** By slot; the caller's own strings, so that no description is held twice. */
  readonly #descriptions: string[] = [];

  constructor(tools: readonly SourcedTool[] = []) {
    this.#add(tools);
  }

  get size(): number {
    return this.#native.size;
  }

  add(...tools: SourcedTool[]): void {
    this.#add(tools);
  }

  #add(tools: readonly SourcedTool[]): void {
    expect("the tools", tools, list);
    if (tools.length === 0) return;
    for (const tool of tools) expect("a tool", tool, object);
    const slots = crossing(() => this.#native.add(written(tools)));
    slots.forEach((slot, number) => {
      const description = tools[number]?.description;
      if (slot >= 0) this.#descriptions[slot] = typeof description === "string" ? description : "";
    });
  }

  remove(...ids: string[]): void {
    for (const id of ids) {
      const slot = crossing(() => this.#native.remove(id));
      if (slot >= 0) this.#descriptions[slot] = "";
    }
  }

  prefer(uses: readonly { id: string; weight: number }[]): void {
    expect("`uses`", uses, list);
    for (const use of uses) expect("a use", use, object);
    crossing(() => this.#native.prefer(uses.map(({ id }) => String(id)), uses.map(({ weight }) => Number(weight))));
  }

  search(query: string, given: SearchOptions = {}): SearchPage {
    expect("the query", query, string);
    const { limit = 10, offset = 0, in: within } = options<SearchOptions>("the search", given, SEARCH_OPTIONS);
    const text = crossing(() => this.#native.search(query, limit, offset, within && [...within]));
    const page = JSON.parse(text) as NativePage;
    return {
      items: page.items.map(({ slot, id, name, path, signature, score }) => {
        return { id, name, path, description: this.#descriptions[slot] ?? "", signature, score };
      }),
      total: page.total,
      next: page.next === null ? null : { offset: page.next },
    };
  }

  explain(query: string, id: string, given: Pick<SearchOptions, "in"> = {}): SearchExplanation | undefined {
    expect("the query", query, string);
    expect("the id", id, string);
    const { in: within } = options<Pick<SearchOptions, "in">>("the explanation", given, { in: strings });
    const text = crossing(() => this.#native.explain(query, id, within && [...within]));
    return (JSON.parse(text) as SearchExplanation | null) ?? undefined;
  }
}

const whole = (least: number): Check => ({
  is: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= 0xffff_ffff,
  what: `a whole number from ${least} to 4294967295`,
});
const SEARCH_OPTIONS = { limit: whole(1), offset: whole(0), in: strings };

/** What the index reads of a tool. */
function read(tool: SourcedTool): object {
  expect("a tool", tool, object);
  const { source, name, description, sourceDescription, inputSchema, annotations, category, exposure } = tool;
  return { source, name, description, sourceDescription, inputSchema, title: annotations?.title, category, exposure };
}

/** A string with half of a surrogate pair becomes one that UTF-8 can say. */
const wellFormed = (_key: string, value: unknown): unknown => (typeof value === "string" ? value.toWellFormed() : value);

/** The tools as one JSON text. */
function written(tools: readonly SourcedTool[]): string {
  let text: string;
  try {
    text = JSON.stringify(tools.map(read));
  } catch (cause) {
    if (ToolscopeError.isInstance(cause)) throw cause;
    for (const tool of tools) {
      try {
        JSON.stringify(read(tool));
      } catch {
        const message = `tool \`${String(tool.name)}\` cannot be written as JSON; leave out cycles and BigInts`;
        throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", message, { cause });
      }
    }
    throw cause;
  }
  // Lone halves of surrogate pairs are the only thing that JSON.stringify escapes so.
  return /\\ud[89a-f]/.test(text) ? JSON.stringify(tools.map(read), wellFormed) : text;
}
