import type { SourcedTool } from "../../index.js";

/** What the attacks call: tools that behave badly themselves. */
export const hostileTools: SourcedTool[] = Object.entries({
  add: (input: { a: number; b: number }) => input.a + input.b,
  echo: (input: unknown) => input,
  never: () => new Promise(() => {}),
  throwString: () => {
    throw "just a string";
  },
  throwNull: () => {
    throw null;
  },
  throwHostile: () => {
    throw Object.defineProperty({}, "message", {
      get() {
        throw new Error("from the getter");
      },
    });
  },
  throwError: async () => {
    throw Object.assign(new Error("boom", { cause: process.env }), { code: "E_BOOM" });
  },
  twice: () => ({
    // biome-ignore lint: a thenable is the point
    then(resolve: (value: number) => void) {
      resolve(1);
      resolve(2);
    },
  }),
  host: () => process,
  fn: () => () => 1,
  toJson: () => ({
    toJSON() {
      throw new Error("no JSON");
    },
  }),
  big: () => 10n,
  deep: () => {
    let value: unknown = 1;
    for (let index = 0; index < 5_000; index++) value = [value];
    return value;
  },
  large: () => "x".repeat(96 << 20),
  polluted: (input: object) => (Object.getPrototypeOf(input) === Object.prototype && ({} as { x?: 1 }).x === undefined ? "safe" : "polluted"),
  proto: () => JSON.parse('{"__proto__":{"x":1}}') as unknown,
}).map(([name, execute]) => ({ source: "math", name, execute: execute as SourcedTool["execute"] & {} }));
