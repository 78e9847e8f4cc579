import type { SearchOptions } from "../../index.js";
import type { Engine } from "./engine.js";

/** One tool as a program sees it. */
export interface ListedTool {
  /** Tool id. */
  id: string;
  /** Exposed name: `tools.<name>`. */
  name: string;
  /** Id of its source. */
  source: string;
  /** Name of its source: `tools.<label>`. */
  label: string;
  /** Raw name: `tools.<label>.<tool>`. */
  tool: string;
}

let last = 0;

/**
 * The tools that programs see: for `Object.keys(tools)`, for resolving paths, and for suggestions. It grants nothing.
 * Setting it costs nothing until a program starts; programs under way see the new one at their next look.
 */
export class ToolListing {
  readonly number: number = ++last;
  #tools = "[]";
  readonly #sent = new Map<Engine, string>();
  #running = 0;

  set(tools: readonly ListedTool[]): void {
    this.#tools = JSON.stringify(tools.map(({ id, name, source, label, tool }) => ({ id, name, source, label, tool })));
    if (this.#running > 0) for (const engine of this.#sent.keys()) this.#send(engine);
  }

  /** A program starts, or ends, on an engine. */
  enter(engine: Engine): void {
    this.#running++;
    this.#send(engine);
  }

  leave(): void {
    this.#running--;
  }

  /** No program will start with it any more. */
  close(): void {
    for (const engine of this.#sent.keys()) engine.unlist(this.number);
    this.#sent.clear();
  }

  #send(engine: Engine): void {
    if (this.#sent.get(engine) === this.#tools) return;
    this.#sent.set(engine, this.#tools);
    engine.list(this.number, this.#tools);
  }
}

/** The tools by what `describe` may be given: id, then exposed name, then `source.tool`. The first of a spelling has it. */
export function spelled<Tool extends ListedTool>(tools: readonly Tool[]): Map<string, Tool> {
  const found = new Map<string, Tool>();
  for (const spelling of [(tool: Tool) => tool.id, (tool: Tool) => tool.name, (tool: Tool) => `${tool.label}.${tool.tool}`]) {
    for (const tool of tools) {
      const name = spelling(tool);
      if (!found.has(name)) found.set(name, tool);
    }
  }
  return found;
}

/** Tools on a page that a program is given; it gets the others by asking for the next page. */
const PAGE = 100;

/** What a program's `search` asks for. */
export function searched(query: unknown, wanted: unknown): [query: string, options: SearchOptions] {
  const options = { ...(wanted as SearchOptions | null | undefined) };
  if (typeof options.limit === "number" && options.limit > PAGE) options.limit = PAGE;
  return [String(query ?? ""), options];
}
