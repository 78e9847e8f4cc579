/**
 * One pi session under one tool session: keeps the two in step, and is the door before every tool.
 */
import type { ActiveDelta, Decision, ToolCall, ToolSession } from "../../../index.js";
import type { PiAttachment } from "../pi.js";
import { ActiveSet } from "./active.js";
import { type DoorKeeper, type GuardedTool, guardOf } from "./guard.js";
import { type PiAgentSession, type PiExtension, type PiLoad, runningLoad } from "./host.js";
import { Registry } from "./registry.js";
import { answersTo, namedTools, withNote } from "./script.js";
import { type Watch, type Watcher, ownExtension, watch } from "./watch.js";

interface Settings {
  owned: boolean;
  aliases: (extension: { path: string }) => readonly string[];
  onError: ((error: unknown) => void) | undefined;
  onDetached: () => void;
}

export class Attachment implements PiAttachment, DoorKeeper, Watcher {
  readonly #registry: Registry;
  readonly #active: ActiveSet;
  readonly #own: PiExtension;
  readonly #watch: Watch;
  readonly #undo: (() => void)[] = [];
  /** The generation that pi was last brought in step with. */
  #presented = -1;
  #over = false;
  #syncing = false;
  #again = false;
  /** pi's calls that are under way: from inside which other one each comes, and whether it came to the door. */
  readonly #calls = new Map<unknown, { parentCallId: string | undefined; came: boolean }>();

  constructor(
    readonly host: PiAgentSession,
    readonly session: ToolSession,
    readonly settings: Settings,
  ) {
    this.#own = ownExtension(this);
    // A child's sources are its root's, where they were fed.
    const feeds = session.path.length === 1 ? session : undefined;
    this.#registry = new Registry(host, this, feeds, settings.aliases, this.#own, (error) =>
      this.failed("register_tool", error),
    );
    this.#active = new ActiveSet(host, session, this.#registry);
    this.#registry.takeUp(runningLoad(host));
    this.#watch = watch(host, this, this.#own);
    if (session.state === "created") session.start();
    this.#undo.push(session.on("tools_changed", (delta) => this.#toolsChanged(delta)));
    this.#undo.push(session.on("session_end", () => this.#ended()));
    this.#guardRunningTurn();
    this.#active.rememberAll();
    this.#present(true);
    this.#active.reconcile();
  }

  // ── The door ───────────────────────────────────────────────────────────────────────────────────────────────────

  isHidden(tool: GuardedTool): boolean {
    return tool.hidden || (this.session.generation !== this.#presented && this.#isOut(tool));
  }

  async pass(
    tool: GuardedTool,
    callId: unknown,
    input: unknown,
    signal: unknown,
    run: (input: unknown) => Promise<unknown>,
  ): Promise<unknown> {
    const running = this.#calls.get(callId);
    if (running !== undefined) running.came = true;
    // A copy, so that nobody who holds the arguments can change them while or after they are decided on.
    const decided = copyOf(tool, input);
    this.#active.beforeCall(tool);
    const decision = await unlessAborted(signal, this.#decide(this.#call(tool, callId, decided)));
    if (!decision.allowed) throw new Error(decision.reason);
    if (decision.id !== tool.id) throw new Error(`\`${tool.name}\` means another tool now; it was not run`);
    const started = performance.now();
    let ok = false;
    try {
      const result = await run(decided);
      ok = (result as { isError?: boolean } | undefined)?.isError !== true;
      return await this.#explainScript(tool, callId, decided, result);
    } finally {
      this.#record({ callId: String(callId), id: tool.id, ok, ms: performance.now() - started });
    }
  }

  async #decide(call: ToolCall): Promise<Decision> {
    try {
      return await this.session.beforeToolCall(call);
    } catch (error) {
      this.failed("tool_call", error);
      const reason = `\`${call.name}\` could not be decided on, so it was not run`;
      return { allowed: false, code: "guard_error", reason, name: call.name, via: "direct", path: this.session.path };
    }
  }

  #call(tool: GuardedTool, callId: unknown, input?: unknown): ToolCall {
    const parentCallId = this.#calls.get(callId)?.parentCallId;
    return {
      name: nameOf(tool),
      id: tool.id,
      input,
      callId: String(callId),
      ...(parentCallId !== undefined && { parentCallId }),
    };
  }

  #record(use: Parameters<ToolSession["afterToolCall"]>[0]): void {
    try {
      this.session.afterToolCall(use);
    } catch (error) {
      this.failed("tool_result", error);
    }
  }

  /** Whether the scope leaves a tool out; how it may be called is no part of it. */
  #isOut(tool: GuardedTool): boolean {
    if (this.#over) return true;
    try {
      const decision = this.session.checkScope({ name: nameOf(tool), id: tool.id });
      return !decision.allowed && decision.code !== "not_exposed" && decision.code !== "not_loaded";
    } catch {
      return true;
    }
  }

  /** Tells the model of the tools a script named and could not have. */
  async #explainScript(tool: GuardedTool, callId: unknown, input: unknown, result: unknown): Promise<unknown> {
    const named = namedTools(tool.definition, input);
    if (named.size === 0) return result;
    const refusals: string[] = [];
    for (const other of this.#registry.tools()) {
      if (!this.isHidden(other) || this.#registry.effective(other.name) !== other) continue;
      if (![...named].some((member) => answersTo(other.name, member))) continue;
      const decision = await this.#decide({
        name: nameOf(other),
        id: other.id,
        callId: `${String(callId)}/${other.name}`,
        parentCallId: String(callId),
      });
      if (!decision.allowed) refusals.push(`- ${decision.reason}`);
    }
    return refusals.length === 0 ? result : withNote(result, `Not available to this script:\n${refusals.join("\n")}`);
  }

  // ── What pi is shown ───────────────────────────────────────────────────────────────────────────────────────────

  sync(): void {
    if (this.#over) return;
    this.#registry.scan();
    if (this.session.generation !== this.#presented) {
      this.#active.quietly(() => this.session.refresh());
      this.#present(false);
    }
    this.#active.reconcile();
  }

  /** Hides and shows what changed sides; pi's registry is built anew only then, or where `always` asks for it. */
  #present(always: boolean, refresh: () => void = this.#watch.refresh): void {
    if (this.#syncing) return;
    this.#syncing = true;
    try {
      const appeared: GuardedTool[] = [];
      let changed = always;
      for (const tool of [...this.#registry.tools()]) {
        const out = this.#isOut(tool);
        if (out === tool.hidden) continue;
        changed = true;
        if (out) this.#active.remember(tool);
        else appeared.push(tool);
        if (out) tool.hidden = true;
        else this.#registry.renew(tool);
      }
      this.#presented = this.session.generation;
      if (!changed) return;
      refresh();
      this.#active.restore(appeared);
    } finally {
      this.#syncing = false;
    }
    if (!this.#again) return;
    this.#again = false;
    this.#present(true);
  }

  /** The turn under way holds definitions from before the attachment; its tools come to the door all the same. */
  #guardRunningTurn(): void {
    for (const running of this.host.agent.state.tools as {
      name: string;
      execute: (...given: unknown[]) => Promise<unknown>;
    }[]) {
      const tool =
        this.#registry.effective(running.name) ?? [...this.#registry.tools()].find(({ name }) => name === running.name);
      // What is guarded in place has its door already.
      if (tool === undefined || guardOf(tool.definition) === tool) continue;
      const { execute } = running;
      running.execute = (callId, input, signal, ...rest) =>
        this.pass(tool, callId, input, signal, (decided) =>
          Reflect.apply(execute, running, [callId, decided, signal, ...rest]),
        );
    }
  }

  #toolsChanged(delta: ActiveDelta): void {
    this.#guarded("tools_changed", () => {
      if (this.#over || this.#active.isQuiet) return;
      if (this.session.generation !== this.#presented) this.#present(false);
      this.#active.follow(delta);
    });
  }

  // ── What the watcher hears ─────────────────────────────────────────────────────────────────────────────────────

  loaded(load: PiLoad): void {
    if (this.#over) return;
    this.#registry.takeUp(load);
    this.#verdicts();
  }

  registered(refresh: () => void): void {
    if (this.#over) return refresh();
    this.#registry.scan();
    // A hook of pi's that registers while its registry is being built: the new tool is hidden until that is done.
    if (this.#syncing) {
      this.#again = true;
      return refresh();
    }
    this.#present(true, refresh);
  }

  prepare(): void {
    this.sync();
  }

  turnEnded(): void {
    if (this.#over) return;
    const changed = this.#registry.scan();
    this.#active.quietly(() => this.session.endTurn());
    if (this.session.generation !== this.#presented) this.#present(changed);
    this.#active.reconcile();
  }

  started(callId: string, parentCallId: string | undefined): void {
    this.#calls.set(callId, { parentCallId, came: false });
  }

  finished(callId: string): void {
    this.#calls.delete(callId);
  }

  /** A call that pi refused before it came to the door, because the scope hides the tool, gets the scope's reason. */
  async ended(event: Parameters<Watcher["ended"]>[0]): Promise<void> {
    const { toolCallId, toolName } = event;
    const running = this.#calls.get(toolCallId);
    if (!event.isError || running === undefined || running.came || typeof toolName !== "string") return;
    const { parentCallId } = running;
    const id = this.#registry.effective(toolName)?.id;
    const call: ToolCall = {
      name: toolName,
      callId: toolCallId,
      ...(id !== undefined && { id }),
      ...(parentCallId !== undefined && { parentCallId }),
    };
    if (this.session.checkScope(call).allowed) return;
    const decision = await this.#decide(call);
    if (!decision.allowed) event.result.content = [{ type: "text", text: decision.reason }];
  }

  failed(event: string, error: unknown): void {
    try {
      if (this.settings.onError !== undefined) this.settings.onError(error);
      else {
        const text = error instanceof Error ? error.message : String(error);
        this.host.extensionRunner.emitError({ extensionPath: this.#own.path, event, error: text });
      }
    } catch {
      // The listener's own failure is the listener's; pi must not hear of it.
    }
  }

  // ── The end ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The pi session is over: the guards stay, and refuse. */
  over(): void {
    if (this.#over) return;
    this.#over = true;
    for (const step of this.#undo.splice(0)) step();
    this.#watch.stop();
    if (this.settings.owned) this.session.dispose();
    this.settings.onDetached();
  }

  dispose(): void {
    if (this.#over) return;
    const wasActive = new Set(this.host.getActiveToolNames());
    const hidden = [...this.#registry.tools()].filter(
      (tool) => tool.hidden && this.#registry.effective(tool.name) === tool,
    );
    this.over();
    this.#guarded("detach", () => {
      this.#registry.release();
      runningLoad(this.host).runtime.refreshTools();
      this.#active.giveBack(wasActive, hidden);
    });
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** The tool session is over, and pi goes on: everything is out of scope. */
  #ended(): void {
    this.#guarded("session_end", () => {
      if (this.#over) return;
      this.#presented = -1;
      this.#present(true);
    });
  }

  #verdicts(): void {
    for (const tool of this.#registry.tools()) tool.hidden = this.#isOut(tool);
    this.#presented = this.session.generation;
  }

  #guarded(event: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.failed(event, error);
    }
  }
}

/** A person may be long in deciding; whoever aborts does not wait for it. */
async function unlessAborted<T>(signal: unknown, decided: Promise<T>): Promise<T> {
  if (!(signal instanceof AbortSignal)) return decided;
  const over = new Error("Operation aborted");
  if (signal.aborted) throw over;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(over);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([decided, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function copyOf(tool: GuardedTool, input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch (cause) {
    throw new TypeError(
      `the arguments of \`${tool.name}\` hold what can't be copied, so they can't be decided on; pass plain data`,
      { cause },
    );
  }
}

/** A name that providers take is the tool's exposed name; any other tool is asked for by its id. */
const nameOf = (tool: GuardedTool): string => (/^[A-Za-z0-9_-]{1,64}$/.test(tool.name) ? tool.name : tool.id);
