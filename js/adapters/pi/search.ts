/**
 * pi's `tool_search`, answered by the session's search: what is found is loaded as pi loads it, into pi's active set.
 */
import type { SearchPage, ToolSession } from "../../../index.js";
import { firstSentence } from "../../search-tool.js";
import type { PiAgentSession } from "./host.js";
import type { Names } from "./names.js";

/** As many as pi's own finds where the model does not say. */
const LIMIT = 8;

/** In the place of what pi's says, which is how pi's own search ranks. */
export const SEARCH_DESCRIPTION =
  "Finds tools by what they do, by name or by parameter, those that are not declared to you among them; what it finds can \
be called from your next request on. For tools of MCP servers, search here first.";

interface Found {
  item: SearchPage["items"][number];
  /** pi's name for it. */
  name: string;
  loads: boolean;
}

/** The answer to one call of `tool_search`; what it loads is declared from the model's next request on. */
export function answerToolSearch(
  host: PiAgentSession,
  session: ToolSession,
  names: Names,
  input: unknown,
): object {
  const { query, limit = LIMIT } = (input ?? {}) as { query?: unknown; limit?: unknown };
  if (typeof query !== "string" || query.trim() === "") throw new Error("`query` is empty; say what the tool is to do");
  if (!Number.isInteger(limit) || (limit as number) <= 0) throw new Error("`limit` must be a positive integer");
  const active = host.getActiveToolNames();
  const found = search(session, query, limit as number, new Set(active), names);
  const loaded = found.flatMap(({ name, loads }) => (loads ? [name] : []));
  if (loaded.length > 0) host.setActiveToolsByName([...active, ...loaded]);
  const lines = found.map(({ item, name }) => `- ${name}: ${signatureOf(item, name)} — ${firstSentence(item.description)}`);
  const text =
    lines.length === 0
      ? "No tool fits. Try other words, or fewer."
      : `These can be called from your next request on:\n${lines.join("\n")}`;
  return { content: [{ type: "text", text }], details: { loaded } };
}

/** A signature begins with the name that the session has for the tool; the model calls it by pi's. */
const signatureOf = ({ name, signature }: Found["item"], pis: string): string =>
  signature.startsWith(name) ? pis + signature.slice(name.length) : signature;

/** The best that can be called: what is active, or may be loaded. What else the host left inactive stays so. */
function search(
  session: ToolSession,
  query: string,
  limit: number,
  active: ReadonlySet<string>,
  names: Names,
): Found[] {
  const found: Found[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { items, next }: SearchPage = session.search(query, { limit, offset });
    for (const item of items) {
      const [tool] = names.toolsOf([item.name]);
      if (tool === undefined || tool.id !== item.id) continue;
      const loads = !active.has(tool.name);
      if (loads && tool.exposure !== "codemode" && tool.exposure !== "deferred") continue;
      found.push({ item, name: tool.name, loads });
      if (found.length === limit) return found;
    }
    offset = next?.offset;
  }
  return found;
}
