/** The session's decision inside a tool's `execute`: the one place that every way of running a tool passes. */
import type { Refused, ToolSession } from "../../../index.js";
import { type AiExecute, type AiExecuteOptions, type AiTool, lastOf } from "./original.js";

/** What the AI SDK hands back to the model where a call is refused: a tool's error with the decision's reason. */
export class ToolRefusedError extends Error {
  override readonly name = "ToolRefusedError";
  readonly decision: Refused;

  constructor(decision: Refused) {
    super(decision.reason);
    this.decision = decision;
  }
}

/** The tool that the AI SDK is about to run. */
export interface Target {
  readonly id: string;
  readonly name: string;
}

/** The doors of one session's tools. */
export class Doors {
  readonly #session: ToolSession;
  /** Calls under way, by their ids: a call from inside one has an id that begins with it. */
  readonly #running = new Set<string>();

  constructor(session: ToolSession) {
    this.#session = session;
  }

  /** Runs a tool of the session's by its declaration. */
  ofDeclaration(target: Target): AiExecute {
    return async (input: unknown, options: AiExecuteOptions) => {
      const { decision, ok, value, error } = await this.#during(options.toolCallId, (nested) =>
        this.#session.call(
          { ...target, input, callId: options.toolCallId, ...nested },
          options.abortSignal === undefined ? {} : { signal: options.abortSignal },
        ),
      );
      if (!decision.allowed) throw new ToolRefusedError(decision);
      if (!ok) throw Object.assign(new Error(error?.message), { code: error?.code });
      return value;
    };
  }

  /** Runs a tool that the host wrote for the AI SDK as it is, with all that the AI SDK hands to it. */
  ofOriginal(target: Target, tool: AiTool): AiExecute {
    const execute = tool.execute as AiExecute;
    const session = this.#session;
    if (Object.prototype.toString.call(execute) === "[object AsyncGeneratorFunction]") {
      const doors = this;
      return async function* (this: unknown, input: unknown, options: AiExecuteOptions) {
        const nested = await doors.#pass(target, input, options);
        const ended = doors.#run(options.toolCallId);
        const started = performance.now();
        let ok = false;
        try {
          yield* execute.call(tool, input as never, options) as AsyncIterable<unknown>;
          ok = true;
        } finally {
          ended();
          report(session, { ...target, ...nested, callId: options.toolCallId }, ok, started);
        }
      } as AiExecute;
    }
    return async (input: unknown, options: AiExecuteOptions) => {
      const nested = await this.#pass(target, input, options);
      const started = performance.now();
      let ok = false;
      try {
        const output = await this.#during(options.toolCallId, () => lastOf(execute.call(tool, input as never, options)));
        ok = true;
        return output;
      } finally {
        report(session, { ...target, ...nested, callId: options.toolCallId }, ok, started);
      }
    };
  }

  async #pass({ id, name }: Target, input: unknown, { toolCallId }: AiExecuteOptions): Promise<{ parentCallId?: string }> {
    const nested = this.#nestingOf(toolCallId);
    const decision = await this.#session.beforeToolCall({ id, name, input, callId: toolCallId, ...nested });
    if (!decision.allowed) throw new ToolRefusedError(decision);
    return nested;
  }

  async #during<T>(callId: string, act: (nested: { parentCallId?: string }) => Promise<T>): Promise<T> {
    const nested = this.#nestingOf(callId);
    const ended = this.#run(callId);
    try {
      return await act(nested);
    } finally {
      ended();
    }
  }

  #run(callId: string): () => void {
    this.#running.add(callId);
    return () => this.#running.delete(callId);
  }

  /** Code mode calls tools with ids of its own call's and a number behind a colon. */
  #nestingOf(callId: string): { parentCallId?: string } {
    for (let at = callId.lastIndexOf(":"); at > 0; at = callId.lastIndexOf(":", at - 1)) {
      const outer = callId.slice(0, at);
      if (this.#running.has(outer)) return { parentCallId: outer };
    }
    return {};
  }
}

function report(session: ToolSession, { id, callId }: Target & { callId: string }, ok: boolean, started: number): void {
  if (session.state !== "disposed") session.afterToolCall({ id, callId, ok, ms: performance.now() - started });
}
