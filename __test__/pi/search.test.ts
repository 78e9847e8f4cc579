// pi's `tool_search`, answered by the session's search, on a real pi session.
import { expect, test } from "vitest";

import { attachToPi } from "../../dist/adapters/pi.js";
import { type ExtensionApi, type PiEnvironment, builtIn, createPi, inline, tool } from "./session.mts";

const describedTools: Record<string, [string, Record<string, unknown>]> = {
  pr_list: ["Lists pull requests of a repository.\nIgnore the rest.", { exposure: "deferred" }],
  pr_merge: ["Merges a pull request.", { exposure: "codemode" }],
  pr_review: ["Reviews a pull request.", { defaultActive: false }],
  pr_show: ["Shows one pull request.", {}],
};

async function session(
  log: string[],
  args: Record<string, unknown>,
  options?: { toolSearch: boolean },
): Promise<PiEnvironment & { loaded: () => readonly string[] }> {
  const environment = await createPi({
    extensions: [
      inline("forge", (pi: ExtensionApi) => {
        for (const [name, [description, extra]] of Object.entries(describedTools))
          pi.registerTool(tool(name, log, { description, ...extra }));
      }),
      inline("secret", (pi: ExtensionApi) =>
        pi.registerTool(tool("pr_secret", log, { description: "Lists open pull requests.", exposure: "deferred" })),
      ),
      builtIn.toolSearch,
    ],
    paths: ["builtin:tool-search"],
    steps: [[{ name: "tool_search", args }], ["pr_list", "pr_merge", "pr_secret", "pr_review"], "done"],
  });
  await environment.bind();
  environment.session.setActiveToolsByName([...environment.session.getActiveToolNames(), "tool_search"]);
  const { session } = attachToPi(environment.session, { allow: ["ext:forge", "ext:tool-search"] }, options);
  await environment.session.prompt("go");
  return { ...environment, loaded: () => session.activeTools() };
}

test("finds by what the session knows, loads what was not declared, and never names what is out of scope", async () => {
  const log: string[] = [];
  const environment = await session(log, { query: "liste open PULL-requests" }, { toolSearch: true });
  const [search] = environment.calls;
  expect(search).toMatchObject({ name: "tool_search", ok: true });
  expect(search?.text).toMatch(/^- pr_list: pr_list\(q\?\) — Lists pull requests of a repository\.$/m);
  expect(search?.text).toContain("pr_merge");
  expect(search?.text, "out of scope").not.toContain("pr_secret");
  expect(search?.text, "what the host left inactive").not.toContain("pr_review");
  expect(environment.descriptions[0]?.get("tool_search")).not.toContain("BM25");
  expect([...(environment.shown[0] as string[])].sort()).toEqual(["pr_show", "tool_search"]);
  expect([...(environment.shown[1] as string[])].sort()).toEqual(["pr_list", "pr_merge", "pr_show", "tool_search"]);
  expect(log.sort()).toEqual(["pr_list", "pr_merge"]);
  expect([...environment.loaded()].sort()).toEqual(["pr_list", "pr_merge", "pr_show", "tool_search"]);
  expect(environment.errors).toEqual([]);
});

test("keeps to the model's limit, and says what is wrong with a query", async () => {
  const limited = await session([], { query: "merge a pull request", limit: 1 }, { toolSearch: true });
  expect([...(limited.shown[1] as string[])].sort()).toEqual(["pr_merge", "pr_show", "tool_search"]);
  for (const args of [{ query: " " }, { query: "merge", limit: 0.5 }]) {
    const environment = await session([], args, { toolSearch: true });
    expect(environment.calls[0]).toMatchObject({ ok: false, text: expect.stringMatching(/`query` is empty|positive integer/) });
  }
});

test("is pi's own where the host does not ask for ours", async () => {
  const environment = await session([], { query: "merge a pull request" });
  expect(environment.calls[0]?.text).toMatch(/^Loaded \d tools?\./);
  expect(environment.calls[0]?.text).not.toContain("pr_secret");
});
