import type { ScopeSpec, SourceView } from "../index.js";
import { isThenable } from "./listener.js";
import { boolean, callable, messageOf, options, strings } from "./options.js";

export type Narrow = NonNullable<ScopeSpec["narrow"]>;

const scopeChecks = {
  allow: strings,
  exclude: strings,
  required: strings,
  narrow: callable,
  sealed: boolean,
  requireGuards: strings,
} as const;

/** A scope as it crosses, and the predicate that stays here. */
export function readScope(given: ScopeSpec): { text: object; narrow: Narrow | undefined } {
  const { narrow, ...rest } = options<ScopeSpec>("the scope", given, scopeChecks);
  const wellFormed = (texts: readonly string[] | undefined): string[] | undefined => texts?.map((text) => text.toWellFormed());
  return {
    text: {
      ...rest,
      allow: wellFormed(rest.allow),
      exclude: wellFormed(rest.exclude),
      required: wellFormed(rest.required),
      requireGuards: wellFormed(rest.requireGuards),
      narrow: narrow !== undefined,
    },
    narrow,
  };
}

/** A predicate's word on one source; whatever is not plainly an answer is a problem. */
export function askPredicate(narrow: Narrow, view: SourceView): { whole?: boolean; names?: string[]; problem?: string } {
  try {
    const said: unknown = narrow(view);
    if (typeof said === "boolean") return { whole: said };
    // Copied before it is looked at: a list of somebody else's could say another thing the second time.
    const names: unknown = Array.isArray(said) ? [...said] : undefined;
    if (strings.is(names)) return { names: names as string[] };
    if (isThenable(said)) {
      // Nobody waits for it, so nobody else would take note of its rejection.
      said.then(undefined, () => {});
      return { problem: "it returned a promise; make it synchronous" };
    }
    return { problem: "it returned neither true, false nor a list of raw names" };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
