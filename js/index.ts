export { ToolscopeError } from "./errors.js";
export { ToolIndex } from "./tool-index.js";
