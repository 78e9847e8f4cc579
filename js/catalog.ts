import type { Catalog, CatalogOptions, SourcedTool, UsageLog } from "../index.js";
import { ToolscopeError } from "./errors.js";
import { crossing, native } from "./native.js";
import { expect, messageOf, object } from "./options.js";
import { nativeUsage } from "./usage.js";

/**
 * JSON text that keeps what JSON has no word for, so that it is refused with its value and not lost. Throws
 * `ERR_TOOLSCOPE_CATALOG_INVALID` for options that cannot be read at all.
 */
export function optionsText(options: unknown): string {
  const said = (_: string, value: unknown): unknown => {
    if (typeof value === "string") return value.toWellFormed();
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    return ["bigint", "function", "symbol"].includes(typeof value) ? { [typeof value]: String(value) } : value;
  };
  try {
    return JSON.stringify(options, said) ?? "null";
  } catch (cause) {
    const message = `the options of a catalog cannot be read: ${messageOf(cause).split("\n")[0]}; give plain JSON values`;
    throw new ToolscopeError("ERR_TOOLSCOPE_CATALOG_INVALID", message, { cause });
  }
}

/** A catalog out of what crossed. */
export const catalogOf = ({ text, rest }: { text: string; rest: string }): Catalog => ({ text, ...JSON.parse(rest) });

/** One tool as a line; a reason instead where it has no JSON text (a cycle, a BigInt). */
function line(tool: SourcedTool): { text: string } | { reason: string } {
  try {
    return { text: JSON.stringify(tool) ?? "null" };
  } catch (error) {
    return { reason: messageOf(error).split("\n")[0] ?? "" };
  }
}

/** See index.d.ts. */
export function renderCatalog(tools: readonly SourcedTool[], options: CatalogOptions & { usage?: UsageLog } = {}): Catalog {
  if (!Array.isArray(tools)) {
    throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", `tools is \`${String(tools)}\`; give a list of tools`);
  }
  expect("the options of a catalog", options, object);
  const { usage, ...rest } = options;
  const lines: string[] = [];
  const warnings: string[] = [];
  for (const [index, tool] of tools.entries()) {
    const read = line(tool as SourcedTool);
    if ("text" in read) lines.push(read.text);
    else warnings.push(`tools[${index}] cannot be read: ${read.reason}; it is left out. Give plain JSON values`);
  }
  const log = usage === undefined ? undefined : nativeUsage(usage);
  const catalog = catalogOf(crossing(() => native.renderCatalog(lines.join("\n"), optionsText(rest), log)));
  catalog.warnings.unshift(...warnings);
  return catalog;
}

/** See index.d.ts. */
export function renderSignature(tool: SourcedTool, detail: "full" | "compact" = "full"): string {
  const read = line(tool);
  if ("reason" in read) {
    throw new ToolscopeError(
      "ERR_TOOLSCOPE_INVALID_ARGUMENT",
      `the tool cannot be read: ${read.reason}; give plain JSON values`,
    );
  }
  return crossing(() => native.renderSignature(read.text, String(detail)));
}
