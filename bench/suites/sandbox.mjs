// Programs in both isolations, beside pi's sandbox in the same run. Figures without a suffix are of the default
// isolation, `process`; those that end in `_thread` are of the other one. Floors: a bare node:vm context, which is no
// sandbox, and a plain function, which is nothing at all.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import vm from "node:vm";

import { CodemodeSandbox } from "@earendil-works/pi-codemode";

import { attacks } from "../../__test__/sandbox/attacks.mts";
import { hostileTools } from "../../__test__/sandbox/hostile-tools.mts";
import { CodeSandbox } from "../../index.mjs";
import { summary, value } from "../measure.mjs";

const add = ({ a, b }) => a + b;
const PEER = "pi-codemode";
const programs = {
  trivial: "return 1 + 1",
  calls_sequential_1000: "let n = 0; for (let i = 0; i < 1000; i++) n += await tools.add({ a: i, b: 1 }); return n",
  calls_concurrent_1000: "return (await Promise.all(Array.from({ length: 1000 }, (_, i) => tools.add({ a: i, b: 1 })))).length",
  loop_3m: "let n = 0; for (let i = 0; i < 3_000_000; i++) n = (n + i) % 1000003; return n",
};
const rounds = { trivial: 101, calls_sequential_1000: 15, calls_concurrent_1000: 15, loop_3m: 7 };
const limits = { toolCalls: 1_000, timeoutMs: 30_000 };

async function timed(run, expected) {
  // What the one before it left running (a worker that ends, garbage) is not of this one.
  await sleep(5);
  const started = performance.now();
  const result = await run();
  const ms = performance.now() - started;
  const got = result?.ok === undefined ? result : result.ok ? result.value : result.error;
  if (JSON.stringify(got) !== JSON.stringify(expected)) throw new Error(`wrong result: ${JSON.stringify(got)}`);
  return ms;
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resident bytes of this process and, where the system tells, of its children. */
function resident() {
  let bytes = process.memoryUsage.rss();
  for (const pid of process.platform === "linux" ? childrenOf(process.pid) : []) {
    bytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  }
  return bytes;
}
const childrenOf = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);

/** Least squares, so that one page more at an end is not a slope. */
function slope(points) {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}

/** Each program in both isolations, the peer and the floors, interleaved. */
async function times(report, ours, peer) {
  for (const [name, code] of Object.entries(programs)) {
    const inner = { tools: { add: async (input) => add(input) } };
    const wrapped = `(async () => {${code}})()`;
    const plain = new Function("tools", `return ${wrapped}`);
    const expected = await plain(inner.tools);
    const samples = { "": [], _thread: [], peer: [], vm: [], function: [] };
    for (let round = -2; round < rounds[name]; round++) {
      const taken = {
        "": await timed(() => ours[""].run(code), expected),
        _thread: await timed(() => ours._thread.run(code), expected),
        peer: await timed(() => peer.execute(code), expected),
        vm: await timed(() => vm.runInNewContext(wrapped, { ...inner }), expected),
        function: await timed(() => plain(inner.tools), expected),
      };
      if (round >= 0) for (const [key, ms] of Object.entries(taken)) samples[key].push(ms);
    }
    for (const suffix of Object.keys(ours)) report(summary(`${name}${suffix}`, "ms", samples[suffix], { name: PEER, samples: samples.peer }));
    report(summary(`${name}_floor_vm`, "ms", samples.vm));
    report(summary(`${name}_floor_function`, "ms", samples.function));
  }
}

/** A program with annotations beside the same one without. */
async function typescript(report, sandbox) {
  const typed = "const xs: number[] = [1, 2, 3]; const sum = (a: number, b: number): number => a + b; xs.reduce(sum, 0) as number";
  const untyped = "const xs = [1, 2, 3]; const sum = (a, b) => a + b; xs.reduce(sum, 0)";
  const samples = [[], []];
  for (let round = -5; round < 101; round++) {
    const taken = [await timed(() => sandbox.run(typed), 6), await timed(() => sandbox.run(untyped), 6)];
    if (round >= 0) taken.forEach((ms, index) => samples[index].push(ms));
  }
  report(summary("typescript_thread", "ms", samples[0], { name: "the same without annotations", samples: samples[1] }));
}

/** The event loop's delay while a hundred programs compute and call. */
async function loopDelay(report, suffix, sandbox) {
  const code = "let n = 0; for (let r = 0; r < 10; r++) { for (let i = 0; i < 20_000; i++) n += i; n += await tools.add({ a: r, b: 1 }) } return n";
  const hundred = () => Promise.all(Array.from({ length: 100 }, () => sandbox.run(code)));
  await hundred();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let round = 0; round < 3; round++) await hundred();
  delay.disable();
  report(value(`loop_delay_p99${suffix}`, "ms", delay.percentile(99) / 1e6));
}

async function memory(report, suffix, sandbox) {
  const points = [];
  for (let program = 1; program <= 5_000; program++) {
    await sandbox.run("const xs = Array.from({ length: 100 }, (_, i) => ({ i })); await tools.add({ a: 1, b: 2 }); return xs.length");
    if (program >= 1_000 && program % 250 === 0) {
      globalThis.gc?.();
      points.push([program, resident()]);
    }
  }
  report(value(`memory_slope${suffix}`, "bytes", slope(points)));
}

/**
 * How long after its deadline an attack of the tests has its result (those that end before it are no later than it);
 * the median column is the 95th percentile.
 */
async function deadlines(report, suffix, isolation) {
  const sandbox = new CodeSandbox({ tools: hostileTools, isolation, limits: { timeoutMs: 100 } });
  const late = [];
  for (const { code, uninterruptible } of attacks) {
    if (isolation === "thread" && uninterruptible) continue;
    const started = performance.now();
    await sandbox.run(code);
    late.push(Math.max(0, performance.now() - started - 100));
    // What it leaves behind (a heap to free, a process to end) is not the next one's.
    await sleep(60);
  }
  await sandbox.close();
  late.sort((a, b) => a - b);
  report({ ...summary(`deadline_late_p95${suffix}`, "ms", late), median: late[Math.floor(late.length * 0.95)] });
}

export async function run(report) {
  const tools = [{ source: "math", name: "add", execute: add }];
  const ours = { "": new CodeSandbox({ tools, limits }), _thread: new CodeSandbox({ tools, limits, isolation: "thread" }) };
  const peer = new CodemodeSandbox({ tools: [{ name: "add", execute: async (input) => add(input) }], timeoutMs: 30_000 });
  // The first program pays for what starts up.
  for (const [suffix, sandbox] of Object.entries(ours)) {
    report(value(`cold_start${suffix}`, "ms", await timed(() => sandbox.run("return 1"), 1)));
  }
  await times(report, ours, peer);
  await typescript(report, ours._thread);
  for (const part of [loopDelay, memory]) {
    for (const [suffix, sandbox] of Object.entries(ours)) await part(report, suffix, sandbox);
  }
  await deadlines(report, "", "process");
  await deadlines(report, "_thread", "thread");
  await Promise.all([...Object.values(ours).map((sandbox) => sandbox.close()), peer.close()]);
}
