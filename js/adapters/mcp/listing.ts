/** Every page of a server's list of tools, as the server sent it. */
import { type McpClient, isMethodNotFound, send } from "./client.js";

/** More pages than any server has; a list that does not end by then has no end. */
const MOST_PAGES = 1_000;
/** How long all pages together may take. */
const LONGEST_MS = 120_000;

/** A server's tools, unread: whether each one is a tool is the session's to say. */
export interface Listing {
  readonly tools: readonly unknown[];
  /** Where the list was cut short. */
  readonly problem?: string;
}

/** Asks for every page. Rejects where a page does not come. */
export async function listTools(client: McpClient, signal: AbortSignal): Promise<Listing> {
  const tools: unknown[] = [];
  const cursors = new Set<string>();
  const started = performance.now();
  let cursor: string | undefined;
  for (;;) {
    const page = await pageOf(client, cursor, signal);
    for (const tool of page.tools) tools.push(tool);
    // An empty cursor is an end, too: servers say so, and one that meant it would never end.
    if (typeof page.nextCursor !== "string" || page.nextCursor === "") return { tools };
    cursor = page.nextCursor;
    if (cursors.has(cursor)) return { tools, problem: `its list of tools repeats the cursor \`${cursor.slice(0, 60)}\`` };
    cursors.add(cursor);
    if (cursors.size === MOST_PAGES) return { tools, problem: `its list of tools has no end after ${MOST_PAGES} pages` };
    if (performance.now() - started > LONGEST_MS) {
      throw new Error(`its list of tools is not complete after ${LONGEST_MS / 1_000} s`);
    }
  }
}

async function pageOf(
  client: McpClient,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ tools: readonly unknown[]; nextCursor?: unknown }> {
  try {
    const answer = await send(client, "tools/list", cursor === undefined ? {} : { cursor }, { signal });
    const { tools, nextCursor } = (answer ?? {}) as { tools?: unknown; nextCursor?: unknown };
    if (!Array.isArray(tools)) throw new TypeError("it answered `tools/list` with no list of tools");
    return { tools, nextCursor };
  } catch (error) {
    // A server of prompts or resources alone.
    if (cursor === undefined && isMethodNotFound(error)) return { tools: [] };
    throw error;
  }
}
