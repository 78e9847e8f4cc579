// The tools of the demo's own host: two built in, and an extension that comes late. Each run of theirs is recorded.
import { readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";

const text = (description) => ({ type: "string", description });
const schema = (properties) => ({ type: "object", properties, required: Object.keys(properties) });

/** A path inside the workspace; a tool gets no further. */
function within(workspace, path) {
  const full = resolve(workspace, path);
  if (relative(workspace, full).split(sep)[0] === "..")
    throw new Error(`\`${path}\` is outside of the workspace; use a path in it`);
  return full;
}

/** `run(rawName, tool)` is handed each run. */
const recorded = (tools, run) =>
  tools.map((tool) => ({ ...tool, execute: (input) => run(tool.name, () => tool.execute(input)) }));

/** The built-in tools, which work on the files of a folder. */
export const builtinTools = (workspace, run) =>
  recorded(
    [
      {
        name: "read",
        description: "Reads a text file of the workspace.",
        inputSchema: schema({ path: text("Path in the workspace") }),
        execute: ({ path }) => readFile(within(workspace, path), "utf8"),
      },
      {
        name: "write",
        description: "Writes a text file of the workspace.",
        inputSchema: schema({ path: text("Path in the workspace"), text: text("What to write") }),
        execute: async (input) => {
          await writeFile(within(workspace, input.path), input.text);
          return `wrote ${join(input.path)}`;
        },
      },
    ],
    run,
  );

/** The tools of the extension `notes`, which nobody selected. */
export const notesTools = (run) =>
  recorded(
    [
      {
        name: "search_notes",
        description: "Searches the user's private notes.",
        inputSchema: schema({ query: text("What to look for") }),
        execute: ({ query }) => `1 note about ${query}: the door code is 4711`,
      },
      {
        name: "delete_notes",
        description: "Deletes the user's private notes.",
        inputSchema: schema({ query: text("What to delete") }),
        execute: ({ query }) => `deleted the notes about ${query}`,
      },
    ],
    run,
  );
