/**
 * Feeding: pi's live maps as sources of a session, one for each extension and MCP server, under pi's own names.
 */
import type {
  Exposure,
  JsonSchema,
  ToolAnnotations,
  ToolDeclaration,
  ToolSession,
  ToolSource,
} from "../../../index.js";
import type { PiExposure, PiToolDefinition } from "./host.js";
import type { SourceIdentity } from "./identity.js";

const exposures: Record<PiExposure, Exposure> = {
  direct: "direct",
  "model-only": "model-only",
  codemode: "code",
  deferred: "deferred",
  hidden: "hidden",
};

export function declaration(rawName: string, definition: PiToolDefinition, exposure: PiExposure): ToolDeclaration {
  return {
    name: rawName,
    ...(typeof definition.description === "string" && { description: definition.description }),
    ...(definition.parameters !== undefined && { inputSchema: definition.parameters as JsonSchema }),
    ...(definition.outputSchema !== undefined && { outputSchema: definition.outputSchema as JsonSchema }),
    ...(definition.annotations !== undefined && { annotations: definition.annotations as ToolAnnotations }),
    exposure: exposures[exposure] ?? "hidden",
  };
}

/** The id a session gives a source; needed where it was added to an ancestor. */
function sourceId({ kind, name }: SourceIdentity): string {
  if (kind === "builtin") return kind;
  return `${kind}:${name === "" || /[/*@:" ]/.test(name) ? `"${name.replace(/["\\]/g, "\\$&")}"` : name}`;
}

/** The sources that a pi session feeds, by what the host of the tree holds of them. */
const fed = new WeakSet<ToolSource>();

/** One source of pi's, as the session knows it. */
export class FedSource {
  readonly id: string;
  /** pi's names by raw name; MCP tools bear others than their raw ones. */
  readonly #names = new Map<string, string>();
  readonly #session: ToolSession | undefined;
  readonly #source: ToolSource | undefined;

  private constructor(
    readonly identity: SourceIdentity,
    readonly precedence: number,
    session: ToolSession | undefined,
  ) {
    this.#session = session;
    this.#source = session?.addSource({
      kind: identity.kind,
      name: identity.name,
      aliases: identity.aliases,
      ...(identity.path !== undefined && { path: identity.path }),
      precedence,
      exposedName: (raw) => this.#names.get(raw) ?? raw,
    });
    if (this.#source !== undefined) fed.add(this.#source);
    this.id = this.#source?.id ?? sourceId(identity);
  }

  /** Without a session the sources are an ancestor's, and nothing is fed: a child sees what its root was told. */
  static open(identity: SourceIdentity, precedence: number, session: ToolSession | undefined): FedSource {
    return new FedSource(identity, precedence, session);
  }

  toolId(rawName: string): string {
    return `${this.id}${this.identity.kind === "builtin" ? ":" : "/"}${rawName}`;
  }

  add(tools: readonly { name: string; declaration: ToolDeclaration }[]): void {
    for (const { name, declaration } of tools) this.#names.set(declaration.name, name);
    // What comes after the session's end is nobody's any more.
    if (this.#session?.state !== "disposed") this.#source?.add(...tools.map(({ declaration }) => declaration));
  }

  /** Declares a tool of this source anew on behalf of a child, whose root feeds it from a pi session of its own. */
  static redeclare(id: string, declaration: ToolDeclaration, child: ToolSession): void {
    const source = child.source(id);
    if (source !== undefined && fed.has(source)) source.add(declaration);
  }

  remove(rawNames: readonly string[]): void {
    this.#source?.remove(...rawNames);
    for (const rawName of rawNames) this.#names.delete(rawName);
  }

  /** After a load: says that it is ready although it may have no tool yet, and forgets those of the last load. */
  settle(tools: ReadonlyMap<string, { rawName: string; source: FedSource }>): void {
    if (this.#source?.state === "pending") this.#source.set([]);
    const kept = new Set([...tools.values()].filter(({ source }) => source === this).map(({ rawName }) => rawName));
    const gone = [...this.#names.keys()].filter((rawName) => !kept.has(rawName));
    if (gone.length > 0) this.remove(gone);
  }

  close(): void {
    this.#source?.close();
  }
}

/** The sources by identity; a source whose identity, aliases or precedence changed is closed and opened anew. */
export class Feed {
  readonly #open = new Map<string, FedSource>();

  constructor(
    readonly session: ToolSession | undefined,
    readonly failed: (error: unknown) => void,
  ) {}

  source(identity: SourceIdentity, precedence: number): FedSource {
    const key = `${identity.kind}:${identity.name.toLowerCase()}`;
    const known = this.#open.get(key);
    if (known !== undefined && known.precedence === precedence && same(known.identity, identity)) return known;
    known?.close();
    let opened: FedSource;
    try {
      opened = FedSource.open(identity, precedence, this.session);
    } catch (error) {
      this.failed(error);
      // Tools that the session is not told of are unknown to it, and so left out.
      opened = FedSource.open(identity, precedence, undefined);
    }
    this.#open.set(key, opened);
    return opened;
  }

  /** Closes the sources that are not among `kept`. */
  retain(kept: ReadonlySet<FedSource>): void {
    for (const [key, source] of this.#open) {
      if (kept.has(source)) continue;
      source.close();
      this.#open.delete(key);
    }
  }
}

const same = (left: SourceIdentity, right: SourceIdentity): boolean =>
  left.name === right.name && left.path === right.path && left.aliases.join("\0") === right.aliases.join("\0");
