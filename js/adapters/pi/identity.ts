/**
 * Which source a pi tool belongs to. Owners are told by where a tool was registered, never by taking its name apart.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import type { PiExtension, PiToolDefinition } from "./host.js";

const BUILT_IN_MCP = "builtin:mcp";

export interface SourceIdentity {
  kind: "builtin" | "host" | "ext" | "mcp";
  name: string;
  aliases: readonly string[];
  path?: string;
}

/** Names that an extension answers to, the best first. */
function namesOf(extension: PiExtension): string[] {
  const { path } = extension;
  if (path.startsWith("builtin:")) return [path.slice("builtin:".length)];
  const inline = /^<([^:>]+)(?::(.*))?>$/.exec(path);
  if (inline !== null) {
    const [, kind = "inline", name] = inline;
    // pi numbers an inline extension that its host gave no name.
    if (name !== undefined && !/^\d+$/.test(name)) return [name];
    return [`${kind}-${name ?? "0"}`, ...ownNames(extension)];
  }
  const file = extension.resolvedPath ?? path;
  const stem = basename(file).replace(/\.[cm]?[jt]s$/, "");
  const manifest = packageName(file);
  return [
    ...(stem === "index" ? [basename(dirname(file)), stem] : [stem]),
    ...(manifest === undefined ? [] : [manifest]),
  ].filter((name, index, all) => name !== "" && name !== "index" && all.indexOf(name) === index);
}

/** What a nameless inline extension is known as among pi's own, by the marks pi itself goes by. */
function ownNames(extension: PiExtension): string[] {
  if (connectsMcpServers(extension)) return ["mcp"];
  const names: string[] = [];
  for (const [name, short] of [
    ["codemode", "codemode"],
    ["tool_search", "tool-search"],
  ] as const) {
    if (typeof extension.tools.get(name)?.definition.reachesTools === "function") names.push(short);
  }
  return names;
}

/** Whether a tool is the one that an extension of pi's own registers under this name. */
export const isPiOwn = (name: "codemode" | "tool_search", kind: SourceIdentity["kind"], definition: PiToolDefinition): boolean =>
  kind === "ext" && definition.name === name && typeof definition.reachesTools === "function";

/** The unscoped name of the package whose manifest declares this file as an extension. */
function packageName(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, "package.json");
    if (existsSync(path)) {
      try {
        const manifest: unknown = JSON.parse(readFileSync(path, "utf8"));
        const { name, pi } = manifest as { name?: unknown; pi?: { extensions?: unknown } };
        const entries = Array.isArray(pi?.extensions) ? pi.extensions : [];
        const declares = entries.some((entry) => {
          if (typeof entry !== "string") return false;
          const at = resolve(folder, entry);
          return file === at || dirname(file) === at;
        });
        return declares && typeof name === "string" ? name.replace(/^@[^/]*\//, "") : undefined;
      } catch {
        return undefined;
      }
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** Whether an extension connects MCP servers; pi goes by the same mark. */
const connectsMcpServers = (extension: PiExtension): boolean =>
  extension.path === BUILT_IN_MCP || (extension.handlers.get("mcp_servers_change")?.length ?? 0) > 0;

/** The extensions whose tools may be those of MCP servers: pi's own alone, where it is there. */
export function mcpBridges(extensions: readonly PiExtension[]): readonly PiExtension[] {
  const own = extensions.filter(({ path }) => path === BUILT_IN_MCP);
  return own.length > 0 ? own : extensions.filter(connectsMcpServers);
}

/**
 * One identity for each extension. Where two would bear one name, both go by their paths and keep the name as an alias:
 * an alias that fits two sources grants neither, and which one loaded first plays no part.
 */
export function identify(
  extensions: readonly PiExtension[],
  given: (extension: { path: string }) => readonly string[],
): Map<PiExtension, SourceIdentity> {
  const names = new Map(extensions.map((extension) => [extension, namesOf(extension)]));
  const bearers = new Map<string, number>();
  for (const [name = ""] of names.values()) bearers.set(name.toLowerCase(), (bearers.get(name.toLowerCase()) ?? 0) + 1);
  const paths = new Map<string, number>();
  return new Map(
    [...names].map(([extension, [first = extension.path, ...others]]) => {
      const aliases = [...others, ...given({ path: extension.path })];
      const path = extension.resolvedPath ?? extension.path;
      if (bearers.get(first.toLowerCase()) === 1) return [extension, { kind: "ext", name: first, aliases, path }];
      // The same path twice is possible for inline extensions alone; then they are told apart by their order.
      const nth = (paths.get(path.toLowerCase()) ?? 0) + 1;
      paths.set(path.toLowerCase(), nth);
      const name = nth === 1 ? path : `${path} ${nth}`;
      return [extension, { kind: "ext", name, aliases: [first, ...aliases], path }];
    }),
  );
}

/** Server and raw name of a tool that the MCP extension registered for one of its servers. */
export function mcpTool(definition: PiToolDefinition): { server: string; tool: string } | undefined {
  const { namespace, label } = definition;
  if (namespace === undefined || typeof label !== "string") return undefined;
  for (const server of namespace.aliases ?? []) {
    if (label.startsWith(`${server}/`) && label.length > server.length + 1) {
      return { server, tool: label.slice(server.length + 1) };
    }
  }
  return undefined;
}
