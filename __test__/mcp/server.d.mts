export interface TinyOptions {
  /** Names, or whole tools as they will be listed; `describedBy` characters stand for a description as long as that. */
  tools?: readonly (string | object)[];
  pageSize?: number;
  /** Whether it announces that it will say when its list changes; it says so in any case. Default true. */
  listChanged?: boolean;
  instructions?: string;
  /** A list without an end: with one cursor again and again, or with ever new ones. */
  endless?: "repeated" | "fresh";
  noticeWhileListing?: boolean;
  noticeAfterListing?: boolean;
  /** Which listings are refused, counted from 1. */
  failLists?: readonly number[];
}
/** Serves over streamable HTTP on loopback: `stop` is a crash, `start` comes back on the same port with the state it had. */
export function serveHttp(options: TinyOptions): Promise<{
  readonly url: URL;
  start(): Promise<void>;
  stop(): Promise<void>;
}>;
