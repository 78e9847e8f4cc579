/**
 * One pi session under one tool session: keeps what pi is shown in step with the scope, and the session in step with pi.
 */
import type { ActiveDelta, ToolSession } from "../../../index.js";
import type { PiAttachment } from "../pi.js";
import { ActiveSet } from "./active.js";
import { Door, type DoorHost, type EndedCall } from "./door.js";
import { type DoorKeeper, type GuardedTool, guardOf } from "./guard.js";
import { type PiAgentSession, type PiExtension, type PiLoad, runningLoad } from "./host.js";
import { isPiOwn } from "./identity.js";
import { Names } from "./names.js";
import { PROGRAM_TOOL, programTool } from "./program.js";
import { Registry } from "./registry.js";
import { SEARCH_DESCRIPTION, answerToolSearch } from "./search.js";
import { type Watch, type Watcher, ownExtension, watch } from "./watch.js";

const ROUNDS = 4;

interface Settings {
  /** Whether the session ends with the attachment. */
  owned: boolean;
  aliases: (extension: { path: string }) => readonly string[];
  /** Whether the session's code mode takes the place of pi's. */
  codeMode: boolean;
  /** Whether the session's search answers pi's `tool_search`. */
  toolSearch: boolean;
  onError: ((error: unknown) => void) | undefined;
  onDetached: () => void;
}

export class Attachment implements PiAttachment, DoorKeeper, DoorHost, Watcher {
  readonly #registry: Registry;
  readonly #active: ActiveSet;
  readonly #door: Door;
  readonly #own: PiExtension;
  #watch: Watch | undefined;
  readonly #undo: (() => void)[] = [];
  /** Takes the door from the tools of the turn that was under way. */
  readonly #unguard: (() => void)[] = [];
  readonly names: Names;
  /** The generation that pi was last brought in step with. */
  #presented = -1;
  #over = false;
  #presenting = false;
  #again = false;

  constructor(
    readonly host: PiAgentSession,
    readonly session: ToolSession,
    readonly settings: Settings,
  ) {
    this.#door = new Door(this);
    this.#own = ownExtension(this);
    const failed = (error: unknown): void => this.failed("register_tool", error);
    this.#registry = new Registry(host, this, session, settings.aliases, this.#own, failed);
    this.names = new Names(session, (name) => this.effective(name), () => this.effectiveTools());
    this.#active = new ActiveSet(host, session, this.#registry, this.names, failed);
    const active = host.getActiveToolNames();
    try {
      this.#undo.push(session.on("tools_changed", (delta) => this.#toolsChanged(delta)));
      this.#undo.push(session.on("session_end", () => this.#ended()));
      this.#registry.takeUp(runningLoad(host));
      this.#watch = watch(host, this, this.#own);
      const offered = settings.codeMode ? programTool(session, (...call) => this.#door.nested(...call)) : undefined;
      // What start() says of the active set is not for pi, which has its own to begin with.
      if (session.state === "created") this.#active.quietly(() => session.start());
      this.#guardRunningTurn();
      this.#active.rememberAll();
      if (offered !== undefined) this.#registry.offer(PROGRAM_TOOL, offered);
      this.#present(true);
      this.#settle();
    } catch (error) {
      this.over();
      this.#release(() => host.setActiveToolsByName(active));
      throw error;
    }
  }

  // ── What pi is shown ───────────────────────────────────────────────────────────────────────────────────────────

  isHidden(tool: GuardedTool): boolean {
    return tool.hidden || (this.session.generation !== this.#presented && this.#isOut(tool));
  }

  sync(): void {
    if (this.#isOver()) return;
    this.#registry.scan();
    if (this.session.generation !== this.#presented) this.#active.quietly(() => this.session.refresh());
    this.#settle();
  }

  /**
   * Brings pi and the session in step. Each may move the other, and so may whoever listens to either; what is not in
   * step after a few rounds is so at the next turn, and asked for by each look until then.
   */
  #settle(): void {
    for (let round = 0; round < ROUNDS; round++) {
      if (this.session.generation !== this.#presented) this.#present(false);
      this.#active.reconcile();
      if (this.session.generation === this.#presented) return;
    }
  }

  /** Hides and shows what changed sides; pi's registry is built anew only then, or where `always` asks for it. */
  #present(always: boolean, refresh: () => void = () => this.#watch?.refresh()): void {
    if (this.#presenting) return;
    this.#presenting = true;
    try {
      const changed = [...this.#registry.tools()].filter((tool) => this.#isOut(tool) !== tool.hidden);
      const appears = changed.filter((tool) => tool.hidden);
      const disappears = changed.filter((tool) => !tool.hidden);
      this.#active.remember(disappears);
      for (const tool of disappears) tool.hidden = true;
      for (const tool of appears) this.#registry.renew(tool);
      this.#presented = this.session.generation;
      if (!always && changed.length === 0) return;
      refresh();
      this.#active.restore(appears);
    } finally {
      this.#presenting = false;
    }
    if (!this.#again) return;
    this.#again = false;
    this.#present(true);
  }

  #isOut(tool: GuardedTool): boolean {
    return this.#over || this.#isReplaced(tool) || this.#isOutOfScope(tool);
  }

  /** How a tool may be called is no part of it. */
  #isOutOfScope(tool: GuardedTool): boolean {
    try {
      const decision = this.session.checkScope(this.names.callOf(tool));
      return !decision.allowed && decision.code !== "not_exposed" && decision.code !== "not_loaded";
    } catch {
      return true;
    }
  }

  /** pi's own code mode, where the session's is in its place. */
  #isReplaced({ source, definition }: GuardedTool): boolean {
    return this.settings.codeMode && isPiOwn("codemode", source.identity.kind, definition);
  }

  /** The turn under way holds definitions from before the attachment; its tools come to the door all the same. */
  #guardRunningTurn(): void {
    type Running = { name: string; execute: (...given: unknown[]) => Promise<unknown> };
    for (const running of this.host.agent.state.tools as readonly Running[]) {
      // pi's registry still holds the definitions that the guards are to replace.
      const definition = this.host.getToolDefinition(running.name);
      const tool = [...this.#registry.tools()].find((each) => each.definition === definition);
      // What is guarded in place has its door already.
      if (tool === undefined || guardOf(tool.definition) === tool) continue;
      const { execute } = running;
      const guarded: typeof execute = (callId, input, signal, ...rest) =>
        this.pass(tool, callId, input, signal, (decided) =>
          Reflect.apply(execute, running, [callId, decided, signal, ...rest]),
        );
      running.execute = guarded;
      this.#unguard.push(() => {
        // Another party's wrapper over ours stays.
        if (running.execute === guarded) running.execute = execute;
      });
    }
  }

  #toolsChanged(delta: ActiveDelta): void {
    this.#guarded("tools_changed", () => {
      if (this.#isOver() || this.#active.isQuiet) return;
      if (this.session.generation !== this.#presented) this.#present(false);
      this.#active.follow(delta);
      this.#settle();
    });
  }

  // ── What the door asks ─────────────────────────────────────────────────────────────────────────────────────────

  pass(...[tool, callId, input, signal, run]: Parameters<DoorKeeper["pass"]>): Promise<unknown> {
    const answer = async (decided: unknown): Promise<unknown> =>
      answerToolSearch(this.host, this.session, this.names, decided);
    return this.#door.pass(tool, callId, input, signal, this.#searches(tool) ? answer : run);
  }

  describe(tool: GuardedTool): string | undefined {
    return this.#searches(tool) ? SEARCH_DESCRIPTION : undefined;
  }

  /** Whether it is pi's search, and the session's answers for it. */
  #searches({ source, definition }: GuardedTool): boolean {
    return this.settings.toolSearch && isPiOwn("tool_search", source.identity.kind, definition);
  }

  isOffered(tool: GuardedTool): boolean {
    return this.#registry.isOffered(tool);
  }

  effective(name: string): GuardedTool | undefined {
    return this.#registry.effective(name);
  }

  *effectiveTools(): Generator<GuardedTool> {
    for (const tool of this.#registry.tools()) if (this.#registry.effective(tool.name) === tool) yield tool;
  }

  beforeCall(tool: GuardedTool): void {
    if (!this.#isOver()) this.#active.beforeCall(tool);
  }

  // ── What the watcher hears ─────────────────────────────────────────────────────────────────────────────────────

  loaded(load: PiLoad): void {
    if (this.#over) return;
    this.#registry.takeUp(load);
    for (const tool of this.#registry.tools()) tool.hidden = this.#isOut(tool);
    this.#presented = this.session.generation;
  }

  registered(refresh: () => void): void {
    if (this.#over) return refresh();
    this.#registry.scan();
    // A hook of pi's that registers while its registry is being built: the new tool is hidden until that is done.
    if (this.#presenting) {
      this.#again = true;
      return refresh();
    }
    this.#present(true, refresh);
  }

  prepare(): void {
    this.sync();
  }

  turnEnded(): void {
    if (this.#isOver()) return;
    // No look at the live maps: pi takes nothing from them without telling us.
    this.#active.quietly(() => this.session.endTurn());
    this.#settle();
  }

  started(callId: string, parentCallId: string | undefined): void {
    this.#door.started(callId, parentCallId);
  }

  finished(callId: string): void {
    this.#door.finished(callId);
  }

  ended(call: EndedCall): Promise<void> {
    return this.#door.ended(call);
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
    this.#watch?.stop();
    if (this.settings.owned) this.session.dispose();
    this.settings.onDetached();
  }

  dispose(): void {
    if (this.#over) return;
    const active = new Set(this.host.getActiveToolNames());
    const hidden = [...this.effectiveTools()].filter((tool) => tool.hidden);
    this.over();
    this.#release(() => this.#active.giveBack(active, hidden));
  }

  /** pi gets its own definitions back, then its active tools; a step that fails keeps none of the others from it. */
  #release(giveBack: () => void): void {
    const refresh = (): void => runningLoad(this.host).runtime.refreshTools();
    const steps = [() => this.#registry.release(), ...this.#unguard.splice(0), refresh, giveBack];
    for (const step of steps) this.#guarded("detach", step);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** The tool session is over, and pi goes on: everything is out of scope. */
  #ended(): void {
    this.#guarded("session_end", () => {
      if (!this.#over) this.#present(true);
    });
  }

  #isOver(): boolean {
    return this.#over || this.session.state === "disposed";
  }

  #guarded(event: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.failed(event, error);
    }
  }
}
