export { ToolscopeError } from "./errors.js";
export { ToolSession } from "./session.js";
