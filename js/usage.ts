import { types } from "node:util";
import type { UsageDiagnostic, UsageLog as Public } from "../index.js";
import { ToolscopeError } from "./errors.js";
import { crossing, type Native, native } from "./native.js";
import { type Check, boolean, count, expect, options as read, string } from "./options.js";

type NativeLog = InstanceType<Native["UsageLog"]>;
type Outcome = ReturnType<NativeLog["opened"]>;

/** How long a use may wait to be written, in ms. */
const PATIENCE = 1_000;
/** Where writes fail, each try waits twice as long as the one before, up to this, in ms. */
const MOST_PATIENCE = 60_000;

/** Logs with uses that their files may lack; they are kept alive, and in here, until a write has covered them. */
const unsaved = new Set<UsageLog>();
let watchesExit = false;
/** What the next constructor takes instead of an empty log; the public one has no place for it. */
let handedOver: NativeLog | undefined;

/** The addon's log behind one of ours. */
export function nativeUsage(log: Public): NativeLog {
  if (log instanceof UsageLog) return log.native;
  throw new ToolscopeError("ERR_TOOLSCOPE_INVALID_ARGUMENT", `usage is \`${String(log)}\`; give a UsageLog of this package`);
}

const number: Check = { is: (value) => typeof value === "number", what: "a finite number above 0" };
const date: Check = { is: (value) => types.isDate(value) && Number.isFinite(value.getTime()), what: "a valid Date" };
const useChecks = { id: string, session: string, at: date, ok: boolean } as const;

type Use = Parameters<Public["record"]>[0];

/** See index.d.ts. */
export class UsageLog implements Public {
  /** The addon's log. */
  readonly native: NativeLog;
  readonly diagnostics: UsageDiagnostic[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Records and merges so far, and how many of them are known to be in the file. */
  #changes = 0;
  #written = 0;
  #patience = PATIENCE;
  /** Whether this streak of failures has been told of. */
  #told = false;

  constructor(options?: { halfLifeDays?: number }) {
    const made = handedOver;
    handedOver = undefined;
    const given = options === undefined ? {} : read<{ halfLifeDays?: number }>("the usage log", options, { halfLifeDays: number });
    const days = given.halfLifeDays;
    this.native = made ?? crossing(() => new native.UsageLog(days));
  }

  static #of(log: NativeLog): UsageLog {
    handedOver = log;
    return new UsageLog();
  }

  static open(path: string): UsageLog {
    expect("path", path, string);
    const log = UsageLog.#of(crossing(() => native.UsageLog.open(path)));
    log.#note(log.native.opened());
    return log;
  }

  static fromJSON(json: string): UsageLog {
    expect("text", json, string);
    return UsageLog.#of(crossing(() => native.UsageLog.fromJSON(json)));
  }

  record(use: Use): void {
    const { id, session, at, ok } = read<Use>("the use", use, useChecks, ["id", "session"]);
    if (ok === false) return;
    crossing(() => this.native.record(id, session, at?.getTime()));
    this.#changed();
  }

  rank(limit?: number): { id: string; weight: number }[] {
    if (limit !== undefined) expect("limit", limit, count);
    return JSON.parse(crossing(() => this.native.rank(limit))) as { id: string; weight: number }[];
  }

  merge(other: Public): void {
    const log = nativeUsage(other);
    crossing(() => this.native.merge(log));
    this.#changed();
  }

  toJSON(): string {
    return crossing(() => this.native.toJSON());
  }

  async flush(): Promise<void> {
    this.#cancel();
    const changes = this.#changes;
    try {
      this.#settle(await crossing(() => this.native.flush()), changes);
    } finally {
      this.#schedule();
    }
  }

  #settle(outcome: Outcome | null | undefined, changes: number): void {
    if (outcome === null || outcome === undefined) return;
    if (outcome.code !== undefined) {
      this.#patience = Math.min(this.#patience * 2, MOST_PATIENCE);
      throw new ToolscopeError(outcome.code, outcome.message ?? "");
    }
    this.#patience = PATIENCE;
    this.#told = false;
    this.#written = Math.max(this.#written, changes);
    this.#note(outcome);
  }

  #note(outcome: Outcome): void {
    if (outcome.damaged === undefined) return;
    const message = `the usage file was damaged and is now \`${outcome.damaged}\`: ${outcome.message}`;
    this.diagnostics.push({ level: "warning", code: "usage_file_damaged", message });
  }

  #changed(): void {
    this.#changes += 1;
    this.#schedule();
  }

  #cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Sees to it that what is not in the file gets there, now or at the exit. */
  #schedule(): void {
    if (this.#written === this.#changes || !this.native.isStored()) {
      this.#cancel();
      unsaved.delete(this);
      return;
    }
    unsaved.add(this);
    if (!watchesExit) {
      watchesExit = true;
      process.once("exit", () => {
        for (const log of unsaved) log.#writeNow();
      });
    }
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.flush().catch((error: Error) => this.#fail(error));
    }, this.#patience);
    // A count is no reason to keep a process alive: the exit writes it.
    this.#timer.unref();
  }

  #writeNow(): void {
    try {
      this.#settle(crossing(() => this.native.flushNow()), this.#changes);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** A file that cannot be written is told of once, however often it is tried. */
  #fail(error: Error): void {
    if (this.#told) return;
    this.#told = true;
    this.diagnostics.push({ level: "error", code: "usage_file_failed", message: error.message });
  }
}
