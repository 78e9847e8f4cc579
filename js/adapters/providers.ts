/**
 * `toolscope/providers`: prepared requests in the wire form of model APIs, for whoever writes the loop themselves. Pure
 * functions: they send nothing, keep nothing and need no SDK, and equal requests give equal bytes.
 *
 * What an API enforces: nothing of a scope. A model may call what it was never shown, so each call it makes goes through
 * {@link ToolSession.call} (or `beforeToolCall`), by the name it wrote.
 *
 * Names are legal for every API as they are: 1 to 64 of `[A-Za-z0-9_-]`. Schemas are written in draft 2020-12, from
 * whichever draft they came in, with an object at the root and none of `oneOf`, `anyOf`, `allOf`, `not`, `enum`, `const`,
 * `$ref` there; references are pointers within them, whatever they were, and those to elsewhere are left out. They take
 * what the tool's own schema takes, or more, save that a parameter which some alternatives or conditions at the root leave
 * undeclared is shown as the others have it. Keys come in an order that their content gives: required properties first, the
 * others by name.
 */
import { type JsonSchema, type PreparedRequest, type ToolDefinition, ToolscopeError } from "../../index.js";
import { type Check, boolean, callable, expect, invalid, list, object, oneOf, options, string } from "../options.js";
import { withLegalProperties, withOwnProperties } from "./providers/properties.js";
import { type RootSchema, rootSchema } from "./providers/root.js";
import { isStrictForOpenAi, strictForAnthropic } from "./providers/strict.js";

/** What every wire form can be asked. */
export interface WireOptions {
  /**
   * true: tools whose schema already keeps to the API's strict subset are strict: every object closed, every property
   * required, every part of a known type, at most 5 levels and 100 properties. No schema is rewritten for it, so no tool
   * gets an input it would not have had. Of one request Anthropic takes 20 strict tools with 16 parameters of several
   * types: the first ones are. Default false.
   */
  strict?: boolean;
  /**
   * What becomes of deferred tools. `"omit"` (default): they are left out. `"native"`: they are sent with
   * `defer_loading` behind the API's own tool search, which comes first in the list where there are any. Tools it loads
   * are the session's to be told of, by `session.activate(name)`: called before that they are refused as `not_loaded`.
   * Chat Completions has no such search and always omits.
   */
  deferred?: "omit" | "native";
}

/** A tool of the Messages API. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: RootSchema;
  strict?: boolean;
  defer_loading?: boolean;
  cache_control?: { type: "ephemeral" };
}
/** The Messages API's own search for deferred tools. */
export interface AnthropicToolSearch {
  type: "tool_search_tool_bm25_20251119";
  name: "tool_search_tool_bm25";
}
/** A tool that joins in the midst of a conversation: a block of the next user message. */
export interface AnthropicToolAddition {
  type: "tool_addition";
  tool: { type: "tool_definition"; definition: AnthropicTool };
}

/** A function of the Responses API. */
export interface ResponsesFunction {
  type: "function";
  name: string;
  description?: string;
  parameters: RootSchema;
  strict: boolean;
  defer_loading?: boolean;
}
/** Functions of the Responses API under a common name. */
export interface ResponsesNamespace {
  type: "namespace";
  name: string;
  description: string;
  tools: ResponsesFunction[];
}
export type ResponsesTool = ResponsesFunction | ResponsesNamespace | { type: "tool_search" };
/** Tools that join in the midst of a conversation: an item of the next input. */
export interface ResponsesAdditionalTools {
  type: "additional_tools";
  role: "developer";
  tools: ResponsesTool[];
}

/** A function of Chat Completions. */
export interface ChatTool {
  type: "function";
  function: { name: string; description?: string; parameters: RootSchema; strict?: boolean };
}

/** How a request differs from the last one, as an API can take it. */
export type WireDelta<Tool, Item> =
  /** Leave the list as it was sent, and add this to the conversation; nothing where nothing changed. */
  | { reset: false; items: Item[] }
  /** Send this list instead; additions of earlier requests are in it, and go out of the conversation. */
  | { reset: true; tools: Tool[] };

/**
 * Most entries of `tools` in a request to OpenAI's APIs, which answer "array too long" past it. Prepare with `maxTools` to
 * keep to it. A deferred tool that is sent is an entry like another, the API's own search is one, and so is a namespace,
 * however many tools are in it.
 */
export const openAiMaxTools = 128;
/** Most characters of a description there; longer ones are cut. */
const OPENAI_DESCRIPTION = 1_024;

/**
 * Tools for `client.messages.create({ tools })` of Anthropic. Property names that the API does not take are written
 * otherwise; {@link anthropicInput} takes a call's input back.
 *
 * @param options.cache true: a cache breakpoint behind the last tool that is the same as in the last request. Default false.
 *
 * @example
 * const request = await session.prepare();
 * const reply = await client.messages.create({ model, max_tokens, messages, tools: anthropicTools(request) });
 */
export function anthropicTools(
  request: PreparedRequest,
  options: WireOptions & { cache?: boolean } = {},
): (AnthropicTool | AnthropicToolSearch)[] {
  const { tools, stablePrefix } = checked("anthropicTools()", request, options, known.anthropic);
  const sent = tools.filter((tool) => isSent(tool, options));
  const wire = anthropicForm(sent, options);
  const last = tools.slice(0, stablePrefix).findLast((tool) => tool.deferred !== true);
  if (options.cache === true && last !== undefined) {
    const at = sent.indexOf(last);
    wire[at] = { ...(wire[at] as AnthropicTool), cache_control: { type: "ephemeral" } };
  }
  return isSearched(tools, options) ? [anthropicSearch(sent), ...wire] : wire;
}

function anthropicSearch(sent: readonly ToolDefinition[]): AnthropicToolSearch {
  const name = "tool_search_tool_bm25";
  if (!sent.some((tool) => tool.name === name)) return { type: "tool_search_tool_bm25_20251119", name };
  throw new ToolscopeError(
    "ERR_TOOLSCOPE_INVALID_ARGUMENT",
    `the tool \`${name}\` has the name of the Messages API's own search, which comes with deferred tools; ` +
      'give it another by `exposedName`, or ask for `deferred: "omit"`',
  );
}

/**
 * What changed, for the Messages API's beta `inline-tools-2026-09-15`: added tools as blocks for the next user message,
 * so that what is cached before them stays. Without that beta, send {@link anthropicTools} each time.
 */
export function anthropicDelta(
  request: PreparedRequest,
  options: WireOptions = {},
): WireDelta<AnthropicTool | AnthropicToolSearch, AnthropicToolAddition> {
  checked("anthropicDelta()", request, options, known.wire, withDelta);
  if (isAfresh(request, options)) return { reset: true, tools: anthropicTools(request, options) };
  const added = new Set(request.delta.added.map(({ id }) => id));
  if (added.size === 0) return { reset: false, items: [] };
  const sent = request.tools.filter((tool) => isSent(tool, options));
  // Formed with the tools before them: how many of a request can be strict is limited.
  const definitions = anthropicForm(sent, options).filter((_, at) => added.has((sent[at] as ToolDefinition).id));
  return {
    reset: false,
    items: definitions.map((definition) => ({ type: "tool_addition", tool: { type: "tool_definition", definition } })),
  };
}

/** The input of a `tool_use` block as the tool takes it: with its own names of properties. */
export function anthropicInput(tool: { inputSchema: JsonSchema }, input: unknown): unknown {
  expect("the tool", tool, object);
  expect("`inputSchema` of the tool", tool.inputSchema, object);
  return withOwnProperties(tool.inputSchema, input);
}

/**
 * Tools for `client.responses.create({ tools })` of OpenAI. `strict` is always said, since the API would else try it.
 *
 * @throws {ToolscopeError} `ERR_TOOLSCOPE_PROVIDER_LIMIT` past {@link openAiMaxTools} entries.
 *
 * @example
 * const request = await session.prepare({ maxTools: openAiMaxTools });
 * const response = await client.responses.create({ model, input, tools: responsesTools(request) });
 *
 * @example
 * // Behind the API's own search there may be many more, under common names.
 * const namespace = ({ id }) => ({ name: id.split(/[:/]/)[1], description: `Tools of ${id.split("/")[0]}.` });
 * const tools = responsesTools(await session.prepare({ maxTools: 50 }), { deferred: "native", namespace });
 */
export function responsesTools(request: PreparedRequest, options: ResponsesOptions = {}): ResponsesTool[] {
  const { tools } = checked("responsesTools()", request, options, known.responses);
  const wire = grouped(tools, request, options);
  if (isSearched(tools, options)) wire.unshift({ type: "tool_search" });
  return withinLimit(wire, "the Responses API", isSearched(tools, options));
}

/** Options of the Responses API's forms. */
export interface ResponsesOptions extends WireOptions {
  /**
   * Puts tools under a common name, of which the first one's description is sent; those of one name stand where the
   * first of them does. The name is 1 to 64 of `[A-Za-z0-9_-]` and none that a tool has, since the API tells a deferred
   * tool without a namespace by a namespace of its own name; the description is not empty. Else it is
   * `ERR_TOOLSCOPE_INVALID_ARGUMENT`. What it throws is thrown.
   */
  namespace?: (tool: ToolDefinition) => { name: string; description: string } | undefined;
}

/** What changed, for the Responses API: added tools as an item for the next input. */
export function responsesDelta(
  request: PreparedRequest,
  options: ResponsesOptions = {},
): WireDelta<ResponsesTool, ResponsesAdditionalTools> {
  checked("responsesDelta()", request, options, known.responses, withDelta);
  if (isAfresh(request, options)) return { reset: true, tools: responsesTools(request, options) };
  const tools = grouped(request.delta.added, request, options);
  return { reset: false, items: tools.length === 0 ? [] : [{ type: "additional_tools", role: "developer", tools }] };
}

/**
 * Tools for `client.chat.completions.create({ tools })` of OpenAI and of those who speak like it. The API takes a list
 * alone, so what changed is sent as a fresh list: up to `stablePrefix` it is the last one.
 *
 * @throws {ToolscopeError} `ERR_TOOLSCOPE_PROVIDER_LIMIT` past {@link openAiMaxTools} tools.
 *
 * @example
 * const request = await session.prepare({ maxTools: openAiMaxTools });
 * const completion = await client.chat.completions.create({ model, messages, tools: chatTools(request) });
 */
export function chatTools(request: PreparedRequest, options: Pick<WireOptions, "strict"> = {}): ChatTool[] {
  const { tools } = checked("chatTools()", request, options, known.chat);
  const sent = tools.filter(({ deferred }) => deferred !== true);
  const wire = sent.map(({ name, description, inputSchema }): ChatTool => {
    const parameters = rootSchema(inputSchema);
    const isToBeStrict = options.strict === true && isStrictForOpenAi(parameters);
    return { type: "function", function: { name, ...described(description), parameters, ...(isToBeStrict && { strict: true }) } };
  });
  return withinLimit(wire, "Chat Completions", false);
}

const strict = { strict: boolean };
const wire = { ...strict, deferred: oneOf("omit", "native") };
const known = { chat: strict, wire, anthropic: { ...wire, cache: boolean }, responses: { ...wire, namespace: callable } };

/** The request, where it is one that `prepare()` gave, and the options are such. */
function checked(
  what: string,
  request: PreparedRequest,
  given: object,
  checks: { readonly [option: string]: Check },
  form: Check = prepared,
): PreparedRequest {
  expect(`the request of ${what}`, request, form);
  for (const [at, tool] of request.tools.entries()) expect(`\`tools[${at}]\` of the request of ${what}`, tool, definition);
  if (form === withDelta) {
    for (const [at, tool] of request.delta.added.entries()) expect(`\`delta.added[${at}]\` of the request of ${what}`, tool, definition);
  }
  options(what, given, checks);
  return request;
}

const prepared: Check = {
  what: "what `prepare()` resolves to",
  is: (value) => object.is(value) && list.is((value as { tools?: unknown }).tools),
};
const withDelta: Check = {
  ...prepared,
  is: (value) => {
    const { delta } = prepared.is(value) ? (value as { delta?: { reset?: unknown; added?: unknown } }) : {};
    return object.is(delta) && boolean.is(delta?.reset) && list.is(delta?.added);
  },
};
const definition: Check = {
  what: "a tool as `prepare()` gives it: `name`, `description` and `inputSchema`",
  is: (value) => {
    if (!object.is(value)) return false;
    const { name, description, inputSchema } = value as { [key in keyof ToolDefinition]?: unknown };
    return string.is(name) && string.is(description) && object.is(inputSchema);
  },
};
const namespaceOf: Check = {
  what: "nothing, or an object of `name`, 1 to 64 of `[A-Za-z0-9_-]` and none that a tool has, and `description`, not empty",
  is: (value) => {
    if (!object.is(value)) return false;
    const { name, description } = value as { name?: unknown; description?: unknown };
    return string.is(name) && /^[a-zA-Z0-9_-]{1,64}$/.test(name as string) && string.is(description) && description !== "";
  },
};

const isSent = ({ deferred }: ToolDefinition, options: WireOptions): boolean => deferred !== true || options.deferred === "native";

const isDeferred = ({ deferred }: ToolDefinition): boolean => deferred === true;

/** Whether tools go behind the API's own search, which is of no use, and refused by some, where none is deferred. */
const isSearched = (tools: readonly ToolDefinition[], { deferred }: WireOptions): boolean => deferred === "native" && tools.some(isDeferred);

/** Whether the list is due afresh, also where a first deferred tool brings the API's search to its front. */
function isAfresh({ tools, delta }: PreparedRequest, options: WireOptions): boolean {
  if (delta.reset || !isSearched(delta.added, options)) return delta.reset;
  const added = new Set(delta.added.map(({ id }) => id));
  return !tools.some((tool) => isDeferred(tool) && !added.has(tool.id));
}

/** The tools that a request sends, in their order. */
function anthropicForm(sent: readonly ToolDefinition[], { strict }: WireOptions): AnthropicTool[] {
  const schemas = sent.map(({ inputSchema }) => withLegalProperties(rootSchema(inputSchema)));
  const areStrict = strict === true ? strictForAnthropic(schemas) : [];
  return sent.map(({ name, description, deferred }, at) => ({
    name,
    ...(description !== "" && { description }),
    input_schema: schemas[at] as RootSchema,
    ...(areStrict[at] === true && { strict: true }),
    ...(deferred === true && { defer_loading: true }),
  }));
}

function grouped(tools: readonly ToolDefinition[], request: PreparedRequest, options: ResponsesOptions): ResponsesTool[] {
  const wire: ResponsesTool[] = [];
  const namespaces = new Map<string, ResponsesNamespace>();
  const names = new Set(options.namespace === undefined ? [] : request.tools.map(({ name }) => name));
  for (const tool of tools) {
    if (!isSent(tool, options)) continue;
    const parameters = rootSchema(tool.inputSchema);
    const made: ResponsesFunction = {
      type: "function",
      name: tool.name,
      ...described(tool.description),
      parameters,
      strict: options.strict === true && isStrictForOpenAi(parameters),
      ...(tool.deferred === true && { defer_loading: true }),
    };
    const wished = options.namespace?.(tool);
    if (wished === undefined) {
      wire.push(made);
      continue;
    }
    const what = `what \`namespace\` gives for \`${tool.name}\``;
    expect(what, wished, namespaceOf);
    if (names.has(wished.name)) throw invalid(`the name in ${what}`, namespaceOf.what, wished.name);
    let namespace = namespaces.get(wished.name);
    if (namespace === undefined) {
      namespace = { type: "namespace", name: wished.name, description: cut(wished.description), tools: [] };
      namespaces.set(wished.name, namespace);
      wire.push(namespace);
    }
    namespace.tools.push(made);
  }
  return wire;
}

const described = (description: string): { description?: string } => (description === "" ? {} : { description: cut(description) });

function cut(description: string): string {
  if (description.length <= OPENAI_DESCRIPTION) return description;
  const characters = Array.from(description);
  return characters.length <= OPENAI_DESCRIPTION ? description : `${characters.slice(0, OPENAI_DESCRIPTION - 1).join("")}…`;
}

function withinLimit<T>(wire: T[], api: string, isSearched: boolean): T[] {
  if (wire.length <= openAiMaxTools) return wire;
  const prepare = `prepare it with \`maxTools: ${openAiMaxTools}\``;
  // A deferred tool that is sent counts like another, so preparing alone is no way out.
  const wayOut = isSearched ? `group its tools by \`namespace\`, or ${prepare} and ask for \`deferred: "omit"\`` : prepare;
  throw new ToolscopeError(
    "ERR_TOOLSCOPE_PROVIDER_LIMIT",
    `this request has \`${wire.length}\` tools and ${api} takes ${openAiMaxTools}; ${wayOut}`,
    { details: { tools: wire.length, limit: openAiMaxTools } },
  );
}
