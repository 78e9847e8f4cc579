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

/** A transport whose callbacks are ours, on top of those it had. */
interface Follow {
  /** Gives the transport its own back; false, and nothing done, where somebody has put theirs on top of ours. */
  undo(): boolean;
}

/** One client's connection, for all who watch it. */
export class Link {
  readonly #client: McpClient;
  readonly #observers = new Set<LinkObserver>();
  #transport: McpTransport | undefined;
  /** Those whose callbacks are still ours: they only pass on while the transport is not the one above. */
  readonly #follows = new WeakMap<McpTransport, Follow>();
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
      this.#leave();
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
  #openedBefore(wasUnderWay = false): void {
    if (this.#connected || this.#observers.size === 0) return;
    if (this.#client.transport === undefined) {
      // Whoever connects is told why; here it is only seen that it came to nothing.
      if (wasUnderWay) this.#tell((observer) => observer.refused(new Error("the connection was closed before it was made")));
    } else if (this.#client.getServerCapabilities() !== undefined) this.#opened();
    else setTimeout(() => this.#openedBefore(true), HANDSHAKE_MS).unref();
  }

  #opened(): void {
    const transport = this.#client.transport as McpTransport | undefined;
    if (transport === undefined || this.#observers.size === 0) return;
    if (!this.#follows.has(transport)) this.#follows.set(transport, this.#follow(transport));
    this.#transport = transport;
    this.#connected = true;
    this.#tell((observer) => observer.connected());
  }

  /** Lets go of the transport, which then is as it was. */
  #leave(): void {
    const transport = this.#transport;
    this.#transport = undefined;
    if (transport !== undefined && this.#follows.get(transport)?.undo()) this.#follows.delete(transport);
  }

  #follow(transport: McpTransport): Follow {
    const before = { onmessage: transport.onmessage, onclose: transport.onclose, onerror: transport.onerror };
    const current = (): boolean => this.#transport === transport;
    const own: Required<McpTransport> = {
      onmessage: (...args) => {
        try {
          before.onmessage?.apply(transport, args);
        } finally {
          const [message] = args as [{ method?: unknown } | null | undefined];
          if (message?.method === NOTICE && current()) this.#tell((observer) => observer.notice());
        }
      },
      onclose: () => {
        try {
          before.onclose?.call(transport);
        } finally {
          if (current()) {
            this.#leave();
            this.#connected = false;
            this.#tell((observer) => observer.gone());
          }
        }
      },
      onerror: (error) => {
        try {
          before.onerror?.call(transport, error);
        } finally {
          if (current()) this.#tell((observer) => observer.trouble());
        }
      },
    };
    Object.assign(transport, own);
    const names = ["onmessage", "onclose", "onerror"] as const;
    return {
      undo: () => {
        const isOurs = names.every((name) => transport[name] === own[name]);
        if (isOurs) Object.assign(transport, before);
        return isOurs;
      },
    };
  }

  #tell(event: (observer: LinkObserver) => void): void {
    for (const observer of [...this.#observers]) event(observer);
  }
}
