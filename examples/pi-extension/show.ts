/** What `/scope` says. */
import type { ScopeEntry, ToolSession } from "toolscope";

const line = (entry: ScopeEntry): string => {
  const by = entry.by === undefined ? "" : ` by ${entry.by}`;
  return `  ${entry.selector}: ${entry.state}${by}${entry.message === undefined ? "" : ` (${entry.message})`}`;
};

/** What the model sees, what it can reach besides, and how each selector ended. */
export function overview(session: ToolSession): string {
  const tools = session.tools();
  const shown = tools.filter(({ active }) => active);
  const reachable = tools.filter(
    ({ active, inScope, exposure }) => inScope && !active && (exposure === "code" || exposure === "deferred"),
  );
  const { allow, exclude, required } = session.report();
  const lists = [
    ["allow", allow],
    ["exclude", exclude],
    ["required", required],
  ] as const;
  return [
    `${shown.length} of ${tools.length} tools are shown to the model:`,
    ...shown.map(({ name, id }) => `  ${name} (${id})`),
    ...(reachable.length === 0
      ? []
      : ["from scripts or by search:", ...reachable.map(({ name, id }) => `  ${name} (${id})`)]),
    ...lists.flatMap(([title, entries]) => (entries.length === 0 ? [] : [`${title}:`, ...entries.map(line)])),
  ].join("\n");
}

/** Why one tool can be called, or cannot. */
export function explained(session: ToolSession, name: string): string {
  const { decision, steps } = session.explain(name);
  const head = decision.allowed
    ? `${name} is allowed (${decision.id})`
    : `${name} is refused: ${decision.code}. ${decision.reason}`;
  return [
    head,
    ...steps.map(({ rule, by, outcome }) => `  ${outcome.padEnd(6)} ${rule}${by === undefined ? "" : ` (${by})`}`),
  ].join("\n");
}
