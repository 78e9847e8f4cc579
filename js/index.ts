export { ToolscopeError } from "./errors.js";
export { renderCatalog, renderSignature } from "./catalog.js";
export { UsageLog } from "./usage.js";
