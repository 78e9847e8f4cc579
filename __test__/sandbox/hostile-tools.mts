import type { SourcedTool } from "../../index.js";

/** Many, and some of them large: what is found and described of them is much. */
const crowd: SourcedTool[] = [
  ...Array.from({ length: 2_000 }, (_, index) => ({
    source: "ext:crowd",
    name: `tool_${index}`,
    description: `Makes thing ${index}. ${index < 100 ? "d".repeat(10_000) : ""}`,
  })),
  { source: "ext:crowd", name: "huge", inputSchema: { type: "object", properties: { a: { type: "string", description: "d".repeat(1_000_000), enum: Array.from({ length: 50_000 }, (_, index) => `value ${index}`) } } } },
];

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
  sizeable: async () => "x".repeat(20 << 20),
  large: () => "x".repeat(96 << 20),
  polluted: (input: object) => (Object.getPrototypeOf(input) === Object.prototype && ({} as { x?: 1 }).x === undefined ? "safe" : "polluted"),
  proto: () => JSON.parse('{"__proto__":{"x":1}}') as unknown,
}).map(([name, execute]) => ({ source: "math", name, execute: execute as SourcedTool["execute"] & {} }) as SourcedTool).concat(crowd);
