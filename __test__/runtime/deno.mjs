// Deno, through both entries of the package: `deno run --allow-ffi --allow-read --allow-env --allow-run deno.mjs`.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import * as toolscope from "../../index.mjs";

const require = createRequire(import.meta.url);
assert.equal(require("../../index.js").ToolSession, toolscope.ToolSession, "one class, however it is imported");
const { smoke } = require("./smoke.cjs");
console.log(`deno ${Deno.version.deno}: ${await smoke(toolscope)}`);
