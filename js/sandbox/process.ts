/** Programs in a child process that stays warm between them and can be killed. */
import type { ChildProcess } from "node:child_process";
import { readSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";

import { type Native, native } from "../native.js";
import { deliver, type Engine, type Receiver } from "./engine.js";
import { Lines } from "./lines.js";
import { Vigil } from "./vigil.js";

/** How long an ended program may take to let go of its thread, in ms, before its process is given up. */
const LETTING_GO = 40;

/** What the child may read of our environment: what it takes to start, and none of the host's secrets. */
const ENVIRONMENT = ["TOOLSCOPE_BINARY", "PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SystemRoot", "TMPDIR", "TEMP"];

interface Child {
  readonly process: ChildProcess;
  readonly receivers: Map<number, Receiver>;
  /** Programs that have not let go of it. */
  readonly programs: Set<number>;
  /** It holds a program that cannot be stopped: it gets no new one, and ends with its last other one. */
  condemned: boolean;
  /** Nobody uses it any more: it ends with its last program. */
  leaving: boolean;
  /** Those of its programs that cannot be stopped. */
  readonly stuck: Set<number>;
  readonly lines: Lines;
  /** Its standard output by file descriptor, for {@link ProcessEngine.answer}; the stream reads it the rest of the time. */
  readonly descriptor: number;
  readonly pipe: InstanceType<Native["SandboxPipe"]>;
}

export class ProcessEngine implements Engine {
  readonly #listings = new Map<number, string>();
  readonly #homes = new Map<number, Child>();
  #current: Child | undefined;
  readonly #vigil = new Vigil();
  /** What was just read, until it is taken. */
  readonly #chunk = Buffer.allocUnsafeSlow(1 << 16);
  #users = 0;

  list(list: number, tools: string): void {
    const message = `{"op":"list","list":${list},"tools":${tools}}\n`;
    this.#listings.set(list, message);
    for (const child of new Set([...this.#homes.values(), ...(this.#current ? [this.#current] : [])])) write(child, message);
  }

  unlist(list: number): void {
    this.#listings.delete(list);
    if (this.#current) write(this.#current, `{"op":"unlist","list":${list}}\n`);
  }

  start(id: number, message: string, receiver: Receiver): void {
    const child = (this.#current ??= this.#spawn());
    child.receivers.set(id, receiver);
    child.programs.add(id);
    this.#homes.set(id, child);
    write(child, `${message}\n`);
  }

  post(id: number, message: string): void {
    const child = this.#homes.get(id);
    if (child !== undefined) write(child, `${message}\n`);
  }

  answer(id: number, message: string): void {
    const child = this.#homes.get(id);
    if (child === undefined) return;
    write(child, `${message}\n`);
    this.#vigil.keep(() => {
      // What the stream has read and not yet told comes first.
      if (child.process.stdout?.readableLength === 0 && child.pipe.watch()) this.#read(child);
    });
  }

  end(id: number): void {
    const child = this.#homes.get(id);
    if (child === undefined || !child.receivers.delete(id)) return;
    write(child, `{"op":"end","id":${id}}\n`);
    // Without a reference: a host that is done need not wait, since the child ends with its input.
    setTimeout(() => {
      if (!child.programs.has(id)) return;
      child.stuck.add(id);
      this.#condemn(child);
    }, LETTING_GO).unref();
  }

  retain(): void {
    this.#users++;
    // Warm by the time the first program comes.
    this.#current ??= this.#spawn();
  }

  release(): void {
    if (--this.#users > 0 || this.#current === undefined) return;
    const child = this.#current;
    this.#current = undefined;
    child.leaving = true;
    this.#endUnlessNeeded(child);
  }

  #endUnlessNeeded(child: Child): void {
    if (child.programs.size === 0) child.process.stdin?.end();
  }

  #spawn(): Child {
    const environment: NodeJS.ProcessEnv = { ELECTRON_RUN_AS_NODE: "1" };
    for (const name of ENVIRONMENT) if (process.env[name] !== undefined) environment[name] = process.env[name];
    // Required here: a process that runs no program does not pay for loading it.
    const { spawn } = require("node:child_process") as typeof import("node:child_process");
    const spawned = spawn(process.execPath, [join(__dirname, "child.js")], {
      stdio: ["pipe", "pipe", "ignore"],
      env: environment,
      windowsHide: true,
    });
    const descriptor = descriptorOf(spawned.stdout);
    const child: Child = {
      process: spawned, receivers: new Map(), programs: new Set(), condemned: false, leaving: false, stuck: new Set(),
      lines: new Lines(), descriptor, pipe: new native.SandboxPipe(descriptor),
    };
    // What keeps the host alive is a program under way, by its timer; never an idle child.
    spawned.unref();
    for (const stream of [spawned.stdin, spawned.stdout]) (stream as unknown as { unref(): void }).unref();
    spawned.stdout?.on("data", (chunk: Buffer) => this.#take(child, chunk));
    // Told by `exit`; a write to a child that is gone must not become an uncaught error.
    spawned.stdin?.on("error", () => {});
    spawned.on("error", () => this.#lost(child)).on("exit", () => this.#lost(child));
    for (const message of this.#listings.values()) write(child, message);
    return child;
  }

  #read(child: Child): void {
    let length = 0;
    try {
      length = readSync(child.descriptor, this.#chunk);
    } catch {
      // The stream tells it, too, and what is to be done then.
    }
    this.#take(child, this.#chunk.subarray(0, length));
  }

  #take(child: Child, chunk: Buffer): void {
    for (const line of child.lines.take(chunk)) {
      const given = deliver(line, child.receivers);
      if (given.done !== undefined || given.freed === true) this.#gone(child, given.id);
    }
  }

  /** A program has let go of its child. */
  #gone(child: Child, id: number): void {
    this.#homes.delete(id);
    child.programs.delete(id);
    child.stuck.delete(id);
    if (child.condemned) this.#killUnlessNeeded(child);
    else if (child.leaving) this.#endUnlessNeeded(child);
  }

  #condemn(child: Child): void {
    child.condemned = true;
    if (this.#current === child) this.#current = this.#users > 0 ? this.#spawn() : undefined;
    this.#killUnlessNeeded(child);
  }

  #killUnlessNeeded(child: Child): void {
    if (child.programs.size === child.stuck.size) child.process.kill("SIGKILL");
  }

  #lost(child: Child): void {
    if (this.#current === child) this.#current = undefined;
    const receivers = [...child.receivers.values()];
    child.receivers.clear();
    for (const id of child.programs) this.#homes.delete(id);
    child.programs.clear();
    for (const receiver of receivers) receiver("lost");
  }
}

/**
 * The file descriptor of a stream, -1 where there is none. Node tells it in a private field alone, and not on Windows.
 * Other runtimes may have read further than they have told, so that reading beside them would change the order.
 */
function descriptorOf(stream: Readable | null): number {
  if ("bun" in process.versions || "deno" in process.versions) return -1;
  return (stream as { _handle?: { fd?: number } } | null)?._handle?.fd ?? -1;
}

function write(child: Child, message: string): void {
  child.process.stdin?.write(message);
}
