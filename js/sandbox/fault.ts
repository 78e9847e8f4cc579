/** Message and code of whatever a tool threw, and nothing else of it: no stack, no cause. */
export function faultOf(error: unknown): { code: string; message: string } {
  const read = (name: "message" | "code"): string | undefined => {
    try {
      const value: unknown = (error as Record<string, unknown> | null | undefined)?.[name];
      // HTTP and JSON-RPC number their errors.
      return typeof value === "string" ? value : name === "code" && Number.isFinite(value) ? String(value) : undefined;
    } catch {
      return undefined;
    }
  };
  const message = typeof error === "string" || typeof error === "number" || typeof error === "boolean" || typeof error === "bigint" ? String(error) : (read("message") ?? "the tool failed without saying why");
  return { code: read("code") ?? "tool_failed", message };
}
