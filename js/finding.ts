import type { Catalog, CatalogOptions, SearchOptions, SearchPage, UsageLog as PublicUsage } from "../index.js";
import { catalogOf, optionsText } from "./catalog.js";
import type { Listener } from "./listener.js";
import { isThenable } from "./listener.js";
import { crossing, native } from "./native.js";
import { count, expect, messageOf, options, positive, string, strings } from "./options.js";
import type { Tree } from "./tree.js";
import { UsageLog, nativeUsage } from "./usage.js";

/** What finding tools needs of its session. */
export interface FindingHost {
  readonly tree: Tree;
  readonly index: number;
  /** Listeners for the catalog's plugins' wishes: this session's and its ancestors', root first. */
  wishers(): readonly Listener<"catalog">[];
  /** Asks one of them. */
  wish(listener: Listener<"catalog">): unknown;
  listenerFailed(listener: Listener, message: string): void;
  /** Tells what the core has to tell. */
  heard(): unknown;
}

const searchChecks = { limit: positive, offset: count, in: strings } as const;
const ITEMS = 10;
/** Catalogs that are kept at once: a host's own, one in code mode's tool, and a few that are looked at. */
const KEPT = 8;
/** Trees whose plugins are being asked for their wishes. One that asks for a catalog itself gets it as it is without them. */
const asking = new WeakSet<Tree>();

/** The catalog, the search and the usage of one session. */
export class Finding {
  readonly #host: FindingHost;
  readonly #name: string;
  #session: string | undefined;
  /** The host's own log; a session's private one ranks no search. */
  readonly given: PublicUsage | undefined;
  #usage: PublicUsage | undefined;
  /** The catalogs of one state of the session, by their options and wishes; those asked for last. */
  #made: { readonly of: string; readonly catalogs: Map<string, Catalog> } | undefined;
  #compacted = 0;
  /** How much tools were used, by id, when it was first asked for since the last compact(). */
  #ranked: ReadonlyMap<string, number> | undefined;

  constructor(host: FindingHost, name: string, usage: PublicUsage | undefined) {
    if (usage !== undefined) nativeUsage(usage);
    this.#host = host;
    this.#name = name;
    this.given = usage;
    this.#usage = usage;
  }

  get usage(): PublicUsage {
    this.#usage ??= new UsageLog();
    return this.#usage;
  }

  /** Notes how a call ended. */
  record(id: string, ok: boolean): void {
    if (!ok) return;
    // A name that a host gives twice must not make two sessions one.
    this.#session ??= `${this.#name} ${native.sessionMark()}`;
    this.usage.record({ id, session: this.#session });
  }

  /**
   * How much each of some tools is used; all alike where nobody counts. Like a catalog's ranking it stands until compact():
   * what a request declares would move with every call otherwise.
   */
  weights(slots: Uint32Array): Float64Array {
    const ranked = (this.#ranked ??= new Map(this.#usage?.rank().map(({ id, weight }) => [id, weight])));
    return new Float64Array(slots.length).map((_, at) => ranked.get(this.#host.tree.idOf(slots[at] as number)) ?? 0);
  }

  /** Counts the calls of compact(). */
  get compacted(): number {
    return this.#compacted;
  }

  /** A prompt cache is lost now anyway: the next catalog is ranked anew, and so is what a request defers. */
  compact(): void {
    this.#compacted += 1;
    this.#ranked = undefined;
  }

  catalog(given: CatalogOptions): Catalog {
    const { tree, index } = this.#host;
    const text = optionsText(given);
    const wishes = this.#wishes();
    const of = `${tree.generation} ${this.#compacted}`;
    const catalogs = this.#made?.of === of ? this.#made.catalogs : new Map<string, Catalog>();
    this.#made = { of, catalogs };
    const key = JSON.stringify([text, ...wishes]);
    const made = catalogs.get(key);
    if (made !== undefined) return made;
    const log = this.#usage === undefined ? undefined : nativeUsage(this.#usage);
    const catalog = frozen(catalogOf(crossing(() => tree.native.catalog(index, text, wishes, log))));
    this.#host.heard();
    const [oldest] = catalogs.keys();
    if (catalogs.size >= KEPT && oldest !== undefined) catalogs.delete(oldest);
    catalogs.set(key, catalog);
    return catalog;
  }

  /** Each plugin's name and wishes, in turn. One that throws, or answers later, has none. */
  #wishes(): string[] {
    const wishes: string[] = [];
    const { tree } = this.#host;
    if (asking.has(tree)) return wishes;
    asking.add(tree);
    try {
      for (const listener of this.#host.wishers()) {
        try {
          const wish = this.#host.wish(listener);
          if (wish === undefined) continue;
          if (isThenable(wish)) {
            wish.then(undefined, () => {});
            throw new TypeError("it returned a promise; make it synchronous");
          }
          wishes.push(listener.name.toWellFormed(), optionsText(wish));
        } catch (error) {
          this.#host.listenerFailed(listener, messageOf(error));
        }
      }
    } finally {
      asking.delete(tree);
    }
    return wishes;
  }

  search(query: string, given: SearchOptions): SearchPage {
    expect("the query", query, string);
    const { limit = ITEMS, offset = 0, in: within } = options<SearchOptions>("the options of a search", given, searchChecks);
    const { tree, index } = this.#host;
    const log = this.given === undefined ? undefined : nativeUsage(this.given);
    const selectors = within?.map((selector) => selector.toWellFormed());
    const text = crossing(() => tree.native.search(index, query.toWellFormed(), limit, offset, selectors, log));
    return JSON.parse(text) as SearchPage;
  }
}

function frozen(catalog: Catalog): Catalog {
  for (const list of [catalog.shown, catalog.categories, catalog.warnings]) {
    for (const part of list) Object.freeze(part);
    Object.freeze(list);
  }
  return Object.freeze(catalog);
}
