/**
 * The session's code mode in the place of pi's: a tool of pi's whose programs run in our sandbox, and whose calls reach
 * pi's tools through pi.
 */
import type { RunCodeOptions, RunCodeResult, ToolDefinition, ToolSession } from "../../../index.js";
import type { PiToolDefinition } from "./host.js";

/** What pi hands a tool: the way to its other tools, with pi's checks and hooks. */
export interface PiToolContext {
  executeTool(name: string, input: unknown, options: { signal: AbortSignal }): Promise<PiOutcome>;
}
interface PiOutcome {
  result: { content?: readonly { type: string; text?: string }[]; structuredContent?: unknown };
  isError: boolean;
}

/** Runs one call of a program on pi's side. */
export type ProgramCall = (
  call: Parameters<NonNullable<RunCodeOptions["call"]>>[0],
  signal: AbortSignal,
  context: PiToolContext,
) => Promise<unknown>;

/** What a session can do beside its contract: a program's calls are those of the call that brought it. */
interface ProgramRunner {
  program(code: string, options: RunCodeOptions, callId: string): Promise<RunCodeResult>;
}

/** The tool's name in its source. */
export const PROGRAM_TOOL = "execute";
const looksAround = /\b(search|describe)\s*\(|\bObject\s*\.|\bin\s+tools\b|\.\.\.\s*tools\b/;

/** The tool that runs programs, as pi registers it. */
export function programTool(session: ToolSession, call: ProgramCall): PiToolDefinition {
  const { name, description, inputSchema } = session.codeMode();
  const definition: PiToolDefinition & Record<string, unknown> = {
    name,
    label: name,
    description,
    promptSnippet: "Run a program that calls other tools",
    parameters: structuredClone(inputSchema),
    // Programs must not start other programs.
    exposure: "model-only",
    // pi asks this wherever what it declares is put together; the catalog is then as it is.
    prepareLoadout: () => ({ descriptions: { [name]: described(session, description) } }),
    // pi waits for the servers of the tools that a call may reach.
    reachesTools: ({ code }) => {
      if (typeof code !== "string") return [];
      return looksAround.test(code) ? "all" : (code.match(/\w+/g) ?? []);
    },
    execute: async (callId: string, input: { code: string }, signal: unknown, _update: unknown, context: PiToolContext) => {
      const options: RunCodeOptions = {
        call: (nested, given) => call(nested, given.signal, context),
        ...(signal instanceof AbortSignal && { signal }),
      };
      return report(await (session as ToolSession & ProgramRunner).program(input.code, options, callId));
    },
  };
  return definition;
}

/** A session that is over has nothing to say of its tools. */
const described = (session: ToolSession, last: string): string =>
  session.state === "disposed" ? last : (session.codeMode() as ToolDefinition).description;

/** What a tool's call gives a program: its structured content where it says what that is, else its text. */
export function valueOf({ result, isError }: PiOutcome, { outputSchema }: PiToolDefinition): unknown {
  const text = (result.content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n");
  if (outputSchema !== undefined && result.structuredContent !== undefined) return result.structuredContent;
  if (isError) throw new Error(text);
  return text;
}

/** What became of a program, for the model; the calls are for whoever shows the session. */
function report({ ok, value, error, logs, calls, truncated }: RunCodeResult): object {
  const lines: string[] = [];
  if (error !== undefined) {
    const at = error.line === undefined ? "" : ` (line ${error.line}, column ${error.column})`;
    lines.push(`${error.kind} error${at}: ${error.message}`, ...(error.suggestions ?? []));
  } else lines.push(typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined"));
  if (logs.length > 0) lines.push("logs:", ...logs);
  if (truncated) lines.push("(cut off: it was more than may be shown)");
  return { content: [{ type: "text", text: lines.join("\n") }], details: { calls }, ...(!ok && { isError: true }) };
}
