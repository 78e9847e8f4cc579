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

function door(tool: GuardedTool, keeper: DoorKeeper, execute: Execute, self: object): Execute {
  return async (callId: unknown, input: unknown, signal: unknown, ...rest: unknown[]) =>
    keeper.pass(tool, callId, input, signal, (decided) =>
      Reflect.apply(execute, self, [callId, decided, signal, ...rest]),
    );
}

/**
 * A definition to put in the place of `definition`, which is left as it is: its owner may use it in another session.
 */
export function guarded(tool: GuardedTool, keeper: DoorKeeper): PiToolDefinition {
  const { definition } = tool;
  let execute = door(tool, keeper, definition.execute, definition);
  // A copy as the target: a frozen one would force the proxy to hand out its own `execute`.
  const stand = new Proxy<PiToolDefinition>(
    { ...definition },
    {
      get(_target, key) {
        if (key === "execute") return execute;
        if (key === "exposure") return keeper.isHidden(tool) ? "hidden" : definition.exposure;
        const value: unknown = Reflect.get(definition, key);
        return typeof value === "function" && !Object.hasOwn(definition, key) ? value.bind(definition) : value;
      },
      set(_target, key, value) {
        // Whoever wraps `execute` on the live entry wraps the door, and is behind a door again.
        if (key !== "execute") return Reflect.set(definition, key, value);
        execute = door(tool, keeper, value as Execute, definition);
        return true;
      },
    },
  );
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
      value: door(tool, keeper, definition.execute, definition),
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
