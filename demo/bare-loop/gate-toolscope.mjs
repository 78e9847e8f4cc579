// toolscope between a model and its tools: all that a plain loop needs of it.
import { ToolSession } from "../../index.mjs";

export class ToolscopeGate {
  title = "toolscope";
  scoped = true;
  #session;
  /** Source id → raw name → declaration: for the schemas of what the model is shown. */
  #declarations = new Map();

  constructor(scope) {
    this.#session = new ToolSession({ scope });
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
    const known = new Map(this.#session.tools().map((tool) => [tool.name, tool]));
    return this.#session.activeTools().map((name) => {
      const { id, source } = known.get(name);
      const tool = this.#declarations.get(source).get(id.slice(source.length + 1));
      return { name, description: tool.description ?? "", input_schema: tool.inputSchema };
    });
  }

  /** The one door: it decides, and runs the tool where it may. */
  async call({ id, name, input }, signal) {
    const { steps } = this.#session.explain(name);
    const { decision, ok, value, error } = await this.#session.call({ name, input, callId: id }, { signal });
    if (!decision.allowed) return { decision, steps, ok: false, value: decision.reason };
    return { decision, steps, ok, value: ok ? value : error.message };
  }

  endTurn() {
    return this.#session.endTurn();
  }

  dispose() {
    this.#session.dispose();
  }
}
