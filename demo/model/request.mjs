// What the Anthropic Messages API demands of a request, as far as tools are concerned: the model of the demo refuses
// what the real one would refuse, so that a loop that passes here would pass there.

const toolName = /^[a-zA-Z0-9_-]{1,64}$/;
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const blocksOf = (message) =>
  typeof message?.content === "string" ? [{ type: "text", text: message.content }] : message?.content;

/** A request that the API answers with 400 `invalid_request_error`. */
export class InvalidRequest extends Error {
  /** @param {string} path where in the body, for example `tools.0.name` */
  constructor(path, problem) {
    super(`${path}: ${problem}`);
  }
}
function demand(condition, path, problem) {
  if (!condition) throw new InvalidRequest(path, problem);
}

/** Throws {@link InvalidRequest} for the first thing that is wrong with a body of `POST /v1/messages`. */
export function checkRequest(body) {
  demand(isObject(body), "body", "should be an object");
  demand(typeof body.model === "string" && body.model !== "", "model", "field required");
  demand(Number.isInteger(body.max_tokens) && body.max_tokens > 0, "max_tokens", "should be a positive integer");
  checkTools(body.tools ?? []);
  checkMessages(body.messages);
}

function checkTools(tools) {
  demand(Array.isArray(tools), "tools", "should be an array");
  const names = new Set();
  for (const [index, tool] of tools.entries()) {
    const path = `tools.${index}`;
    demand(isObject(tool), path, "should be an object");
    demand(
      typeof tool.name === "string" && toolName.test(tool.name),
      `${path}.name`,
      `should match ${toolName}, is \`${tool.name}\``,
    );
    demand(!names.has(tool.name), "tools", `names must be unique, \`${tool.name}\` is there twice`);
    names.add(tool.name);
    demand(
      tool.description === undefined || typeof tool.description === "string",
      `${path}.description`,
      "should be a string",
    );
    const schema = tool.input_schema;
    demand(isObject(schema) && schema.type === "object", `${path}.input_schema.type`, "should be `object`");
    for (const word of ["oneOf", "allOf", "anyOf"])
      demand(!(word in schema), `${path}.input_schema`, `\`${word}\` is not supported at the top level`);
  }
}

function checkMessages(messages) {
  demand(Array.isArray(messages) && messages.length > 0, "messages", "at least one message is required");
  demand(messages[0]?.role === "user", "messages.0.role", "the first message should be the user's");
  const used = new Set();
  let awaited = new Set();
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    demand(
      message?.role === "user" || message?.role === "assistant",
      `${path}.role`,
      "should be `user` or `assistant`",
    );
    const blocks = blocksOf(message);
    demand(
      Array.isArray(blocks) && blocks.length > 0,
      `${path}.content`,
      "should be a string or a list of at least one block",
    );
    const answered = checkResults(message.role, blocks, awaited, path);
    const missing = [...awaited].filter((id) => !answered.has(id));
    demand(
      missing.length === 0,
      path,
      `\`tool_use\` ids without a \`tool_result\` right after them: ${missing.join(", ")}`,
    );
    awaited = checkUses(message.role, blocks, used, path);
  }
  demand(
    awaited.size === 0,
    "messages",
    `\`tool_use\` ids without a \`tool_result\` right after them: ${[...awaited].join(", ")}`,
  );
}

/** The ids that the `tool_result` blocks of one message answer. */
function checkResults(role, blocks, awaited, path) {
  const answered = new Set();
  let beforeOthers = true;
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.content.${index}`;
    if (block?.type !== "tool_result") {
      beforeOthers = false;
      continue;
    }
    demand(role === "user", at, "a `tool_result` belongs in a user message");
    demand(beforeOthers, at, "a `tool_result` must come before every other block");
    demand(
      awaited.has(block.tool_use_id),
      at,
      `no \`tool_use\` in the message before has the id \`${block.tool_use_id}\``,
    );
    demand(!answered.has(block.tool_use_id), at, `a second \`tool_result\` for \`${block.tool_use_id}\``);
    answered.add(block.tool_use_id);
  }
  return answered;
}

/** The ids that the `tool_use` blocks of one message want answered. */
function checkUses(role, blocks, used, path) {
  const awaited = new Set();
  for (const [index, block] of blocks.entries()) {
    if (block?.type !== "tool_use") continue;
    const at = `${path}.content.${index}`;
    demand(role === "assistant", at, "a `tool_use` belongs in an assistant message");
    demand(
      typeof block.name === "string" && toolName.test(block.name),
      `${at}.name`,
      `should match ${toolName}, is \`${block.name}\``,
    );
    demand(isObject(block.input), `${at}.input`, "should be an object");
    demand(!used.has(block.id), at, `\`tool_use\` ids must be unique, \`${block.id}\` is there twice`);
    used.add(block.id);
    awaited.add(block.id);
  }
  return awaited;
}
