// toolscope between a model and its tools: all that a plain loop needs of it.
import { ToolSession } from "../../index.mjs";

export class ToolscopeGate {
  title = "toolscope";
  scoped = true;
  #session;
  /** The tool by which the model runs programs. */
  #program;
  /** Source id → raw name → declaration: for the schemas of what the model is shown. */
  #declarations = new Map();

  constructor(scope) {
    this.#session = new ToolSession({ scope });
    // With no catalog in it, its definition never changes: what can be called is declared beside it.
    this.#program = this.#session.codeMode({ budget: 0 });
  }

  addSource(spec) {
    const source = this.#session.addSource(spec);
    const keep = (tools) => this.#declarations.set(source.id, new Map(tools.map((tool) => [tool.name, tool])));
    keep(spec.tools ?? []);
    return {
      set: (tools) => {
        keep(tools);
        source.set(tools);
      },
      fail: (reason) => source.fail(reason),
    };
  }

  start() {
    return this.#session.start();
  }

  /** The state of each selector. */
  report() {
    return this.#session.report();
  }

  /** What the model is shown now, in order. */
  definitions() {
    // A name that several sources bear is its owner's.
    const owners = this.#session.tools().filter(({ shadowedBy }) => shadowedBy === undefined);
    const known = new Map(owners.map((tool) => [tool.name, tool]));
    return this.#session.activeTools().map((name) => {
      const { id, source } = known.get(name);
      if (id === this.#program.id) {
        return { name, description: this.#program.description, input_schema: this.#program.inputSchema };
      }
      const tool = this.#declarations.get(source).get(id.slice(source.length + 1));
      return { name, description: tool.description ?? "", input_schema: tool.inputSchema };
    });
  }

  /** The one door: it decides, and runs the tool where it may. `nested` are the calls of a program, decided likewise. */
  async call({ id, name, input }, signal) {
    const { steps } = this.#session.explain(name);
    const nested = [];
    const forget = this.#session.on("decision", ({ call, decision }) => {
      if (call.parentCallId !== id) return;
      const { steps } = this.#session.explain(decision.id ?? call.name);
      nested.push({ name: decision.name, input: call.input, decision, steps, ok: decision.allowed });
    });
    const { decision, ok, value, error } = await this.#session.call({ name, input, callId: id }, { signal });
    forget();
    if (!decision.allowed) return { decision, steps, ok: false, value: decision.reason };
    return { decision, steps, ok, value: ok ? value : error.message, nested };
  }

  endTurn() {
    return this.#session.endTurn();
  }

  dispose() {
    this.#session.dispose();
  }
}
