// Loaded before the demo (`node --import`), to show that its checks see what they are there to see: each breaks one
// promise of the session, named by the environment variable SABOTAGE.
import { createRequire } from "node:module";

const { ToolSession } = createRequire(import.meta.url)("../index.js");
const { addSource, activeTools, call, endTurn, explain, perform } = ToolSession.prototype;
const declared = [];

/** `addSource` as it was, with every declaration noted and the handle replaced by what `change` makes of it. */
function watchSources(change = (source) => source) {
  ToolSession.prototype.addSource = function (spec) {
    const note = (tools) => declared.push(...tools.map((tool) => ({ kind: spec.kind, server: spec.name, tool })));
    note(spec.tools ?? []);
    const source = addSource.call(this, spec);
    const handle = {
      id: source.id,
      set: (tools) => (note(tools), source.set(tools)),
      fail: (reason) => source.fail(reason),
    };
    return change(handle, spec);
  };
}

const sabotages = {
  /** Every call runs, whatever was decided. */
  open_door() {
    watchSources();
    ToolSession.prototype.call = async function (request) {
      const result = await call.call(this, request);
      const bears = ({ kind, server, tool }) =>
        request.name === (kind === "mcp" ? `mcp__${server}__${tool.name}` : tool.name);
      const found = declared.findLast(bears);
      if (result.decision.allowed || found === undefined) return result;
      const decision = { ...result.decision, allowed: true };
      try {
        return { decision, ok: true, value: await found.tool.execute(request.input, {}) };
      } catch (error) {
        return { decision, ok: false, error: { code: "failed", message: error.message } };
      }
    };
  },
  /** Every call of a program runs, whatever was decided. */
  open_program() {
    watchSources();
    ToolSession.prototype.perform = async function (request, ...rest) {
      const result = await perform.call(this, request, ...rest);
      const found = declared.findLast(({ tool }) => tool.name === request.name.split("/").at(-1));
      if (result.decision.allowed || request.parentCallId === undefined || found === undefined) return result;
      return { decision: result.decision, ok: true, value: await found.tool.execute(request.input, {}) };
    };
  },
  /** The calls of a program run one after the other. */
  one_by_one() {
    let last = Promise.resolve();
    ToolSession.prototype.perform = function (request, ...rest) {
      const run = () => perform.call(this, request, ...rest);
      if (request.parentCallId === undefined) return run();
      return (last = last.then(run, run));
    };
  },
  /** What a server brings late does not arrive. */
  late_tools_lost() {
    watchSources((source, spec) => (spec.kind === "mcp" ? { ...source, set: () => {} } : source));
  },
  /** The newest tool comes first. */
  order_moves() {
    ToolSession.prototype.activeTools = function () {
      return [...activeTools.call(this)].reverse();
    };
  },
  /** Changes are not told. */
  silent_deltas() {
    ToolSession.prototype.endTurn = function () {
      return { ...endTurn.call(this), changed: false, added: [], removed: [] };
    };
  },
  /** A refusal names the tools that are out of scope. */
  indiscreet() {
    ToolSession.prototype.call = async function (request) {
      const result = await call.call(this, request);
      const { decision } = result;
      if (decision.allowed) return result;
      return { ...result, decision: { ...decision, reason: `${decision.reason}; there is also search_notes` } };
    };
  },
  /** An explanation that says the opposite. */
  wrong_explanation() {
    ToolSession.prototype.explain = function (name) {
      const explanation = explain.call(this, name);
      const turned = { pass: "refuse", refuse: "pass", skip: "skip" };
      return { ...explanation, steps: explanation.steps.map((step) => ({ ...step, outcome: turned[step.outcome] })) };
    };
  },
  /** Something of the session throws. */
  fault() {
    ToolSession.prototype.endTurn = () => {
      throw new Error("the turn cannot end");
    };
  },
};
sabotages[process.env.SABOTAGE]();
