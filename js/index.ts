export { ToolscopeError } from "./errors.js";
export { CodeSandbox } from "./sandbox/code-sandbox.js";
