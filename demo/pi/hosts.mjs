// What holds a pi session to its tools: toolscope, or what hosts of pi write today in two forms.
import { attachToPi } from "../../dist/adapters/pi.js";

/** All that a host of pi needs of toolscope. */
export class ToolscopeHost {
  title = "toolscope";
  scoped = true;

  constructor(scope) {
    this.scope = scope;
  }
  hold(session, { emit, turn, decided }) {
    const attachment = attachToPi(session, this.scope);
    this.session = attachment.session;
    this.session.on("decision", ({ call, decision }) => {
      // `explain` is about direct calls.
      decided(
        call,
        decision,
        decision.via === "direct" ? this.session.explain(decision.id ?? call.name).steps : undefined,
      );
    });
    this.session.on("turn_end", ({ delta }) => {
      const { active, ...change } = delta;
      emit({ event: "delta", turn: turn(), ...change });
    });
  }
  report() {
    return this.session.report();
  }
}

/** pi's own allowlist, of the names that are known when the session is made. */
export class FrozenHost {
  title = "a frozen allowlist";
  scoped = false;
  // `ext:tickets` has no tool yet, so there is none to name.
  tools = ["read", "codemode", "mcp__everything__echo", "mcp__everything__get_sum"];

  hold() {}
}

/** The active set, narrowed after every turn to what the selected extensions own. */
export class NarrowingHost {
  title = "the active set, narrowed after each turn";
  scoped = false;

  hold(session) {
    const selected = new Set(["builtin:read", "<inline:tickets>", "<inline:mcp>", "builtin:codemode"]);
    const narrow = () =>
      session.setActiveToolsByName(
        session
          .getAllTools()
          .filter(({ sourceInfo }) => selected.has(sourceInfo.path))
          .map(({ name }) => name),
      );
    narrow();
    session.subscribe(({ type }) => {
      if (type === "turn_end") narrow();
    });
  }
}
