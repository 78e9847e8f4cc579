// The hosts of host.test.ts, one a part; it runs on the built package alone.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import { CodeSandbox } from "../../index.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tools = [
  { source: "x", name: "add", execute: ({ a, b }) => a + b },
  { source: "x", name: "never", execute: () => new Promise(() => {}) },
  { source: "x", name: "nap", execute: () => sleep(300) },
];
const sandboxOf = (isolation) => new CodeSandbox({ tools, isolation });
const program = "await tools.add({ a: 20, b: 22 })";
const reverse = "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })";
const say = (text) => process.stdout.write(`${text}\n`);

/** Processor time of this process and its children so far, in seconds. */
function processorTime() {
  const times = (pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ");
      return (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      return 0;
    }
  };
  const children = readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ")[1] === String(process.pid);
    } catch {
      return false;
    }
  });
  return [process.pid, ...children].reduce((sum, pid) => sum + times(pid), 0);
}

const parts = {
  "exits-thread": async () => say((await sandboxOf("thread").run(program)).value),
  "exits-process": async () => say((await sandboxOf("process").run(program)).value),
  async waits() {
    const result = await sandboxOf("process").run("await tools.nap(); 'late'");
    say(result.value);
  },
  async workers() {
    let terminated = 0;
    for (let round = 0; round < 20; round++) {
      const worker = new Worker(new URL(import.meta.url), { workerData: round % 2 ? "thread" : "process" });
      await new Promise((resolve) => worker.once("message", resolve));
      await worker.terminate();
      terminated++;
    }
    say(`${terminated} terminated, then ${(await sandboxOf("thread").run(program)).value}`);
  },
  async killed() {
    const sandbox = sandboxOf("process");
    await sandbox.run("1");
    const running = sandbox.run("await tools.never()");
    await sleep(50);
    execFileSync("pkill", ["-KILL", "-P", String(process.pid), "-f", "SandboxThreads"]);
    say(`${(await running).error.kind} then ${(await sandbox.run(program)).value}`);
  },
  async busy() {
    const sandbox = sandboxOf("thread");
    const run = () => sandbox.run(reverse, { limits: { timeoutMs: 100 } });
    const stuck = await Promise.all([run(), run(), run(), run()]);
    await sleep(600);
    const kinds = [...stuck, await sandbox.run("1")].map((result) => result.error?.kind);
    say(kinds.join(" "));
  },
  async bystander() {
    const sandbox = sandboxOf("process");
    const bystander = sandbox.run("await tools.nap(); await tools.nap(); 'bystander'");
    const stuck = await sandbox.run(reverse, { limits: { timeoutMs: 100 } });
    say(`${stuck.error.kind} ${(await bystander).value}`);
  },
  async descriptors() {
    const sandbox = sandboxOf("process");
    const open = async () => {
      await sandbox.run("1");
      return readdirSync("/proc/self/fd").length;
    };
    const before = await open();
    for (let round = 0; round < 12; round++) await sandbox.run(reverse, { limits: { timeoutMs: 20 } });
    await sleep(300);
    say(String((await open()) - before));
  },
  async idle() {
    const { attacks } = await import("./attacks.mts");
    const { hostileTools } = await import("./hostile-tools.mts");
    const sandbox = new CodeSandbox({ tools: hostileTools, isolation: "process", limits: { timeoutMs: 250 } });
    // In groups, since the last ones of all at once would only wait for a thread.
    for (let from = 0; from < attacks.length; from += 8) {
      await Promise.all(attacks.slice(from, from + 8).map(({ code }) => sandbox.run(code)));
    }
    await sleep(1_000);
    const before = processorTime();
    await sleep(1_000);
    say(String(processorTime() - before));
    await sandbox.close();
  },
};

if (isMainThread) {
  await parts[process.argv[2]]();
  if (process.argv[2] === "busy") process.exit(0);
} else {
  const sandbox = sandboxOf(workerData);
  void sandbox.run("for (let i = 0; ; i++) await tools.add({ a: i, b: 1 })");
  void sandbox.run("for (;;);");
  void sandbox.run("await tools.never()");
  setTimeout(() => parentPort.postMessage("running"), 60);
}
