/** One program from its source to its result: its calls, its limits, its end. */
import type { CodeLimits, RunCodeOptions, RunCodeResult } from "../../index.js";
import { type Engine, type Given, type GivenCall, type Target, ThreadEngine } from "./engine.js";
import { faultOf } from "../fault.js";
import type { ToolListing } from "./listing.js";
import { ProcessEngine } from "./process.js";
import { away } from "./turn.js";

/** Under it every attack of the test suite ends with the processor idle again; under `thread` some hold a thread for good. */
export const DEFAULT_ISOLATION = "process";

/** How long after its time a program may take to say so itself, in ms. */
const GRACE = 20;

/** How long, in ms, calls are begun one after the other before the event loop has its turn. */
const AWAY = 5;

/** Bytes of answers not read past which no further call is begun. */
const UNREAD_BYTES = 1 << 20;

/** Bytes of answers that a program reads without saying so, as src/execute/limits.rs has it. */
const UNTOLD_BYTES = 64 << 10;

/** Bytes of answers past which they go in another message. */
const MESSAGE_BYTES = 1 << 20;

/** A call that a program makes, before anything is decided. */
export interface NestedCall {
  /** As the program wrote it, such as `github.search`. */
  readonly name: string;
  /** Where the listing has exactly that tool; to be decided like any other call all the same. */
  readonly id?: string;
  /** A fresh copy of what the program gave. */
  readonly input: unknown;
  readonly callId: string;
  readonly parentCallId: string;
  /** Where the listing has no such tool: what was likely meant, for the reason of a refusal. */
  readonly suggestions: readonly string[];
  readonly hint?: string;
}

/** How a call ended. `id` and `name` are the decision's, where it had them. */
export type Answer = { id?: string; name?: string } & ({ ok: true; value: unknown } | { ok: false; code: string; message: string });

export interface ProgramOptions extends Pick<RunCodeOptions, "signal" | "isolation" | "onCall"> {
  listing: ToolListing;
  limits: Required<CodeLimits>;
  /** The `parentCallId` of every call the program makes. */
  callId: string;
  /** Decides the call and, where it is allowed, runs it. What it throws is the call's failure. */
  decideAndCall: (call: NestedCall, context: { signal: AbortSignal }) => Promise<Answer> | Answer;
  search: (query: unknown, options: unknown) => unknown;
  /** `name` as the program wrote it, `id` where the listing has it. */
  describe: (name: string, id: string | undefined) => unknown;
}

let threads: ThreadEngine | undefined;
let processes: ProcessEngine | undefined;

/** The engine of an isolation; made when it is first asked for. */
export function engineFor(isolation: "thread" | "process"): Engine {
  return isolation === "thread" ? (threads ??= new ThreadEngine()) : (processes ??= new ProcessEngine());
}

let lastProgram = 0;

/**
 * Runs a program. Never rejects: every end is a result. The result comes within `limits.timeoutMs` and a few
 * milliseconds, whatever the program and the tools it called do; tools still running then get their signal.
 */
export function runProgram(code: string, options: ProgramOptions): Promise<RunCodeResult> {
  return new Promise((resolve) => new Program(++lastProgram, options, resolve).start(code));
}

class Program {
  readonly #id: number;
  readonly #options: ProgramOptions;
  readonly #resolve: (result: RunCodeResult) => void;
  readonly #engine: Engine;
  readonly #calls: RunCodeResult["calls"] = [];
  /** Calls that the program has made and that have not ended: those under way by number, the others in order. */
  readonly #underWay = new Map<number, { name: string; id?: string; started: number }>();
  readonly #waiting: GivenCall[] = [];
  readonly #abort = new AbortController();
  #results: string[] = [];
  #resultBytes = 0;
  /** Bytes of the answers that the program has not read, as far as it has said. */
  #unread = 0;
  #resting = false;
  #over = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: number, options: ProgramOptions, resolve: (result: RunCodeResult) => void) {
    this.#id = id;
    this.#options = options;
    this.#resolve = resolve;
    this.#engine = engineFor(options.isolation ?? DEFAULT_ISOLATION);
  }

  start(code: string): void {
    const { limits, listing, signal } = this.#options;
    if (signal?.aborted === true) return this.#resolve(failed("aborted", "the program was aborted before it started"));
    const { timeoutMs, memoryBytes, toolCalls, outputBytes, callBytes } = limits;
    const message = JSON.stringify({
      op: "run", id: this.#id, list: listing.number, code, timeoutMs, memoryBytes, toolCalls, outputBytes, callBytes,
    });
    listing.enter(this.#engine);
    // It also keeps the host's process alive while a program is under way.
    this.#timer = setTimeout(() => this.#expire(), timeoutMs);
    signal?.addEventListener("abort", this.#onAbort);
    this.#engine.start(this.#id, message, (given) => this.#take(given));
  }

  readonly #onAbort = (): void => this.#end(failed("aborted", "the program was aborted"));

  /** Its time is up. It is asked to say so, with what it has logged; what does not answer is ended without. */
  #expire(): void {
    this.#engine.post(this.#id, `{"op":"expire","id":${this.#id}}`);
    const message = `the program took more than ${this.#options.limits.timeoutMs} ms and could not be interrupted`;
    this.#timer = setTimeout(() => this.#end(failed("timeout", message)), GRACE);
  }

  #take(given: Given | "lost"): void {
    if (this.#over) return;
    if (given === "lost") {
      return this.#end(failed("internal", "the process that ran the program has ended; the next program gets a new one"));
    }
    if (given.read !== undefined) {
      this.#unread -= given.read;
      if (given.calls === undefined && given.done === undefined) this.#dispatch();
    }
    if (given.calls !== undefined) {
      for (const call of given.calls) this.#waiting.push(call);
      // What comes with the end was not waited for, and is not begun.
      if (given.done === undefined) this.#dispatch();
    }
    if (given.done !== undefined) {
      const { ok, value, error, logs, truncated } = given.done;
      const result: RunCodeResult = { ok, logs, calls: this.#calls, truncated };
      if (value !== undefined) result.value = value;
      if (error !== undefined) result.error = error as NonNullable<RunCodeResult["error"]>;
      this.#end(result);
    }
  }

  #dispatch(): void {
    const limit = this.#options.limits.concurrency;
    while (!this.#over && !this.#resting && this.#waiting.length > 0 && this.#underWay.size < limit && this.#unread <= UNREAD_BYTES) {
      if (away() > AWAY) return this.#rest();
      void this.#run(this.#waiting.shift() as GivenCall);
    }
  }

  /** The event loop has its turn, in which the program's time may be up. */
  #rest(): void {
    this.#resting = true;
    setImmediate(() => {
      this.#resting = false;
      this.#dispatch();
    });
  }

  async #run([number, kind, target, input]: GivenCall): Promise<void> {
    const entry = { name: kind === 0 ? target.name : "", ...(target.id !== undefined && { id: target.id }), started: performance.now() };
    this.#underWay.set(number, entry);
    let answer: Answer;
    try {
      if (kind === 0) {
        this.#tell({ id: target.id ?? "", name: entry.name, phase: "start" });
        answer = await this.#options.decideAndCall(this.#nested(number, target, input), { signal: this.#abort.signal });
      } else {
        const [query, options] = (input ?? []) as unknown[];
        const { search, describe } = this.#options;
        answer = { ok: true, value: await (kind === 1 ? search(query, options) : describe(target.name, target.id)) };
      }
    } catch (error) {
      answer = { ok: false, ...faultOf(error) };
    }
    if (this.#over) return;
    this.#underWay.delete(number);
    const { limits } = this.#options;
    // Told in steps, so a few of those that are counted may have been read.
    const { text, outcome, fault } = encoded(answer, limits.memoryBytes, limits.callBytes + UNTOLD_BYTES - this.#unread);
    if (kind === 0) this.#record(entry, answer, fault?.code);
    this.#settle(number, outcome, text);
    this.#dispatch();
  }

  #nested(number: number, target: Target, input: unknown): NestedCall {
    const { callId } = this.#options;
    return {
      name: target.name,
      input,
      callId: `${callId}.${number}`,
      parentCallId: callId,
      suggestions: target.suggestions ?? [],
      ...(target.id !== undefined && { id: target.id }),
      ...(typeof target.hint === "string" && { hint: target.hint }),
    };
  }

  #record(entry: { name: string; id?: string; started: number }, answer: Answer | undefined, code: string | undefined): void {
    const id = answer?.id ?? entry.id;
    const ms = performance.now() - entry.started;
    const ok = code === undefined;
    this.#calls.push({ ...(id !== undefined && { id }), name: answer?.name ?? entry.name, ok, ...(!ok && { code }), ms });
    this.#tell({ id: id ?? "", name: answer?.name ?? entry.name, phase: "end", ok });
  }

  #tell(event: Parameters<NonNullable<RunCodeOptions["onCall"]>>[0]): void {
    try {
      this.#options.onCall?.(event);
    } catch {
      // A listener is for watching; its failure is no concern of the program's.
    }
  }

  /** Results go back together: those of one turn of the microtask queue in one message, or in several where they are many. */
  #settle(number: number, outcome: Outcome, text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#unread += bytes;
    this.#resultBytes += bytes;
    if (this.#results.push(`[${number},${outcome},${text}]`) === 1) process.nextTick(() => this.#flush());
    if (this.#resultBytes >= MESSAGE_BYTES) this.#flush();
  }

  #flush(): void {
    const results = this.#results;
    this.#results = [];
    this.#resultBytes = 0;
    if (!this.#over && results.length > 0) this.#engine.answer(this.#id, `{"op":"settle","id":${this.#id},"results":[${results.join(",")}]}`);
  }

  #end(result: RunCodeResult): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#engine.end(this.#id);
    this.#options.listing.leave();
    // Every call that was made is accounted for, whether or not it was ever decided.
    const open = [...this.#underWay.values(), ...this.#waiting.filter(([, kind]) => kind === 0).map(([, , target]) => ({ ...target, started: performance.now() }))];
    for (const entry of open) if (entry.name !== "") this.#record(entry, undefined, "aborted");
    if (result.ok && open.length > 0) {
      const names = [...new Set(open.map((entry) => `\`tools.${entry.name}(…)\``))].slice(0, 3).join(", ");
      result.logs.push(`hint: ${open.length} call(s) had not ended and were aborted, ${names}: put \`await\` before them`);
    }
    this.#abort.abort();
    this.#resolve({ ...result, calls: this.#calls });
  }
}

function failed(kind: NonNullable<RunCodeResult["error"]>["kind"], message: string): RunCodeResult {
  return { ok: false, error: { kind, message }, logs: [], calls: [], truncated: false };
}

/** An error, a value, or `undefined`. */
type Outcome = 0 | 1 | 2;

interface Encoded {
  outcome: Outcome;
  /** JSON text. */
  text: string;
  fault?: { code: string; message: string };
}

function faulty(code: string, message: string): Encoded {
  const fault = { code, message };
  return { outcome: 0, text: JSON.stringify(fault), fault };
}

/** An answer as it goes to the program: `memory` is what the program has, `room` what its answers may take now. */
function encoded(answer: Answer, memory: number, room: number): Encoded {
  const most = Math.min(memory, room);
  try {
    if (!answer.ok) {
      const told = faulty(answer.code, answer.message);
      return told.text.length > Math.max(most, FAULT) ? tooLarge(told.text.length, memory) : told;
    }
    // A long text is refused before it is copied.
    const isLong = typeof answer.value === "string" && answer.value.length > most;
    const text = isLong ? (answer.value as string) : JSON.stringify(answer.value);
    if (text === undefined) return { outcome: 2, text: "null" };
    return text.length > most || Buffer.byteLength(text) > room ? tooLarge(text.length, memory) : { outcome: 1, text };
  } catch (error) {
    return faulty("result_invalid", `the tool's result cannot be passed on as JSON: ${faultOf(error).message}`);
  }
}

/** Characters of an error that is told even where there is no room: it is how a program learns of it. */
const FAULT = 4 << 10;

function tooLarge(length: number, memory: number): Encoded {
  const than = length > memory ? `more than the program's memory of ${memory} bytes` : "and with the answers that the program has not read more than its limit `callBytes`";
  return faulty("result_too_large", `the tool's result is ${length} characters as JSON, ${than}`);
}
