// The main demo as its users run it, and that its checks can break: the runs without toolscope break them.
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const tests = dirname(fileURLToPath(import.meta.url));
const main = join(dirname(tests), "demo", "main.mjs");
interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}
const start = (args: string[], env: NodeJS.ProcessEnv = process.env): Promise<Outcome> =>
  promisify(execFile)(process.execPath, args, { timeout: 30_000, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Outcome) => error,
  );
const demo = (...args: string[]): Promise<Outcome> => start([main, ...args]);
/** The demo with a session that breaks one promise; see demo-sabotage.mjs. */
const sabotaged = (name: string): Promise<Outcome> =>
  start(["--import", pathToFileURL(join(tests, "demo-sabotage.mjs")).href, main, "loop", "--json"], {
    ...process.env,
    SABOTAGE: name,
  });
/** The fields of a line that the tests read; /demo/main.mjs says which line has which. */
interface Line {
  event?: string;
  run?: string;
  name?: string;
  agent?: string;
  broken?: string[];
  decision?: { allowed: boolean; code?: string };
  expected?: string;
  steps?: unknown[];
  demos?: { loop: { ms: number; runs: Record<string, { broken: string[] }> } };
}
const lines = ({ stdout }: Outcome): Line[] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

describe("npm run demo", { timeout: 60_000 }, () => {
  it("--json ends with ok, after every check and every call", async () => {
    const outcome = await demo("loop", "--json");
    const all = lines(outcome);
    expect(outcome.code).toBe(0);
    expect(outcome.stdout.trimEnd().split("\n").at(-1)).toMatch(/^\{"ok":true,/);
    expect(all.at(-1)).toMatchObject({
      ok: true,
      demos: { loop: { ok: true, runs: { toolscope: { ok: true, broken: [] } } } },
    });
    expect(all.at(-1)?.demos?.loop.ms).toBeLessThan(10_000);
    expect(all.filter((line) => line.event === "check").length).toBeGreaterThanOrEqual(10);
    const calls = all.filter((line) => line.event === "call");
    expect(calls.map((call) => (call.decision?.allowed ? "runs" : call.decision?.code))).toEqual(
      calls.map((call) => call.expected),
    );
    expect(calls.every((call) => (call.steps ?? []).length > 0)).toBe(true);
    const program = calls.filter((call) => call.agent === "program");
    expect(program.map(({ name, decision }) => [name, decision?.code ?? "runs"])).toEqual([
      ["mcp__everything__get-sum", "runs"],
      ["mcp__everything__echo", "runs"],
      ["search_notes", "out_of_scope"],
    ]);
  });

  it("--without shows what is lost and what leaks without toolscope", async () => {
    const outcome = await demo("loop", "--json", "--without");
    const summaries = new Map(
      lines(outcome)
        .filter((line) => line.event === "summary")
        .map((line) => [line.run, line]),
    );
    expect(outcome.code).toBe(0);
    expect([...summaries.keys()]).toEqual(["frozen", "open", "toolscope"]);
    expect(summaries.get("frozen")?.broken).toEqual(
      expect.arrayContaining(["late_tools_shown", "calls_in_scope_run", "program_runs_together"]),
    );
    expect(summaries.get("open")?.broken).toEqual(
      expect.arrayContaining(["shown_in_scope", "run_in_scope", "program_held", "secret_kept"]),
    );
    expect(summaries.get("open")?.broken).not.toContain("program_runs_together");
    expect(summaries.get("toolscope")?.broken).toEqual([]);
  });

  it("prints for a person, without colour where there is no terminal, and without control characters", async () => {
    const { code, stdout } = await demo("loop");
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
    expect(stdout).toContain("refused: excluded");
    expect(stdout).toMatch(/late tools in scope, lost +0/);
  });

  it("refuses wrong arguments with 2 and says what there is", async () => {
    for (const args of [["nothing-of-that-name"], ["--colour"]]) {
      const { code, stderr } = await demo(...args);
      expect(code).toBe(2);
      expect(stderr).toContain("usage: npm run demo");
    }
  });

  it.each([
    ["open_door", ["run_in_scope", "secret_kept", "decisions_right"]],
    ["open_program", ["run_in_scope", "program_held"]],
    ["one_by_one", ["program_runs_together"]],
    ["late_tools_lost", ["late_tools_shown", "calls_in_scope_run"]],
    ["order_moves", ["order_kept"]],
    ["silent_deltas", ["deltas_true"]],
    ["indiscreet", ["reasons_discreet"]],
    ["wrong_explanation", ["explanations_agree"]],
  ])("fails where the session breaks a promise: %s", async (sabotage, broken) => {
    const outcome = await sabotaged(sabotage);
    const last = lines(outcome).at(-1);
    expect(outcome.code).toBe(1);
    expect(last).toMatchObject({ ok: false, demos: { loop: { ok: false } } });
    expect(last?.demos?.loop.runs["toolscope"]?.broken).toEqual(expect.arrayContaining(broken));
  });

  it("fails where something throws, and still ends with a line that says so", async () => {
    const outcome = await sabotaged("fault");
    expect(outcome.code).toBe(1);
    expect(lines(outcome).at(-2)).toMatchObject({ event: "error", message: "the turn cannot end" });
    expect(lines(outcome).at(-1)).toMatchObject({ ok: false });
  });
});
