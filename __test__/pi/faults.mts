// The faults of the usual approach by their row, each as a session that provokes it and a look at whether it showed.
import { expect } from "vitest";

import type { ScopeSpec } from "../../index.js";
import { type ExtensionApi, type PiEnvironment, type PiOptions, builtIn, inline, tool } from "./session.mts";

export interface Fault {
  title: string;
  scope: ScopeSpec;
  options: (log: string[]) => PiOptions;
  /** What a host that goes by names does today, in place of the attachment. */
  usual?: (environment: PiEnvironment) => void;
  /** Uses the session; throws nothing. */
  act: (environment: PiEnvironment, log: string[]) => Promise<void>;
  /** Whether the fault showed. */
  shows: (environment: PiEnvironment, log: string[]) => boolean;
  /** What must hold besides. */
  holds?: (environment: PiEnvironment, log: string[]) => void;
}

const last = <T,>(list: readonly T[]): T => list.at(-1) as T;
const everShown = ({ shown }: PiEnvironment, name: string): boolean => shown.some((names) => names.includes(name));

/** What spawners do today: after each turn, the active set is every known tool whose extension is selected. */
const renarrow =
  (isSelected: (path: string) => boolean) =>
  ({ session }: PiEnvironment): void => {
    const narrow = (): void =>
      session.setActiveToolsByName(
        session
          .getAllTools()
          .filter(({ sourceInfo }) => isSelected(sourceInfo.path))
          .map(({ name }) => name),
      );
    narrow();
    session.subscribe((event) => {
      if (event.type === "turn_end") narrow();
    });
  };
const alphaOrBuiltIn = renarrow((path) => path === "<inline:alpha>" || /^builtin:(read|bash|edit|write)$/.test(path));

export const faults: Record<number, Fault> = {
  1: {
    title: "a script in code mode executes an unselected extension's tool",
    scope: { allow: ["ext:codemode", "ext:alpha"] },
    options: (log) => ({
      extensions: [
        inline("alpha", (pi) => pi.registerTool(tool("alpha_find", log, { exposure: "codemode" }))),
        inline("beta", (pi) => pi.registerTool(tool("beta_find", log, { exposure: "codemode" }))),
        builtIn.codemode,
      ],
      paths: ["builtin:codemode"],
      steps: [
        [
          {
            name: "codemode",
            args: {
              code: "return { all: ALL_TOOLS.map((t) => t.name), found: (await searchTools('beta_find does')).map((t) => t.name) }",
            },
          },
        ],
        [{ name: "codemode", args: { code: "return await tools.beta_find({})" } }],
        "done",
      ],
    }),
    usual: ({ session }) => session.setActiveToolsByName(["codemode"]),
    act: async ({ session }) => {
      session.setActiveToolsByName([...session.getActiveToolNames(), "codemode"]);
      await session.prompt("go");
    },
    shows: (_, log) => log.includes("beta_find"),
    holds: ({ calls, descriptions }) => {
      const [listing, script] = calls.filter(({ name }) => name === "codemode") as [
        PiEnvironment["calls"][0],
        PiEnvironment["calls"][0],
      ];
      expect(listing.text).toContain("alpha_find");
      expect(listing.text).not.toContain("beta_find");
      expect(last(descriptions).get("codemode")).not.toContain("beta_find");
      expect(script.ok).toBe(false);
      expect(script.text).toMatch(/beta_find.* not available in this session/);
    },
  },
  2: {
    title: "re-narrowing activates `deferred` and `defaultActive: false` tools too",
    scope: { allow: ["ext:alpha", "builtin:*"] },
    options: (log) => ({
      extensions: [
        inline("alpha", (pi) => {
          pi.registerTool(tool("alpha_plain", log));
          pi.registerTool(tool("alpha_deferred", log, { exposure: "deferred" }));
          pi.registerTool(tool("alpha_idle", log, { defaultActive: false }));
        }),
      ],
      steps: [["alpha_plain"], "done"],
    }),
    usual: renarrow(() => true),
    act: ({ session }) => session.prompt("go"),
    shows: (environment) => ["alpha_deferred", "alpha_idle", "grep"].some((name) => everShown(environment, name)),
    holds: ({ shown }) => expect(last(shown)).toContain("alpha_plain"),
  },
  3: {
    title: "`tool_search` says that an out-of-scope tool is loaded",
    scope: { allow: ["ext:tool-search", "ext:alpha"] },
    options: (log) => ({
      extensions: [
        inline("alpha", (pi) => pi.registerTool(tool("alpha_weather", log, { exposure: "deferred" }))),
        inline("beta", (pi) => pi.registerTool(tool("beta_weather", log, { exposure: "deferred" }))),
        builtIn.toolSearch,
      ],
      paths: ["builtin:tool-search"],
      steps: [[{ name: "tool_search", args: { query: "weather" } }], ["alpha_weather", "beta_weather"], "done"],
    }),
    usual: renarrow((path) => path !== "<inline:beta>"),
    act: async ({ session }) => {
      session.setActiveToolsByName([...session.getActiveToolNames(), "tool_search"]);
      await session.prompt("go");
    },
    shows: ({ calls }) => (calls[0]?.text ?? "").includes("beta_weather"),
    holds: ({ calls, shown }, log) => {
      expect(calls[0]?.text).toContain("alpha_weather");
      expect(shown[1]).toContain("alpha_weather");
      expect(log).toEqual(["alpha_weather"]);
    },
  },
  4: {
    title: "a tool registered in `before_agent_start`, or while idle, is shown on the next prompt's first turn",
    scope: { allow: ["ext:alpha"] },
    options: (log) => {
      let beta: ExtensionApi | undefined;
      return {
        extensions: [
          inline("alpha", (pi) => pi.registerTool(tool("alpha_load", log))),
          inline("beta", (pi) => {
            beta = pi;
            pi.on("before_agent_start", async () => pi.registerTool(tool("beta_late", log)));
          }),
        ],
        steps: ["first", () => (beta?.registerTool(tool("beta_turn", log)), ["beta_turn"]), "done", "again"],
      };
    },
    usual: alphaOrBuiltIn,
    act: async ({ session }) => {
      await session.prompt("one");
      await session.prompt("two");
      await session.prompt("three");
    },
    shows: (environment) => everShown(environment, "beta_late") || everShown(environment, "beta_turn"),
    holds: (_, log) => expect(log).toEqual([]),
  },
  5: {
    title: "after `reload()` the first turn shows everything",
    scope: { allow: ["ext:alpha"] },
    options: (log) => ({
      extensions: ["alpha", "beta"].map((name) => inline(name, (pi) => pi.registerTool(tool(`${name}_load`, log)))),
      steps: [["beta_load"], "done"],
    }),
    usual: alphaOrBuiltIn,
    act: async ({ session }) => {
      await session.reload();
      await session.prompt("go");
    },
    shows: (environment, log) => everShown(environment, "beta_load") || log.includes("beta_load"),
    holds: ({ shown }) => expect(shown[0]).toContain("alpha_load"),
  },
  6: {
    title: "the active set is rewritten on every turn",
    scope: { allow: ["ext:alpha", "builtin:read"] },
    options: (log) => ({
      extensions: ["alpha", "beta"].map((name) => inline(name, (pi) => pi.registerTool(tool(`${name}_load`, log)))),
      steps: [["alpha_load"], ["alpha_load"], ["alpha_load"], "done"],
    }),
    usual: alphaOrBuiltIn,
    act: async (environment) => {
      const { session } = environment;
      const set = session.setActiveToolsByName.bind(session);
      session.setActiveToolsByName = (names) => {
        environment.errors.push("setActiveToolsByName");
        set(names);
      };
      await session.prompt("go");
    },
    shows: ({ errors }) => errors.includes("setActiveToolsByName"),
  },
  7: {
    title: "an unselected extension that owns `read` runs for `read`",
    scope: { allow: ["read", "edit"] },
    options: (log) => ({
      extensions: [inline("gamma", (pi) => pi.registerTool(tool("read", log)))],
      steps: [["read"], "done"],
    }),
    usual: ({ session }) => session.setActiveToolsByName(["read", "edit"]),
    act: ({ session }) => session.prompt("go"),
    shows: (_, log) => log.includes("read"),
    holds: ({ calls, shown }) => {
      expect(shown[0]).not.toContain("read");
      expect(shown[0]).toContain("edit");
      expect(calls[0]).toMatchObject({ name: "read", ok: false });
      expect(calls[0]?.text).not.toBe("Tool read not found");
    },
  },
  8: {
    title: "an extension deactivates `edit` at `session_start`; the scope puts it back",
    scope: { allow: ["builtin:*"] },
    options: () => ({
      extensions: [
        inline("plan", (pi) => {
          pi.on("session_start", async () => pi.setActiveTools(pi.getActiveTools().filter((name) => name !== "edit")));
        }),
      ],
      steps: [[{ name: "read", args: { path: "missing" } }], "done"],
    }),
    usual: renarrow((path) => /^builtin:(read|bash|edit|write)$/.test(path)),
    act: ({ session }) => session.prompt("go"),
    shows: (environment) => everShown(environment, "edit"),
    holds: ({ shown }) => expect(last(shown)).toContain("write"),
  },
  9: {
    title: "`ext:codemode` does not match the built-in extension",
    scope: { allow: ["ext:codemode"] },
    options: () => ({
      extensions: [builtIn.codemode],
      paths: ["builtin:codemode"],
      steps: [[{ name: "codemode", args: { code: "return 6 * 7" } }], "done"],
    }),
    usual: renarrow((path) => path.replace(/^.*\//, "").replace(/\.[jt]s$/, "") === "codemode"),
    act: async ({ session }) => {
      if (!session.getActiveToolNames().includes("codemode"))
        session.setActiveToolsByName([...session.getActiveToolNames(), "codemode"]);
      await session.prompt("go");
    },
    shows: ({ shown }) => !last(shown).includes("codemode"),
    holds: ({ calls }) => expect(calls[0]?.text).toContain("42"),
  },
  10: {
    title: "SDK `customTools` belong to no extension map and vanish",
    scope: { allow: ["host:sdk/report"] },
    options: (log) => ({
      customTools: [tool("report", log), tool("other", log)],
      steps: [["report", "other"], "done"],
    }),
    usual: ({ session }) => {
      const { extensions } = session.resourceLoader.getExtensions();
      session.setActiveToolsByName(extensions.flatMap(({ tools }) => [...tools.keys()]));
    },
    act: ({ session }) => session.prompt("go"),
    shows: (environment) => !everShown(environment, "report"),
    holds: ({ shown }, log) => {
      expect(shown[0]).toEqual(["report"]);
      expect(log).toEqual(["report"]);
    },
  },
  11: {
    title: "late tools of a selected extension are lost when an allowlist is frozen",
    scope: { allow: ["ext:alpha"] },
    options: (log) => {
      const apis = new Map<string, ExtensionApi>();
      return {
        extensions: ["alpha", "beta"].map((name) =>
          inline(name, (pi) => {
            apis.set(name, pi);
            pi.registerTool(tool(`${name}_load`, log));
            pi.on("session_start", async () => pi.registerTool(tool(`${name}_start`, log)));
            pi.on("before_agent_start", async () => pi.registerTool(tool(`${name}_late`, log)));
          }),
        ),
        steps: [
          () => {
            for (const [name, pi] of apis) pi.registerTool(tool(`${name}_turn`, log));
            return ["alpha_load", "beta_load"];
          },
          [
            "alpha_load",
            "alpha_start",
            "alpha_late",
            "alpha_turn",
            "beta_load",
            "beta_start",
            "beta_late",
            "beta_turn",
          ],
          "done",
        ],
      };
    },
    act: ({ session }) => session.prompt("go"),
    shows: (_, log) => !log.includes("alpha_late"),
    holds: ({ shown, calls }, log) => {
      expect(shown[0]).toEqual(expect.arrayContaining(["alpha_load", "alpha_start", "alpha_late"]));
      expect(shown[1]).toContain("alpha_turn");
      expect(shown.flat().filter((name) => !name.startsWith("alpha_"))).toEqual([]);
      expect(log).toEqual(["alpha_load", "alpha_load", "alpha_start", "alpha_late", "alpha_turn"]);
      for (const { text, ok } of calls.filter(({ name }) => name.startsWith("beta_"))) {
        expect(ok).toBe(false);
        expect(text).toMatch(/not available in this session/);
      }
    },
  },
};
