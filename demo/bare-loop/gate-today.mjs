// What stands between a model and its tools in loops that people write today, in two forms. Neither is a straw man:
// each is what a filter in front of a tool list comes to once tools arrive after the start.

/** The name the model sees, as agents join it. */
const joinedName = (spec, tool) => (spec.kind === "mcp" ? `mcp__${spec.name}__${tool.name}` : tool.name);
const joinedId = (spec, tool) =>
  spec.kind === "builtin" ? `builtin:${tool.name}` : `${spec.kind}:${spec.name}/${tool.name}`;

const AsyncFunction = (async () => {}).constructor;
const program = {
  name: "execute",
  description: "Runs a JavaScript program that calls tools: `await tools.<name>(input)`.",
  input_schema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
};

/** What both forms share: a live table of tools, and `admitted()`, the ones that the form lets through now. */
class Gate {
  scoped = false;
  #registered = new Map();

  addSource(spec) {
    const source = {
      set: (tools) => {
        for (const tool of tools) this.#registered.set(joinedName(spec, tool), { id: joinedId(spec, tool), tool });
      },
      // Its tools stay in the list, and calls to them fail.
      fail: () => {},
    };
    if (spec.tools !== undefined) source.set(spec.tools);
    return source;
  }

  registered() {
    return this.#registered;
  }

  definitions() {
    const admitted = [...this.admitted()].map(([name, { tool }]) => ({
      name,
      description: tool.description ?? "",
      input_schema: tool.inputSchema,
    }));
    return [program, ...admitted];
  }

  /** A program is a plain function over the tools that the form lets through. */
  async #run(code, signal) {
    const nested = [];
    const decision = { allowed: true, name: program.name };
    const tools = Object.create(null);
    for (const [name, { id, tool }] of this.admitted()) {
      tools[name] = async (input) => {
        const call = { name, input, decision: { allowed: true, id, name }, ok: false };
        nested.push(call);
        const value = await tool.execute(input, { signal });
        call.ok = true;
        return value;
      };
    }
    try {
      return { decision, ok: true, value: { value: await new AsyncFunction("tools", code)(tools) }, nested };
    } catch (error) {
      return { decision, ok: false, value: error.message, nested };
    }
  }

  async call({ name, input }, signal) {
    if (name === program.name) return this.#run(input.code, signal);
    const entry = this.admitted().get(name);
    if (entry === undefined) {
      const decision = { allowed: false, code: "unknown", name, reason: `unknown tool ${name}` };
      return { decision, ok: false, value: decision.reason };
    }
    const decision = { allowed: true, id: entry.id, name };
    try {
      return { decision, ok: true, value: await entry.tool.execute(input, { signal }) };
    } catch (error) {
      return { decision, ok: false, value: error.message };
    }
  }

  endTurn() {}
  dispose() {}
}

/** The allowlist is resolved when the session starts: what registers later is not in it, selected or not. */
export class FrozenGate extends Gate {
  title = "a frozen allowlist";
  #scope;
  #snapshot = new Map();

  constructor(scope) {
    super();
    this.#scope = scope;
  }
  start() {
    const { allow, exclude } = this.#scope;
    this.#snapshot = new Map(
      [...this.registered()].filter(([name, { id }]) => allow.includes(id) && !exclude.includes(name)),
    );
  }
  admitted() {
    return this.#snapshot;
  }
}

/** No allowlist, so that nothing late is lost; `exclude` is compared with the names that the model sees. */
export class OpenGate extends Gate {
  title = "an open list";
  #scope;

  constructor(scope) {
    super();
    this.#scope = scope;
  }
  start() {}
  admitted() {
    return new Map([...this.registered()].filter(([name]) => !this.#scope.exclude.includes(name)));
  }
}
