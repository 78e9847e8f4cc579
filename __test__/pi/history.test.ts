// Random histories of a real pi session under a scope that changes: at no step is anything out of scope shown, listed, found or run,
// and pi's active set is not touched on a turn without change. What is in scope is told by a model of a few lines: the
// owner of a name is the first extension that registered it, and the scope is a set of extensions.
import { expect, test } from "vitest";

import { attachToPi } from "../../dist/adapters/pi.js";
import { type Answer, type ExtensionApi, type PiEnvironment, builtIn, createPi, inline, tool } from "./session.mts";

const STEPS = 200;
const extensions = ["alpha", "beta", "gamma"] as const;
const exposures = ["direct", "direct", "deferred", "codemode", "model-only", "hidden"] as const;
type Name = (typeof extensions)[number];

/** Numbers in [0, 1) from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class History {
  readonly next: () => number;
  readonly apis = new Map<Name, ExtensionApi>();
  /** What each extension registered since the last load, with its exposure. */
  readonly registered = new Map<Name, Map<string, string>>();
  readonly ran: string[] = [];
  allowed = new Set<Name>(["alpha"]);
  late: (() => void) | undefined;
  environment!: PiEnvironment;
  counted = 0;

  constructor(readonly seed: number) {
    this.next = random(seed);
  }
  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)] as T;
  }
  chance(share: number): boolean {
    return this.next() < share;
  }

  register(
    name: Name,
    tool_ = this.pick([`${name}_1`, `${name}_2`, `${name}_3`, `${name}_4`, "shared_1", "shared_2"]),
  ): void {
    const exposure = this.pick(exposures);
    this.registered.get(name)?.set(tool_, exposure);
    this.apis.get(name)?.registerTool(
      tool(tool_, [], {
        exposure,
        ...(this.chance(0.2) && { defaultActive: false }),
        execute: async () => {
          this.ran.push(`${name}/${tool_}`);
          if (!this.inScope(tool_)) throw new Error(`${tool_} of ${name} ran out of scope`);
          return { content: [{ type: "text", text: "ran" }], details: {} };
        },
      }) as never,
    );
  }

  owner(tool_: string): Name | undefined {
    return extensions.find((name) => this.registered.get(name)?.has(tool_));
  }
  inScope(tool_: string): boolean {
    if (["codemode", "tool_search", "via", "read"].includes(tool_)) return true;
    const owner = this.owner(tool_);
    return owner !== undefined && this.allowed.has(owner);
  }
  known(): string[] {
    return [...new Set([...this.registered.values()].flatMap((tools) => [...tools.keys()]))];
  }
  /** Names in a text that are out of scope. */
  leaks(text: string): string[] {
    return this.known().filter((name) => !this.inScope(name) && new RegExp(`\\b${name}\\b`).test(text));
  }
}

async function start(seed: number): Promise<History & { scope: ReturnType<typeof attachToPi>["session"] }> {
  const history = new History(seed);
  const environment = await createPi({
    extensions: [
      ...extensions.map((name) =>
        inline(name, (pi) => {
          history.apis.set(name, pi);
          history.registered.set(name, new Map());
          history.register(name);
          history.register(name);
          pi.on("session_start", async () => history.register(name));
          pi.on("before_agent_start", async () => {
            if (history.chance(0.3)) history.register(name);
          });
        }),
      ),
      inline("helper", (pi) =>
        pi.registerTool(
          tool("via", [], {
            execute: async (
              _id: string,
              { q }: { q: string },
              _signal: unknown,
              _update: unknown,
              ctx: { executeTool: (name: string, input: unknown) => Promise<{ isError: boolean }> },
            ) => {
              await ctx.executeTool(q, {});
              return { content: [], details: {} };
            },
          }),
        ),
      ),
      builtIn.codemode,
      builtIn.toolSearch,
    ],
    paths: ["builtin:codemode", "builtin:tool-search"],
  });
  await environment.bind();
  history.environment = environment;
  const { session: scope } = attachToPi(environment.session, scopeOf(history));
  const { session } = environment;
  session.setActiveToolsByName([...session.getActiveToolNames(), "codemode", "tool_search"]);
  const set = session.setActiveToolsByName.bind(session);
  session.setActiveToolsByName = (names) => {
    history.counted++;
    set(names);
  };
  return Object.assign(history, { scope });
}

const scopeOf = ({ allowed }: History) => ({
  allow: [
    ...[...allowed].map((name) => `ext:${name}`),
    "ext:helper",
    "ext:codemode",
    "ext:tool-search",
    "builtin:read",
  ],
});

/** One prompt of a few turns; what the model sees and gets back is checked at each. */
async function prompt(history: Awaited<ReturnType<typeof start>>): Promise<void> {
  const { environment } = history;
  const { session, shown, descriptions, calls } = environment;
  const turns = 1 + Math.floor(history.next() * 3);
  const before = calls.length;
  const answer = (turn: number) => (): Answer => {
    const names = shown.at(-1) as string[];
    expect(
      names.filter((name) => !history.inScope(name)),
      "shown",
    ).toEqual([]);
    expect(history.leaks(descriptions.at(-1)?.get("codemode") ?? ""), "listed").toEqual([]);
    if (history.chance(0.2)) history.register(history.pick(extensions));
    // Between what the model was shown and what it calls, too.
    if (history.chance(0.3)) change(history);
    if (turn === turns) return "done";
    const any = (): string =>
      history.pick(history.chance(0.5) && names.length > 0 ? names : [...history.known(), "nothing"]);
    return Array.from({ length: 1 + Math.floor(history.next() * 3) }, () =>
      history.chance(0.2)
        ? {
            name: "tool_search",
            args: { query: history.pick(["alpha", "beta gamma", "shared does", any()]), limit: 20 },
          }
        : history.chance(0.4)
          ? { name: "via", args: { q: any() } }
          : history.chance(0.1)
            ? {
                name: "codemode",
                args: {
                  code: `const all = ALL_TOOLS.map((t) => t.name); const found = (await searchTools("does", { limit: 50 })).map((t) => t.name); let end = ""; try { await tools["${any()}"]({}) } catch (error) { end = "failed" } return { all, found, end }`,
                },
              }
            : any(),
    );
  };
  environment.script(...Array.from({ length: turns + 1 }, (_, turn) => answer(turn)));
  // Scopes change between the answer and the calls; what a call said is checked when it ends.
  const off = session.subscribe((event) => {
    if (event.type !== "tool_execution_end" || event.isError) return;
    const text = (event.result.content as { text?: string }[]).map(({ text = "" }) => text).join("");
    if (event.toolName === "tool_search")
      expect(history.leaks(text.replace(/^No matching.*/, "")), "found").toEqual([]);
    if (event.toolName === "codemode")
      expect(history.leaks(text.replace(/Not available to this script:[^]*/, "")), "listed to a script").toEqual([]);
  });
  await session.prompt("go");
  off();
  expect(session.messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
  expect(
    calls.slice(before).filter(({ text }) => /ran out of scope/.test(text)),
    "run",
  ).toEqual([]);
}

function change(history: Awaited<ReturnType<typeof start>>): void {
  history.allowed = new Set(extensions.filter(() => history.chance(0.5)));
  history.scope.setScope(scopeOf(history));
}

/** A prompt in which nothing changes: pi's active set is left alone. */
async function quiet(history: Awaited<ReturnType<typeof start>>): Promise<void> {
  const { environment } = history;
  const next = history.next;
  Object.assign(history, { next: () => 0.99 });
  environment.script(["read"], ["read"], "done");
  await environment.session.prompt("settle");
  const before = history.counted;
  environment.script(["read"], ["via"], ["read"], "done");
  await environment.session.prompt("quiet");
  expect(history.counted - before, "setActiveToolsByName on turns without change").toBe(0);
  Object.assign(history, { next });
}

const { TOOLSCOPE_TEST_SEED, TOOLSCOPE_TEST_PI } = process.env;
const seeds =
  TOOLSCOPE_TEST_SEED !== undefined
    ? [Number(TOOLSCOPE_TEST_SEED)]
    : TOOLSCOPE_TEST_PI !== undefined
      ? [1]
      : [1, Date.now() % 1_000_000];
test.each(seeds)(`${STEPS} random steps, seed %i`, { timeout: 120_000 }, async (seed) => {
  const history = await start(seed);
  const { session } = history.environment;
  const done = new Map<string, number>();
  const steps: Record<string, () => unknown> = {
    register: () => history.register(history.pick(extensions)),
    change: () => change(history),
    deactivate: () =>
      session.setActiveToolsByName(
        session
          .getActiveToolNames()
          .filter((name) => ["codemode", "tool_search", "via", "read"].includes(name) || history.chance(0.6)),
      ),
    activate: () =>
      session.setActiveToolsByName([
        ...session.getActiveToolNames(),
        ...history.known().filter(() => history.chance(0.3)),
      ]),
    reload: () => session.reload(),
    prompt: () => prompt(history),
    quiet: () => quiet(history),
  };
  const weighted = [
    "register",
    "register",
    "change",
    "change",
    "deactivate",
    "activate",
    "reload",
    "prompt",
    "prompt",
    "prompt",
    "prompt",
    "quiet",
  ];
  for (let step = 0; step < STEPS; step++) {
    const name = history.pick(weighted);
    done.set(name, (done.get(name) ?? 0) + 1);
    try {
      await steps[name]?.();
      const listed = session
        .getAllTools()
        .filter(
          ({ name: each, exposure }) =>
            exposure !== "hidden" && history.owner(each) !== undefined && !history.inScope(each),
        );
      if (name !== "change")
        expect(
          session.getActiveToolNames().filter((each) => !history.inScope(each)),
          "active",
        ).toEqual([]);
      expect(
        listed.map(({ name: each }) => each),
        "listed by pi",
      ).toEqual([]);
      if (name !== "prompt" && name !== "quiet") continue;
      // Nor is anything lost: what is in scope is there as it was registered, and both sides say the same of what is shown.
      for (const each of history.known().filter((known) => history.inScope(known))) {
        const exposure = history.registered.get(history.owner(each) as Name)?.get(each);
        expect(session.getAllTools().find((found) => found.name === each)?.exposure, each).toBe(exposure);
      }
      expect([...history.scope.activeTools()].sort(), "active on both sides").toEqual(
        session.getActiveToolNames().sort(),
      );
    } catch (error) {
      throw new Error(`seed ${seed}, step ${step} (${name})`, { cause: error });
    }
  }
  expect(history.environment.errors).toEqual([]);
  expect(done.size).toBe(Object.keys(steps).length);
  expect(history.ran.length).toBeGreaterThan(10);
});
