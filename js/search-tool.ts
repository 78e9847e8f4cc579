import type { ToolDeclaration, ToolSession } from "../index.js";
import { count, options, positive, string } from "./options.js";

export interface SearchToolOptions {
  readonly name?: string;
  readonly budget?: number;
  readonly limit?: number;
}

const checks = { name: string, budget: count, limit: positive } as const;
const BUDGET = 1_000;
const ITEMS = 10;
const DESCRIPTION = "Finds tools by what they do, by name or by parameter. Tools that are found can be called from then on.";

/**
 * A tool by which a model finds tools: it searches what the calling session may reach, and has what it found declared from
 * then on, be it deferred by its source or by a request that would have had too many.
 */
export function searchTool(given: SearchToolOptions): ToolDeclaration {
  const { name = "tool_search", budget = BUDGET, limit = ITEMS } = options<SearchToolOptions>("the search tool", given, checks);
  return {
    name,
    description: DESCRIPTION,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "What you need a tool for; several needs may be put in one query." },
        limit: { type: "integer", minimum: 1, description: `How many tools at most; ${limit} where it is left out.` },
      },
      required: ["query"],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    execute: (input, { session }) => {
      const { query, limit: wanted } = (input ?? {}) as { query?: unknown; limit?: unknown };
      if (typeof query !== "string") throw new TypeError("`query` is missing; say in a few words what the tool is to do");
      if (session === undefined) throw new TypeError("this tool is called through a session");
      return found(session, query, Number.isInteger(wanted) && (wanted as number) > 0 ? (wanted as number) : limit, budget);
    },
  };
}

/** What was found, a tool a line, as many as the budget (in tokens, ⌈characters / 4⌉) has room for. */
function found(session: ToolSession, query: string, limit: number, budget: number): string {
  const { items, total } = session.search(query, { limit });
  if (items.length === 0) return "No tool fits. Try other words, or fewer.";
  const exposures = new Map(session.tools().map(({ id, exposure }) => [id, exposure]));
  const lines: string[] = [];
  const loads: string[] = [];
  let left = budget * 4;
  for (const { id, signature, description } of items) {
    const isForCode = exposures.get(id) === "code";
    const line = `${signature} — ${firstSentence(description)}${isForCode ? " (from code alone)" : ""}`;
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
    if (!isForCode) loads.push(id);
  }
  session.activate(...loads);
  const more = total - lines.length;
  return lines.length === 0 ? "What fits has no room here; ask for something narrower." : `${lines.join("\n")}${more > 0 ? `\n(${more} more fit less well)` : ""}`;
}

/** The first sentence of a description, as one line without characters that change how the text around them reads. */
export function firstSentence(description: string): string {
  const line = description.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  const end = line.search(/[.!?](\s|$)/);
  return (end < 0 ? line : line.slice(0, end + 1)).slice(0, 200);
}
