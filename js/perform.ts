import type { CallOptions, Decision, RunCodeOptions, ToolCall, ToolSession } from "../index.js";
import type { Execute } from "./declaration.js";
import type { Events } from "./events.js";
import { faultOf } from "./fault.js";
import { messageOf } from "./options.js";

/** How a call through the whole door ended. */
export interface Performed {
  readonly decision: Decision;
  readonly ok: boolean;
  readonly value?: unknown;
  readonly error?: { code: string; message: string };
}

/** What a call is run with. */
export interface Means {
  readonly session: ToolSession;
  readonly events: Events;
  readonly signal: AbortSignal | undefined;
  /** Runs what has no `execute`. */
  readonly fallback: RunCodeOptions["call"];
  readonly onProgress: CallOptions["onProgress"];
}

/** Runs a call that the door let pass, and tells how it ended; what the tool throws is its end. */
export async function perform(
  call: ToolCall,
  decision: Decision & { readonly allowed: true },
  execute: Execute | undefined,
  { session, events, signal = new AbortController().signal, fallback, onProgress }: Means,
): Promise<Performed> {
  if (execute === undefined && fallback === undefined) {
    const message = `\`${decision.name}\` has no \`execute\`; declare one, or run it where \`beforeToolCall\` allows it`;
    return { decision, ok: false, error: { code: "ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE", message } };
  }
  const progress = onProgress && { onProgress: reporting(decision.name, onProgress, events) };
  try {
    const value = await (execute === undefined
      ? fallback?.({ ...call, id: decision.id }, { signal })
      : execute(call.input, { signal, call, session, ...progress }));
    return { decision, ok: true, value };
  } catch (error) {
    return { decision, ok: false, error: faultOf(error) };
  }
}

/** What a tool reports through: a listener that fails is told of, and never fails the tool. */
function reporting(name: string, listener: NonNullable<CallOptions["onProgress"]>, events: Events): typeof listener {
  return (progress) => {
    try {
      listener(progress);
    } catch (error) {
      const message = `\`onProgress\` of a call of \`${name}\` failed: ${messageOf(error)}`;
      events.tell({ level: "error", code: "listener_failed", message });
    }
  };
}
