// One test a fault, named by its row in the list of what the usual approach misses. Each runs twice on real sessions: under toolscope,
// where the fault must be gone, and plain, to show that it is there. A plain session without it means that pi mended
// it: that is reported, not failed. child.test.ts runs them once more in children.
import { describe, expect, test } from "vitest";

import { attachToPi } from "../../dist/adapters/pi.js";
import { type Fault, faults } from "./faults.mts";
import { type PiEnvironment, type PiOptions, createPi } from "./session.mts";

/** An allowlist of exact names, frozen at creation, is what row 11 is about. */
const frozen: Record<number, PiOptions> = { 11: { tools: ["alpha_load", "alpha_start"] } };

async function run(row: number, fault: Fault, under: boolean): Promise<{ environment: PiEnvironment; log: string[] }> {
  const log: string[] = [];
  const environment = await createPi({ ...fault.options(log), ...(under ? {} : frozen[row]) });
  await environment.bind();
  if (under) attachToPi(environment.session, fault.scope);
  else fault.usual?.(environment);
  await fault.act(environment, log);
  return { environment, log };
}

describe("faults of the usual approach", () => {
  for (const [row, fault] of Object.entries(faults)) {
    test(`row ${row}: ${fault.title}`, async () => {
      const { environment, log } = await run(Number(row), fault, true);
      expect(fault.shows(environment, log), "the fault shows under toolscope").toBe(false);
      fault.holds?.(environment, log);
      expect(environment.errors).toEqual([]);
      environment.session.dispose();
    });
    test(`row ${row}, plain session`, async ({ skip }) => {
      const { environment, log } = await run(Number(row), fault, false);
      const shows = fault.shows(environment, log);
      environment.session.dispose();
      if (!shows) skip(`pi mended it: ${fault.title}`);
    });
  }
});
