/** The record of tools that the AI SDK is handed: one object for good, brought up to date before each step. */
import type { ToolDefinition, ToolInfo, ToolSession } from "../../../index.js";
import type { Doors, Target } from "./door.js";
import { type AiTool, type Original, originalOf } from "./original.js";
import { shown } from "./shown.js";

export class ToolRecord {
  /** What was once in it stays, and its door decides: a call that was approved earlier may come at any time. */
  readonly tools: Record<string, AiTool> = Object.create(null);
  readonly #session: ToolSession;
  readonly #doors: Doors;
  /** By name, as the AI SDK calls: what is behind a name is its owner's alone. */
  readonly #definitions = new Map<string, ToolDefinition>();
  /** By id: a name may be borne by tools of several sources. */
  #infos = new Map<string, ToolInfo>();
  /** What the last request showed, in its order; before the first one, whatever is in scope counts as shown. */
  #order: readonly string[] | undefined;
  #generation = -1;

  constructor(session: ToolSession, doors: Doors) {
    this.#session = session;
    this.#doors = doors;
    this.refresh();
  }

  /** Takes in what came into scope: it can be run before any request has shown it. */
  refresh(): void {
    if (this.#generation === this.#session.generation) return;
    this.#generation = this.#session.generation;
    const infos = this.#session.tools();
    this.#infos = new Map(infos.map((info) => [info.id, info]));
    for (const { id, name, description = "", inScope } of infos) {
      if (!inScope || this.#definitions.get(name)?.id === id) continue;
      const inputSchema = this.#behind(id)?.inputSchema ?? { type: "object" };
      this.#put({ id, name, description, inputSchema });
    }
  }

  /**
   * Shows tools as a request does: the AI SDK lists what is enumerable and finds the rest by name, so that a list of the
   * host's own (`activeTools`) goes on choosing among them.
   */
  show(definitions: readonly ToolDefinition[]): void {
    this.refresh();
    for (const definition of definitions) if (this.#definitions.get(definition.name) !== definition) this.#put(definition);
    this.#order = definitions.filter(({ deferred }) => deferred !== true).map(({ name }) => name);
    const shown = new Set(this.#order);
    for (const name of this.#definitions.keys()) {
      if (Object.prototype.propertyIsEnumerable.call(this.tools, name) === shown.has(name)) continue;
      Object.defineProperty(this.tools, name, { enumerable: shown.has(name) });
    }
  }

  /** The names that the last request showed, in its order. */
  get order(): string[] {
    return [...(this.#order ?? [])];
  }

  /** The tool that the AI SDK would run for a name. */
  targetOf(name: string): Target | undefined {
    const id = this.#definitions.get(name)?.id;
    return id === undefined ? undefined : { id, name };
  }

  /** What the AI SDK calls a tool of the session's, also one that came since the last step. */
  nameOf(id: string): string | undefined {
    this.refresh();
    return this.#infos.get(id)?.name;
  }

  #put(definition: ToolDefinition): void {
    const { id, name } = definition;
    this.#definitions.set(name, definition);
    const value = shown(this.#doors, definition, this.#behind(id));
    const enumerable = this.#order === undefined || Object.prototype.propertyIsEnumerable.call(this.tools, name);
    Object.defineProperty(this.tools, name, { value, enumerable, configurable: true, writable: true });
  }

  /** The host's own tool behind one of the session's. */
  #behind(id: string): Original | undefined {
    const source = this.#infos.get(id)?.source;
    // A raw name may hold anything; the source's id is known, so nothing is taken apart by guess.
    return source === undefined ? undefined : originalOf(this.#session.source(source), id.slice(source.length + 1));
  }
}
