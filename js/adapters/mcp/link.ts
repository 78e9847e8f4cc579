/**
 * Watches one client's connection through its public surface. Handlers that the host has set stay as they are: the
 * client holds only one handler a notification, and it may be the host's.
 */
import type { McpClient, McpTransport } from "./client.js";
import { tap } from "./tap.js";

/** Hears what becomes of a connection. */
export interface LinkObserver {
  /** The handshake is done. */
  connected(): void;
  /** A connection could not be made. */
  refused(error: unknown): void;
  /** The connection is closed, whoever closed it. */
  gone(): void;
  /** The server says that its list of tools has changed. */
  notice(): void;
  /** The transport reported an error; it may go on all the same. */
  trouble(): void;
}

const NOTICE = "notifications/tools/list_changed";
/** How often a handshake that was under way already is looked at. */
const HANDSHAKE_MS = 20;

const links = new WeakMap<McpClient, Link>();

/** One client's connection, for all who watch it. */
export class Link {
  readonly #client: McpClient;
  readonly #observers = new Set<LinkObserver>();
  #transport: McpTransport | undefined;
  #connected = false;
  #restore: (() => void) | undefined;
  /** Lets go of the transport that is followed. */
  #unfollow: (() => void) | undefined;
  #handshake: NodeJS.Timeout | undefined;

  private constructor(client: McpClient) {
    this.#client = client;
  }

  /** The one link of a client. */
  static of(client: McpClient): Link {
    let link = links.get(client);
    if (link === undefined) {
      link = new Link(client);
      links.set(client, link);
    }
    return link;
  }

  get isConnected(): boolean {
    return this.#connected;
  }

  /** Watches until the returned function is called. A client that is connected already says so at once. */
  watch(observer: LinkObserver): () => void {
    this.#observers.add(observer);
    if (this.#restore === undefined) this.#attach();
    else if (this.#connected) observer.connected();
    return () => {
      this.#observers.delete(observer);
      if (this.#observers.size > 0) return;
      this.#restore?.();
      this.#restore = undefined;
      this.#connected = false;
      this.#leave();
      clearTimeout(this.#handshake);
    };
  }

  #attach(): void {
    let watching = true;
    const undo = tap<McpClient["connect"]>(this.#client, "connect", (connect) => async (...args) => {
      try {
        await connect?.apply(this.#client, args);
      } catch (error) {
        if (watching) this.#tell((observer) => observer.refused(error));
        throw error;
      }
      if (watching) this.#opened();
    });
    this.#restore = () => {
      watching = false;
      undo();
    };
    if (this.#client.transport !== undefined) this.#openedBefore();
  }

  /** A connection that was there, or under way, before anybody watched. */
  #openedBefore(): void {
    if (this.#connected) return;
    if (this.#client.transport === undefined) {
      this.#tell((observer) => observer.refused(new Error("the connection that was under way was closed")));
    } else if (this.#client.getServerCapabilities() !== undefined) this.#opened();
    else this.#handshake = setTimeout(() => this.#openedBefore(), HANDSHAKE_MS).unref();
  }

  #opened(): void {
    const transport = this.#client.transport as McpTransport | undefined;
    if (transport === undefined || this.#observers.size === 0) return;
    if (transport !== this.#transport) this.#follow(transport);
    this.#connected = true;
    this.#tell((observer) => observer.connected());
  }

  #follow(transport: McpTransport): void {
    this.#leave();
    this.#transport = transport;
    let following = true;
    const after = (key: keyof McpTransport, hear: (...args: unknown[]) => void): (() => void) =>
      tap<(...args: unknown[]) => unknown>(transport, key, (own) => (...args) => {
        try {
          own?.apply(transport, args);
        } finally {
          if (following) hear(...args);
        }
      });
    const undo = [
      after("onmessage", (message) => {
        if ((message as { method?: unknown } | null | undefined)?.method === NOTICE) this.#tell((observer) => observer.notice());
      }),
      after("onclose", () => {
        this.#leave();
        this.#connected = false;
        this.#tell((observer) => observer.gone());
      }),
      after("onerror", () => this.#tell((observer) => observer.trouble())),
    ];
    this.#unfollow = () => {
      following = false;
      for (const restore of undo) restore();
    };
  }

  #leave(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#transport = undefined;
  }

  #tell(event: (observer: LinkObserver) => void): void {
    for (const observer of [...this.#observers]) event(observer);
  }
}
