// One core, two doors: the classes are the CommonJS ones, so that `instanceof` holds however they were imported.
import core from "./index.js";

export const { ToolSession, ToolscopeError } = core;
export const { parseAgentFile, renderCatalog, renderSignature, ToolIndex, UsageLog } = core;
