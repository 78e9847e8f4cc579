// The sources of the demo and when they come and go: what a host lives with while its loop runs.
import { connectEverything } from "./everything.mjs";
import { connectsInTurn, extensionComesInTurn, serverDiesInTurn, serverReturnsInTurn } from "./script.mjs";
import { builtinTools, notesTools } from "./sources.mjs";

export class Surroundings {
  #gate;
  #record;
  #secret;
  #emit;
  #workspace;
  #signal;
  #source;
  #server;

  constructor({ gate, record, secret, emit, workspace, signal }) {
    this.#gate = gate;
    this.#record = record;
    this.#secret = secret;
    this.#emit = emit;
    this.#workspace = workspace;
    this.#signal = signal;
  }

  /** The built-in tools are there; of the server only the place is known. */
  beforeStart() {
    const run = (rawName, tool) => this.#record.run(`builtin:${rawName}`, tool);
    this.#gate.addSource({ kind: "builtin", name: "demo", tools: builtinTools(this.#workspace, run) });
    this.#source = this.#gate.addSource({ kind: "mcp", name: "everything" });
  }

  /** What happens while the tools of a turn run. */
  async during(turn) {
    if (turn === connectsInTurn) await this.#connect(turn, "has connected");
    if (turn === extensionComesInTurn) this.#register(turn);
    if (turn === serverDiesInTurn) await this.#server.kill();
    if (turn === serverReturnsInTurn) await this.#connect(turn, "is back");
  }

  async end() {
    await this.#server?.close();
  }

  async #connect(turn, text) {
    const tell = (rest) => this.#emit({ event: "source", turn, source: "mcp:everything", ...rest });
    let known = -1;
    this.#server = await connectEverything({
      secret: this.#secret,
      run: (rawName, request) => this.#record.run(`mcp:everything/${rawName}`, request),
      signal: this.#signal,
      onTools: (tools) => {
        this.#source.set(tools);
        // The server tells of a changed list right after its start, mostly of the same one.
        if (tools.length !== known) tell({ state: "ready", tools: tools.length, text });
        known = tools.length;
      },
      onGone: (reason) => {
        this.#source.fail(reason);
        this.#emit({
          event: "source",
          turn: serverDiesInTurn,
          source: "mcp:everything",
          state: "failed",
          text: `is down: ${reason}`,
        });
      },
    });
  }

  #register(turn) {
    const tools = notesTools((rawName, tool) => this.#record.run(`ext:notes/${rawName}`, tool));
    this.#gate.addSource({ kind: "ext", name: "notes", tools });
    this.#emit({
      event: "source",
      turn,
      source: "ext:notes",
      state: "ready",
      tools: tools.length,
      text: "has registered; nobody selected it",
    });
  }
}
