/** What a sandbox leaves of its host: each case is a process of its own. */
import { spawn } from "node:child_process";
import { join } from "node:path";

import { expect, test } from "vitest";

const script = join(import.meta.dirname, "host.mjs");

function host(part: string, limitMs = 30_000): Promise<{ code: number | null; output: string; ms: number }> {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(process.execPath, [script, part], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, ms: performance.now() - started });
    });
  });
}

test.each(["exits-thread", "exits-process"])("the process ends by itself: %s", async (part) => {
  const { code, output } = await host(part, 10_000);
  expect([code, output]).toEqual([0, "42\n"]);
});

test("a program under way keeps the process alive until its result", async () => {
  expect(await host("waits", 10_000)).toMatchObject({ code: 0, output: "late\n" });
});

test("worker threads may be terminated while programs run", async () => {
  expect(await host("workers")).toMatchObject({ code: 0, output: "20 terminated, then 42\n" });
});

test("a child process that dies is replaced, and its programs say so", async () => {
  expect(await host("killed")).toMatchObject({ code: 0, output: "internal then 42\n" });
});

test("under `thread`, programs that cannot be stopped are bounded, and the host can still exit", async () => {
  const { code, output } = await host("busy");
  expect([code, output]).toEqual([0, "timeout timeout timeout timeout busy\n"]);
});

test("a program that cannot be stopped takes no other one with it", async () => {
  expect(await host("bystander")).toMatchObject({ code: 0, output: "timeout bystander\n" });
});

test.runIf(process.platform === "linux")("a child that was killed leaves no file open", async () => {
  expect(await host("descriptors")).toMatchObject({ code: 0, output: "0\n" });
});

test.runIf(process.platform === "linux")("under `process`, the processor is idle a second after every attack", async () => {
  const { code, output } = await host("idle", 60_000);
  expect(code, output).toBe(0);
  expect(Number(output)).toBeLessThan(0.1);
}, 90_000);
