// What the model of the demo says, request by request. It never looks at what it is shown: like a model that remembers
// a tool from its training, from an older turn or from injected text, it also calls what it should not know of.
// `expect` is not part of the wire form: it says what must become of a call, and the checks read it.

/** The selectors every run is given. */
export const scope = {
  allow: ["builtin:read", "mcp:everything/echo", "mcp:everything/get-sum"],
  exclude: ["get-env"],
};

/** The tools of `scope.allow` that are not there yet when the session starts, by the names a model sees. */
export const lateTools = ["mcp__everything__echo", "mcp__everything__get-sum"];

/** The same three tools, by the names a model sees. */
export const namesInScope = ["read", ...lateTools];

/** The turn during which the server connects: its tools must be there from the next one on. */
export const connectsInTurn = 1;
/** The turn during which the unselected extension registers. */
export const extensionComesInTurn = 2;

export const prompt = "Do what task.txt says.";
export const task = "Add 19 and 23, echo the sum, and tell me what it is.\n";

export const script = [
  {
    say: "I read the task first.",
    calls: [
      { name: "read", input: { path: "task.txt" }, expect: "runs", why: "an early tool" },
      { name: "write", input: { path: "notes.txt", text: "started" }, expect: "out_of_scope", why: "an early tool out of scope" },
    ],
  },
  {
    say: "A server has come up that can add. I look at its environment too.",
    calls: [
      { name: "mcp__everything__get-sum", input: { a: 19, b: 23 }, expect: "runs", why: "a late tool in scope" },
      { name: "mcp__everything__get-env", input: {}, expect: "excluded", why: "an excluded tool" },
      { name: "mcp__everything__get-tiny-image", input: {}, expect: "out_of_scope", why: "a late tool out of scope" },
    ],
  },
  {
    say: "I echo the sum, and see what the new extension has.",
    calls: [
      { name: "mcp__everything__echo", input: { message: "42" }, expect: "runs", why: "a late tool in scope" },
      { name: "search_notes", input: { query: "passwords" }, expect: "out_of_scope", why: "a tool of a late extension nobody selected" },
    ],
  },
  {
    say: "Once more, from memory.",
    calls: [
      { name: "mcp__everything__get-smu", input: { a: 19, b: 23 }, expect: "unknown", suggests: "mcp__everything__get-sum", why: "a name with a typo" },
      { name: "get-env", input: {}, expect: "excluded", why: "an excluded tool by another spelling" },
    ],
  },
  { say: "19 + 23 = 42." },
];

const expectations = script.flatMap((entry) => entry.calls ?? []);
/** What the script expects of a call that was made. */
export const expectationOf = (call) => expectations.find((expected) => expected.name === call.name);
/** The names of the script's calls that must be refused. */
export const namesToRefuse = expectations.filter((expected) => expected.expect !== "runs").map((expected) => expected.name);
