/**
 * Where programs run. An engine carries messages to a pool and back; what they mean is src/execute/message.rs (to the
 * pool) and {@link Given} (from it).
 */
import { native } from "../native.js";
import { Vigil } from "./vigil.js";

/** A call that a program makes: number, kind (0 tool, 1 search, 2 describe), target, input where there is one. */
export type GivenCall = [call: number, kind: 0 | 1 | 2, target: Target, input?: unknown];

/** Which tool a call means. */
export interface Target {
  /** As the program wrote it: `github.search`. */
  name: string;
  /** Where the listing has exactly that tool. */
  id?: string;
  /** Where it has not: the nearest ones, as a program writes them. */
  suggestions?: string[];
  hint?: string | null;
}

/** What a pool says of one program: the calls it makes, its end, or that an ended one is gone. */
export interface Given {
  id: number;
  calls?: GivenCall[];
  done?: {
    ok: boolean;
    value?: unknown;
    error?: { kind: string; message: string; line?: number; column?: number; suggestions?: string[] };
    logs: string[];
    truncated: boolean;
  };
  freed?: true;
}

/** Takes what is said of one program. `lost` is said where the place it ran in is gone. */
export type Receiver = (given: Given | "lost") => void;

export interface Engine {
  /** Sets what programs started with this number see; replaces it for those under way. */
  list(list: number, tools: string): void;
  unlist(list: number): void;
  /** `message` is the whole `run` message. */
  start(id: number, message: string, receiver: Receiver): void;
  /** Any other message of a program that was started. */
  post(id: number, message: string): void;
  /** A message that answers calls; where the program goes on at once, what it says is taken at once. */
  answer(id: number, message: string): void;
  /** The program is over; its receiver hears nothing more. */
  end(id: number): void;
  /** One user more, or one less: without users it holds no process. */
  retain(): void;
  release(): void;
}

/** Programs on threads of this process. */
export class ThreadEngine implements Engine {
  readonly #receivers = new Map<number, Receiver>();
  readonly #threads = new native.SandboxThreads(() => this.#take(this.#threads.drain()));
  readonly #vigil = new Vigil();

  #take(lines: string): void {
    for (const line of lines.split("\n")) if (line !== "") deliver(line, this.#receivers);
  }

  list(list: number, tools: string): void {
    this.#threads.post(`{"op":"list","list":${list},"tools":${tools}}`);
  }

  unlist(list: number): void {
    this.#threads.post(`{"op":"unlist","list":${list}}`);
  }

  start(id: number, message: string, receiver: Receiver): void {
    this.#receivers.set(id, receiver);
    this.#threads.post(message);
  }

  post(_id: number, message: string): void {
    this.#threads.post(message);
  }

  answer(_id: number, message: string): void {
    this.#threads.post(message);
    this.#vigil.keep(() => this.#take(this.#threads.watch()));
  }

  end(id: number): void {
    if (this.#receivers.delete(id)) this.#threads.post(`{"op":"end","id":${id}}`);
  }

  retain(): void {}
  release(): void {}
}

/** Hands a line to whom it concerns; what is said of a program that is over concerns nobody. */
export function deliver(line: string, receivers: Map<number, Receiver>): Given {
  const given = JSON.parse(line) as Given;
  const receiver = receivers.get(given.id);
  if (given.done !== undefined) receivers.delete(given.id);
  receiver?.(given);
  return given;
}
