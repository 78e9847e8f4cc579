import type {
  CatalogOptions,
  RunCodeOptions,
  RunCodeResult,
  SearchOptions,
  SearchPage,
  SourceSpec,
  ToolCall,
  ToolDeclaration,
  ToolDefinition,
  ToolSession,
} from "../index.js";
import { renderSignature } from "./catalog.js";
import { type FrozenDefinition, freezeDeep } from "./definition.js";
import { ToolscopeError } from "./errors.js";
import { crossing } from "./native.js";
import { anything, expect, messageOf, options, string } from "./options.js";
import type { Performed } from "./perform.js";
import { unknownReason } from "./sandbox/code-sandbox.js";
import type { Engine } from "./sandbox/engine.js";
import { codeModeGuide, codeModeInputSchema } from "./sandbox/guide.js";
import { limitsOf, RUN_CHECKS } from "./sandbox/limits.js";
import { type ListedTool, searched, spelled, ToolListing } from "./sandbox/listing.js";
import { type Answer, DEFAULT_ISOLATION, type NestedCall, engineFor, runProgram } from "./sandbox/program.js";
import type { Source } from "./source.js";
import type { Slot, Tree } from "./tree.js";

/** What code mode needs of its session. */
export interface CodeModeHost {
  readonly tree: Tree;
  readonly index: number;
  readonly id: string;
  /** Passes a call through the door and runs it; `fallback` runs what has no `execute`. */
  perform(call: ToolCall, signal: AbortSignal | undefined, fallback: RunCodeOptions["call"]): Promise<Performed>;
  search(query: string, options?: SearchOptions): SearchPage;
  catalogText(options: CatalogOptions): string;
  /** The source of the tool that runs programs; made when it is first asked for. */
  codeSource(spec: SourceSpec): Source;
  /** Has this told of every change of the tree, while programs run. */
  watch(changed: () => void): () => void;
}

/** The source of the tool that runs programs, and its raw name there. */
export const CODE_SOURCE = "toolscope";
const CODE_TOOL = "execute";

const modeChecks = {
  budget: anything,
  pinned: anything,
  pinnedLimit: anything,
  categories: anything,
  detail: anything,
  rank: anything,
  name: string,
} as const;

/** The programs of one session, and the tool by which its model runs them. */
export class CodeMode {
  readonly #host: CodeModeHost;
  readonly #programs = new Set<AbortController>();
  readonly #engines = new Set<Engine>();
  #listing: ToolListing | undefined;
  #listed: ReadonlyMap<string, ListedTool & { slot: Slot }> = new Map();
  #listedAt = -1;
  #unwatch: (() => void) | undefined;
  #runs = 0;
  /** How the model is shown the tool, once a host has asked for it. */
  #shown: CatalogOptions | undefined;
  #defined: { readonly catalog: string; readonly definition: FrozenDefinition } | undefined;

  constructor(host: CodeModeHost) {
    this.#host = host;
  }

  async run(code: string, given: RunCodeOptions, callId = `${this.#host.id}-program-${++this.#runs}`): Promise<RunCodeResult> {
    expect("the program", code, string);
    const { limits, signal, isolation = DEFAULT_ISOLATION, call, onCall } = options<RunCodeOptions>("the options of runCode", given, RUN_CHECKS);
    const bounds = limitsOf(limits);
    this.#retain(engineFor(isolation));
    const over = new AbortController();
    const forward = (): void => over.abort(signal?.reason);
    if (signal?.aborted === true) forward();
    signal?.addEventListener("abort", forward);
    this.#programs.add(over);
    this.#unwatch ??= this.#host.watch(() => this.#list());
    try {
      return await runProgram(code, {
        listing: this.#list(),
        limits: bounds,
        isolation,
        callId,
        signal: over.signal,
        ...(onCall !== undefined && { onCall }),
        decideAndCall: (nested, context) => this.#call(nested, context.signal, call),
        search: (query, wanted) => this.#host.search(...searched(query, wanted)),
        describe: (name, id) => this.#describe(name, id),
      });
    } finally {
      signal?.removeEventListener("abort", forward);
      this.#programs.delete(over);
      if (this.#programs.size === 0) {
        this.#unwatch?.();
        this.#unwatch = undefined;
      }
    }
  }

  /** The session is over: so are its programs. */
  close(): void {
    for (const program of this.#programs) program.abort();
    this.#listing?.close();
    for (const engine of this.#engines) engine.release();
    this.#engines.clear();
  }

  /** What runs programs is kept warm from the first one on. */
  #retain(engine: Engine): void {
    if (this.#engines.has(engine)) return;
    this.#engines.add(engine);
    engine.retain();
  }

  /** The tools that a program sees: those it may call. Programs under way see a new list at their next look. */
  #list(): ToolListing {
    const { tree, index } = this.#host;
    this.#listing ??= new ToolListing();
    if (this.#listedAt !== tree.generation) {
      const tools = JSON.parse(crossing(() => tree.native.codeTools(index))) as (ListedTool & { slot: Slot })[];
      this.#listing.set(tools);
      this.#listed = spelled(tools);
      this.#listedAt = tree.generation;
    }
    return this.#listing;
  }

  async #call(nested: NestedCall, signal: AbortSignal, fallback: RunCodeOptions["call"]): Promise<Answer> {
    const { id, input, callId, parentCallId } = nested;
    const call: ToolCall = { name: id ?? nested.name, input, callId, parentCallId };
    const { decision, ok, value, error } = await this.#host.perform(call, signal, fallback);
    const of = { ...(decision.id !== undefined && { id: decision.id }), name: decision.name };
    if (ok) return { ...of, ok: true, value };
    const { code, message } = error as { code: string; message: string };
    return { ...of, ok: false, code, message: code === "unknown" ? unknownReason(nested) : message };
  }

  #describe(name: string, id: string | undefined): string {
    const { tree } = this.#host;
    this.#list();
    const tool = this.#listed.get(id ?? name);
    if (tool === undefined) throw new ToolscopeError("unknown", `there is no tool \`${name}\`; \`search\` finds those there are`);
    const [declaration] = JSON.parse(tree.native.declarations(Uint32Array.of(tool.slot))) as [ToolDeclaration];
    return renderSignature({ ...declaration, source: tool.label });
  }

  /** The tool that runs programs, for this session's model from now on. */
  tool(given: CatalogOptions & { name?: string }): ToolDefinition {
    const { name, ...catalog } = options<CatalogOptions & { name?: string }>("code mode", given, modeChecks);
    // An invalid option throws before anything is shown.
    this.#host.catalogText(catalog);
    const source = this.#host.codeSource({
      kind: "host",
      name: CODE_SOURCE,
      description: "Runs programs that call tools",
      exposedName: () => name ?? CODE_TOOL,
    });
    // It may have been taken out of the source since.
    if (this.#slot() === undefined) {
      source.set([{ name: CODE_TOOL, description: codeModeGuide(""), inputSchema: codeModeInputSchema, exposure: "model-only", execute }]);
    }
    this.#shown = catalog;
    return { ...(this.define(this.#slot() as Slot) as ToolDefinition) };
  }

  #slot(): Slot | undefined {
    this.#host.tree.readNames();
    const slot = this.#host.tree.native.slotOf(`host:${CODE_SOURCE}/${CODE_TOOL}`);
    return slot === null ? undefined : slot;
  }

  /** The slot whose definition this session's requests put last. */
  get slot(): Slot | undefined {
    return this.#shown === undefined ? undefined : this.#slot();
  }

  /** The definition, with the catalog as it is now; the same object where nothing of it is another. */
  define(slot: Slot): FrozenDefinition {
    const { tree } = this.#host;
    const [id, name, catalog] = [tree.idOf(slot), tree.nameOf(slot), this.#host.catalogText(this.#shown ?? {})];
    const made = this.#defined;
    if (made?.catalog === catalog && made.definition.id === id && made.definition.name === name) return made.definition;
    const definition = freezeDeep({ id, name, description: codeModeGuide(catalog), inputSchema: codeModeInputSchema });
    this.#defined = { catalog, definition };
    return definition;
  }
}

/** What a session of ours can do beside its contract: the program's calls are those of the call that brought it. */
interface ProgramRunner {
  program(code: string, given: RunCodeOptions, callId: string | undefined): Promise<RunCodeResult>;
}

/** Runs the model's program in the session that called; what came of it goes back as it is. */
const execute: NonNullable<ToolDeclaration["execute"]> = async (input, { signal, call, session }) => {
  const code = (input as { code?: unknown } | null | undefined)?.code;
  if (session === undefined) throw new TypeError("this tool is called through a session");
  if (typeof code !== "string") throw new TypeError("`code` is missing; give the program's text");
  try {
    return await (session as ToolSession & ProgramRunner).program(code, { signal }, call.callId);
  } catch (error) {
    throw new ToolscopeError("ERR_TOOLSCOPE_TOOL_FAILED", messageOf(error), { cause: error });
  }
};
