// Bun, through both entries of the package: `bun bun.mjs`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import * as toolscope from "../../index.mjs";
import { smoke } from "./smoke.cjs";

const required = createRequire(import.meta.url)("../../index.js");
assert.equal(required.ToolSession, toolscope.ToolSession, "one class, however it is imported");
console.log(`bun ${Bun.version}: ${await smoke(toolscope)}`);
