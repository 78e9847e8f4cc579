// What a session holds it gives back, it keeps no process alive, and it makes none load what it does not need. All this
// is seen only from outside, in a process of its own.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const here = dirname(fileURLToPath(import.meta.url));
const entry = JSON.stringify(join(here, "..", "index.js"));

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

async function run(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += String(text)));
  child.stderr.on("data", (text) => (stderr += String(text)));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr, ms: performance.now() - begun };
}

const script = (code: string, env?: NodeJS.ProcessEnv): Promise<Ended> => run(["-e", `const { ToolSession } = require(${entry});\n${code}`], env);

describe("10 000 sessions leave heap and resident memory flat", () => {
  test.each(["disposed", "dropped"])(
    "listened to, used and %s",
    { timeout: 120_000 },
    async (fate) => {
      // The engine's young generation grows in steps while a process lives, and with it the number of dead sessions that
      // wait for the next collection: 8 MiB of resident memory or none, as it happens. Held small, only what leaks grows.
      const flags = ["--expose-gc", "--max-semi-space-size=1"];
      const { code, stdout, stderr } = await run([...flags, join(here, "process", "memory.mjs"), fate, "10000"]);
      expect(stderr).toBe("");
      expect(code).toBe(0);
      const { usages, collected, watched } = JSON.parse(stdout) as {
        usages: Pick<NodeJS.MemoryUsage, "heapUsed" | "external" | "rss">[];
        collected: number;
        watched: number;
      };
      // One session of these holds more than 10 KiB: 2,000 that stayed would be 20 MiB. The system's allocator takes
      // some MiB at once now and then, and stops; what leaks grows in every step, so the middle one tells.
      const STEP = 400 * 2_000;
      for (const kind of ["heapUsed", "external", "rss"] as const) {
        const growth = usages.slice(1).map((usage, at) => usage[kind] - (usages[at]?.[kind] ?? Number.NaN));
        growth.sort((a, b) => a - b);
        expect(growth.length).toBe(5);
        expect(growth[2] ?? Number.NaN, `${kind} grows by ${growth.join(", ")}`).toBeLessThan(STEP);
      }
      expect(watched).toBe(200);
      expect(collected).toBe(watched);
    },
  );
});

describe("a process ends by itself", () => {
  const waits = `
    const session = new ToolSession();
    session.addSource({ kind: "mcp", name: "never", declares: ["t"] });
    session.addSource({ kind: "builtin", name: "b", tools: [{ name: "read" }] });
    for (const event of ["session_start", "turn_end", "tools_changed", "decision", "diagnostic"]) {
      session.on(event, () => new Promise(() => {}));
    }
    session.start();
    session.endTurn();
    void session.beforeToolCall({ name: "read" });
    globalThis.kept = session;
  `;

  test("with sessions alive and listeners that never settle", async () => {
    const { code, stderr, ms } = await script(waits);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(ms).toBeLessThan(10_000);
  });

  test("but not while somebody waits for a decision", async () => {
    const { code, stdout } = await script(`${waits}
      session.on("before_tool_call", () => new Promise(() => {}), { timeoutMs: 300, name: "slow" });
      session.beforeToolCall({ name: "read" }).then(({ code, by }) => console.log(code, by));
    `);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "guard_error slow\n" });
  });

  test("and not while somebody waits for ready() or a load", async () => {
    const { code, stdout } = await script(`
      const session = new ToolSession({ limits: { loadMs: 100 } });
      session.addSource({ kind: "mcp", name: "never" });
      session.addSource({ kind: "mcp", name: "lazy", declares: ["t"], load: () => new Promise(() => {}) });
      session.start();
      session.call({ name: "mcp__lazy__t" }).then(({ decision }) => console.log(decision.code));
      session.ready(200).then(() => console.log("ready"));
    `);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "pending\nready\n" });
  });

  test("once its session is over, however long anybody would have waited", async () => {
    const { code, stdout, ms } = await script(`
      const session = new ToolSession();
      session.addSource({ kind: "mcp", name: "lazy", declares: ["t"], load: () => new Promise(() => {}) });
      session.addSource({ kind: "mcp", name: "never" });
      session.start();
      session.call({ name: "mcp__lazy__t" }).then(({ decision }) => console.log(decision.code));
      session.ready().catch(({ code }) => console.log(code));
      setTimeout(() => session.dispose(), 10);
    `);
    expect(code).toBe(0);
    expect(stdout.trim().split("\n").sort()).toEqual(["ERR_TOOLSCOPE_SESSION_DISPOSED", "disposed"]);
    expect(ms).toBeLessThan(5_000);
  });
});

describe("a first session", () => {
  test("makes the engine load none of its own modules, which would take longer than all the rest", async () => {
    const { code, stdout, stderr } = await run([join(here, "process", "loading.mjs")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const loaded = JSON.parse(stdout) as string[];
    // Every call has a signal.
    expect(loaded.filter((name) => !name.includes("abort_controller"))).toEqual([]);
  });
});

describe("TOOLSCOPE_LOG", () => {
  const tells = `
    const session = new ToolSession({ scope: { allow: ["read", "nope"] } });
    session.addSource({ kind: "builtin", name: "b", tools: [{ name: "read" }, { name: "bad", inputSchema: 5 }] });
    session.start();
    session.checkScope("b.read");
    session.on("before_tool_call", () => { throw new Error("boom"); }, { name: "policy" });
    session.beforeToolCall({ name: "read" }).then(({ code }) => console.log(code));
  `;

  test("prints what the session tells, on stderr, as it is told", async () => {
    const { code, stdout, stderr } = await script(tells, { TOOLSCOPE_LOG: "debug" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "guard_error\n" });
    for (const word of ["tool_quarantined", "selector_unknown", "guard_failed", "boom", "b.read"]) expect(stderr).toContain(word);
    expect(stderr).toMatch(/WARN|ERROR/);
    expect(stderr).toMatch(/DEBUG/);
  });

  test("filters as it says", async () => {
    const { stderr } = await script(tells, { TOOLSCOPE_LOG: "toolscope=warn" });
    expect(stderr).toContain("tool_quarantined");
    expect(stderr).not.toMatch(/DEBUG/);
    expect((await script(tells, { TOOLSCOPE_LOG: "off" })).stderr).toBe("");
  });

  test("one that is no filter harms nothing", async () => {
    const { code, stdout } = await script(tells, { TOOLSCOPE_LOG: "=/=,,]" });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "guard_error\n" });
  });

  test("without it nothing is printed", async () => {
    expect((await script(tells, { TOOLSCOPE_LOG: undefined })).stderr).toBe("");
  });
});
