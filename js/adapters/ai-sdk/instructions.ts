/**
 * A step's instructions: the host's, with the request's prompt fragments behind them. The AI SDK hands each step the
 * instructions of the step before, so what is the host's in them must be told from what was a request's.
 */
import type { Instructions } from "ai" with { "resolution-mode": "import" };

export class StepInstructions {
  /**
   * What is the host's in instructions made here. By the very object, which goes through one generation: several may
   * run at a time, and nothing else tells them apart.
   */
  readonly #bases = new WeakMap<object, Instructions | undefined>();

  /** The host's own in the instructions that a step is handed. */
  baseOf(handed: Instructions | undefined): Instructions | undefined {
    return this.#isMade(handed) ? this.#bases.get(handed) : handed;
  }

  /** The base with fragments behind it; without any, the base as it is. */
  of(base: Instructions | undefined, fragments: string): Instructions | undefined {
    return fragments === "" ? base : this.#made(base, withFragments(base, fragments));
  }

  /** For a step that says nothing: `undefined` would leave the instructions of the step before. */
  none(): Instructions {
    return this.#made(undefined, []);
  }

  /** As the host would have written them: one text, where its own are a text. */
  plain(instructions: Instructions | undefined): Instructions | undefined {
    if (!this.#isMade(instructions) || Array.isArray(instructions)) return instructions;
    return (instructions as { content: string }).content;
  }

  #made<T extends object & Instructions>(base: Instructions | undefined, made: T): T {
    this.#bases.set(made, base);
    return made;
  }

  #isMade(instructions: Instructions | undefined): instructions is object & Instructions {
    return typeof instructions === "object" && this.#bases.has(instructions);
  }
}

function withFragments(base: Instructions | undefined, fragments: string): object & Instructions {
  if (base === undefined || base === "") return { role: "system", content: fragments };
  if (typeof base === "string") return { role: "system", content: `${base}\n\n${fragments}` };
  return [...(Array.isArray(base) ? base : [base]), { role: "system", content: fragments }];
}
