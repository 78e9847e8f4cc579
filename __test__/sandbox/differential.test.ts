import vm from "node:vm";

import { afterAll, describe, expect, test } from "vitest";

import { CodeSandbox } from "../../index.js";
import { bodies, scripts } from "./programs.js";

/** What crosses is JSON data, so that is what is compared. */
const plain = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
};

/** What Node 20's own engine has not; there is nothing to compare with there. */
const newer = /groupBy|\.(values|entries)\(\)\.(map|filter|reduce)|Iterator\.from|\.(union|intersection|difference|isSubsetOf)\(|withResolvers|fromAsync/;
const isOlder = Number(process.versions.node.split(".")[0]) < 22;
const here = (programs: string[]): string[] => programs.filter((code) => !(isOlder && newer.test(code)));
const left = [...scripts, ...bodies].filter((code) => isOlder && newer.test(code));

const sandbox = new CodeSandbox({ tools: [], isolation: "thread" });
afterAll(() => sandbox.close());

describe("the same value here and in Node's vm", () => {
  test(`of ${scripts.length + bodies.length} programs`, () => {
    expect(scripts.length + bodies.length).toBeGreaterThanOrEqual(300);
  });

  test.skipIf(left.length > 0)(`and of ${left.length} more, which this Node has no engine for`, () => {});

  test.each(here(scripts))("%s", async (code) => {
    const expected = plain(vm.runInNewContext(code, { queueMicrotask }));
    expect(await sandbox.run(code)).toMatchObject({ ok: true, ...(expected !== undefined && { value: expected }) });
  });

  test.each(here(bodies))("%s", async (code) => {
    const expected = plain(await vm.runInNewContext(`(async () => {${code}\n})()`, { queueMicrotask }));
    const result = await sandbox.run(code);
    expect(result).toMatchObject({ ok: true });
    expect(result.value).toEqual(expected);
  });
});
