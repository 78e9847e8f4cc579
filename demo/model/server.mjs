// A model that follows a script, behind the Anthropic Messages wire form on loopback: no key, no network, and yet the
// loop that talks to it is the one that would talk to the real API.
import { createServer } from "node:http";
import { checkRequest, InvalidRequest } from "./request.mjs";

const largestBody = 32 * 1024 * 1024;

class Refusal extends Error {
  constructor(status, type, message) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/**
 * Starts the model.
 *
 * @param {readonly { say?: string, calls?: readonly { name: string, input: object }[] }[]} script one entry a request;
 *   an entry without calls ends the conversation, and so does the end of the script.
 * @returns {Promise<{ url: string, requests: object[], close(): Promise<void> }>} `requests` holds the bodies of the
 *   requests that were accepted, in order: what the model was shown, whatever the loop says of itself.
 */
export async function startModel(script) {
  const requests = [];
  const server = createServer(async (request, response) => {
    try {
      const body = await readBody(request);
      admit(request);
      checkRequest(body);
      requests.push(body);
      send(response, 200, reply(body, script[requests.length - 1], requests.length));
    } catch (error) {
      const { status, type } = describe(error);
      send(response, status, { type: "error", error: { type, message: error.message } });
    }
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function admit(request) {
  if (request.url !== "/v1/messages")
    throw new Refusal(404, "not_found_error", `no \`${request.url}\`; there is /v1/messages`);
  if (request.method !== "POST")
    throw new Refusal(405, "invalid_request_error", `\`${request.method}\` is not allowed; use POST`);
  // Newer clients send the key as a bearer token.
  if (!request.headers["x-api-key"] && !request.headers.authorization)
    throw new Refusal(401, "authentication_error", "x-api-key header is required");
  if (!request.headers["anthropic-version"])
    throw new Refusal(400, "invalid_request_error", "anthropic-version: header is required");
}

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > largestBody)
      throw new Refusal(413, "request_too_large", `a request may have ${largestBody} bytes at most`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8") || "null");
}

function describe(error) {
  if (error instanceof Refusal) return error;
  if (error instanceof InvalidRequest || error instanceof SyntaxError)
    return { status: 400, type: "invalid_request_error" };
  return { status: 500, type: "api_error" };
}

function reply(body, entry = { say: "That is all I know." }, number) {
  const calls = entry.calls ?? [];
  const content = [
    ...(entry.say === undefined ? [] : [{ type: "text", text: entry.say }]),
    ...calls.map(({ name, input }, index) => ({ type: "tool_use", id: `toolu_${number}_${index + 1}`, name, input })),
  ];
  return {
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: tokens(body), output_tokens: tokens(content) },
  };
}

/** Four characters a token, the usual rule of thumb. */
const tokens = (value) => Math.ceil(JSON.stringify(value).length / 4);

function send(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
