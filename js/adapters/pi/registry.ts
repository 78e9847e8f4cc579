/**
 * The tools of one pi session: every registration behind its guard, and fed to the scope under its owner.
 */
import { type ToolSession, ToolscopeError } from "../../../index.js";
import { Feed, FedSource, declaration } from "./feed.js";
import { type DoorKeeper, type GuardedTool, guardInPlace, guardOf, guarded } from "./guard.js";
import { type PiAgentSession, type PiExtension, type PiLoad, type PiToolDefinition } from "./host.js";
import { type SourceIdentity, identify, mcpBridges, mcpTool } from "./identity.js";

/** Who owns a name in pi: SDK tools before extensions in load order before built-ins. */
const SDK = 2_000_000;
const EXTENSION = 1_000_000;
const BUILT_IN = 0;

/** pi keeps these for itself; there is no public way to the tools an extension overrides, nor to the SDK's. */
interface Inner {
  _baseToolDefinitions?: Map<string, PiToolDefinition>;
  _customTools?: PiToolDefinition[];
}

interface Owner {
  source: FedSource;
  precedence: number;
  /** Whether tools of MCP servers come through it. */
  bridge: boolean;
  tools: Map<string, GuardedTool>;
}

export class Registry {
  readonly child: ToolSession | undefined;
  readonly #feed: Feed;
  #load: PiLoad | undefined;
  readonly #owners = new Map<PiExtension, Owner>();
  readonly #servers = new Map<string, FedSource>();
  readonly #inPlace = new Map<PiToolDefinition, { tool: GuardedTool; undo: () => void }>();
  /** The tool of the adapter's own extension, which the session has from itself. */
  #offered: GuardedTool | undefined;
  #custom: { given: PiToolDefinition[]; tools: GuardedTool[] } | undefined;
  #base: Map<string, PiToolDefinition> | undefined;

  constructor(
    readonly host: PiAgentSession,
    readonly keeper: DoorKeeper,
    session: ToolSession,
    readonly aliases: (extension: { path: string }) => readonly string[],
    /** The adapter's own extension, which has no tools but the one that is offered. */
    readonly own: PiExtension,
    readonly failed: (error: unknown) => void,
  ) {
    // A child's sources are its root's, where they were fed.
    this.child = session.path.length > 1 ? session : undefined;
    this.#feed = new Feed(this.child === undefined ? session : undefined, failed);
  }

  /** Every registration, the shadowed ones too. */
  *tools(): Generator<GuardedTool> {
    for (const { tool } of this.#inPlace.values()) yield tool;
    if (this.#custom !== undefined) yield* this.#custom.tools;
    for (const { tools } of this.#owners.values()) yield* tools.values();
    if (this.#offered !== undefined) yield this.#offered;
  }

  /** Offers pi a tool that the session has from `host:toolscope`. */
  offer(rawName: string, definition: PiToolDefinition): void {
    const source = FedSource.open({ kind: "host", name: "toolscope", aliases: [] }, BUILT_IN, undefined);
    this.#offer(guard(source, rawName, definition.name, definition));
  }

  #offer(tool: GuardedTool): void {
    this.#offered = tool;
    const sourceInfo = this.own.sourceInfo ?? { path: this.own.path };
    this.own.tools.set(tool.name, { definition: guarded(tool, this.keeper), sourceInfo });
  }

  /** Whether it is the tool that the adapter offers. */
  isOffered(tool: GuardedTool): boolean {
    return tool.id === this.#offered?.id;
  }

  /** The tool that pi runs under this name. */
  effective(name: string): GuardedTool | undefined {
    const definition = this.host.getToolDefinition(name);
    return typeof definition === "object" && definition !== null ? guardOf(definition) : undefined;
  }

  /** Takes up the extensions of a load, in place of those of the last one. */
  takeUp(load: PiLoad): void {
    this.#load = load;
    const extensions = load.extensions.filter((extension) => extension !== this.own);
    const identities = identify(extensions, this.aliases);
    const bridges = mcpBridges(extensions);
    this.#owners.clear();
    this.#servers.clear();
    const kept = new Set<FedSource>();
    const open = (identity: SourceIdentity, precedence: number): FedSource => {
      const source = this.#feed.source(identity, precedence);
      kept.add(source);
      return source;
    };
    open({ kind: "builtin", name: "pi", aliases: [] }, BUILT_IN);
    if (this.#customTools().length > 0) open({ kind: "host", name: "sdk", aliases: [] }, SDK);
    extensions.forEach((extension, index) => {
      const precedence = EXTENSION - index;
      const source = open(identities.get(extension) as SourceIdentity, precedence);
      this.#owners.set(extension, { source, precedence, bridge: bridges.includes(extension), tools: new Map() });
    });
    // MCP servers are connected anew; until then their tools are not there.
    this.#feed.retain(kept);
    this.scan();
    for (const { source, tools } of this.#owners.values()) source.settle(tools);
  }

  /**
   * Guards and feeds what was registered since the last scan. Returns whether there was anything.
   * Cost: one look at each entry of the live maps.
   */
  scan(): boolean {
    this.#scanServers();
    let changed = this.#scanBase();
    changed = this.#scanCustom() || changed;
    for (const [extension, owner] of this.#owners) changed = this.#scanExtension(extension, owner) || changed;
    return changed;
  }

  /** A guard of its own for a tool whose presentation changes, since pi compares a tool's exposure with what it was. */
  renew(tool: GuardedTool): void {
    if (tool === this.#offered) return this.#offer({ ...tool, hidden: false });
    for (const [extension, { tools }] of this.#owners) {
      if (tools.get(tool.name) !== tool) continue;
      const entry = extension.tools.get(tool.name);
      if (entry === undefined || guardOf(entry.definition) !== tool) return;
      const fresh = { ...tool, hidden: false };
      tools.set(tool.name, fresh);
      extension.tools.set(tool.name, { ...entry, definition: guarded(fresh, this.keeper) });
      return;
    }
    tool.hidden = false;
  }

  /**
   * Feeds a tool of exposure `codemode` as a deferred one while pi has it declared: a session that has code tools has
   * them for scripts alone, and pi's `tool_search` may declare them all the same. A child never takes it back: its root
   * or another child may have the tool loaded, and to who has not loaded it a deferred one is for scripts alone, too.
   */
  declare(tool: GuardedTool, loaded: boolean): void {
    if (tool.exposure !== "codemode") return;
    const declared = declaration(tool.rawName, tool.definition, loaded ? "deferred" : "codemode");
    if (this.child === undefined) this.#tell(tool.source, [{ name: tool.name, declaration: declared }]);
    else if (loaded) FedSource.redeclare(tool.source.id, declared, this.child);
  }

  /** Gives pi its own definitions back. */
  release(): void {
    for (const [extension, { tools }] of this.#owners) {
      for (const [name, entry] of extension.tools) {
        const tool = guardOf(entry.definition);
        if (tool !== undefined && tool === tools.get(name))
          extension.tools.set(name, { ...entry, definition: tool.definition });
      }
    }
    for (const { undo } of this.#inPlace.values()) undo();
    this.#inPlace.clear();
    this.own.tools.clear();
    this.#offered = undefined;
    if (this.#custom !== undefined) (this.host as Inner)._customTools = this.#custom.given;
    this.#custom = undefined;
    this.#owners.clear();
    this.#feed.retain(new Set());
  }

  #scanExtension(extension: PiExtension, owner: Owner): boolean {
    const fresh = new Map<FedSource, { name: string; declaration: ReturnType<typeof declaration> }[]>();
    for (const [name, entry] of extension.tools) {
      const known = owner.tools.get(name);
      if (known !== undefined && guardOf(entry.definition) === known) continue;
      const definition = guardOf(entry.definition)?.definition ?? entry.definition;
      const mcp = owner.bridge ? mcpTool(definition) : undefined;
      const source = mcp === undefined ? owner.source : this.#server(mcp.server, owner.precedence);
      const raw = mcp?.tool ?? name;
      if (known !== undefined && (known.source !== source || known.rawName !== raw))
        known.source.remove([known.rawName]);
      const tool = guard(source, raw, name, definition);
      owner.tools.set(name, tool);
      extension.tools.set(name, { ...entry, definition: guarded(tool, this.keeper) });
      const declared = { name, declaration: declaration(raw, definition, tool.exposure) };
      const batch = fresh.get(source);
      if (batch === undefined) fresh.set(source, [declared]);
      else batch.push(declared);
    }
    for (const [source, batch] of fresh) this.#tell(source, batch);
    if (owner.tools.size === extension.tools.size) return fresh.size > 0;
    for (const [name, { source, rawName }] of owner.tools) {
      if (extension.tools.has(name)) continue;
      source.remove([rawName]);
      owner.tools.delete(name);
    }
    return true;
  }

  /** What the session does not take it does not know, and what it does not know stays hidden. */
  #tell(source: FedSource, tools: Parameters<FedSource["add"]>[0]): void {
    try {
      source.add(tools);
    } catch (error) {
      this.failed(error);
    }
  }

  #server(name: string, precedence: number): FedSource {
    const known = this.#servers.get(name);
    if (known !== undefined) return known;
    const opened = this.#feed.source({ kind: "mcp", name, aliases: [] }, precedence);
    this.#servers.set(name, opened);
    return opened;
  }

  /** Servers that extensions registered are pending until the bridge has connected them. */
  #scanServers(): void {
    const bridge = [...this.#owners.values()].find((owner) => owner.bridge);
    if (bridge === undefined) return;
    for (const { name } of this.#load?.runtime.mcpServers?.list() ?? []) this.#server(name, bridge.precedence);
  }

  /** pi's built-ins, which it makes anew at a reload. */
  #scanBase(): boolean {
    const base = (this.host as Inner)._baseToolDefinitions;
    if (!(base instanceof Map)) throw unsupported("_baseToolDefinitions");
    if (base === this.#base) return false;
    const source = this.#feed.source({ kind: "builtin", name: "pi", aliases: [] }, BUILT_IN);
    source.remove([...this.#inPlace.values()].map(({ tool }) => tool.name).filter((name) => !base.has(name)));
    const before = new Map([...this.#inPlace.values()].map(({ tool }) => [tool.name, tool]));
    this.#inPlace.clear();
    const tools = [...base].map(([name, definition]) => {
      const tool = guard(source, name, name, definition);
      tool.hidden = before.get(name)?.hidden ?? true;
      this.#inPlace.set(definition, { tool, undo: guardInPlace(tool, this.keeper) });
      return { name, declaration: declaration(name, definition, tool.exposure) };
    });
    this.#tell(source, tools);
    this.#base = base;
    return true;
  }

  #scanCustom(): boolean {
    if (this.#custom !== undefined) return false;
    const given = this.#customTools();
    if (given.length === 0) return false;
    const source = this.#feed.source({ kind: "host", name: "sdk", aliases: [] }, SDK);
    const tools = given.map((definition) => guard(source, definition.name, definition.name, definition));
    this.#custom = { given, tools };
    (this.host as Inner)._customTools = tools.map((tool) => guarded(tool, this.keeper));
    this.#tell(
      source,
      tools.map((tool) => ({ name: tool.name, declaration: declaration(tool.name, tool.definition, tool.exposure) })),
    );
    return true;
  }

  #customTools(): PiToolDefinition[] {
    const custom = this.#custom?.given ?? (this.host as Inner)._customTools;
    if (!Array.isArray(custom)) throw unsupported("_customTools");
    return custom;
  }
}

function guard(source: FedSource, raw: string, name: string, definition: PiToolDefinition): GuardedTool {
  const exposure = definition.exposure ?? "direct";
  // Left out until the scope was asked.
  return { source, rawName: raw, id: source.toolId(raw), name, definition, exposure, hidden: true };
}

const unsupported = (member: string): ToolscopeError =>
  new ToolscopeError(
    "ERR_TOOLSCOPE_HOST_UNSUPPORTED",
    `this pi session has no \`${member}\`, which toolscope/pi guards tools by; use a pi within the peer range of toolscope`,
  );
