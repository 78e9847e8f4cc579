// index.d.ts is assignable to the contract, over every export that is built, and holds no `any`. This file is checked
// by the compiler alone, in types.test.ts, against the contract beside the checkout.
import type * as contract from "toolscope-contract";
import type * as own from "../index.js";

/** Compiles where the first is assignable to the second. */
type Assignable<Own extends Contract, Contract> = Own;
/** Compiles where two unions of names are the same. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Check<Passed extends true> = Passed;

/** Types, each assignable to the contract's of the same name. */
export type Types = [
  Assignable<own.SourceKind, contract.SourceKind>,
  Assignable<own.Exposure, contract.Exposure>,
  Assignable<own.JsonSchema, contract.JsonSchema>,
  Assignable<own.ToolAnnotations, contract.ToolAnnotations>,
  Assignable<own.ToolDeclaration, contract.ToolDeclaration>,
  Assignable<own.SourceSpec, contract.SourceSpec>,
  Assignable<own.SourceReport, contract.SourceReport>,
  Assignable<own.ToolSource, contract.ToolSource>,
  Assignable<own.ToolInfo, contract.ToolInfo>,
  Assignable<own.SourceView, contract.SourceView>,
  Assignable<own.ScopeSpec, contract.ScopeSpec>,
  Assignable<own.ScopeState, contract.ScopeState>,
  Assignable<own.ScopeEntry, contract.ScopeEntry>,
  Assignable<own.ScopeReport, contract.ScopeReport>,
  Assignable<own.ToolCall, contract.ToolCall>,
  Assignable<own.RefusalCode, contract.RefusalCode>,
  Assignable<own.Decision, contract.Decision>,
  Assignable<own.Allowed, contract.Allowed>,
  Assignable<own.Refused, contract.Refused>,
  Assignable<own.Explanation, contract.Explanation>,
  Assignable<own.ActiveDelta, contract.ActiveDelta>,
  Assignable<own.Diagnostic, contract.Diagnostic>,
  Assignable<own.ChildOptions, contract.ChildOptions>,
  Assignable<own.Resolution, contract.Resolution>,
  Assignable<own.ToolCallResult, contract.ToolCallResult>,
  Assignable<own.ToolDefinition, contract.ToolDefinition>,
  Assignable<own.ToolProvider, contract.ToolProvider>,
  Assignable<own.PreparedRequest, contract.PreparedRequest>,
  Assignable<own.CatalogOptions, contract.CatalogOptions>,
  Assignable<own.Catalog, contract.Catalog>,
  Assignable<own.SourcedTool, contract.SourcedTool>,
  Assignable<own.SearchOptions, contract.SearchOptions>,
  Assignable<own.SearchPage, contract.SearchPage>,
  Assignable<own.ToolIndex, contract.ToolIndex>,
  Assignable<typeof own.renderSignature, typeof contract.renderSignature>,
  // Logs are told apart by class, so that the rest of its parameters and its answer are compared.
  Assignable<ReturnType<typeof own.renderCatalog>, contract.Catalog>,
];

/** The other way, for what a host gives us: whoever writes to the contract can call us. */
export type Given = [
  Assignable<contract.ToolDeclaration, own.ToolDeclaration>,
  Assignable<contract.SourceSpec, own.SourceSpec>,
  Assignable<contract.ScopeSpec, own.ScopeSpec>,
  Assignable<contract.ToolCall, own.ToolCall>,
  Assignable<contract.ToolCallResult, own.ToolCallResult>,
  Assignable<contract.ChildOptions, own.ChildOptions>,
  Assignable<Omit<contract.SessionOptions, NotBuilt["options"]>, own.SessionOptions>,
  Assignable<contract.ToolProvider, own.ToolProvider>,
  Assignable<contract.CatalogOptions, own.CatalogOptions>,
  Assignable<contract.SourcedTool, own.SourcedTool>,
  Assignable<readonly contract.SourcedTool[], Parameters<typeof own.renderCatalog>[0]>,
];

/** What the contract has and is not built yet. Each list can only shrink: what is on it must be missing. */
export interface NotBuilt {
  exports: "CodeLimits" | "RunCodeOptions" | "RunCodeResult";
  values: "CodeSandbox";
  session: "runCode" | "codeMode";
  events: never;
  options: never;
}

/** A session with its events told by type: the members that are built, compared one by one. */
type Built<Session> = Omit<Session, NotBuilt["session"] | "on" | "addSource" | "spawn" | "use" | "prepare">;
/** Events name the session itself, so they are compared without it. */
type Listeners<Events> = Omit<Events, NotBuilt["events"] | "session_start">;

export type Session = [
  Assignable<Built<own.ToolSession>, Built<contract.ToolSession>>,
  Assignable<own.ToolSession["addSource"], contract.ToolSession["addSource"]>,
  Assignable<Listeners<own.SessionEvents>, Listeners<contract.SessionEvents>>,
  Assignable<Parameters<own.SessionEvents["session_start"]>[0]["session"], own.ToolSession>,
  Assignable<Parameters<own.ToolSession["spawn"]>, Parameters<contract.ToolSession["spawn"]>>,
  Assignable<ReturnType<own.ToolSession["spawn"]>, own.ToolSession>,
  Assignable<own.ToolSession["use"], contract.ToolSession["use"]>,
  Assignable<own.ToolSession["prepare"], contract.ToolSession["prepare"]>,
  Assignable<ReturnType<own.ToolSession["on"]>, ReturnType<contract.ToolSession["on"]>>,
];

export type Lists = [
  Check<Same<Exclude<keyof contract.ToolSession, keyof own.ToolSession>, NotBuilt["session"]>>,
  Check<Same<Exclude<keyof contract.SessionEvents, keyof own.SessionEvents>, NotBuilt["events"]>>,
  Check<Same<Exclude<keyof contract.SessionOptions, keyof own.SessionOptions>, NotBuilt["options"]>>,
  Check<Same<Exclude<keyof typeof contract, keyof typeof own>, NotBuilt["values"]>>,
];

/** Classes that are built: their statics and how they are made. */
export type Classes = [
  Assignable<typeof own.parseAgentFile, typeof contract.parseAgentFile>,
  Assignable<InstanceType<typeof own.ToolscopeError>, contract.ToolscopeError>,
  Assignable<own.UsageLog, contract.UsageLog>,
  Assignable<ConstructorParameters<typeof contract.UsageLog>, ConstructorParameters<typeof own.UsageLog>>,
  Assignable<typeof own.UsageLog.open, typeof contract.UsageLog.open>,
  Assignable<typeof own.UsageLog.fromJSON, typeof contract.UsageLog.fromJSON>,
  Assignable<(value: unknown) => boolean, (typeof contract.ToolscopeError)["isInstance"] extends (value: unknown) => infer _ ? (value: unknown) => boolean : never>,
  Assignable<ConstructorParameters<typeof own.ToolSession> extends [options?: own.SessionOptions] ? true : never, true>,
];

declare const thrown: unknown;
declare const errors: typeof own.ToolscopeError;
if (errors.isInstance(thrown)) void (thrown.code satisfies string);
