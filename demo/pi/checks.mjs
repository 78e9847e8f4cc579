// What must hold in a session of the demo on pi. The evidence is what the model was sent, what the tools say of their
// runs, and what pi told its listeners.
import { overlap } from "../run-record.mjs";
import { firstAfterReload, namesInScope, programCalls, programInTurn, registrations, turns } from "./story.mjs";

const unique = (values) => [...new Set(values)];
const outside = (names) => unique(names.filter((name) => !namesInScope.includes(name)));
const foreign = registrations.map(({ name }) => name).filter((name) => !namesInScope.includes(name));
const late = registrations.map(({ name }) => name).filter((name) => namesInScope.includes(name));

const shownOutside = ({ requests }) => outside(requests.flatMap(({ tools }) => tools.map(({ name }) => name)));
const ranOutside = ({ ran }) => outside(ran);
const runsOfProgram = ({ runs }) => runs.filter(({ turn }) => turn === programInTurn);
const reachedByProgram = (evidence) => outside(runsOfProgram(evidence).map(({ id }) => id));
/** What the program was refused, by the host's word. */
const refusedToProgram = ({ nested }) =>
  nested.filter(({ turn, decision }) => turn === programInTurn && decision.code === "out_of_scope");
const ranTogether = (evidence) => overlap(runsOfProgram(evidence), programCalls);
const lateLost = ({ ran }) => late.filter((name) => !ran.includes(name));
/** Names out of scope in what code mode says of its tools: its declaration, its list and its search. */
const listedOutside = ({ requests, scripts }) => {
  const declared = requests.flatMap(({ tools }) =>
    tools.filter(({ name }) => name === "codemode").map(({ description }) => description),
  );
  // The program names one itself.
  const listings = scripts.filter(({ turn }) => turn !== programInTurn).map(({ text }) => text);
  return foreign.filter((name) => [...declared, ...listings].some((text) => new RegExp(`\\b${name}\\b`).test(text)));
};
const leaks = ({ requests, secret }) => requests.filter(({ text }) => text.includes(secret)).length;
const outcome = ({ ok, decision }) => (ok ? "runs" : decision?.code);
const lostCalls = ({ calls }) => calls.filter((call) => call.expected === "runs" && !call.ok).map(({ name }) => name);
const unexplained = ({ calls }) =>
  calls
    .filter((call) => !["runs", "fails", undefined].includes(call.expected) && outcome(call) !== call.expected)
    .map((call) => `${call.name}: ${outcome(call) ?? "no decision"}, not ${call.expected}`);
const afterReload = ({ requests }) => outside((requests[firstAfterReload - 1]?.tools ?? []).map(({ name }) => name));

const none = (name, found) => ({
  name,
  holds: found.length === 0,
  ...(found.length > 0 && { detail: found.join(", ") }),
});

export function check(evidence, scoped) {
  return [
    none("shown_in_scope", shownOutside(evidence)),
    none("listed_in_scope", listedOutside(evidence)),
    none("run_in_scope", ranOutside(evidence)),
    none("program_runs_together", ranTogether(evidence) ? [] : [`not at one moment: ${programCalls.join(", ")}`]),
    none("program_held", reachedByProgram(evidence)),
    none("late_tools_run", lateLost(evidence)),
    none("calls_in_scope_run", lostCalls(evidence)),
    none("secret_kept", leaks(evidence) > 0 ? [`the model received the secret in ${leaks(evidence)} requests`] : []),
    none("reload_keeps_scope", afterReload(evidence)),
    ...(scoped
      ? [
          none("program_refused", refusedToProgram(evidence).length === 1 ? [] : ["the third call was not decided on"]),
          none("decisions_right", unexplained(evidence)),
          none("active_set_left_alone", evidence.rewrites),
        ]
      : []),
    none(
      "script_finished",
      evidence.requests.length === turns.length ? [] : [`${evidence.requests.length} requests of ${turns.length}`],
    ),
  ];
}

/** The rows of the summary. */
export const facts = (evidence) => ({
  "tools shown in the last turn": evidence.requests.at(-1)?.tools.length ?? 0,
  "late tools in scope, lost": lateLost(evidence).length,
  "tools out of scope, shown": shownOutside(evidence).length,
  "tools out of scope, listed to scripts": listedOutside(evidence).length,
  "tools out of scope, run": ranOutside(evidence).length,
  "calls of the program run together": ranTogether(evidence) ? programCalls.length : 0,
  "tools out of scope, reached by it": reachedByProgram(evidence).length,
  "shown out of scope after reload": afterReload(evidence).length,
  "secret of get-env": leaks(evidence) > 0 ? "leaked" : "kept",
});
