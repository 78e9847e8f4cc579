import { ToolscopeError } from "./errors.js";

/** The addon's exports, as napi describes them. */
export type Native = typeof import("../binding.js");

function load(): Native {
  const path = process.env["TOOLSCOPE_BINARY"];
  try {
    return (path === undefined || path === "" ? require("../binding.js") : require(path)) as Native;
  } catch (cause) {
    const where = path ? `from TOOLSCOPE_BINARY \`${path}\`` : `for ${process.platform}-${process.arch}`;
    const mend = path
      ? "unset TOOLSCOPE_BINARY, or point it at a file named toolscope.<platform>.node"
      : "run `npm install --include=optional toolscope`, or set TOOLSCOPE_BINARY to the path of a toolscope.<platform>.node";
    throw new ToolscopeError("ERR_TOOLSCOPE_BINARY_MISSING", `no toolscope binary could be loaded ${where}; ${mend}`, {
      cause,
    });
  }
}

export const native: Native = load();

/** The file of the addon, for a process that is to load it, too; wherever a bundler or `TOOLSCOPE_BINARY` has put it. */
export function addonPath(): string {
  const loaded = Object.values(require.cache).find((module) => module?.exports === native && /\.node$/.test(module.filename));
  if (loaded !== undefined) return loaded.filename;
  const message = "the addon was not loaded from a file that `require` knows, so no other process can load it; give isolation: \"thread\"";
  throw new ToolscopeError("ERR_TOOLSCOPE_BINARY_MISSING", message);
}

/** Calls into the addon with its errors as ours. */
export function crossing<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw translated(error);
  }
}

/** napi's own codes, for arguments it could not convert, become one of ours; everything else passes through. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error) || ToolscopeError.isInstance(error)) return error;
  const code = (error as { code?: unknown }).code;
  if (typeof code !== "string") return error;
  if (code.startsWith("ERR_TOOLSCOPE_")) return new ToolscopeError(code, error.message);
  if (/^(InvalidArg|.*Expected)$/.test(code)) return new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", error.message);
  if (code === "GenericFailure") return new ToolscopeError("ERR_TOOLSCOPE_INTERNAL", error.message);
  return error;
}
