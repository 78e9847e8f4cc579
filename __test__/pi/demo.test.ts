// The demo on pi as its users run it; its checks can break, as the runs without toolscope show.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("../../demo/main.mjs", import.meta.url));

test.skipIf(process.env.TOOLSCOPE_TEST_PI !== undefined)(
  "npm run demo -- pi --without --json",
  { timeout: 60_000 },
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [main, "pi", "--without", "--json"], {
      timeout: 60_000,
    });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({
      ok: true,
      demos: {
        pi: {
          ok: true,
          runs: {
            frozen: { broken: ["program_runs_together", "late_tools_run", "calls_in_scope_run"] },
            narrowing: {
              broken: [
                "shown_in_scope",
                "listed_in_scope",
                "run_in_scope",
                "program_held",
                "secret_kept",
                "reload_keeps_scope",
              ],
            },
            toolscope: { broken: [] },
          },
        },
      },
    });
    const calls = lines.filter(({ event, run }) => event === "call" && run === "toolscope");
    expect(
      calls
        .filter(({ decision }) => !decision.allowed)
        .map(({ name, decision }) => [name, decision.code])
        .sort(),
    ).toEqual([
      ["mcp__everything__get_env", "excluded"],
      ["search_notes", "out_of_scope"],
      ["search_notes", "out_of_scope"],
    ]);
    expect(lines.filter(({ event, run }) => event === "delta" && run === "toolscope").length).toBe(8);
    const nested = (name: string) => calls.filter((call) => call.agent === "script" && call.name === name && call.ok);
    expect([nested("ticket_open").length, nested("ticket_find").length, nested("delete_notes").length]).toEqual([1, 2, 0]);
  },
);
