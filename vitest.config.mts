import { configDefaults, defineConfig } from "vitest/config";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const canRunPi = major > 22 || (major === 22 && minor >= 19);
if (!canRunPi) console.warn(`skipped: __test__/pi, since pi needs Node 22.19 and this is ${process.version}; \`npm test\` runs it`);

export default defineConfig({
  test: {
    include: ["__test__/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(canRunPi ? [] : ["__test__/pi/**"])],
    testTimeout: 20_000,
  },
});
