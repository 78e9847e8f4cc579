// The same events for a person at a terminal.
import { createColors } from "picocolors";
import { oneLine, widest } from "./one-line.mjs";
import { table } from "./table.mjs";

/** How many tool names are printed of a list. */
const mostNames = 6;
const lists = ["allow", "exclude", "required"];

const listed = (values) => (values.length === 0 ? "nothing" : values.map((value) => oneLine(value)).join("  "));
/** What is there only where a value is. */
const where = (value, show) => (value === undefined ? "" : show(value));

/**
 * @param {(text: string) => void} write
 * @param {{ colour: boolean }} options
 */
export function printer(write, { colour }) {
  const paint = createColors(colour);
  const runs = [];
  let turn = 0;

  const line = (label, text = "") => write(`  ${paint.dim(label.padEnd(9))} ${text}`.trimEnd() + "\n");
  const title = (demo, text) => write(`\n${paint.bold(paint.inverse(` ${demo} `))} ${paint.bold(oneLine(text))}\n`);
  const agent = (event) => where(event.agent, (name) => `${paint.cyan(oneLine(name))}: `);
  function heading(event) {
    if (event.turn === undefined || event.turn === turn || event.turn === 0) return;
    turn = event.turn;
    write(`${paint.dim("──")} ${paint.bold(`turn ${turn}`)} ${paint.dim("─".repeat(60))}\n`);
  }

  /** What a call is, what became of it and why, and what the model was told: a line each. */
  function call({ name, input, decision, steps = [], ok, result, expected, why, ...event }) {
    const reason = where(why, (text) => paint.dim(`  (${oneLine(text)})`));
    line("call", `${agent(event)}${paint.bold(oneLine(name))} ${paint.dim(oneLine(input))}${reason}`);

    const right = expected === undefined || (expected === "runs") === decision.allowed;
    const verdict = decision.allowed ? "allowed" : `refused: ${decision.code}`;
    const wrong = decision.allowed ? "  — it should not be" : "  — it is in scope";
    const id = where(decision.id, (text) => `  ${oneLine(text)}`);
    line("", `${(right ? paint.green : paint.red)(verdict)}${id}${right ? "" : paint.red(wrong)}`);

    const mark = { pass: "✓", refuse: "✗" };
    const asked = steps.filter((step) => step.outcome !== "skip");
    const rules = asked.map((step) => [oneLine(step.rule), oneLine(step.by ?? ""), mark[step.outcome]].filter(Boolean));
    if (rules.length > 0) line("", paint.dim(`rules  ${rules.map((rule) => rule.join(" ")).join(" · ")}`));
    line("", `${paint.dim("→")} ${ok ? oneLine(result) : paint.yellow(oneLine(result, 2 * widest))}`);
  }

  function delta(event) {
    if (!event.changed) return line("delta", paint.dim("unchanged"));
    const change = (key, sign, colouring) => event[key].map((name) => colouring(`${sign} ${oneLine(name)}`));
    const added = change("added", "+", paint.green);
    const changes = [...added, ...change("removed", "-", paint.red), ...change("redefined", "~", paint.yellow)];
    line("delta", `${changes.join("  ")}${event.reset ? paint.yellow("  (a new list)") : ""}`);
  }

  const shows = new Map([
    [
      "start",
      (event) => {
        turn = 0;
        title(event.demo, event.title);
        for (const list of lists) if (event.scope?.[list] !== undefined) line(list, listed(event.scope[list]));
      },
    ],
    [
      "scope",
      ({ report, turn }) => {
        for (const { selector, state } of lists.flatMap((list) => report[list])) {
          const colouring = state === "active" ? paint.green : paint.yellow;
          line(turn === 0 ? "at start" : "at end", `${oneLine(selector)} ${paint.dim("is")} ${colouring(state)}`);
        }
      },
    ],
    [
      "source",
      ({ source, state, tools, text }) => {
        const count = where(tools, (number) => paint.dim(` (${number} tools)`));
        line("source", `${paint.magenta(oneLine(source))} ${oneLine(text ?? state)}${count}`);
      },
    ],
    [
      "shown",
      ({ tools, added, ...event }) => {
        const name = (tool) => (added.includes(tool) ? paint.green : String)(oneLine(tool));
        const names = tools.length === 0 ? "nothing" : tools.slice(0, mostNames).map(name).join("  ");
        const more = tools.length > mostNames ? paint.dim(`  and ${tools.length - mostNames} more`) : "";
        line("shown", `${agent(event)}${names}${more}`);
      },
    ],
    ["said", (event) => line("model", `${agent(event)}${paint.italic(oneLine(event.text))}`)],
    ["call", call],
    ["delta", delta],
    ["note", (event) => line("note", oneLine(event.text))],
    [
      "check",
      ({ name, holds, detail }) => {
        const verdict = holds ? paint.green("holds ") : paint.red("broken");
        line(
          "check",
          `${verdict} ${oneLine(name)}${where(detail, (text) => paint.dim(`: ${oneLine(text, 2 * widest)}`))}`,
        );
      },
    ],
    ["summary", (event) => runs.push(event)],
    [
      "error",
      ({ code, message }) =>
        line("error", paint.red(`${where(code, (text) => `${text}: `)}${oneLine(message, 4 * widest)}`)),
    ],
  ]);

  return {
    event(event) {
      heading(event);
      const { event: kind, demo, run, ...rest } = event;
      const show = shows.get(kind) ?? (() => line(oneLine(kind), oneLine(rest, 2 * widest)));
      show(event);
    },
    end({ ok, demos }) {
      for (const demo of new Set(runs.map((run) => run.demo))) {
        title(demo, "summary");
        for (const text of table(
          runs.filter((run) => run.demo === demo),
          paint,
        ))
          write(`${text}\n`);
      }
      const verdict = paint.bold(ok ? paint.green("ok") : paint.red("failed"));
      const times = Object.entries(demos).map(([name, demo]) => `${name} ${(demo.ms / 1000).toFixed(1)} s`);
      write(`\n${verdict} ${paint.dim(times.join(" · "))}\n`);
    },
  };
}
