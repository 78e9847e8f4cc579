/**
 * `toolscope/ai-sdk`: the tools of a session for `generateText`, `streamText` and agents of the AI SDK 7 (`ai`). It takes
 * types from `ai` and loads no code of it.
 *
 * What the host enforces: a call of a tool that its `activeTools` leaves out gives the model an error and runs nothing
 * (`ai` 7.0.173; older versions of 7 run it). It enforces nothing in code mode, nor for calls approved earlier. So the
 * decision is in each tool's `execute`, which all of these run; approval and repair only say earlier, and in the
 * session's words, what `execute` would. Code asks no person, so what needs an approval is not for code. A tool that the model's provider runs itself
 * (`type: "provider"`) can be left out and never be refused.
 */
import type {
  PrepareStepFunction,
  ToolCallRepairFunction,
  ToolSet,
} from "ai" with { "resolution-mode": "import" };
import type { ToolSession } from "../../index.js";
import { callable, count, either, expect, messageOf, object, options as read, session, string } from "../options.js";
import { type Approval, type Approve, approvalOf, guardCode } from "./ai-sdk/approval.js";
import { Doors, ToolRefusedError } from "./ai-sdk/door.js";
import { StepInstructions } from "./ai-sdk/instructions.js";
import { feed, schemasOf } from "./ai-sdk/original.js";
import { ToolRecord } from "./ai-sdk/record.js";
import { hasDoor } from "./ai-sdk/shown.js";

export { ToolRefusedError } from "./ai-sdk/door.js";

// The context types of a host are its own; nothing here reads them.
type AnyContext = any;
type Prepare = PrepareStepFunction<ToolSet, AnyContext>;
type Repair = ToolCallRepairFunction<ToolSet>;

/** How {@link scopeTools} is used. */
export interface ScopeToolsOptions {
  /**
   * Tools written for the AI SDK. They become a source of the session, so that its scope, its other agents and its code
   * see them, and they run as they are: contexts, output schemas, approvals, and streaming where `execute` is an async generator
   * function. (Another function that returns a stream gives the last of it: what it returns is known once it ran, and it
   * runs once the call is decided.) One with `needsApproval` is `model-only`: programs cannot call it, those of the AI
   * SDK's code mode neither, where that is one of these tools. At the root alone.
   */
  tools?: ToolSet;
  /** That source's name, of kind `host`. Default `"ai-sdk"`. */
  source?: string;
  /** Most tools declared in a step; see {@link ToolSession.prepare}. Default: no limit. */
  maxTools?: number;
  /** The host's own. Its `activeTools` chooses among what the step shows, and `toolOrder` stays the session's. */
  prepareStep?: Prepare;
  /**
   * The host's own; asked about calls that the session does not refuse. Also about those from code, of this session and
   * its descendants and until `dispose()`, without messages and contexts, since no person can be asked there: what it
   * does not let pass is refused (`vetoed`). One that is given to the generation in its place is not known here.
   */
  toolApproval?: Approval;
  /** The host's own; asked where a call's input is invalid, or its tool is not known by any spelling. */
  repairToolCall?: Repair;
}

const known = {
  tools: object,
  source: string,
  maxTools: count,
  prepareStep: callable,
  toolApproval: either(callable, object),
  repairToolCall: callable,
};

/**
 * What {@link scopeTools} gives, to be spread into a generation or an agent's settings. Only those four are enumerable. A
 * host's own `prepareStep`, `toolApproval` and `repairToolCall` belong into {@link ScopeToolsOptions}: where both are in
 * the settings, the later one is the only one that the AI SDK hears of.
 */
export interface ScopedTools extends Disposable {
  /**
   * Every tool in scope, live: the same object, brought up to date by each step. What the last step did not show is
   * still found by name and not enumerable, so hand on the object itself and no copy.
   */
  readonly tools: ToolSet;
  /** Starts the session or ends its turn, prepares the request, and presents its tools in their order. */
  readonly prepareStep: Prepare;
  /** Denies what the session refuses, before anybody is asked; listeners are asked by `execute`, once. */
  readonly toolApproval: Approve;
  /** Takes a call by another spelling to its tool, and tells the model why a tool that it made up cannot be called. */
  readonly experimental_repairToolCall: Repair;
  /**
   * Closes the source of `options.tools`; every call of them is refused from then on. `options.toolApproval` is asked
   * about no more calls from code. The session stays.
   */
  dispose(): void;
}

/**
 * One session's tools for the AI SDK. Each step shows what the session's next request would: late tools from the next
 * step on, in an order that only grows, with the descriptions and schemas that providers gave them. Deferred tools are
 * in `tools` and not shown. `activeTools` of the generation, the agent or a step chooses among them as ever; `toolOrder`
 * is the session's. Prompt fragments stand behind the host's instructions, in the step that they are of.
 *
 * @param scope A session: the root of a tree, or a child, whose scope is narrower.
 * @throws {ToolscopeError} `ERR_TOOLSCOPE_INVALID_ARGUMENT` for a tool whose schema cannot be read, and for options that
 *   are none of these; what `addSource()` throws, where `options.tools` are given. Nothing is added then.
 *
 * @example
 * const session = new ToolSession({ scope: { allow: ["weather", "mcp:kb"] } });
 * const result = await generateText({ model, ...scopeTools(session, { tools: { weather, shell } }), stopWhen: isStepCount(9), prompt });
 */
export function scopeTools(scope: ToolSession, options: ScopeToolsOptions = {}): ScopedTools {
  expect("the session", scope, session);
  options = read<ScopeToolsOptions>("scopeTools()", options, known);
  const schemas = options.tools && schemasOf(options.tools);
  const doors = new Doors(scope);
  const source = schemas && scope.addSource({ kind: "host", name: options.source ?? "ai-sdk" });
  const fed = source === undefined || schemas === undefined ? Promise.resolve() : feed(source, schemas);
  // Also reported by each step, which waits for it.
  fed.catch((error: unknown) => {
    if (source !== undefined && source.state !== "closed" && scope.state !== "disposed") source.fail(messageOf(error));
  });
  const record = new ToolRecord(scope, doors);
  const { tools } = record;
  const unguard = options.toolApproval === undefined ? undefined : guardCode(scope, options.toolApproval, record);
  const instructions = new StepInstructions();

  const prepareStep: Prepare = async (step) => {
    await fed;
    if (scope.state === "created") scope.start();
    else scope.endTurn();
    // The host never sees a fragment as its own instructions.
    const context = { ...step, instructions: instructions.baseOf(step.instructions) };
    const { tools: definitions, prompt } = await scope.prepare({
      context,
      ...(options.maxTools !== undefined && { maxTools: options.maxTools }),
    });
    record.show(definitions);
    const own = await options.prepareStep?.(context);
    const said = instructions.of(own?.instructions ?? own?.system ?? context.instructions, prompt);
    return {
      ...own,
      toolOrder: record.order,
      ...(said !== step.instructions && { instructions: said ?? instructions.none() }),
    };
  };

  const toolApproval: Approve = async (asked) => {
    const { toolName, toolCallId, input } = asked.toolCall;
    const call = { name: toolName, ...record.targetOf(toolName), input, callId: toolCallId };
    // Without an `execute` of ours the client runs it, or the AI SDK itself, and this is its last door.
    const isLast = !hasDoor(tools[toolName]);
    if (isLast || !scope.checkScope(call).allowed) {
      const decision = await scope.beforeToolCall(call);
      if (!decision.allowed) return { type: "denied", reason: decision.reason };
    }
    return approvalOf(options.toolApproval, tools[toolName], asked);
  };

  const repair: Repair = async (asked) => {
    const { toolCall } = asked;
    const decision = scope.checkScope(toolCall.toolName);
    if (decision.allowed && decision.name !== toolCall.toolName && asked.tools[decision.name] !== undefined) {
      return { ...toolCall, toolName: decision.name };
    }
    const plain = instructions.plain(asked.instructions);
    const repaired = (await options.repairToolCall?.({ ...asked, instructions: plain, system: plain })) ?? null;
    if (repaired !== null || decision.allowed) return repaired;
    const asDecided = await scope.beforeToolCall({ name: toolCall.toolName, input: toolCall.input, callId: toolCall.toolCallId });
    if (asDecided.allowed) return null;
    throw new ToolRefusedError(asDecided);
  };

  const scoped = { tools, prepareStep, toolApproval, experimental_repairToolCall: repair };
  const dispose = (): void => {
    unguard?.();
    if (source !== undefined && source.state !== "closed" && scope.state !== "disposed") source.close();
  };
  // Not to be spread into a generation's settings.
  Object.defineProperty(scoped, "dispose", { value: dispose });
  Object.defineProperty(scoped, Symbol.dispose, { value: dispose });
  return scoped as ScopedTools;
}
