import { oneLine } from "./one-line.mjs";

/**
 * The runs of a demo beside each other: facts as rows, runs as columns.
 *
 * @param {readonly { run: string, ok: boolean, broken: string[], facts: object }[]} runs `summary` events of one demo
 * @returns {string[]} lines
 */
export function table(runs, paint) {
  const broken = "invariants broken";
  const cell = (run, label) => {
    const value = label === broken ? run.broken.length : (run.facts[label] ?? "");
    return oneLine(Array.isArray(value) ? value.join(" ") : String(value));
  };
  const labels = [...new Set(runs.flatMap((run) => Object.keys(run.facts))), broken];
  const first = Math.max(...labels.map((label) => label.length)) + 2;
  const widths = runs.map((run) => Math.max(run.run.length, ...labels.map((label) => cell(run, label).length)) + 3);
  const row = (label, cells) => `  ${paint.dim(label.padEnd(first))}${cells.join("")}`.trimEnd();
  const cells = (text, colour) => runs.map((run, index) => colour(run)(text(run).padEnd(widths[index])));

  return [
    row(
      "",
      cells(
        (run) => run.run,
        () => paint.bold,
      ),
    ),
    ...labels.map((label) => {
      const colour = label === broken ? (run) => (run.ok ? paint.green : paint.red) : () => String;
      return row(
        label,
        cells((run) => cell(run, label), colour),
      );
    }),
    ...runs.filter((run) => !run.ok).map((run) => row(`${run.run} broke`, [paint.red(run.broken.join(", "))])),
  ];
}
