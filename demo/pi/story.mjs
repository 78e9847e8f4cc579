// The story of the demo on pi: what is in scope, what registers when, and what the model does turn by turn.

export const task = "Open a ticket about the sum of 19 and 23.";

export const scope = {
  allow: ["read", "ext:codemode", "ext:tickets", "mcp:everything/echo", "mcp:everything/get-sum"],
  exclude: ["mcp:everything/get-env"],
};

/** pi's names for what is in scope. */
export const namesInScope = [
  "read",
  "codemode",
  "ticket_open",
  "ticket_close",
  "ticket_find",
  "mcp__everything__echo",
  "mcp__everything__get_sum",
];

/** The tools of extensions: who registers them, when, and how they are reached. `ext:notes` is selected by nobody. */
export const registrations = [
  { extension: "tickets", at: "session_start", name: "ticket_open", description: "Opens a ticket." },
  {
    extension: "notes",
    at: "before_agent_start",
    name: "search_notes",
    description: "Searches the user's private notes.",
  },
  { extension: "tickets", at: "turn 2", name: "ticket_close", description: "Closes a ticket." },
  { extension: "tickets", at: "turn 2", name: "ticket_find", description: "Finds a ticket.", exposure: "codemode" },
  {
    extension: "notes",
    at: "turn 2",
    name: "delete_notes",
    description: "Deletes the user's private notes.",
    exposure: "codemode",
  },
];

const runs = (name, input = {}, why) => ({ name, input, expect: "runs", why });
const refused = (name, expect, why, input = {}) => ({ name, input, expect, why });
const script = (code, why) => ({ name: "codemode", input: { code }, expect: "runs", why });

/** A prompt is a list of turns; a turn what the model says and calls. */
export const prompts = [
  {
    prompt: "Do what task.txt says.",
    turns: [
      {
        say: "First the task.",
        calls: [
          runs("read", { path: "task.txt" }),
          runs("mcp__everything__echo", { message: "ready" }, "its server connected after the start"),
        ],
      },
      {
        say: "Now the sum, and whatever else there is.",
        calls: [
          runs("mcp__everything__get_sum", { a: 19, b: 23 }),
          runs("ticket_open", { text: "42" }, "registered at session_start"),
          refused("search_notes", "out_of_scope", "an extension nobody selected"),
          refused("mcp__everything__get_env", "excluded", "it prints the server's environment"),
        ],
      },
      {
        say: "A script can do the rest.",
        calls: [
          script(
            "return { listed: ALL_TOOLS.map((tool) => tool.name), found: (await searchTools('notes ticket', { limit: 50 })).map((tool) => tool.name), ticket: await tools.ticket_find({ text: '42' }) }",
            "ticket_find registered during turn 2",
          ),
          {
            ...script(
              "return await tools.delete_notes({ text: 'all' })",
              "delete_notes is another extension's, and registered during turn 2",
            ),
            expect: "fails",
          },
        ],
      },
      {
        say: "A script can also do two things at once, and tidy up the notes.",
        calls: [
          script(
            `const done = await Promise.all([tools.ticket_open({ text: 'again' }), tools.ticket_find({ text: 'again' })]);
let notes;
try {
  notes = await tools.delete_notes({ text: 'all' });
} catch (error) {
  notes = error.message;
}
return { done, notes };`,
            "two tools in scope together, and a third out of scope",
          ),
        ],
      },
      {
        say: "And the ticket can be closed.",
        calls: [runs("ticket_close", { text: "42" }, "registered during turn 2")],
      },
      { say: "Done." },
    ],
  },
  {
    reload: true,
    prompt: "And after /reload?",
    turns: [
      {
        say: "Once more.",
        calls: [
          runs("mcp__everything__echo", { message: "still here" }),
          refused("search_notes", "out_of_scope", "registered again by the reload"),
        ],
      },
      { say: "Done." },
    ],
  },
];

/** The turn whose one call is a program, and which tools it calls at the same time; it is to reach no other. */
export const programInTurn = 4;
export const programCalls = ["ticket_open", "ticket_find"];

export const turns = prompts.flatMap(({ turns }) => turns);
/** The first turn after the reload, counted from 1. */
export const firstAfterReload = prompts[0].turns.length + 1;
