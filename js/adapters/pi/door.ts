/**
 * The door itself: asks the session about each call with its final arguments, once, and runs what may run. Whatever
 * goes wrong on our side refuses the call and reaches pi as a refusal, never as anything else.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { isDeepStrictEqual } from "node:util";

import type { Decision, ToolCall, ToolSession } from "../../../index.js";
import type { GuardedTool } from "./guard.js";
import type { Names } from "./names.js";
import { type ProgramCall, valueOf } from "./program.js";
import { answersTo, namedTools, withNote } from "./script.js";

/** What the door is told of the attachment it belongs to. */
export interface DoorHost {
  readonly session: ToolSession;
  readonly names: Names;
  isHidden(tool: GuardedTool): boolean;
  /** The tools that pi would run by their names, hidden ones too. */
  effectiveTools(): Iterable<GuardedTool>;
  effective(name: string): GuardedTool | undefined;
  /** Whether it is the tool by which programs run in the session. */
  isOffered(tool: GuardedTool): boolean;
  /** Before a call is decided on: the session is told of a tool that pi has loaded since the last turn. */
  beforeCall(tool: GuardedTool): void;
  failed(event: string, error: unknown): void;
}

/** What ended, as pi tells its extensions; the result may be written to. */
export interface EndedCall {
  toolCallId: string;
  toolName: string;
  isError: boolean;
  result: { content?: unknown };
}

export class Door {
  /** pi's calls that are under way: from inside which other one each comes, and whether it came to the door. */
  readonly #calls = new Map<unknown, { parentCallId: string | undefined; came: boolean }>();

  /** The call of a program that is on its way through pi: it was decided on when the program made it. */
  readonly #onItsWay = new AsyncLocalStorage<{ id: string; input: unknown; came: boolean }>();

  constructor(readonly host: DoorHost) {}

  /** Runs a program's call that the session has allowed, through pi. */
  readonly nested: ProgramCall = async ({ id, input = {} }, signal, context) => {
    const tool = this.#byId(id);
    if (tool === undefined) throw new Error(`\`${id}\` can't be run by pi; declare its \`execute\``);
    // pi may write to what it is handed.
    const given = copyOf(tool, input);
    const run = (): ReturnType<typeof context.executeTool> => context.executeTool(tool.name, given, { signal });
    return valueOf(await this.#onItsWay.run({ id, input, came: false }, run), tool.definition);
  };

  #byId(id: string): GuardedTool | undefined {
    for (const tool of this.host.effectiveTools()) if (tool.id === id) return tool;
    return undefined;
  }

  /** Whether this call is a program's, decided on with these arguments, and the scope has not changed its mind since. */
  #isDecided(tool: GuardedTool, call: ToolCall): boolean {
    const decided = this.#onItsWay.getStore();
    if (decided === undefined || decided.came || decided.id !== tool.id) return false;
    decided.came = true;
    return isDeepStrictEqual(decided.input, call.input) && this.host.session.checkScope(call).allowed;
  }

  started(callId: string, parentCallId: string | undefined): void {
    this.#calls.set(callId, { parentCallId, came: false });
  }

  finished(callId: string): void {
    this.#calls.delete(callId);
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
    try {
      this.host.beforeCall(tool);
    } catch (error) {
      this.host.failed("tool_call", error);
    }
    const call = { ...this.host.names.callOf(tool), input: decided, ...this.#ids(callId) };
    const isDecided = this.#isDecided(tool, call);
    if (!isDecided) {
      const decision = await unlessAborted(signal, this.#decide(call));
      if (!decision.allowed) throw new Error(decision.reason);
      if (decision.id !== tool.id) throw new Error(`\`${tool.name}\` means another tool now; it was not run`);
    }
    const started = performance.now();
    let ok = false;
    try {
      const result = await run(decided);
      ok = (result as { isError?: boolean } | undefined)?.isError !== true;
      return await this.#explainScript(tool, callId, decided, result);
    } finally {
      // Whoever decided on a program's call counts it, too.
      if (!isDecided) this.#record({ callId: String(callId), id: tool.id, ok, ms: performance.now() - started });
    }
  }

  /** A call that pi refused before it came to the door, because the scope hides the tool, gets the scope's reason. */
  async ended({ toolCallId, toolName, isError, result }: EndedCall): Promise<void> {
    const running = this.#calls.get(toolCallId);
    if (!isError || running === undefined || running.came || typeof toolName !== "string") return;
    const tool = this.host.effective(toolName);
    const call = { ...(tool === undefined ? { name: toolName } : this.host.names.callOf(tool)), ...this.#ids(toolCallId) };
    if (this.host.session.checkScope(call).allowed) return;
    const decision = await this.#decide(call);
    if (!decision.allowed) result.content = [{ type: "text", text: decision.reason }];
  }

  #ids(callId: unknown): Pick<ToolCall, "callId" | "parentCallId"> {
    const parentCallId = this.#calls.get(callId)?.parentCallId;
    return { callId: String(callId), ...(parentCallId !== undefined && { parentCallId }) };
  }

  async #decide(call: ToolCall): Promise<Decision> {
    const { session } = this.host;
    try {
      return await session.beforeToolCall(call);
    } catch (error) {
      this.host.failed("tool_call", error);
      const reason = `\`${call.name}\` could not be decided on, so it was not run`;
      return { allowed: false, code: "guard_error", reason, name: call.name, via: "direct", path: session.path };
    }
  }

  #record(use: Parameters<ToolSession["afterToolCall"]>[0]): void {
    try {
      if (this.host.session.state !== "disposed") this.host.session.afterToolCall(use);
    } catch (error) {
      this.host.failed("tool_result", error);
    }
  }

  /** Tells the model of the tools a script named and could not have. */
  async #explainScript(tool: GuardedTool, callId: unknown, input: unknown, result: unknown): Promise<unknown> {
    // A program of ours was told at each call.
    if (this.host.isOffered(tool)) return result;
    try {
      const named = [...namedTools(tool.definition, input)];
      if (named.length === 0) return result;
      const refusals: string[] = [];
      for (const other of this.host.effectiveTools()) {
        if (!this.host.isHidden(other) || !named.some((member) => answersTo(other.name, member))) continue;
        const ids = { callId: `${String(callId)}/${other.name}`, parentCallId: String(callId) };
        const decision = await this.#decide({ ...this.host.names.callOf(other), ...ids });
        if (!decision.allowed) refusals.push(`- ${decision.reason}`);
      }
      if (refusals.length === 0) return result;
      return withNote(result, `Not available to this script:\n${refusals.join("\n")}`);
    } catch (error) {
      this.host.failed("tool_result", error);
      return result;
    }
  }
}

function copyOf(tool: GuardedTool, input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch (cause) {
    const problem = "hold what can't be copied, so they can't be decided on; pass plain data";
    throw new TypeError(`the arguments of \`${tool.name}\` ${problem}`, { cause });
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
