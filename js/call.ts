import type { ToolCall } from "../index.js";
import { frozenCopy } from "./door.js";
import { ToolscopeError } from "./errors.js";
import { anything, described, invalid, messageOf, object, options, string } from "./options.js";

const callChecks = { name: string, id: string, input: anything, callId: string, parentCallId: string } as const;

/** Reads a call once, so that a getter cannot answer twice. What else a host's own call objects hold is left. */
export function readCall(given: ToolCall): ToolCall {
  if (!object.is(given)) throw invalid("the call", "an object with a tool's name", given);
  const { name, id, input, callId, parentCallId } = given;
  return options<ToolCall>("the call", { name, id, input, callId, parentCallId }, callChecks, ["name"]);
}

/** A call with a frozen copy of its input. */
export function copied(call: ToolCall): ToolCall {
  const { input, ...rest } = call;
  if (input === undefined) return Object.freeze({ ...rest });
  try {
    return Object.freeze({ ...rest, input: frozenCopy(input) });
  } catch (cause) {
    const message = `the input of ${described(call.name)} cannot be copied: ${messageOf(cause)}; pass plain data`;
    throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", message, { cause });
  }
}
