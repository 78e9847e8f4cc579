/** Message and code of whatever a tool threw, and nothing else of it: no stack, no cause. */
export function faultOf(error: unknown): { code: string; message: string } {
  const read = (name: "message" | "code"): string | undefined => {
    try {
      const value: unknown = (error as Record<string, unknown> | null | undefined)?.[name];
      return typeof value === "string" ? value : undefined;
    } catch {
      return undefined;
    }
  };
  const message = typeof error === "string" ? error : (read("message") ?? "the tool failed without saying why");
  return { code: read("code") ?? "tool_failed", message };
}
