// Ten thousand tools in fifty sources, of the size that real servers send (about 0.8 KB each), the same at every run.

const verbs = ["get", "list", "create", "update", "delete", "search", "export", "sync", "merge", "archive"];
const nouns = ["issue", "branch", "commit", "release", "invoice", "customer", "page", "database", "message", "channel",
  "calendar", "event", "file", "folder", "deployment", "metric", "alert", "ticket", "contact", "report"];

/** Fifty source specs with two hundred tools each; each tool can run. */
export function inventory(count = 10_000, sources = 50) {
  const each = count / sources;
  return Array.from({ length: sources }, (_, source) => ({
    kind: source % 2 === 0 ? "mcp" : "ext",
    name: `source-${source}`,
    tools: Array.from({ length: each }, (_, at) => tool(source, at)),
  }));
}

function tool(source, at) {
  const verb = verbs[at % verbs.length];
  const noun = nouns[Math.floor(at / verbs.length) % nouns.length];
  const name = `${verb}_${noun}_${source}x${at}`;
  const property = (key) => [key, { type: "string", description: `The ${key} of the ${noun} to ${verb}, as the service returned it.` }];
  return {
    name,
    description: `${verb[0].toUpperCase()}${verb.slice(1)} one ${noun} of the workspace. Needs the right to ${verb} a ${noun}; answers with its fields, or an error that says which right is missing.`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(["workspace", noun, "owner", "since", "cursor"].map(property)),
      required: ["workspace", noun],
      additionalProperties: false,
    },
    execute: async () => ({ ok: true }),
  };
}
