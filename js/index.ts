export { parseAgentFile } from "./agent-file.js";
export { ToolscopeError } from "./errors.js";
export { ToolIndex } from "./tool-index.js";
export { ToolSession } from "./session.js";
export { renderCatalog, renderSignature } from "./catalog.js";
export { UsageLog } from "./usage.js";
