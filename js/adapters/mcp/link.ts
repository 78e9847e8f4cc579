/**
 * Watches one client's connection through its public surface. Handlers that the host has set stay as they are: the
 * client holds only one handler a notification, and it may be the host's.
 */
import type { McpClient, McpTransport } from "./client.js";

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
      this.#transport = undefined;
    };
  }

  #attach(): void {
    const client = this.#client as McpClient & { connect: (...args: unknown[]) => Promise<void> };
    const own = Object.getOwnPropertyDescriptor(client, "connect");
    const { connect } = client;
    const watched = async (...args: unknown[]): Promise<void> => {
      try {
        await connect.apply(client, args);
      } catch (error) {
        this.#tell((observer) => observer.refused(error));
        throw error;
      }
      this.#opened();
    };
    Object.defineProperty(client, "connect", { value: watched, configurable: true, writable: true, enumerable: false });
    this.#restore = () => {
      // Whoever wrapped it after us keeps what they have: nobody watches any more, so it only passes on.
      if (client.connect !== watched) return;
      if (own === undefined) Reflect.deleteProperty(client, "connect");
      else Object.defineProperty(client, "connect", own);
    };
    this.#openedBefore();
  }

  /** A connection that was there, or under way, before anybody watched. */
  #openedBefore(): void {
    if (this.#client.transport === undefined || this.#connected || this.#observers.size === 0) return;
    if (this.#client.getServerCapabilities() !== undefined) this.#opened();
    else setTimeout(() => this.#openedBefore(), HANDSHAKE_MS).unref();
  }

  #opened(): void {
    const transport = this.#client.transport as McpTransport | undefined;
    if (transport === undefined || this.#observers.size === 0) return;
    if (transport !== this.#transport) this.#follow(transport);
    this.#connected = true;
    this.#tell((observer) => observer.connected());
  }

  #follow(transport: McpTransport): void {
    this.#transport = transport;
    const { onmessage, onclose, onerror } = transport;
    const current = (): boolean => this.#transport === transport;
    transport.onmessage = (...args) => {
      try {
        onmessage?.apply(transport, args);
      } finally {
        const [message] = args as [{ method?: unknown } | null | undefined];
        if (message?.method === NOTICE && current()) this.#tell((observer) => observer.notice());
      }
    };
    transport.onclose = () => {
      try {
        onclose?.call(transport);
      } finally {
        if (current()) {
          this.#transport = undefined;
          this.#connected = false;
          this.#tell((observer) => observer.gone());
        }
      }
    };
    transport.onerror = (error) => {
      try {
        onerror?.call(transport, error);
      } finally {
        if (current()) this.#tell((observer) => observer.trouble());
      }
    };
  }

  #tell(event: (observer: LinkObserver) => void): void {
    for (const observer of [...this.#observers]) event(observer);
  }
}
