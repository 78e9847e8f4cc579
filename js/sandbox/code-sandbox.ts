import type { CodeLimits, CodeSandbox as Public, RunCodeOptions, RunCodeResult, SearchOptions, SearchPage, SourcedTool, ToolCall } from "../../index.js";
import { renderSignature } from "../catalog.js";
import { ToolscopeError } from "../errors.js";
import { expect, object, options as optionsOf } from "../options.js";
import { ToolIndex } from "../tool-index.js";
import type { Engine } from "./engine.js";
import { faultOf } from "../fault.js";
import { limitsOf, RUN_CHECKS } from "./limits.js";
import { type ListedTool, searched, ToolListing } from "./listing.js";
import { type Answer, DEFAULT_ISOLATION, engineFor, type NestedCall, runProgram } from "./program.js";

interface Entry extends ListedTool {
  declaration: SourcedTool;
}

/** See index.d.ts. */
export class CodeSandbox implements Public {
  readonly #tools = new Map<string, Entry>();
  readonly #names = new Map<string, Entry>();
  readonly #listing = new ToolListing();
  /** Made for the first program that searches. */
  #index: ToolIndex | undefined;
  readonly #limits: CodeLimits | undefined;
  readonly #isolation: "thread" | "process";
  readonly #programs = new Set<AbortController>();
  readonly #engines = new Set<Engine>();
  #closed = false;
  #runs = 0;

  constructor(options: ConstructorParameters<typeof Public>[0]) {
    if (!Array.isArray(options?.tools)) {
      throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", "options.tools is missing; give a list of tools, [] for none");
    }
    limitsOf(options.limits);
    this.#limits = options.limits;
    this.#isolation = isolationOf(options.isolation) ?? DEFAULT_ISOLATION;
    for (const declaration of options.tools) this.#add(declaration);
    this.#listing.set([...this.#tools.values()].filter(({ declaration }) => isCallable(declaration)));
    this.#engine(this.#isolation);
  }

  /** What runs programs in this isolation is kept warm from the first one on. */
  #engine(isolation: "thread" | "process"): void {
    const engine = engineFor(isolation);
    if (this.#engines.has(engine)) return;
    this.#engines.add(engine);
    engine.retain();
  }

  #add(declaration: SourcedTool): void {
    expect("a tool", declaration, object);
    const { name, source } = declaration;
    if (typeof name !== "string" || typeof source !== "string" || name === "" || source === "") {
      const message = `a tool has the name \`${String(name)}\` and the source \`${String(source)}\`; give both as text`;
      throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", message);
    }
    const id = source === "builtin" ? `builtin:${name}` : `${source}/${name}`;
    if (this.#tools.has(id)) {
      throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", `the tool \`${id}\` is given twice; give each once`);
    }
    const label = source.replace(/^[a-z]+:/i, "").replace(/^"(.*)"$/, "$1");
    const entry: Entry = { id, name, source, label, tool: name, declaration };
    this.#tools.set(id, entry);
    for (const spelling of [name, `${label}.${name}`]) if (!this.#names.has(spelling)) this.#names.set(spelling, entry);
  }

  async run(code: string, given: RunCodeOptions = {}): Promise<RunCodeResult> {
    if (this.#closed) throw new ToolscopeError("ERR_TOOLSCOPE_SANDBOX_CLOSED", "the sandbox is closed; make another one");
    if (typeof code !== "string") {
      throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", `code is of type \`${typeof code}\`; give the program's text`);
    }
    const options = optionsOf<RunCodeOptions>("the options of run", given, RUN_CHECKS);
    const limits = limitsOf(options.limits, this.#limits);
    const isolation = options.isolation ?? this.#isolation;
    this.#engine(isolation);
    const closing = new AbortController();
    const forward = (): void => closing.abort();
    if (options.signal?.aborted === true) closing.abort();
    options.signal?.addEventListener("abort", forward);
    this.#programs.add(closing);
    try {
      return await runProgram(code, {
        listing: this.#listing,
        limits,
        isolation,
        callId: `run-${++this.#runs}`,
        signal: closing.signal,
        ...(options.onCall !== undefined && { onCall: options.onCall }),
        decideAndCall: (call, { signal }) => this.#call(call, signal, options.call),
        search: (query, wanted) => this.#search(...searched(query, wanted)),
        describe: (name, id) => this.#describe(name, id),
      });
    } finally {
      this.#programs.delete(closing);
      options.signal?.removeEventListener("abort", forward);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const program of this.#programs) program.abort();
    this.#listing.close();
    for (const engine of this.#engines) engine.release();
  }

  async #call(call: NestedCall, signal: AbortSignal, run: RunCodeOptions["call"]): Promise<Answer> {
    const entry = this.#find(call.id ?? call.name);
    if (entry === undefined) return { ok: false, code: "unknown", message: unknownReason(call) };
    const { id, name, declaration } = entry;
    if (!isCallable(declaration)) {
      return { ok: false, id, name, code: "not_exposed", message: `\`${name}\` cannot be called from a program` };
    }
    const asked: ToolCall & { id: string } = {
      name, id, input: frozen(call.input), callId: call.callId, parentCallId: call.parentCallId,
    };
    if (declaration.execute === undefined && run === undefined) {
      return { ok: false, id, name, code: "ERR_TOOLSCOPE_TOOL_NOT_EXECUTABLE", message: `\`${name}\` has no execute, and the host gave no \`call\`` };
    }
    try {
      const value = await (declaration.execute !== undefined ? declaration.execute(asked.input, { signal, call: asked }) : run?.(asked, { signal }));
      return { ok: true, id, name, value };
    } catch (error) {
      return { ok: false, id, name, ...faultOf(error) };
    }
  }

  /** By id, by name, or by `source.tool`, of every tool there is: one that cannot be called is refused as what it is. */
  #find(spelling: string): Entry | undefined {
    return this.#tools.get(spelling) ?? this.#names.get(spelling);
  }

  #search(query: string, options: SearchOptions): SearchPage {
    this.#index ??= new ToolIndex([...this.#tools.values()].map(({ declaration }) => declaration).filter(isCallable));
    return this.#index.search(query, options);
  }

  #describe(name: string, id: string | undefined): string {
    const entry = this.#find(id ?? name);
    if (entry === undefined || !isCallable(entry.declaration)) {
      throw new ToolscopeError("unknown", `there is no tool \`${name}\`; \`search(query)\` finds tools`);
    }
    return renderSignature({ ...entry.declaration, source: entry.label });
  }
}

function isCallable({ exposure }: SourcedTool): boolean {
  return exposure !== "hidden" && exposure !== "model-only";
}

function isolationOf(isolation: unknown): "thread" | "process" | undefined {
  if (isolation === undefined || isolation === "thread" || isolation === "process") return isolation;
  const message = `isolation is \`${String(isolation)}\`; give "thread" or "process"`;
  throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", message);
}

/** The reason of an unknown call, with what was likely meant. */
export function unknownReason({ name, hint, suggestions }: Pick<NestedCall, "name" | "hint" | "suggestions">): string {
  if (hint !== undefined) return `there is no tool \`${name}\`; ${hint}`;
  if (suggestions.length > 0) return `there is no tool \`${name}\`; did you mean \`${suggestions.join("`, `")}\`?`;
  return `there is no tool \`${name}\`; \`Object.keys(tools)\` lists them and \`search(query)\` finds them`;
}

function frozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) frozen(item);
  }
  return value;
}
