// What must hold in a session of the demo. The evidence comes from outside of the gate: what the model received on the
// wire, and which tools say that they were run. Only what concerns reasons and deltas reads the gate's own answers.
import { overlap } from "../run-record.mjs";
import { isServerUp, lateTools, namesInScope, programCalls, programInTurn, scope, script } from "./script.mjs";

const namesOf = (request) => request.tools.map((tool) => tool.name);
const unique = (values) => [...new Set(values)];
const outOfScope = unique(script.flatMap((entry) => entry.calls ?? []).map((call) => call.name)).filter(
  (name) => !namesInScope.includes(name),
);
const inScope = (id) => scope.allow.includes(id);

const shownOutOfScope = ({ requests }) =>
  unique(requests.flatMap(namesOf).filter((name) => !namesInScope.includes(name)));
const ranOutOfScope = ({ runs }) => unique(runs.map(({ id }) => id).filter((id) => !inScope(id)));
const runsOfProgram = ({ runs }) => runs.filter(({ turn }) => turn === programInTurn);
const reachedByProgram = (evidence) => ranOutOfScope({ runs: runsOfProgram(evidence) });
const ranTogether = (evidence) => overlap(runsOfProgram(evidence), programCalls);
/** Late tools that a request lacks although their server was there. */
const lateNotShown = ({ requests }) =>
  unique(
    requests.flatMap((request, index) =>
      isServerUp(index + 1) ? lateTools.filter((name) => !namesOf(request).includes(name)) : [],
    ),
  );
/** Calls that must run and did not, or gave something else than they must. */
const lostCalls = ({ calls, runs }) =>
  calls
    .filter((call) => call.expected === "runs")
    .filter((call) => {
      const needed = call.nested ? programCalls : [call.decision.id];
      const ran = needed.every((id) => runs.some((run) => run.id === id && run.turn === call.turn));
      return !(call.ok && ran && call.result.includes(call.answer ?? ""));
    })
    .map((call) => call.name);
const requestsWithSecret = ({ requests, secret }) =>
  requests.filter((request) => JSON.stringify(request).includes(secret)).length;

/** Tools that were not shown in the order in which they were first shown, or with other bytes than then. */
function moved({ requests }) {
  const places = new Map();
  const found = [];
  for (const { tools } of requests) {
    let last = -1;
    for (const tool of tools) {
      const bytes = JSON.stringify(tool);
      if (!places.has(tool.name)) places.set(tool.name, { place: places.size, bytes });
      const first = places.get(tool.name);
      if (first.place < last || first.bytes !== bytes) found.push(tool.name);
      last = first.place;
    }
  }
  return unique(found);
}

const outcome = (call) => (call.decision.allowed ? "runs" : call.decision.code);
const wrongOutcomes = ({ calls }) =>
  calls
    .filter((call) => outcome(call) !== call.expected)
    .map((call) => `${call.name}: ${outcome(call)}, not ${call.expected}`);
const missingSuggestions = ({ calls }) =>
  calls.filter((call) => call.suggests && !call.result.includes(call.suggests)).map((call) => call.name);

/** Refusals that tell the model of a tool out of scope which it did not name itself. */
const tellTales = ({ calls }) =>
  calls
    .filter(
      (call) =>
        !call.decision.allowed && outOfScope.some((name) => !call.name.includes(name) && call.result.includes(name)),
    )
    .map((call) => call.name);

/** Calls whose explanation ends otherwise than the decision. Today's gates explain nothing. */
const misexplained = ({ calls }) =>
  calls
    .filter(
      (call) => call.steps !== undefined && call.steps.at(-1)?.outcome !== (call.decision.allowed ? "pass" : "refuse"),
    )
    .map((call) => call.name);

/** What a delta says against what the model was shown before and after it. */
function falseDeltas({ deltas, requests }) {
  return deltas.flatMap((delta, index) => {
    const before = namesOf(requests[index]);
    const after = namesOf(requests[index + 1]);
    const told = delta.reset ? delta.active : [...before, ...delta.added];
    const same = told.join() === after.join() && delta.active.join() === after.join();
    return same && delta.changed === (before.join() !== after.join()) ? [] : [`turn ${index + 1}`];
  });
}

const none = (name, found) => ({
  name,
  holds: found.length === 0,
  ...(found.length > 0 && { detail: found.join(", ") }),
});

/** Every check, in the order of printing. Today's gates have neither explanations nor deltas, so no check of them. */
export function check(evidence) {
  const leaks = requestsWithSecret(evidence);
  return [
    none("shown_in_scope", shownOutOfScope(evidence)),
    none("run_in_scope", ranOutOfScope(evidence)),
    none("program_runs_together", ranTogether(evidence) ? [] : [`not at one moment: ${programCalls.join(", ")}`]),
    none("program_held", reachedByProgram(evidence)),
    none("late_tools_shown", lateNotShown(evidence)),
    none("calls_in_scope_run", lostCalls(evidence)),
    none("secret_kept", leaks > 0 ? [`the model received the secret in ${leaks} requests`] : []),
    none("order_kept", moved(evidence)),
    none("decisions_right", wrongOutcomes(evidence)),
    none("typo_suggests", missingSuggestions(evidence)),
    none("reasons_discreet", tellTales(evidence)),
    ...(evidence.deltas.length > 0
      ? [none("explanations_agree", misexplained(evidence)), none("deltas_true", falseDeltas(evidence))]
      : []),
    none(
      "script_finished",
      evidence.requests.length === script.length ? [] : [`${evidence.requests.length} requests of ${script.length}`],
    ),
  ];
}

/** The rows of the summary. */
export function facts(evidence) {
  const shown = evidence.requests.at(-1)?.tools ?? [];
  const refusals = evidence.calls.filter((call) => call.expected !== "runs");
  return {
    "tools shown in the last turn": shown.length,
    "their bytes": Buffer.byteLength(JSON.stringify(shown)),
    "late tools in scope, lost": lateNotShown(evidence).length,
    "tools out of scope, shown": shownOutOfScope(evidence).length,
    "tools out of scope, run": ranOutOfScope(evidence).length,
    "calls of the program run together": ranTogether(evidence) ? programCalls.length : 0,
    "tools out of scope, reached by it": reachedByProgram(evidence).length,
    "secret of get-env": requestsWithSecret(evidence) > 0 ? "leaked" : "kept",
    "refused for the right reason": `${refusals.filter((call) => outcome(call) === call.expected).length} of ${refusals.length}`,
  };
}
