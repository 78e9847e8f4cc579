// The tools' own record of when they ran, by which the checks tell what was run, and what ran at the same time.

export class RunRecord {
  /** `{ id, turn, from, to }` each, in the order of their starts; `from` and `to` count starts and ends. */
  runs = [];
  /** The turn that runs are noted under. */
  turn = 0;
  #clock = 0;

  /** Notes the start of a run, and runs it. */
  async run(id, tool) {
    const run = { id, turn: this.turn, from: this.#clock++, to: Infinity };
    this.runs.push(run);
    try {
      return await tool();
    } finally {
      run.to = this.#clock++;
    }
  }
}

/** Whether runs of all these tools were under way at one moment. */
export function overlap(runs, ids) {
  const found = ids.map((id) => runs.find((run) => run.id === id));
  if (found.includes(undefined)) return false;
  return Math.max(...found.map(({ from }) => from)) < Math.min(...found.map(({ to }) => to));
}
