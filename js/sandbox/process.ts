/** Programs in a child process that stays warm between them and can be killed. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";

import { deliver, type Engine, type Receiver } from "./engine.js";

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
  partial: string;
}

export class ProcessEngine implements Engine {
  readonly #listings = new Map<number, string>();
  readonly #homes = new Map<number, Child>();
  #current: Child | undefined;
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
    const child: Child = {
      process: spawned, receivers: new Map(), programs: new Set(), condemned: false, leaving: false, stuck: new Set(), partial: "",
    };
    // What keeps the host alive is a program under way, by its timer; never an idle child.
    spawned.unref();
    for (const stream of [spawned.stdin, spawned.stdout]) (stream as unknown as { unref(): void }).unref();
    spawned.stdout?.setEncoding("utf8").on("data", (text: string) => this.#take(child, text));
    // Told by `exit`; a write to a child that is gone must not become an uncaught error.
    spawned.stdin?.on("error", () => {});
    spawned.on("error", () => this.#lost(child)).on("exit", () => this.#lost(child));
    for (const message of this.#listings.values()) write(child, message);
    return child;
  }

  #take(child: Child, text: string): void {
    let from = 0;
    for (let to = text.indexOf("\n"); to >= 0; from = to + 1, to = text.indexOf("\n", from)) {
      const line = child.partial + text.slice(from, to);
      child.partial = "";
      const given = deliver(line, child.receivers);
      if (given.done !== undefined || given.freed === true) this.#gone(child, given.id);
    }
    child.partial += text.slice(from);
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

function write(child: Child, message: string): void {
  child.process.stdin?.write(message);
}
