// The adapters' types beside those of their hosts.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compile } from "./compile.js";

const here = dirname(fileURLToPath(import.meta.url));
const file = (name: string): string => join(here, "types", `${name}.mts`);

test("clients, generations and wire forms are what the hosts publish", { timeout: 120_000 }, async () => {
  expect(await compile([file("mcp"), file("ai-sdk"), file("providers")])).toBe("");
});

test("the oldest AI SDK takes the same", { timeout: 120_000 }, async () => {
  const oldest = join(here, "..", "node_modules", "ai-oldest", "dist", "index.d.ts");
  expect(await compile([file("ai-sdk")], { ai: [oldest] })).toBe("");
});
