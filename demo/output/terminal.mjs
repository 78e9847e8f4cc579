// The same events for a person at a terminal.
import { stripVTControlCharacters } from "node:util";
import { createColors } from "picocolors";

const widest = 100;
/** How many tool names are printed of a list. */
const mostNames = 6;

/** Text from tools and models on one line: nothing in it may drive the terminal. */
function oneLine(value, limit = widest) {
  const text = stripVTControlCharacters(typeof value === "string" ? value : JSON.stringify(value)).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
const listed = (values) => (values.length === 0 ? "nothing" : values.map((value) => oneLine(value)).join("  "));

/**
 * @param {(text: string) => void} write
 * @param {{ colour: boolean }} options
 */
export function printer(write, { colour }) {
  const paint = createColors(colour);
  const line = (label, text = "") => write(`${`  ${paint.dim(label.padEnd(9))} ${text}`.trimEnd()}\n`);
  const under = (text) => line("", text);
  let turn = 0;
  const runs = [];

  function heading(event) {
    if (event.turn === undefined || event.turn === turn || event.turn === 0) return;
    turn = event.turn;
    write(`${paint.dim("──")} ${paint.bold(`turn ${turn}`)} ${paint.dim("─".repeat(60))}\n`);
  }
  const by = (event) => (event.agent === undefined ? "" : `${paint.cyan(oneLine(event.agent))}: `);

  const shows = {
    start(event) {
      turn = 0;
      write(`\n${paint.bold(paint.inverse(` ${event.demo} `))} ${paint.bold(oneLine(event.title))}\n`);
      for (const list of ["allow", "exclude", "required"]) if (event.scope?.[list] !== undefined) line(list, listed(event.scope[list]));
    },
    scope(event) {
      for (const list of ["allow", "exclude", "required"]) {
        for (const entry of event.report[list]) {
          const state = entry.state === "active" ? paint.green(entry.state) : paint.yellow(entry.state);
          line(event.turn === 0 ? "at start" : "at end", `${oneLine(entry.selector)} ${paint.dim("is")} ${state}`);
        }
      }
    },
    source(event) {
      const count = event.tools === undefined ? "" : ` ${paint.dim(`(${event.tools} tools)`)}`;
      line("source", `${paint.magenta(oneLine(event.source))} ${oneLine(event.text ?? event.state)}${count}`);
    },
    shown(event) {
      const names = event.tools.slice(0, mostNames).map((name) => (event.added.includes(name) ? paint.green(oneLine(name)) : oneLine(name)));
      const more = event.tools.length > mostNames ? paint.dim(`  and ${event.tools.length - mostNames} more`) : "";
      line("shown", `${by(event)}${names.length === 0 ? "nothing" : names.join("  ")}${more}`);
    },
    said: (event) => line("model", `${by(event)}${paint.italic(oneLine(event.text))}`),
    call(event) {
      const { decision, steps = [] } = event;
      const why = event.why === undefined ? "" : paint.dim(`  (${oneLine(event.why)})`);
      line("call", `${by(event)}${paint.bold(oneLine(event.name))} ${paint.dim(oneLine(event.input))}${why}`);
      const right = event.expected === undefined || (event.expected === "runs") === decision.allowed;
      const verdict = (right ? paint.green : paint.red)(decision.allowed ? "allowed" : `refused: ${decision.code}`);
      under(`${verdict}${decision.id === undefined ? "" : `  ${oneLine(decision.id)}`}${right ? "" : paint.red(decision.allowed ? "  — it should not be" : "  — it is in scope")}`);
      const asked = steps.filter((step) => step.outcome !== "skip").map((step) => `${oneLine(step.rule)}${step.by === undefined ? "" : ` ${oneLine(step.by)}`} ${step.outcome === "pass" ? "✓" : "✗"}`);
      if (asked.length > 0) under(paint.dim(`rules  ${asked.join(" · ")}`));
      under(`${paint.dim("→")} ${event.ok ? oneLine(event.result) : paint.yellow(oneLine(event.result, 2 * widest))}`);
    },
    delta(event) {
      if (!event.changed) return line("delta", paint.dim("unchanged"));
      const signs = [["added", "+", paint.green], ["removed", "-", paint.red], ["redefined", "~", paint.yellow]];
      const changes = signs.flatMap(([key, sign, colouring]) => event[key].map((name) => colouring(`${sign} ${oneLine(name)}`)));
      line("delta", `${changes.join("  ")}${event.reset ? paint.yellow("  (a new list)") : ""}`);
    },
    note: (event) => line("note", oneLine(event.text)),
    check(event) {
      const mark = event.holds ? paint.green("holds") : paint.red("broken");
      line("check", `${mark.padEnd(6)} ${oneLine(event.name)}${event.detail === undefined ? "" : paint.dim(`: ${oneLine(event.detail, 2 * widest)}`)}`);
    },
    summary: (event) => runs.push(event),
    error: (event) => line("error", paint.red(`${event.code === undefined ? "" : `${event.code}: `}${oneLine(event.message, 4 * widest)}`)),
  };

  return {
    event(event) {
      heading(event);
      const show = Object.hasOwn(shows, event.event) ? shows[event.event] : () => line(oneLine(event.event), oneLine({ ...event, event: undefined }, 2 * widest));
      show(event);
    },
    end(result) {
      for (const demo of new Set(runs.map((run) => run.demo))) table(demo, runs.filter((run) => run.demo === demo));
      const verdict = result.ok ? paint.green(paint.bold("ok")) : paint.red(paint.bold("failed"));
      const demos = Object.entries(result.demos).map(([name, { ok, ms }]) => `${name} ${ok ? "" : "broke, "}${(ms / 1000).toFixed(1)} s`);
      write(`\n${verdict} ${paint.dim(demos.join(" · "))}\n`);
    },
  };

  /** Facts as rows, runs as columns, so that they can be compared. */
  function table(demo, columns) {
    const labels = [...new Set(columns.flatMap((run) => Object.keys(run.facts)))];
    const cell = (run, label) => (Array.isArray(run.facts[label]) ? listed(run.facts[label]) : oneLine(String(run.facts[label] ?? "")));
    const first = Math.max(0, ...labels.map((label) => label.length), "invariants broken".length) + 2;
    const widths = columns.map((run) => Math.max(run.run.length, ...labels.map((label) => cell(run, label).length)) + 3);
    write(`\n${paint.bold(paint.inverse(` ${demo} `))} ${paint.bold("summary")}\n`);
    write(`  ${"".padEnd(first)}${columns.map((run, index) => paint.bold(run.run.padEnd(widths[index]))).join("")}\n`);
    for (const label of labels) write(`  ${paint.dim(label.padEnd(first))}${columns.map((run, index) => cell(run, label).padEnd(widths[index])).join("").trimEnd()}\n`);
    const broken = columns.map((run, index) => (run.ok ? paint.green : paint.red)(String(run.broken.length).padEnd(widths[index])));
    write(`  ${paint.dim("invariants broken".padEnd(first))}${broken.join("")}\n`);
    for (const run of columns) if (!run.ok) write(`  ${paint.dim(`${run.run}:`)} ${paint.red(run.broken.join(", "))}\n`);
  }
}
