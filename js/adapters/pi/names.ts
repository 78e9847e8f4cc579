/**
 * pi's names and the session's: they differ where providers do not take pi's name for a tool, and where it could be taken
 * for another's (`fs.read`, `constructor`, one of 65 characters). pi is told pi's names, the session ids or its own.
 */
import type { ToolCall, ToolSession } from "../../../index.js";
import type { GuardedTool } from "./guard.js";

export class Names {
  readonly #session: ToolSession;
  readonly #effective: (name: string) => GuardedTool | undefined;
  readonly #effectiveTools: () => Iterable<GuardedTool>;
  /** An exposed name is a function of the tool, so what was once learnt stays. */
  readonly #exposed = new WeakMap<GuardedTool, string>();

  constructor(
    session: ToolSession,
    effective: (name: string) => GuardedTool | undefined,
    effectiveTools: () => Iterable<GuardedTool>,
  ) {
    this.#session = session;
    this.#effective = effective;
    this.#effectiveTools = effectiveTools;
  }

  /** The session's name for a tool; undefined where the session does not know it. */
  exposedOf(tool: GuardedTool): string | undefined {
    const known = this.#exposed.get(tool);
    if (known !== undefined) return known;
    const { id, name } = this.#session.checkScope({ name: tool.id, id: tool.id });
    if (id !== tool.id) return undefined;
    this.#exposed.set(tool, name);
    return name;
  }

  /** A call of a tool, in the session's words; in pi's for one that the session does not know. */
  callOf(tool: GuardedTool): Required<Pick<ToolCall, "name" | "id">> {
    return { name: this.exposedOf(tool) ?? tool.name, id: tool.id };
  }

  /** The tools that pi would run, for names of the session's; the session may hold tools of other sources than pi's. */
  toolsOf(exposed: readonly string[]): GuardedTool[] {
    let byName: Map<string | undefined, GuardedTool> | undefined;
    return exposed.flatMap((name) => {
      const same = this.#effective(name);
      if (same !== undefined && this.exposedOf(same) === name) return [same];
      byName ??= new Map(Array.from(this.#effectiveTools(), (tool) => [this.exposedOf(tool), tool]));
      return byName.get(name) ?? [];
    });
  }
}
