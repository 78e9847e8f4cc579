import vm from "node:vm";

import { afterAll, describe, expect, test } from "vitest";

import { CodeSandbox } from "../../index.js";
import { bodies, scripts } from "./programs.js";

/** What crosses is JSON data, so that is what is compared. */
const plain = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
};

const sandbox = new CodeSandbox({ tools: [], isolation: "thread" });
afterAll(() => sandbox.close());

describe("the same value here and in Node's vm", () => {
  test(`of ${scripts.length + bodies.length} programs`, () => {
    expect(scripts.length + bodies.length).toBeGreaterThanOrEqual(300);
  });

  test.each(scripts)("%s", async (code) => {
    const expected = plain(vm.runInNewContext(code, { queueMicrotask, structuredClone }));
    expect(await sandbox.run(code)).toMatchObject({ ok: true, ...(expected !== undefined && { value: expected }) });
  });

  test.each(bodies)("%s", async (code) => {
    const expected = plain(await vm.runInNewContext(`(async () => {${code}\n})()`, { queueMicrotask }));
    const result = await sandbox.run(code);
    expect(result).toMatchObject({ ok: true });
    expect(result.value).toEqual(expected);
  });
});
