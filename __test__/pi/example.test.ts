// The example extension that puts a session under the scope of a settings file.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { installed } from "./installed.mts";
import { type Step, createPi, folder, inline, tool } from "./session.mts";

async function start(scope: string | undefined, steps?: readonly Step[]) {
  const cwd = folder();
  if (scope !== undefined) {
    mkdirSync(join(cwd, ".pi"), { recursive: true });
    writeFileSync(join(cwd, ".pi", "scope.json"), scope);
  }
  const log: string[] = [];
  const environment = await createPi({
    cwd,
    paths: [installed("pi-extension")],
    extensions: [inline("alpha", (pi) => pi.registerTool(tool("alpha_do", log)))],
    ...(steps && { steps }),
  });
  const notes: string[] = [];
  await environment.session.bindExtensions({
    uiContext: { notify: (text: string) => notes.push(text) } as never,
    onError: ({ event, error }) => environment.errors.push(`${event}: ${error}`),
    commandContextActions: { reload: () => environment.session.reload() } as never,
  });
  return { ...environment, log, notes, rewrite: (text: string) => writeFileSync(join(cwd, ".pi", "scope.json"), text) };
}

test("applies the scope of the settings file, and says with /scope what holds and why", async () => {
  const { session, shown, log, notes, calls, errors, rewrite, script } = await start(
    '{ "allow": ["read", "alpha_d"], "exclude": ["bash"] }',
    [["alpha_do"], "done"],
  );
  expect(errors).toEqual([]);
  await session.prompt("go");
  expect(shown[0]).toEqual(["read"]);
  expect(log).toEqual([]);
  expect(calls[0]).toMatchObject({ ok: false });
  await session.prompt("/scope");
  expect(notes.at(-1)).toMatch(/shown to the model:\n {2}read \(builtin:read\)/);
  expect(notes.at(-1)).toMatch(/alpha_d: unknown \(.*did you mean `alpha_do`/);
  await session.prompt("/scope bash");
  expect(notes.at(-1)).toMatch(/^bash is refused: excluded\./);
  rewrite('{ "allow": ["ext:alpha"] }');
  await session.reload();
  script(["alpha_do"], "done");
  await session.prompt("again");
  expect(shown.at(-1)).toEqual(["alpha_do"]);
  expect(log).toEqual(["alpha_do"]);
  expect(errors).toEqual([]);
});

test("a file that cannot be used closes everything; none changes nothing", async () => {
  for (const text of ["{", '{ "alow": [] }', '{ "allow": "read" }']) {
    const { session, notes } = await start(text);
    expect(session.getActiveToolNames(), text).toEqual([]);
    expect(notes.join()).toMatch(/no tool can be used/);
  }
  const { session, notes } = await start(undefined);
  expect(session.getActiveToolNames()).toContain("bash");
  await session.prompt("/scope");
  expect(notes).toEqual([expect.stringMatching(/^no scope/)]);
});
