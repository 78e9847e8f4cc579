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

  /** Shows tools as a request does. */
  show(definitions: readonly ToolDefinition[]): void {
    this.refresh();
    for (const definition of definitions) if (this.#definitions.get(definition.name) !== definition) this.#put(definition);
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
    this.tools[name] = shown(this.#doors, definition, this.#behind(id));
  }

  /** The host's own tool behind one of the session's. */
  #behind(id: string): Original | undefined {
    const source = this.#infos.get(id)?.source;
    // A raw name may hold anything; the source's id is known, so nothing is taken apart by guess.
    return source === undefined ? undefined : originalOf(this.#session.source(source), id.slice(source.length + 1));
  }
}
