/** What the tool that runs programs says of itself to a model: how to write one, then the catalog of tools to call. */
export function codeModeGuide(catalog: string): string {
  return `Runs a JavaScript program (TypeScript annotations are fine) that calls tools, and returns its value and its logs.
Call tools as \`await tools.<source>.<tool>(input)\` or \`await tools.<name>(input)\`, independent ones together with \`Promise.all\`. \
\`await search("words")\` finds more tools, \`await describe("source.tool")\` tells one's schema, \`Object.keys(tools)\` lists them.
\`await\` and \`return\` work at the top level; without \`return\` the last expression is the value. Return only what you need, as JSON data. \
\`console.log\` is shown too. A refused or failed call throws an Error with \`code\`. There are no files, network, timers or modules.
${catalog === "" ? "" : `\n${catalog}`}`;
}

/** The input of that tool. */
export const codeModeInputSchema = {
  type: "object",
  properties: { code: { type: "string", description: "The program." } },
  required: ["code"],
  additionalProperties: false,
} as const;
