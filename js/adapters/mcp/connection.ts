/** Keeps a source in step with a server: listed when it connects, when it says so, and until it answers again. */
import { setTimeout as wait } from "node:timers/promises";
import type { SourceSpec, ToolSession, ToolSource } from "../../../index.js";
import { messageOf } from "../../options.js";
import { type McpClient, isAnswer, isMethodNotFound, isModern } from "./client.js";
import { Link, type LinkObserver } from "./link.js";
import { type Listing, listTools } from "./listing.js";
import { type ToolSettings, declarationOf } from "./tool.js";

/** Notices that come within this time of the first are answered by one listing. */
const GATHER_MS = 100;
/** A server that says again and again that its list has changed, while it has not, is asked ever more seldom. */
const LONGEST_GATHER_MS = 10_000;
/** A listing that failed is tried again after this long, and twice as long after each further failure. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

/** What a connection is made of. */
export interface ConnectionSpec extends ToolSettings {
  readonly session: ToolSession;
  readonly client: McpClient;
  readonly source: ToolSource;
  /** What the source was added with. */
  readonly added: Omit<SourceSpec, "kind">;
  /** What the host says the server is for; the server's own instructions come in its place. */
  readonly description: string | undefined;
  readonly onError: ((error: Error) => void) | undefined;
  /** Called once, when it is over. */
  readonly ended: () => void;
}

/** See mcp.ts. */
export class Connection implements LinkObserver {
  readonly source: ToolSource;
  readonly #spec: ConnectionSpec;
  readonly #link: Link;
  #unwatch: (() => void) | undefined;
  readonly #off: () => void;
  #over = false;
  /** Aborted where its connection is gone: what it asked for is nobody's any more. */
  #life = new AbortController();
  #listing: Promise<void> | undefined;
  #again = false;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #gatherMs = GATHER_MS;
  #noticed = false;
  #failures = 0;

  constructor(spec: ConnectionSpec) {
    this.source = spec.source;
    this.#spec = spec;
    this.#link = Link.of(spec.client);
    this.#off = spec.session.on("session_end", () => this.#end());
  }

  /** Begins, once whoever made it can be told that it is over: the source may be closed already. */
  start(): void {
    const unwatch = this.#link.watch(this);
    if (this.#over) unwatch();
    else this.#unwatch = unwatch;
  }

  get added(): Omit<SourceSpec, "kind"> {
    return this.#spec.added;
  }

  get isConnected(): boolean {
    return this.#link.isConnected;
  }

  /** Lists now, or again where a listing is under way; settles when what the server said after this call is known. */
  async refresh(): Promise<void> {
    if (this.#over || !this.#link.isConnected) return;
    await this.#list();
  }

  /** Lets go of the client and leaves the source to another connection. */
  release(): void {
    this.#end();
  }

  dispose(): void {
    if (this.#over) return;
    this.#end();
    if (this.#spec.session.state !== "disposed") this.source.close();
  }

  // What the link says.

  connected(): void {
    if (!this.#goesOn()) return;
    this.#life.abort();
    this.#life = new AbortController();
    this.#failures = 0;
    this.#gatherMs = GATHER_MS;
    this.source.describe(this.#spec.client.getInstructions() ?? this.#spec.description);
    void this.#list();
    void this.#listen(this.#life.signal);
  }

  refused(error: unknown): void {
    if (this.#goesOn() && this.source.state !== "ready") this.source.fail(`it cannot be connected to: ${messageOf(error)}`);
  }

  gone(): void {
    this.#life.abort();
    this.#forgetTimer();
    if (this.#goesOn()) this.source.fail("the connection is closed");
  }

  notice(): void {
    this.#noticed = true;
    this.#soon(this.#gatherMs);
  }

  trouble(): void {
    this.#soon(FIRST_RETRY_MS);
  }

  // The rest is its own.

  /** The host may close the source itself; then there is nothing left to keep in step. */
  #goesOn(): boolean {
    if (this.source.state === "closed") this.#end();
    return !this.#over;
  }

  #soon(ms: number): void {
    const dueAt = performance.now() + ms;
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    this.#forgetTimer();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.#list(), ms).unref();
  }

  #forgetTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** One listing at a time, so that an older answer never replaces a newer one. */
  #list(): Promise<void> {
    this.#forgetTimer();
    if (this.#listing !== undefined) {
      this.#again = true;
      return this.#listing;
    }
    this.#listing = this.#listUntilCurrent().finally(() => {
      this.#listing = undefined;
    });
    return this.#listing;
  }

  async #listUntilCurrent(): Promise<void> {
    do {
      this.#again = false;
      await this.#listOnce(this.#life.signal);
    } while (this.#again && !this.#over && this.#link.isConnected);
  }

  async #listOnce(life: AbortSignal): Promise<void> {
    try {
      const listing = await listTools(this.#spec.client, life);
      if (life.aborted || !this.#goesOn()) return;
      this.#take(listing);
      this.#failures = 0;
    } catch (error) {
      if (life.aborted || !this.#goesOn()) return;
      // A server that answers, if only that it cannot list just now, still has the tools it listed before.
      if (!isAnswer(error) || this.source.state !== "ready") this.source.fail(messageOf(error));
      this.#report("cannot be listed", error);
      this.#soon(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures));
      this.#failures += 1;
    }
  }

  #take({ tools, problem }: Listing): void {
    const lost = (): void => this.#soon(0);
    const { client } = this.#spec;
    const unsaid = (error: unknown): void => this.#report("has a tool that is kept hidden", error);
    const report = this.source.set(tools.map((tool) => declarationOf(client, tool, this.#spec, lost, unsaid)));
    const isNews = report.added.length + report.replaced.length + report.removed.length > 0;
    if (isNews) this.#gatherMs = GATHER_MS;
    else if (this.#noticed) this.#gatherMs = Math.min(LONGEST_GATHER_MS, this.#gatherMs * 2);
    this.#noticed = false;
    if (problem !== undefined) this.#report("is listed up to there", problem);
  }

  /** Since the revision 2026-07-28 servers send notices only to whoever listens. */
  async #listen(life: AbortSignal): Promise<void> {
    const { client } = this.#spec;
    if (!isModern(client)) return;
    for (let failures = 0; !life.aborted; failures++) {
      try {
        const subscription = await client.listen({ toolsListChanged: true }, { signal: life });
        failures = 0;
        // What changed before anybody listened was told to nobody.
        this.#soon(0);
        await subscription.closed;
      } catch (error) {
        if (life.aborted || isMethodNotFound(error)) return;
        this.#report("cannot be listened to", error);
      }
      const ms = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures);
      await wait(ms, undefined, { ref: false, signal: life }).catch(() => {});
    }
  }

  #report(what: string, cause: unknown): void {
    const message = `server \`${this.source.id}\` ${what}: ${messageOf(cause)}`;
    // Whatever the listener does is the listener's: a listing goes on, and is tried again.
    void (async () => this.#spec.onError?.(new Error(message, { cause })))().catch(() => {});
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#life.abort();
    this.#forgetTimer();
    this.#off();
    this.#unwatch?.();
    this.#spec.ended();
  }
}
