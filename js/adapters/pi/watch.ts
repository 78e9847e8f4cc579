/**
 * Where the adapter hears of pi: an extension of its own at the end of the list, and hooks around what has no event.
 * Every hook calls pi's own code whatever ours does.
 */
import type { EndedCall } from "./door.js";
import { type PiAgentSession, type PiExtension, type PiLoad, type PiRuntime, lastLoad, runningLoad } from "./host.js";

export interface Watcher {
  /** Extensions are loaded anew; pi has not looked at them yet. */
  loaded(load: PiLoad): void;
  /** A tool was registered; `refresh` is pi's answer to it. */
  registered(refresh: () => void): void;
  /** pi's registry is new, or a prompt is about to start. */
  prepare(): void;
  turnEnded(): void;
  /** A call ended; the event's result may be written to. */
  ended(call: EndedCall): Promise<void>;
  /** A call of pi's begins, from inside another one where `parentCallId` is given. */
  started(callId: string, parentCallId: string | undefined): void;
  /** The call is over for all listeners. */
  finished(callId: string): void;
  over(): void;
  failed(event: string, error: unknown): void;
}

const PATH = "<inline:toolscope>";

/** An extension with no tools of its own: pi's runner calls its handlers after those of all others. */
export function ownExtension(watcher: Watcher): PiExtension {
  const safely =
    <E>(event: string, run: (event: E) => void | Promise<void>) =>
    async (given: E): Promise<void> => {
      try {
        await run(given);
      } catch (error) {
        watcher.failed(event, error);
      }
    };
  const extension: PiExtension & Record<string, unknown> = {
    path: PATH,
    resolvedPath: PATH,
    hidden: true,
    sourceInfo: { path: PATH, source: "inline", scope: "temporary", origin: "top-level" } as PiExtension["sourceInfo"] &
      object,
    handlers: new Map([
      ["session_start", [safely("session_start", () => watcher.prepare())]],
      ["before_agent_start", [safely("before_agent_start", () => watcher.prepare())]],
      ["tool_execution_end", [safely("tool_execution_end", (event: EndedCall) => watcher.ended(event))]],
    ]),
    tools: new Map(),
    messageRenderers: new Map(),
    entryRenderers: new Map(),
    commands: new Map(),
    flags: new Map(),
    shortcuts: new Map(),
  };
  return extension;
}

export interface Watch {
  /** Has pi build its registry anew from the live maps. */
  refresh(): void;
  /** Takes the hooks out again. */
  stop(): void;
}

/** Installs the hooks. */
export function watch(host: PiAgentSession, watcher: Watcher, own: PiExtension): Watch {
  const undo: (() => void)[] = [];
  const safely = (event: string, run: () => void): void => {
    try {
      run();
    } catch (error) {
      watcher.failed(event, error);
    }
  };

  const runtimes = new WeakSet<PiRuntime>();
  let pis = (): void => {};
  const install = ({ extensions, runtime }: PiLoad): void => {
    const at = extensions.indexOf(own);
    if (at !== extensions.length - 1 || at < 0) {
      if (at >= 0) extensions.splice(at, 1);
      extensions.push(own);
    }
    if (runtimes.has(runtime)) return;
    runtimes.add(runtime);
    undo.push(() => {
      const index = extensions.indexOf(own);
      if (index >= 0) extensions.splice(index, 1);
    });
    // pi assigns its own again whenever it builds a runner on this runtime.
    let refresh = runtime.refreshTools;
    pis = () => refresh();
    const hooked = (): void => {
      let refreshed = false;
      const once = (): void => {
        refreshed = true;
        refresh();
      };
      safely("register_tool", () => watcher.registered(once));
      if (!refreshed) refresh();
    };
    Object.defineProperty(runtime, "refreshTools", {
      get: () => hooked,
      set: (value: () => void) => {
        refresh = value;
      },
      configurable: true,
      enumerable: true,
    });
    undo.push(() => {
      Object.defineProperty(runtime, "refreshTools", {
        value: refresh,
        configurable: true,
        enumerable: true,
        writable: true,
      });
    });
  };

  const around = <T extends object, K extends keyof T & string>(
    target: T,
    key: K,
    wrap: (original: T[K]) => T[K],
  ): void => {
    const owned = Object.getOwnPropertyDescriptor(target, key);
    const original = target[key];
    const wrapped = wrap(original);
    Object.defineProperty(target, key, { value: wrapped, configurable: true, enumerable: false, writable: true });
    undo.push(() => {
      // Another party's hook over ours stays; ours is then inert, since the watcher is.
      if (target[key] !== wrapped) return;
      if (owned === undefined) Reflect.deleteProperty(target, key);
      else Object.defineProperty(target, key, owned);
    });
  };

  const stop = (): void => {
    for (const step of undo.splice(0).reverse()) safely("detach", step);
  };
  let reloading = 0;
  const hook = (): void => {
    install(runningLoad(host));
    around(host.resourceLoader, "reload", (original) => async (...given) => {
      await Reflect.apply(original, host.resourceLoader, given);
      // A loader may be shared, and load for another session.
      if (reloading === 0) return;
      safely("reload", () => {
        install(lastLoad(host));
        watcher.loaded(lastLoad(host));
      });
    });
    around(host, "reload", (original) => async (...given) => {
      reloading++;
      try {
        await Reflect.apply(original, host, given);
      } finally {
        reloading--;
      }
      safely("reload", () => watcher.prepare());
    });
    around(host, "dispose", (original) => () => {
      safely("dispose", () => watcher.over());
      Reflect.apply(original, host, []);
    });
    undo.push(
      host.subscribe((event: { type: string; toolCallId: string; parentToolCallId?: string }) => {
        if (event.type === "turn_end") safely("turn_end", () => watcher.turnEnded());
        else if (event.type === "tool_execution_start") watcher.started(event.toolCallId, event.parentToolCallId);
        else if (event.type === "tool_execution_end") watcher.finished(event.toolCallId);
      }),
    );
  };
  try {
    hook();
  } catch (error) {
    stop();
    throw error;
  }
  return { refresh: () => pis(), stop };
}
