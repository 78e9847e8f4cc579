/**
 * toolscope: which tools an agent may see and call, at every moment of a session.
 */
/// <reference lib="esnext.disposable" />

/**
 * Every error that toolscope throws. Refused calls are not errors: they are data ({@link Refused}).
 *
 * @example
 * try { session.setScope({ allow: ["EXT/x"] }) } catch (error) {
 *   if (ToolscopeError.isInstance(error)) console.error(error.code, error.message);
 * }
 */
export class ToolscopeError extends Error {
  constructor(code: string, message: string, options?: ErrorOptions & { details?: Readonly<Record<string, unknown>> });
  /** Stable, for example `ERR_TOOLSCOPE_SELECTOR_INVALID`; the README lists them all. */
  readonly code: string;
  /** The offending values, where the message alone does not hold them. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether a value is a ToolscopeError, of this copy of the package or of another one. */
  static isInstance(value: unknown): value is ToolscopeError;
}
