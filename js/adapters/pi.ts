/**
 * `toolscope/pi`: a session of pi 1.x (`@earendil-works/pi-coding-agent`) under one scope.
 *
 * The adapter translates and decides nothing: it feeds pi's live tool maps to a {@link ToolSession}, hides from pi what
 * the scope leaves out, and asks the session at the last moment before a tool runs. It loads no code of pi's.
 */
import { type ScopeSpec, type SessionOptions, ToolSession, ToolscopeError } from "../../index.js";
import { type Check, boolean, callable, either, object, options as read, session, string } from "../options.js";
import { Attachment } from "./pi/attachment.js";
import type { PiAgentSession } from "./pi/host.js";

export type { PiAgentSession } from "./pi/host.js";

/** How {@link attachToPi} attaches. */
export interface AttachOptions {
  /**
   * The session that the scope is a child of: its scope becomes a ceiling that holds at every later moment, and the
   * tools it knows are those it was told of (a child's own extensions are matched to them by source and name).
   * Default: none, the scope is a root.
   */
  parent?: ToolSession | PiAttachment;
  /** Name of the child session, with `parent` alone. Default `"pi"`. */
  name?: string;
  /** Further names that an extension answers to in selectors. Default: none beyond those the README lists. */
  aliases?: (extension: { path: string }) => readonly string[];
  /** Options of the session that is made from a scope, without `parent`. */
  session?: Omit<SessionOptions, "scope">;
  /**
   * Puts the session's code mode in the place of pi's: the model is offered `host:toolscope/execute` (`execute`), which the
   * scope admits or not like any tool, and pi's `codemode` is hidden. Its programs run in the sandbox of `runCode`; their
   * calls are decided, then run by pi with its checks and hooks. Arguments that pi changes are decided on again.
   * Default: false, pi's own stays, and what its scripts call is decided likewise.
   */
  codeMode?: boolean;
  /**
   * Has the session's search answer pi's `tool_search`, where the scope admits that and the host has it active; what is
   * found and not declared yet is loaded as pi loads it. Default: false, pi's own search answers, among what is in scope.
   */
  toolSearch?: boolean;
  /**
   * Hears of failures of the adapter itself; the tool or turn at hand goes on, closed where in doubt.
   * Default: they are reported as errors of an extension, where pi shows those.
   */
  onError?: (error: unknown) => void;
}

/** A pi session under a scope. */
export interface PiAttachment extends Disposable {
  /** The session that decides. Its `setScope`, `report`, `explain` and events are the means to steer and to watch. */
  readonly session: ToolSession;
  /**
   * Brings pi in step with the scope at once. Needed by nobody who can wait for the next turn or prompt, which do it
   * themselves. Cost: a look at each tool where something changed, else at each entry of pi's tool maps.
   */
  sync(): void;
  /**
   * Detaches: pi gets its own definitions and active tools back, and the session is disposed where it was made here.
   * It happens by itself when the pi session is disposed; then, and wherever the tool session alone is disposed, every
   * call is refused as `disposed`.
   */
  dispose(): void;
}

const attachments = Symbol.for("toolscope.pi.attachment");
type Attached = PiAgentSession & { [attachments]?: PiAttachment };

/** The attachment of a pi session, or undefined where there is none. */
export function attachmentOf(agentSession: PiAgentSession): PiAttachment | undefined {
  return (agentSession as Attached)[attachments];
}

/**
 * Puts a pi session under a scope: from this call on, nothing out of scope is shown to the model, listed or found from
 * code mode or `tool_search`, or run, however and whenever it registers, through reloads, resumed and steered prompts.
 *
 * Sources: `builtin` (pi's own tools), `host:sdk` (`customTools`), `ext:NAME` for each extension (pi's own too, by their
 * short names), `mcp:SERVER` for each server of the MCP extension. Exposed names are pi's.
 *
 * @param agentSession What `createAgentSession()` gave. Attach after `bindExtensions()`, or before it, at any time.
 * @param scope A scope, or a session that holds one: a root that hosts nothing of pi's yet, or a child of a session that
 *   another pi session is attached to (see `options.parent` for the short way).
 * @throws {ToolscopeError} `ERR_TOOLSCOPE_PI_ATTACHED` where the pi session is under a scope already (change that one
 *   with `attachmentOf(agentSession).session.setScope()`), `ERR_TOOLSCOPE_HOST_UNSUPPORTED` where it is none that the
 *   adapter can guard, and what `new ToolSession()` throws.
 *
 * @example
 * const { session } = await createAgentSession({ resourceLoader });
 * await session.bindExtensions({});
 * using attachment = attachToPi(session, { allow: ["read", "ext:mcp-bridge/search"], exclude: ["bash"] });
 * await session.prompt("find it");
 */
export function attachToPi(
  agentSession: PiAgentSession,
  scope: ScopeSpec | ToolSession,
  options: AttachOptions = {},
): PiAttachment {
  check(agentSession);
  options = read<AttachOptions>("attachToPi()", options, known);
  if (attachmentOf(agentSession) !== undefined) {
    throw new ToolscopeError(
      "ERR_TOOLSCOPE_PI_ATTACHED",
      "this pi session is under a scope already; change it with `attachmentOf(agentSession).session.setScope()`, or dispose it first",
    );
  }
  const { session: made, owned } = sessionFor(scope, options);
  try {
    const attachment = new Attachment(agentSession, made, {
      owned,
      aliases: options.aliases ?? (() => []),
      codeMode: options.codeMode ?? false,
      toolSearch: options.toolSearch ?? false,
      onError: options.onError,
      onDetached: () => Reflect.deleteProperty(agentSession, attachments),
    });
    Object.defineProperty(agentSession, attachments, { value: attachment, configurable: true, enumerable: false });
    return attachment;
  } catch (error) {
    if (owned) made.dispose();
    throw error;
  }
}

function sessionFor(scope: ScopeSpec | ToolSession, options: AttachOptions): { session: ToolSession; owned: boolean } {
  const parent = options.parent !== undefined && "session" in options.parent ? options.parent.session : options.parent;
  if (isSession(scope)) {
    if (parent === undefined) return { session: scope, owned: false };
    throw new ToolscopeError(
      "ERR_TOOLSCOPE_INVALID_ARGUMENT",
      "`options.parent` goes with a scope, and a session was given; give the scope alone, or a session that the parent spawned",
    );
  }
  if (parent !== undefined) return { session: parent.spawn({ name: options.name ?? "pi", scope }), owned: true };
  return { session: new ToolSession({ ...options.session, scope }), owned: true };
}

const hasSession: Check = {
  what: "an attachment",
  is: (value) => object.is(value) && session.is((value as { session?: unknown }).session),
};
const known = {
  parent: either(session, hasSession),
  name: string,
  aliases: callable,
  session: object,
  codeMode: boolean,
  toolSearch: boolean,
  onError: callable,
};

function check(agentSession: PiAgentSession): void {
  const methods = [
    "getAllTools",
    "getActiveToolNames",
    "setActiveToolsByName",
    "getToolDefinition",
    "subscribe",
  ] as const;
  const missing = methods.find((method) => typeof agentSession?.[method] !== "function");
  if (missing !== undefined) {
    throw new ToolscopeError(
      "ERR_TOOLSCOPE_HOST_UNSUPPORTED",
      `what was given as a pi session has no \`${missing}\`; give the \`session\` that createAgentSession() returns`,
    );
  }
}

const isSession = (value: ScopeSpec | ToolSession): value is ToolSession => session.is(value);
