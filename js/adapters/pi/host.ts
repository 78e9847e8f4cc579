/**
 * What the adapter uses of a pi session, and nothing else. pi's classes satisfy these shapes without being named here,
 * so that the package's types need no pi at all; the guard test holds every member against the pi that is installed.
 */

export type PiExposure = "direct" | "model-only" | "codemode" | "deferred" | "hidden";

/** A tool as an extension, pi itself or the SDK's caller defines it. */
export interface PiToolDefinition {
  name: string;
  label?: string;
  description?: string;
  parameters?: unknown;
  outputSchema?: unknown;
  exposure?: PiExposure;
  namespace?: { name: string; aliases?: readonly string[]; description?: string };
  annotations?: Record<string, unknown>;
  /** Names what a call may reach through nested calls: "all", or words of its input. */
  reachesTools?: (input: Record<string, unknown>) => "all" | readonly string[];
  execute: (...given: any[]) => Promise<any>;
}

/** An entry of an extension's live tool map. */
export interface PiRegisteredTool {
  definition: PiToolDefinition;
  sourceInfo: PiSourceInfo;
}

export interface PiSourceInfo {
  path: string;
  source?: string;
  origin?: string;
  baseDir?: string;
}

/** A loaded extension: pi's runner reads these maps anew at every event. */
export interface PiExtension {
  path: string;
  resolvedPath?: string;
  sourceInfo?: PiSourceInfo;
  handlers: Map<string, ((...given: any[]) => any)[]>;
  tools: Map<string, PiRegisteredTool>;
}

/** What the extensions of one load share. */
export interface PiRuntime {
  /** pi's answer to `registerTool()`: the registry is built anew from the live maps. */
  refreshTools: () => void;
  mcpServers?: { list(): readonly { name: string }[] };
}

/** A session of pi 1.x (`AgentSession`). */
export interface PiAgentSession {
  readonly agent: { readonly state: { readonly tools: readonly { name: string }[] } };
  readonly resourceLoader: {
    getExtensions(): { extensions: unknown[]; runtime: unknown };
    reload(...given: any[]): Promise<void>;
  };
  readonly extensionRunner: { emitError(error: { extensionPath: string; event: string; error: string }): void };
  getAllTools(): readonly { name: string; sourceInfo: PiSourceInfo }[];
  getActiveToolNames(): string[];
  setActiveToolsByName(names: string[]): void;
  getToolDefinition(name: string): unknown;
  subscribe(listener: (event: any) => void): () => void;
  reload(...given: any[]): Promise<void>;
  dispose(): void;
}

/** The extensions of one load, and what they share. */
export interface PiLoad {
  extensions: PiExtension[];
  runtime: PiRuntime;
}

/** What the loader loaded last: for this session, or for another one that it is shared with. */
export const lastLoad = (session: PiAgentSession): PiLoad => session.resourceLoader.getExtensions() as PiLoad;

/** What this session's runner runs. */
export function runningLoad(session: PiAgentSession): PiLoad {
  const { extensions, runtime } = session.extensionRunner as Partial<PiLoad>;
  return extensions !== undefined && runtime !== undefined ? { extensions, runtime } : lastLoad(session);
}
