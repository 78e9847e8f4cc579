import type { JsonSchema, SourcedTool } from "../../index.js";

/** A tool with that input schema. */
export const tool = (inputSchema: JsonSchema | boolean, more: Partial<SourcedTool> = {}): SourcedTool => ({
  source: "s",
  name: "t",
  inputSchema,
  ...more,
});
