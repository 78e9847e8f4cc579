/**
 * Where programs run. An engine carries messages to a pool and back; what they mean is src/execute/message.rs (to the
 * pool) and {@link Given} (from it).
 */
import { native } from "../native.js";
import { keepVigil } from "./vigil.js";

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
  /** Bytes of answers that the program has read since it last said so; said once they are many. */
  read?: number;
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

/** Characters of messages past which some may be left: a third of the 1 MiB, in bytes of UTF-8, after which the addon stops. */
const MANY = 1 << 18;

/** Programs on threads of this process. */
export class ThreadEngine implements Engine {
  readonly #receivers = new Map<number, Receiver>();
  readonly #threads = new native.SandboxThreads(() => this.#take(this.#drain));

  #take(look: () => string): void {
    let lines: string;
    try {
      lines = look();
    } catch {
      // What there was to read is gone, and nobody knows whose it was.
      const receivers = [...this.#receivers];
      this.#receivers.clear();
      for (const [id, receiver] of receivers) {
        this.#threads.post(`{"op":"end","id":${id}}`);
        receiver("lost");
      }
      return;
    }
    for (const line of lines.split("\n")) if (line !== "") hand(read(line), this.#receivers);
    if (lines.length >= MANY) setImmediate(() => this.#take(this.#drain));
  }

  readonly #drain = (): string => this.#threads.drain();
  readonly #watch = (): string => this.#threads.watch();

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
    keepVigil(() => this.#take(this.#watch));
  }

  end(id: number): void {
    if (this.#receivers.delete(id)) this.#threads.post(`{"op":"end","id":${id}}`);
  }

  retain(): void {}
  release(): void {}
}

/** Reads one message. Throws where it is none. */
export function read(line: string): Given {
  return JSON.parse(line) as Given;
}

/** Hands a message to whom it concerns; what is said of a program that is over concerns nobody. */
export function hand(given: Given, receivers: Map<number, Receiver>): void {
  const receiver = receivers.get(given.id);
  if (given.done !== undefined) receivers.delete(given.id);
  receiver?.(given);
}
