export { ToolscopeError } from "./errors.js";
