// What must hold in a session of the demo. The evidence comes from outside of the gate: what the model received on the
// wire, and which tools say that they were run. Only what concerns reasons and deltas reads the gate's own answers.
import { connectsInTurn, expectationOf, lateTools, namesInScope, namesToRefuse, scope, script } from "./script.mjs";

const namesOf = (request) => request.tools.map((tool) => tool.name);
const unique = (values) => [...new Set(values)];
const inScope = (id) => scope.allow.includes(id);

const shownOutOfScope = ({ requests }) => unique(requests.flatMap(namesOf).filter((name) => !namesInScope.includes(name)));
const ranOutOfScope = ({ ran }) => unique(ran.filter((id) => !inScope(id)));
/** Requests after the server had connected that lack one of its tools in scope. */
const lateNotShown = ({ requests }) =>
  unique(requests.slice(connectsInTurn).flatMap((request) => lateTools.filter((name) => !namesOf(request).includes(name))));
/** Calls that must run and did not, or failed. */
const lostCalls = ({ calls, ran }) =>
  calls.filter((call) => expectationOf(call).expect === "runs" && !(call.ok && ran.includes(call.decision.id))).map((call) => call.name);
const requestsWithSecret = ({ requests, secret }) => requests.filter((request) => JSON.stringify(request).includes(secret)).length;

/** The first turn whose tools do not begin with the ones of the turn before, byte for byte; 0 where there is none. */
function firstMove({ requests }) {
  for (let index = 1; index < requests.length; index++) {
    const before = requests[index - 1].tools.map((tool) => JSON.stringify(tool));
    const now = requests[index].tools.map((tool) => JSON.stringify(tool));
    if (before.some((tool, place) => tool !== now[place])) return index + 1;
  }
  return 0;
}

const wrongRefusals = ({ calls }) =>
  calls
    .filter((call) => expectationOf(call).expect !== (call.decision.allowed ? "runs" : call.decision.code))
    .map((call) => `${call.name}: ${call.decision.allowed ? "allowed" : call.decision.code}, not ${expectationOf(call).expect}`);

const missingSuggestions = ({ calls }) =>
  calls.filter((call) => expectationOf(call).suggests && !call.result.includes(expectationOf(call).suggests)).map((call) => call.name);

/** Refusals that tell the model of a tool out of scope which it did not name itself. */
const tellTales = ({ calls }) =>
  calls
    .filter((call) => !call.decision.allowed && namesToRefuse.some((name) => !call.name.includes(name) && call.result.includes(name)))
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

const none = (name, found) => ({ name, holds: found.length === 0, ...(found.length > 0 && { detail: found.join(", ") }) });

/** Every check, in the order of printing. A session without deltas (today's gates have none) has no check of them. */
export function check(evidence) {
  const move = firstMove(evidence);
  const leaks = requestsWithSecret(evidence);
  return [
    none("shown_in_scope", shownOutOfScope(evidence)),
    none("run_in_scope", ranOutOfScope(evidence)),
    none("late_tools_shown", lateNotShown(evidence)),
    none("calls_in_scope_run", lostCalls(evidence)),
    none("secret_kept", leaks > 0 ? [`the model received the secret in ${leaks} requests`] : []),
    none("order_kept", move > 0 ? [`turn ${move} does not begin with the tools of the turn before`] : []),
    none("refusals_right", wrongRefusals(evidence)),
    none("typo_suggests", missingSuggestions(evidence)),
    none("reasons_discreet", tellTales(evidence)),
    ...(evidence.deltas.length > 0 ? [none("deltas_true", falseDeltas(evidence))] : []),
    none("script_finished", evidence.requests.length === script.length ? [] : [`${evidence.requests.length} requests of ${script.length}`]),
  ];
}

/** The rows of the summary. */
export function facts(evidence) {
  const shown = evidence.requests.at(-1)?.tools ?? [];
  const right = evidence.calls.filter((call) => !call.decision.allowed && call.decision.code === expectationOf(call).expect);
  return {
    "tools shown in the last turn": shown.length,
    "their bytes": Buffer.byteLength(JSON.stringify(shown)),
    "late tools in scope, lost": lateNotShown(evidence).length,
    "tools out of scope, shown": shownOutOfScope(evidence).length,
    "tools out of scope, run": ranOutOfScope(evidence).length,
    "secret of get-env": requestsWithSecret(evidence) > 0 ? "leaked" : "kept",
    "refusals with the right reason": `${right.length} of ${namesToRefuse.length}`,
  };
}
