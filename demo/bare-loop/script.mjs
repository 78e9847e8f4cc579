// What the model of the demo says, request by request, and what happens around it. The model never looks at what it is
// shown: like one that remembers a tool from its training, from an older turn or from injected text, it also calls what
// it should not know of. What the checks read (`expect`, `answer`, `suggests`) is no part of the wire form.

/** The selectors every run is given. */
export const scope = {
  allow: ["builtin:read", "mcp:everything/echo", "mcp:everything/get-sum", "host:toolscope/execute"],
  exclude: ["get-env"],
};

/** The tools of `scope.allow` that are not there yet when the session starts, by the names a model sees. */
export const lateTools = ["mcp__everything__echo", "mcp__everything__get-sum"];

/** All tools of `scope.allow`, by the names a model sees. */
export const namesInScope = ["read", "execute", ...lateTools];

/** What happens while the tools of a turn run. */
export const connectsInTurn = 1;
export const extensionComesInTurn = 2;
export const serverDiesInTurn = 3;
export const serverReturnsInTurn = 4;

/** The turn whose one call is a program, and which tools it calls at the same time; it is to reach no other. */
export const programInTurn = 6;
export const programCalls = ["mcp:everything/get-sum", "mcp:everything/echo"];
const program = `const [sum, echo] = await Promise.all([
  tools["mcp__everything__get-sum"]({ a: 20, b: 22 }),
  tools.mcp__everything__echo({ message: "both at once" }),
]);
let notes;
try {
  notes = await tools.search_notes({ query: "doors" });
} catch (error) {
  notes = error.message;
}
return { sum: sum.content[0].text, echo: echo.content[0].text, notes };`;

/** Whether the server is there when the model is asked in a turn. */
export const isServerUp = (turn) => turn > connectsInTurn && !(turn > serverDiesInTurn && turn <= serverReturnsInTurn);

export const prompt = "Do what task.txt says.";
export const task = "Add 19 and 23, echo the sum, and tell me what it is.\n";

/**
 * One entry a turn. A call says what must become of it: it `runs`, and its result holds `answer`, or it is refused with
 * that code; `suggests` is a name that the refusal must offer instead. `nested` says the same of the calls of a program.
 */
export const script = [
  {
    say: "I read the task first.",
    calls: [
      { name: "read", input: { path: "task.txt" }, expect: "runs", answer: "Add 19 and 23", why: "an early tool" },
      {
        name: "write",
        input: { path: "notes.txt", text: "started" },
        expect: "out_of_scope",
        why: "an early tool out of scope",
      },
    ],
  },
  {
    say: "A server has come up that can add. I look at its environment too.",
    calls: [
      {
        name: "mcp__everything__get-sum",
        input: { a: 19, b: 23 },
        expect: "runs",
        answer: "42",
        why: "a late tool in scope",
      },
      { name: "mcp__everything__get-env", input: {}, expect: "excluded", why: "an excluded tool" },
      { name: "mcp__everything__get-tiny-image", input: {}, expect: "out_of_scope", why: "a late tool out of scope" },
    ],
  },
  {
    say: "I echo the sum, and see what else there is.",
    calls: [
      {
        name: "mcp__everything__echo",
        input: { message: "42" },
        expect: "runs",
        answer: "42",
        why: "a late tool in scope",
      },
      {
        name: "search_notes",
        input: { query: "passwords" },
        expect: "out_of_scope",
        why: "a tool of a late extension nobody selected",
      },
      {
        name: "mcp__everything__get-smu",
        input: { a: 1, b: 2 },
        expect: "unknown",
        suggests: "mcp__everything__get-sum",
        why: "a name with a typo",
      },
      { name: "get-env", input: {}, expect: "excluded", why: "an excluded tool by another spelling" },
    ],
  },
  {
    say: "I check the sum.",
    calls: [
      {
        name: "mcp__everything__get-sum",
        input: { a: 23, b: 19 },
        expect: "pending",
        why: "a tool in scope whose server is down",
      },
    ],
  },
  {
    say: "Once more.",
    calls: [
      {
        name: "mcp__everything__get-sum",
        input: { a: 23, b: 19 },
        expect: "runs",
        answer: "42",
        why: "a tool in scope that came back",
      },
    ],
  },
  {
    say: "A program can do both at once, and look at the notes meanwhile.",
    calls: [
      {
        name: "execute",
        input: { code: program },
        expect: "runs",
        answer: "both at once",
        why: "a program",
        nested: [
          { name: "mcp__everything__get-sum", expect: "runs", why: "in scope, together with the next" },
          { name: "mcp__everything__echo", expect: "runs", why: "in scope" },
          { name: "search_notes", expect: "out_of_scope", why: "a tool of the extension nobody selected" },
        ],
      },
    ],
  },
  { say: "19 + 23 = 42." },
];
