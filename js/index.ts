export { ToolscopeError } from "./errors.js";
export { ToolIndex } from "./tool-index.js";
export { ToolSession } from "./session.js";
