import type { ToolscopeError as Public } from "../index.js";

const marker = Symbol.for("toolscope.error");

/** See index.d.ts. */
export class ToolscopeError extends Error implements Public {
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, options?: ErrorOptions & { details?: Readonly<Record<string, unknown>> }) {
    super(message, options);
    this.code = code;
    if (options?.details !== undefined) this.details = options.details;
  }

  static isInstance(value: unknown): value is ToolscopeError {
    return typeof value === "object" && value !== null && marker in value;
  }
}
Object.defineProperty(ToolscopeError.prototype, "name", { value: "ToolscopeError", configurable: true });
// A registered symbol, so that an error of another copy of the package is known too.
Object.defineProperty(ToolscopeError.prototype, marker, { value: true });
