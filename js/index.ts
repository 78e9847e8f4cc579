export { parseAgentFile } from "./agent-file.js";
export { ToolscopeError } from "./errors.js";
export { ToolSession } from "./session.js";
