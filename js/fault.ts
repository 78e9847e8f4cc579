/** Message and code of whatever a tool threw, and nothing else of it: no stack, no cause. */
export function faultOf(error: unknown): { code: string; message: string } {
  const read = (name: "message" | "code"): string | undefined => {
    try {
      const value: unknown = (error as Record<string, unknown> | null | undefined)?.[name];
      // HTTP and JSON-RPC number their errors.
      return typeof value === "string" ? value : name === "code" && Number.isFinite(value) ? String(value) : undefined;
    } catch {
      // A tool's error may itself be a trap; then it says nothing.
      return undefined;
    }
  };
  const says = ["string", "number", "boolean", "bigint"].includes(typeof error) ? String(error) : read("message");
  return { code: read("code") ?? "ERR_TOOLSCOPE_TOOL_FAILED", message: says ?? "the tool failed without saying why" };
}
