import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ToolscopeError, UsageLog } from "../index.js";

const entry = resolve(import.meta.dirname, "../index.js");
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolscope-usage-"));
  path = join(folder, "uses.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script that has `usage`, a log at `path`; resolves with what it printed and how it ended. */
function run(script: string, killAfterMs?: number): Promise<{ printed: string; signal: NodeJS.Signals | null; errors: string }> {
  const prelude = `const { UsageLog } = require(${JSON.stringify(entry)}); const usage = UsageLog.open(${JSON.stringify(path)});`;
  const child = spawn(process.execPath, ["-e", `${prelude}\n${script}`], { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    // The clock starts when the first count is on disk, so that every process is killed at its work.
    if (printed === "" && killAfterMs !== undefined) setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    printed += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((settle) => child.on("exit", (_, signal) => settle({ printed, signal, errors })));
}

describe("a usage log in memory", () => {
  it("ranks by bounded, recent use and leaves failures out", () => {
    const usage = new UsageLog({ halfLifeDays: 10 });
    const day = (count: number) => new Date(count * 86_400_000);
    for (let turn = 0; turn < 50; turn++) usage.record({ id: "a/loop", session: "one", at: day(10) });
    for (const session of ["one", "two", "three"]) usage.record({ id: "a/steady", session, at: day(10) });
    usage.record({ id: "a/old", session: "one", at: day(0) });
    usage.record({ id: "a/failed", session: "one", at: day(10), ok: false });
    expect(usage.rank()).toEqual([
      { id: "a/steady", weight: 3 },
      { id: "a/loop", weight: 2 },
      { id: "a/old", weight: 0.5 },
    ]);
    expect(usage.rank(1)).toEqual([{ id: "a/steady", weight: 3 }]);
  });

  it("merges in any order, twice, with itself, and through its text", () => {
    const one = new UsageLog();
    const two = new UsageLog();
    one.record({ id: "a/b", session: "s", at: new Date(0) });
    two.record({ id: "a/b", session: "t", at: new Date(0) });
    const forth = UsageLog.fromJSON(one.toJSON());
    forth.merge(two);
    const back = UsageLog.fromJSON(two.toJSON());
    back.merge(one);
    back.merge(one);
    back.merge(back);
    expect(back.toJSON()).toBe(forth.toJSON());
    expect(forth.rank()).toEqual([{ id: "a/b", weight: 2 }]);
  });

  it("refuses what it cannot use, naming it", () => {
    const usage = new UsageLog();
    const refused = (act: () => unknown) => {
      try {
        act();
      } catch (error) {
        expect(ToolscopeError.isInstance(error)).toBe(true);
        return `${(error as ToolscopeError).code}: ${(error as Error).message}`;
      }
      return "accepted";
    };
    expect(refused(() => new UsageLog({ halfLifeDays: 0 }))).toBe(
      "ERR_TOOLSCOPE_INVALID_ARGUMENT: halfLifeDays is `0`; give a finite number above 0",
    );
    expect(refused(() => usage.record({ id: "a/b", session: "s", at: new Date(Number.NaN) }))).toMatch(/`at` of the use .*valid Date/);
    expect(refused(() => usage.record({ id: 7 as never, session: "s" }))).toMatch(/`id` of the use is `7`; give a string/);
    expect(refused(() => usage.rank(-1))).toMatch(/limit is `-1`/);
    expect(refused(() => usage.merge({} as never))).toMatch(/usage is/);
    for (const options of [7, "30", null, [], { halfLife: 3 }, { halfLifeDays: "3" }, { halfLifeDays: Number.NaN }]) {
      expect(refused(() => new UsageLog(options as never)), JSON.stringify(options)).toMatch(/^ERR_TOOLSCOPE_INVALID_ARGUMENT: .*(give|it has)/);
    }
    const use = { id: "a/b", session: "s" };
    for (const wrong of [7, null, [use], { id: "a/b" }, { ...use, ok: 0 }, { ...use, ok: "false" }, { ...use, at: 5 }, { ...use, when: 5 }]) {
      expect(refused(() => usage.record(wrong as never)), JSON.stringify(wrong)).toMatch(/^ERR_TOOLSCOPE_INVALID_ARGUMENT: .*(give|it has)/);
    }
    expect(usage.rank()).toEqual([]);
    const { format, version, halfLifeDays, tools } = JSON.parse(usage.toJSON()) as Record<string, unknown>;
    expect(refused(() => UsageLog.fromJSON(JSON.stringify([format, version, halfLifeDays, tools])))).toMatch(/expected an object/);
    expect(refused(() => UsageLog.fromJSON("{}"))).toMatch(/^ERR_TOOLSCOPE_USAGE_INVALID: .*missing field/);
    expect(refused(() => UsageLog.open(folder))).toMatch(/^ERR_TOOLSCOPE_USAGE_FILE: .*cannot be read/);
  });
});

describe("a usage log in a file", () => {
  it("is there after a flush, and at the end of a process without one", async () => {
    const usage = UsageLog.open(path);
    usage.record({ id: "a/b", session: "s" });
    await usage.flush();
    expect(UsageLog.open(path).rank().map((tool) => tool.id)).toEqual(["a/b"]);
    const { errors } = await run(`usage.record({ id: "c/d", session: "t" });`);
    expect(errors).toBe("");
    expect(UsageLog.open(path).rank().map((tool) => tool.id).sort()).toEqual(["a/b", "c/d"]);
    // A flush takes in what the others wrote.
    await usage.flush();
    expect(usage.rank()).toHaveLength(2);
    expect(readdirSync(folder).sort()).toEqual(["uses.json", "uses.json.lock"]);
  });

  it("sets a damaged file aside, says so, and goes on", async () => {
    writeFileSync(path, '{"format":"toolscope-usage","version":1,"halfLif');
    const usage = UsageLog.open(path);
    expect(usage.diagnostics).toHaveLength(1);
    expect(usage.diagnostics[0]).toMatchObject({ level: "warning", code: "usage_file_damaged" });
    const aside = readdirSync(folder).find((name) => name.startsWith("uses.json.damaged-"));
    expect(aside).toBeDefined();
    expect(readFileSync(join(folder, aside ?? ""), "utf8")).toContain("halfLif");
    usage.record({ id: "a/b", session: "s" });
    await usage.flush();
    expect(UsageLog.open(path).diagnostics).toEqual([]);
  });

  it("leaves a file of a newer release as it is, and keeps its own counts meanwhile", async () => {
    const newer = JSON.stringify({ format: "toolscope-usage", version: 2, tools: [] });
    const usage = UsageLog.open(path);
    usage.record({ id: "a/b", session: "s" });
    writeFileSync(path, newer);
    for (const act of [async () => void UsageLog.open(path), () => usage.flush()]) {
      const error: unknown = await act().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "ERR_TOOLSCOPE_USAGE_FILE", message: expect.stringMatching(/newer release.*upgrade/) as string });
    }
    expect(readFileSync(path, "utf8")).toBe(newer);
    expect(readdirSync(folder).sort()).toEqual(["uses.json", "uses.json.lock"]);
    rmSync(path);
    await usage.flush();
    expect(UsageLog.open(path).rank().map((tool) => tool.id)).toEqual(["a/b"]);
  });

  // The folder is missing at first: as good as a disk that is full for a while, or a lock that is held.
  const later = () => join(folder, "later", "uses.json");
  const heal = () => mkdirSync(join(folder, "later"));
  const ids = (at = later()) => UsageLog.open(at).rank().map((tool) => tool.id).sort();
  const failures = (usage: UsageLog) => usage.diagnostics.filter(({ code }) => code === "usage_file_failed").length;

  it.each(["the next flush", "time"])("keeps what could not be written until %s writes it", { timeout: 20_000 }, async (occasion) => {
    const usage = UsageLog.open(later());
    usage.record({ id: "a/b", session: "s" });
    await expect(usage.flush()).rejects.toThrow(/cannot be locked/);
    await expect(usage.flush()).rejects.toThrow(/cannot be locked/);
    heal();
    if (occasion === "time") await vi.waitFor(() => expect(existsSync(later())).toBe(true), 10_000);
    else await usage.flush();
    expect(ids()).toEqual(["a/b"]);
    expect(failures(usage)).toBe(0);
  });

  it("tells of writes that fail in the background once until one succeeds", { timeout: 30_000 }, async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const usage = UsageLog.open(later());
      const tries = vi.spyOn(usage, "flush");
      const pass = async (ms: number) => {
        vi.advanceTimersByTime(ms);
        await Promise.allSettled(tries.mock.results.map(({ value }) => value));
      };
      usage.record({ id: "a/b", session: "s" });
      for (const pause of [1, 2, 4, 8, 16, 32, 60, 60]) {
        const before = tries.mock.calls.length;
        await pass(pause * 1_000 - 1);
        expect(tries.mock.calls.length).toBe(before);
        await pass(1);
        expect(tries.mock.calls.length).toBe(before + 1);
        usage.record({ id: "a/c", session: "s" });
      }
      expect(failures(usage)).toBe(1);
      heal();
      await pass(60_000);
      expect(ids()).toEqual(["a/b", "a/c"]);
      expect(vi.getTimerCount()).toBe(0);
      rmSync(join(folder, "later"), { recursive: true });
      usage.record({ id: "a/d", session: "s" });
      await pass(1_000);
      expect(failures(usage)).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each(["", "await usage.flush().catch(() => {});", "await new Promise((done) => setTimeout(done, 1_200));"])(
    "writes at the end of the process what failed before: %s",
    { timeout: 20_000 },
    async (before) => {
      const script = `(async () => {
        const late = UsageLog.open(${JSON.stringify(later())});
        late.record({ id: "a/b", session: "s" });
        ${before}
        require("node:fs").mkdirSync(${JSON.stringify(join(folder, "later"))});
      })()`;
      expect((await run(script)).errors).toBe("");
      expect(ids()).toEqual(["a/b"]);
    },
  );

  it("loses no flushed count when 8 processes write at once and are killed at random", { timeout: 60_000 }, async () => {
    const workers = Array.from({ length: 8 }, (_, worker) =>
      // Each use in a session of its own, all equally recent, so that the weight of a tool is the count of its uses.
      run(
        `(async () => {
          for (let use = 1; ; use++) {
            usage.record({ id: "worker/${worker}", session: "${worker}:" + use, at: new Date(0) });
            await usage.flush();
            require("node:fs").writeSync(1, use + "\\n");
          }
        })()`,
        50 + Math.random() * 700,
      ),
    );
    const ended = await Promise.all(workers);
    const weights = new Map(UsageLog.open(path).rank().map((tool) => [tool.id, tool.weight]));
    let flushed = 0;
    for (const [worker, { printed, signal, errors }] of ended.entries()) {
      expect(errors).toBe("");
      expect(signal).toBe("SIGKILL");
      const count = Number(printed.trimEnd().split("\n").at(-1));
      flushed += count;
      const weight = weights.get(`worker/${worker}`) ?? 0;
      // The last use may have reached the file and not the pipe.
      expect(weight === count || weight === count + 1, `worker ${worker}: ${weight} of ${count}`).toBe(true);
    }
    console.log(`8 processes flushed ${flushed} times before they were killed; all of it is in the file`);
    expect(UsageLog.open(path).diagnostics).toEqual([]);
  });
});
