/** A child process that serves programs, and the messages to it and from it, one JSON text each. */
import type { ChildProcess } from "node:child_process";
import { readSync } from "node:fs";

import { addonPath, native } from "../native.js";
import { Lines } from "./lines.js";

/** What the child may read of our environment: what it takes to start, and none of the host's secrets. */
const ENVIRONMENT = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot", "TMPDIR", "TEMP"];

/** Where the child finds its side of the lane: the first file descriptor after the standard ones. */
const LANE = 3;

/** Other runtimes may have read further than they have told, so that reading beside them would change the order. */
const isNode = !("bun" in process.versions || "deno" in process.versions);

/**
 * Messages go through the child's standard input and output, and through a lane beside them (src/execute/lane.rs) while
 * both sides are awake.
 */
export class Channel {
  readonly #process: ChildProcess;
  readonly #take: (message: string) => void;
  readonly #lane = new native.SandboxLane();
  readonly #lines = new Lines();
  /** Of its standard output; the stream reads it, and {@link watch}. */
  readonly #descriptor: number;
  readonly #chunk = Buffer.allocUnsafeSlow(1 << 16);
  /** Messages that went through its standard input. */
  #written = 0;
  /** Messages from its standard output that the lane has not been told of. */
  #read = 0;

  /** `take` gets each message, in order, `lost` is told once the child is gone. */
  constructor(take: (message: string) => void, lost: () => void) {
    this.#take = take;
    const environment: NodeJS.ProcessEnv = { ELECTRON_RUN_AS_NODE: "1" };
    for (const name of ENVIRONMENT) if (process.env[name] !== undefined) environment[name] = process.env[name];
    const hasLane = isNode && this.#lane.descriptor >= 0;
    // Required here: a process that runs no program does not pay for loading it.
    const { spawn } = require("node:child_process") as typeof import("node:child_process");
    // No file of ours, which a bundle would not have.
    const code = `require(${JSON.stringify(addonPath())}).SandboxThreads.serve(${hasLane ? LANE : -1})`;
    const spawned = spawn(process.execPath, ["-e", code], {
      stdio: ["pipe", "pipe", "ignore", hasLane ? this.#lane.descriptor : "ignore"],
      env: environment,
      windowsHide: true,
    });
    this.#process = spawned;
    // Node says it nowhere else, and not on Windows.
    this.#descriptor = (isNode ? (spawned.stdout as { _handle?: { fd?: number } } | null)?._handle?.fd : undefined) ?? -1;
    // What keeps the host alive is a program under way, by its timer; never an idle child.
    spawned.unref();
    for (const stream of [spawned.stdin, spawned.stdout]) (stream as { unref?(): void } | null)?.unref?.();
    spawned.stdout?.on("data", (chunk: Buffer) => this.#receive(chunk));
    // Told by `exit`; a write to a child that is gone must not become an uncaught error.
    spawned.stdin?.on("error", () => {});
    const end = (): void => {
      this.#lane.close();
      lost();
    };
    spawned.on("error", end).on("exit", end);
  }

  send(message: string): void {
    if (this.#lane.send(message, this.#written)) return;
    this.#written = (this.#written + 1) >>> 0;
    this.#process.stdin?.write(`${message}\n`);
  }

  /** Looks a moment for what the child says next, and takes it; without one it returns. 100 µs at most. */
  watch(): void {
    const output = this.#process.stdout;
    // Once it is closed its descriptor may be another file's.
    if (this.#descriptor < 0 || output === null || output.destroyed) return;
    // What the stream has read and not yet told comes first.
    if (output.readableLength > 0) return;
    const message = this.#lane.watch(this.#descriptor, this.#read);
    this.#read = 0;
    if (message === "") this.#receive(this.#readable());
    else if (message !== null) this.#take(message);
  }

  /** It ends with its last program. */
  end(): void {
    this.#process.stdin?.end();
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }

  #readable(): Buffer {
    try {
      return this.#chunk.subarray(0, readSync(this.#descriptor, this.#chunk));
    } catch {
      // The stream tells it, too, and what is to be done then.
      return this.#chunk.subarray(0, 0);
    }
  }

  #receive(chunk: Buffer): void {
    let lines: string[];
    try {
      lines = this.#lines.take(chunk);
    } catch {
      // A line longer than any string: it is not one of ours, and what comes after it cannot be told apart.
      return this.kill();
    }
    for (const line of lines) {
      this.#read++;
      this.#take(line);
    }
  }
}
