/** Programs in a child process that stays warm between them and can be killed. */
import { Channel } from "./channel.js";
import { type Engine, type Given, hand, read, type Receiver } from "./engine.js";
import { keepVigil } from "./vigil.js";

/** How long an ended program may take to let go of its thread, in ms, before its process is given up. */
const LETTING_GO = 40;

interface Child {
  readonly channel: Channel;
  readonly receivers: Map<number, Receiver>;
  /** Programs that have not let go of it. */
  readonly programs: Set<number>;
  /** It holds a program that cannot be stopped: it gets no new one, and ends with its last other one. */
  condemned: boolean;
  /** Nobody uses it any more: it ends with its last program. */
  leaving: boolean;
  /** Those of its programs that cannot be stopped. */
  readonly stuck: Set<number>;
}

export class ProcessEngine implements Engine {
  readonly #listings = new Map<number, string>();
  readonly #homes = new Map<number, Child>();
  #current: Child | undefined;
  #users = 0;

  list(list: number, tools: string): void {
    const message = `{"op":"list","list":${list},"tools":${tools}}`;
    this.#listings.set(list, message);
    for (const child of new Set([...this.#homes.values(), ...(this.#current ? [this.#current] : [])])) child.channel.send(message);
  }

  unlist(list: number): void {
    this.#listings.delete(list);
    this.#current?.channel.send(`{"op":"unlist","list":${list}}`);
  }

  start(id: number, message: string, receiver: Receiver): void {
    const child = (this.#current ??= this.#spawn());
    child.receivers.set(id, receiver);
    child.programs.add(id);
    this.#homes.set(id, child);
    child.channel.send(message);
  }

  post(id: number, message: string): void {
    const child = this.#homes.get(id);
    if (child !== undefined) child.channel.send(message);
  }

  answer(id: number, message: string): void {
    const child = this.#homes.get(id);
    if (child === undefined) return;
    child.channel.send(message);
    keepVigil(() => child.channel.watch());
  }

  end(id: number): void {
    const child = this.#homes.get(id);
    if (child === undefined || !child.receivers.delete(id)) return;
    child.channel.send(`{"op":"end","id":${id}}`);
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
    if (child.programs.size === 0) child.channel.end();
  }

  #spawn(): Child {
    const channel = new Channel((message) => this.#take(child, message), () => this.#lost(child));
    const child: Child = {
      channel, receivers: new Map(), programs: new Set(), condemned: false, leaving: false, stuck: new Set(),
    };
    for (const message of this.#listings.values()) channel.send(message);
    return child;
  }

  #take(child: Child, message: string): void {
    let given: Given;
    try {
      given = read(message);
    } catch {
      // Nothing more of what it says can be relied on. Its end is told as that of any other.
      return child.channel.kill();
    }
    hand(given, child.receivers);
    if (given.done !== undefined || given.freed === true) this.#gone(child, given.id);
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
    if (child.programs.size === child.stuck.size) child.channel.kill();
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
