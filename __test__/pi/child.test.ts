// Children on real pi sessions: an agent from an agent file, and a child of that agent, which gets nothing more.
import { describe, expect, test } from "vitest";

import { type PiAttachment, attachToPi } from "../../dist/adapters/pi.js";
import { parseAgentFile } from "../../index.mjs";
import { type Fault, faults } from "./faults.mts";
import {
  type Answer,
  type PiEnvironment,
  type PiOptions,
  builtIn,
  createPi,
  folder,
  inline,
  piModule,
  tool,
} from "./session.mts";

type Way = "direct call" | "code mode" | "tool search" | "reload" | "resume";

async function session(options: PiOptions): Promise<PiEnvironment> {
  const environment = await createPi(options);
  await environment.bind();
  return environment;
}

/** A child of `parent` under the scope of an agent file. */
function spawn(parent: PiAttachment, environment: PiEnvironment, file: string, dialect: "pi" | "toolscope" = "pi") {
  const { name = "child", scope, diagnostics } = parseAgentFile(file, { dialect });
  expect(diagnostics).toEqual([]);
  return attachToPi(environment.session, parent.session.spawn({ name, scope }));
}

describe("the faults of the usual approach, in children", () => {
  /** The root is open and knows what its own extensions register; the agent is restricted, its child asks for everything. */
  async function run(fault: Fault): Promise<[title: string, environment: PiEnvironment, log: string[]][]> {
    const generations: [string, PiEnvironment, string[]][] = [];
    const live = async (
      title: string,
      attach: (environment: PiEnvironment) => PiAttachment,
    ): Promise<PiAttachment> => {
      const log: string[] = [];
      const environment = await session(fault.options(log));
      const attachment = attach(environment);
      await fault.act(environment, log);
      generations.push([title, environment, log]);
      return attachment;
    };
    const root = await live("the root", ({ session }) => attachToPi(session, {}));
    const { allow } = fault.scope;
    const file = `---\nname: agent\nallow: ${JSON.stringify(allow)}\n---\n`;
    const agent = await live("the agent", (environment) => spawn(root, environment, file, "toolscope"));
    await live("its child", (environment) => spawn(agent, environment, '---\nallow: "*"\n---\n', "toolscope"));
    return generations.slice(1);
  }

  for (const [row, fault] of Object.entries(faults)) {
    test(`row ${row}: ${fault.title}`, async () => {
      for (const [title, environment, log] of await run(fault)) {
        expect(fault.shows(environment, log), `the fault shows in ${title}`).toBe(false);
        fault.holds?.(environment, log);
        expect(environment.errors, title).toEqual([]);
      }
    });
  }
});

describe("row 12: a child of a restricted agent gets nothing more", () => {
  /** In the parent's scope, and out of it: a tool of each exposure. */
  const extensions = (log: string[]) => [
    ...["alpha", "beta"].map((name) =>
      inline(name, (pi) => {
        pi.registerTool(tool(`${name}_do`, log));
        pi.registerTool(tool(`${name}_code`, log, { exposure: "codemode" }));
        pi.registerTool(tool(`${name}_far`, log, { exposure: "deferred" }));
      }),
    ),
    builtIn.codemode,
    builtIn.toolSearch,
  ];
  const paths = ["builtin:codemode", "builtin:tool-search"];
  const agent = "---\nname: agent\ntools: read, ext:alpha, ext:codemode, ext:tool-search\n---\n";
  // As wide as agent files can be, and by name.
  const greedy = {
    absent: "---\nname: child\n---\n",
    all: '---\nname: child\ntools: "*"\nextensions: true\n---\n',
    "by name": "---\nname: child\ntools: read, bash, ext:alpha, ext:beta, ext:codemode, ext:tool-search\n---\n",
  };
  const code = (text: string): Answer => [{ name: "codemode", args: { code: text } }];
  const search: Answer = [{ name: "tool_search", args: { query: "does what says" } }];
  const direct: Answer = ["beta_do", "beta_code", "beta_far", { name: "bash", args: { command: "echo ran" } }];
  const scripts: Answer[] = [
    code(
      "return { all: ALL_TOOLS.map((t) => t.name), found: (await searchTools('does what says')).map((t) => t.name) }",
    ),
    ...["beta_do", "beta_code", "beta_far", "bash"].map((name) =>
      code(`return await tools.${name}({ command: "echo ran" })`),
    ),
  ];
  const everyWay = [direct, ...scripts, search, direct];

  const ways: Record<Way, { steps: Answer[]; before?: (child: PiEnvironment) => Promise<void> }> = {
    "direct call": { steps: [direct] },
    "code mode": { steps: scripts },
    "tool search": { steps: [search, direct] },
    reload: { steps: everyWay, before: ({ session }) => session.reload() },
    resume: { steps: everyWay },
  };

  for (const [way, { steps, before }] of Object.entries(ways) as [Way, (typeof ways)[Way]][]) {
    test.each(Object.entries(greedy))(`by ${way}, where the file says: %s`, async (_, file) => {
      const log: string[] = [];
      const root = await session({ extensions: extensions(log), paths });
      const open = attachToPi(root.session, {});
      const parent = await session({ extensions: extensions(log), paths });
      const restricted = spawn(open, parent, agent);
      const cwd = folder();
      const manager = piModule.SessionManager.inMemory(cwd);
      if (way === "resume") {
        const earlier = await session({ extensions: extensions(log), paths, manager, cwd, steps: ["hello"] });
        await earlier.session.prompt("hello");
        expect(earlier.shown[0]).toEqual(expect.arrayContaining(["bash", "beta_do"]));
        earlier.session.dispose();
      }
      const child = await session({ extensions: extensions(log), paths, manager, cwd });
      const { session: scope } = spawn(restricted, child, file);
      await before?.(child);
      child.session.setActiveToolsByName([
        ...child.session.getActiveToolNames(),
        ...["codemode", "tool_search", "bash", "beta_do", "beta_code", "beta_far"],
      ]);
      child.script(["alpha_do"], ...steps, "done");
      await child.session.prompt("go");

      expect(log).toEqual(["alpha_do"]);
      const allowed = ["read", "alpha_do", "alpha_code", "alpha_far", "codemode", "tool_search"];
      expect(child.shown.flat().filter((name) => !allowed.includes(name))).toEqual([]);
      expect(child.shown[0]).toEqual(expect.arrayContaining(["read", "alpha_do", "codemode", "tool_search"]));
      for (const { name, text, ok } of child.calls) {
        if (/^(beta_|bash)/.test(name))
          expect({ ok, text }).toEqual({ ok: false, text: expect.stringMatching(/not available/) });
        if (name === "tool_search") expect(text).toMatch(/alpha_code[^]*alpha_far|alpha_far[^]*alpha_code/);
        if (name === "tool_search" || text.startsWith("{")) expect(text).not.toMatch(/beta_|bash/);
      }
      expect(child.calls.filter(({ nested }) => !nested).length).toBe(1 + steps.flat().length);
      for (const name of ["beta_do", "beta_code", "beta_far", "bash"]) {
        expect(scope.checkScope(name)).toMatchObject({ allowed: false, code: "parent", by: "agent" });
      }
      expect(child.errors).toEqual([]);
    });
  }

  test("what a search loads in the child, the child alone can call", async () => {
    const log: string[] = [];
    const loaded = ["alpha_code", "alpha_far"];
    const root = await session({ extensions: extensions(log), paths, steps: [loaded, "done"] });
    const open = attachToPi(root.session, {});
    const child = await session({ extensions: extensions(log), paths, steps: [search, loaded, "done"] });
    spawn(open, child, agent);
    child.session.setActiveToolsByName([...child.session.getActiveToolNames(), "tool_search"]);
    await child.session.prompt("go");
    expect(child.shown[1]).toEqual(expect.arrayContaining(loaded));
    expect(log).toEqual(loaded);
    await root.session.prompt("go");
    expect(root.shown.flat().filter((name) => loaded.includes(name))).toEqual([]);
    expect(log).toEqual(loaded);
    expect([...root.errors, ...child.errors]).toEqual([]);
  });

  test("a deferred tool that the file names is shown to the child, which may lack the search", async () => {
    const log: string[] = [];
    const root = await session({ extensions: extensions(log), paths });
    const open = attachToPi(root.session, {});
    const child = await session({ extensions: extensions(log), paths, steps: [["alpha_far"], "done"] });
    spawn(open, child, "---\nname: agent\ntools: read, ext:alpha/alpha_far\n---\n");
    await child.session.prompt("go");
    await child.session.reload();
    child.script(["alpha_far"], "done");
    await child.session.prompt("again");
    for (const names of child.shown) expect([...names].sort()).toEqual(["alpha_far", "read"]);
    expect(log).toEqual(["alpha_far", "alpha_far"]);
    // Put away by somebody else, it stays so.
    child.session.setActiveToolsByName(["read"]);
    child.script("done");
    await child.session.prompt("once more");
    expect(child.shown.at(-1)).toEqual(["read"]);
  });

  test("what the parent loses in mid-turn the child loses in that turn; what it gains the child gains", async () => {
    const log: string[] = [];
    const root = await session({ extensions: extensions(log), paths });
    const open = attachToPi(root.session, { allow: ["ext:alpha"] });
    const child = await session({ extensions: extensions(log), paths });
    spawn(open, child, greedy.absent);
    child.script(
      () => (open.session.setScope({ allow: ["ext:beta"] }), ["alpha_do", "beta_do"]),
      ["alpha_do", "beta_do"],
      "done",
    );
    await child.session.prompt("go");
    expect(child.shown).toEqual([["alpha_do"], ["beta_do"], ["beta_do"]]);
    expect(log).toEqual(["beta_do"]);
    expect(child.calls.filter(({ name }) => name === "alpha_do").map(({ ok }) => ok)).toEqual([false, false]);
  });

  test("a guard of the parent guards the child's calls and its scripts; the parent's end is the child's", async () => {
    const log: string[] = [];
    const root = await session({ extensions: extensions(log), paths });
    const open = attachToPi(root.session, {}, { session: { id: "root" } });
    const asked: string[] = [];
    open.session.on("before_tool_call", ({ id, path }) => {
      asked.push(`${path.join("/")} ${id}`);
      return id.startsWith("ext:alpha/") ? { block: true, reason: "not that" } : undefined;
    });
    const child = await session({
      extensions: extensions(log),
      paths,
      steps: [["alpha_do"], code("return await tools.alpha_code({})"), "done", direct, "done"],
    });
    spawn(open, child, agent);
    child.session.setActiveToolsByName([...child.session.getActiveToolNames(), "codemode"]);
    await child.session.prompt("go");
    expect(log).toEqual([]);
    expect(asked).toEqual([
      "root/agent ext:alpha/alpha_do",
      "root/agent ext:codemode/codemode",
      "root/agent ext:alpha/alpha_code",
    ]);
    root.session.dispose();
    await child.session.prompt("again");
    expect(log).toEqual([]);
    expect(child.shown.at(-1)).toEqual([]);
    expect(child.calls.slice(-4).map(({ ok }) => ok)).toEqual([false, false, false, false]);
  });
});
