/**
 * The last door on pi's side: a definition whose `execute` asks the scope about its final arguments, and whose
 * `exposure` reads "hidden" while the scope leaves the tool out. Whoever holds the definition, pi's loop, a script or a
 * caller that took it from the live map, comes through here.
 */
import type { FedSource } from "./feed.js";
import type { PiExposure, PiToolDefinition } from "./host.js";

/** What the door asks; the attachment answers. */
export interface DoorKeeper {
  /** Whether the scope leaves the tool out at this moment. */
  isHidden(tool: GuardedTool): boolean;
  /** What the tool says of itself in pi, where that is not what its owner says. */
  describe(tool: GuardedTool): string | undefined;
  /** Decides, runs, records. `run` takes the input that was decided on. */
  pass(
    tool: GuardedTool,
    callId: unknown,
    input: unknown,
    signal: unknown,
    run: (input: unknown) => Promise<unknown>,
  ): Promise<unknown>;
}

/** One registration of one tool. */
export interface GuardedTool {
  /** The source it was fed to, and its name there. */
  readonly source: FedSource;
  readonly rawName: string;
  /** Its id in the scope. */
  readonly id: string;
  /** pi's name for it. */
  readonly name: string;
  readonly definition: PiToolDefinition;
  /** The exposure that was registered. */
  readonly exposure: PiExposure;
  /** How it is presented to pi; set when presentation is brought in step, never in the middle of pi's work. */
  hidden: boolean;
}

type Execute = PiToolDefinition["execute"];
const guards = new WeakMap<object, GuardedTool>();

/** The registration behind a guarded definition, or undefined for any other. */
export const guardOf = (definition: object): GuardedTool | undefined => guards.get(definition);

function door(tool: GuardedTool, keeper: DoorKeeper, execute: Execute): Execute {
  const self = tool.definition;
  return async (callId: unknown, input: unknown, signal: unknown, ...rest: unknown[]) =>
    keeper.pass(tool, callId, input, signal, (decided) =>
      Reflect.apply(execute, self, [callId, decided, signal, ...rest]),
    );
}

/** A definition in the place of another, which is left as it is: its owner may use it in another session. */
class GuardedDefinition {
  readonly #tool: GuardedTool;
  readonly #keeper: DoorKeeper;
  #execute: Execute;

  constructor(tool: GuardedTool, keeper: DoorKeeper) {
    const { execute, exposure, ...rest } = tool.definition;
    const description = keeper.describe(tool);
    Object.assign(this, inherited(tool.definition), rest, description !== undefined && { description });
    this.#tool = tool;
    this.#keeper = keeper;
    this.#execute = door(tool, keeper, tool.definition.execute);
  }

  get execute(): Execute {
    return this.#execute;
  }
  /** Whoever wraps `execute` on the live entry wraps the door, and is behind a door again. */
  set execute(execute: Execute) {
    this.#execute = door(this.#tool, this.#keeper, execute);
  }

  // Accessors of the class, not of each object: pi asks for the exposure of every tool at every call of a script.
  get exposure(): PiExposure | undefined {
    return this.#keeper.isHidden(this.#tool) ? "hidden" : this.#tool.definition.exposure;
  }
}

/** What a definition has from its class, bound to it. */
function inherited(definition: PiToolDefinition): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  let from: object | null = Object.getPrototypeOf(definition);
  for (; from !== null && from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    for (const key of Object.getOwnPropertyNames(from)) {
      if (key === "constructor" || key === "execute" || key === "exposure" || Object.hasOwn(members, key)) continue;
      const value: unknown = Reflect.get(definition, key);
      members[key] = typeof value === "function" ? value.bind(definition) : value;
    }
  }
  return members;
}

/** A definition to put in the place of the tool's own. */
export function guarded(tool: GuardedTool, keeper: DoorKeeper): PiToolDefinition {
  const stand = new GuardedDefinition(tool, keeper) as GuardedDefinition & PiToolDefinition;
  guards.set(stand, tool);
  return stand;
}

/** Guards a definition in place; returns how to undo it. For definitions that belong to one session alone. */
export function guardInPlace(tool: GuardedTool, keeper: DoorKeeper): () => void {
  const { definition } = tool;
  const before = (["execute", "exposure"] as const).map(
    (key) => [key, Object.getOwnPropertyDescriptor(definition, key)] as const,
  );
  const { exposure } = definition;
  Object.defineProperties(definition, {
    execute: {
      value: door(tool, keeper, definition.execute),
      configurable: true,
      enumerable: true,
      writable: true,
    },
    exposure: { get: () => (keeper.isHidden(tool) ? "hidden" : exposure), configurable: true, enumerable: true },
  });
  guards.set(definition, tool);
  return () => {
    guards.delete(definition);
    for (const [key, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(definition, key);
      else Object.defineProperty(definition, key, descriptor);
    }
  };
}
