import type { SearchOptions, SearchPage, SourcedTool, ToolIndex as Public } from "../index.js";
import { ToolscopeError } from "./errors.js";
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
    if (tools.length === 0) return;
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

  search(query: string, options: SearchOptions = {}): SearchPage {
    if (typeof query !== "string") throw invalid(`query \`${String(query)}\` is no string; give one`);
    const limit = whole("limit", options.limit ?? 10, 1);
    const offset = whole("offset", options.offset ?? 0, 0);
    const page = JSON.parse(crossing(() => this.#native.search(query, limit, offset))) as NativePage;
    return {
      items: page.items.map(({ slot, id, name, path, signature, score }) => {
        return { id, name, path, description: this.#descriptions[slot] ?? "", signature, score };
      }),
      total: page.total,
      next: page.next === null ? null : { offset: page.next },
    };
  }
}

function whole(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= 0xffff_ffff) return value;
  throw invalid(`${name} \`${String(value)}\` is out of range; give a whole number from ${least} to 4294967295`);
}

function invalid(message: string, options?: ErrorOptions): ToolscopeError {
  return new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", message, options);
}

/** What the index reads of a tool. */
function read(tool: SourcedTool): object {
  if (typeof tool !== "object" || tool === null) throw invalid(`tool \`${String(tool)}\` is no object; give one`);
  const { source, name, description, sourceDescription, inputSchema, annotations, category, exposure } = tool;
  return { source, name, description, sourceDescription, inputSchema, title: annotations?.title, category, exposure };
}

/** A string with half of a surrogate pair becomes one that UTF-8 can say. */
const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === "string" ? Buffer.from(value).toString() : value;

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
        throw invalid(`tool \`${String(tool.name)}\` cannot be written as JSON; leave out cycles and BigInts`, { cause });
      }
    }
    throw cause;
  }
  // Lone halves of surrogate pairs are the only thing that JSON.stringify escapes so.
  return /\\ud[89a-f]/.test(text) ? JSON.stringify(tools.map(read), wellFormed) : text;
}
