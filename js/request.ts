import type { Diagnostic, JsonSchema, PreparedRequest, ToolDefinition, ToolProvider } from "../index.js";
import { Definitions, type FrozenDefinition, freezeDeep, isSame, textOf } from "./definition.js";
import { ToolscopeError } from "./errors.js";
import { isLate, isThenable, within } from "./listener.js";
import { crossing, native } from "./native.js";
import { messageOf } from "./options.js";
import type { Slot, Tree } from "./tree.js";

/** A provider, as it was added. */
export interface Provider {
  readonly provide: ToolProvider;
  readonly name: string;
  readonly optional: boolean;
  readonly timeoutMs: number;
}

/** What the preparation of requests needs of its session. */
export interface RequestHost {
  readonly tree: Tree;
  readonly index: number;
  readonly over: boolean;
  /** Counts the changes of the active set. */
  readonly activeChanges: number;
  /** Counts the calls of compact(), from which on tools weigh something else. */
  readonly compacted: number;
  /** What the core has to tell since the last call, told to the session's listeners already. */
  heard(): Diagnostic[];
  tell(diagnostic: Diagnostic): void;
  /** The tool that comes last, whatever providers do, and its definition as it is now: code mode. */
  readonly last: { readonly slot: Slot; readonly define: () => FrozenDefinition } | undefined;
  /** How much each tool is used; a tool never used is 0. */
  weights(slots: Uint32Array): Float64Array;
}

/** One tool on its way through the providers. */
interface Offer {
  readonly slot: Slot;
  readonly definition: FrozenDefinition;
}

interface Options {
  readonly context?: unknown;
  readonly maxTools?: number;
}

/** All that a request without providers is made from. */
interface Made {
  readonly generation: number;
  readonly activeChanges: number;
  readonly compacted: number;
  readonly last: FrozenDefinition | undefined;
  readonly maxTools: number | undefined;
}

const isAlike = (one: Made, other: Made): boolean =>
  one.generation === other.generation &&
  one.activeChanges === other.activeChanges &&
  one.compacted === other.compacted &&
  one.last === other.last &&
  one.maxTools === other.maxTools;

/** In a settled answer: from here on, a place in what was handed over. */
const RESTORED = 2 ** 31;
const NOBODY = 2 ** 32 - 1;

/** Prepares the requests of one session, one after the other. */
export class Requests {
  readonly #host: RequestHost;
  readonly #definitions: Definitions;
  #providers: readonly Provider[] = [];
  #queue: Promise<unknown> = Promise.resolve();
  #last: PreparedRequest | undefined;
  #unchanged: PreparedRequest | undefined;
  /** What the last request was made from, where the same is made of the same. */
  #made: Made | undefined;
  #release: (() => void) | undefined;

  constructor(host: RequestHost, definitions: Definitions) {
    this.#host = host;
    this.#definitions = definitions;
  }

  add(provider: Provider): void {
    this.#providers = [...this.#providers, provider];
    this.#made = undefined;
  }

  remove(provider: Provider): void {
    this.#providers = this.#providers.filter((other) => other !== provider);
    this.#made = undefined;
  }

  /** The next request; after those that were asked for before it, since each says what changed since the last. */
  prepare(options: Options): Promise<PreparedRequest> {
    const prepared = this.#queue.then(() => this.#prepare(options));
    this.#queue = prepared.catch(() => {});
    return prepared;
  }

  async #prepare({ context, maxTools }: Options): Promise<PreparedRequest> {
    this.#alive();
    const { tree, index } = this.#host;
    const making = this.#making(maxTools);
    if (this.#unchanged !== undefined && this.#made !== undefined && isAlike(this.#made, making)) return this.#unchanged;
    const providers = this.#providers;
    const diagnostics: Diagnostic[] = [];
    const slots = crossing(() => tree.native.requestTools(index));
    const { last } = this.#host;
    const isLast = last !== undefined && slots.includes(last.slot);
    let offers = this.#offers(isLast ? slots.filter((slot) => slot !== last.slot) : slots);
    const prompts: string[] = [];
    for (const provider of providers) {
      const answer = await this.#ask(provider, offers, context, diagnostics);
      this.#alive();
      if (answer === undefined) continue;
      offers = answer.offers;
      if (answer.prompt !== "") prompts.push(answer.prompt);
    }
    // Code mode describes what the others left, so it is put last; its place is not one to be deferred from.
    const most = isLast && maxTools !== undefined ? Math.max(0, maxTools - 1) : maxTools;
    const tools = this.#finish(offers, most, isLast ? { slot: last.slot, definition: last.define() } : undefined);
    diagnostics.push(...this.#host.heard());
    const request = this.#compared(tools, prompts.join("\n\n"), diagnostics);
    this.#last = request;
    // Providers may answer differently each time.
    this.#made = providers.length === 0 ? making : undefined;
    // It is handed out again and again, so nobody may change it for the next.
    const nothing = Object.freeze([]) as unknown as never[];
    const none = Object.freeze({ added: nothing, removed: nothing, redefined: nothing, reset: false });
    this.#unchanged = Object.freeze({ ...request, stablePrefix: tools.length, delta: none, diagnostics: nothing });
    return request;
  }

  #making(maxTools: number | undefined): Made {
    const { tree, activeChanges, compacted, last } = this.#host;
    return { generation: tree.generation, activeChanges, compacted, last: last?.define(), maxTools };
  }

  /** Whoever waits for a provider's answer waits no longer: the session is over. */
  dispose(): void {
    this.#release?.();
  }

  /** What a provider answers; nothing once the session is over. */
  #untilOver(answer: PromiseLike<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#release = () => resolve(undefined);
      answer.then(resolve, reject);
    });
  }

  #alive(): void {
    if (this.#host.over) throw new ToolscopeError("ERR_TOOLSCOPE_SESSION_DISPOSED", "the session is disposed; make a new one");
  }

  #offers(slots: Uint32Array): Offer[] {
    const offers: Offer[] = [];
    this.#definitions.of(slots).forEach((definition, at) => {
      if (definition !== undefined) offers.push({ slot: slots[at] as Slot, definition });
    });
    return offers;
  }

  /** One provider's settled answer; nothing where an optional one failed. */
  async #ask(
    provider: Provider,
    offers: readonly Offer[],
    context: unknown,
    diagnostics: Diagnostic[],
  ): Promise<{ offers: Offer[]; prompt: string } | undefined> {
    const tell = (code: string, message: string, id?: string): void => {
      const diagnostic: Diagnostic = { level: "warning", code, message, ...(id !== undefined && { id }) };
      diagnostics.push(diagnostic);
      this.#host.tell(diagnostic);
    };
    try {
      // Copies, so that a provider may change what it is handed.
      const handed = offers.map(({ definition }) => copied(definition));
      const given = provider.provide(handed, context);
      const answer: unknown = isThenable(given) ? await within(this.#untilOver(given), provider.timeoutMs) : given;
      if (this.#host.over) return undefined;
      if (isLate(answer)) throw new Error(`it did not settle within ${provider.timeoutMs} ms`);
      const { tools, prompt = "" } = (answer ?? {}) as { tools?: unknown; prompt?: unknown };
      if (!Array.isArray(tools)) throw new TypeError("it returned no `tools`; return `{ tools, prompt? }`");
      if (typeof prompt !== "string") throw new TypeError("the `prompt` it returned is no string");
      return { offers: this.#settle(provider, offers, tools, tell), prompt: prompt.toWellFormed() };
    } catch (cause) {
      if (this.#host.over) return undefined;
      const message = `provider \`${provider.name}\` failed: ${messageOf(cause)}`;
      if (!provider.optional) throw new ToolscopeError("ERR_TOOLSCOPE_PROVIDER_FAILED", message, { cause });
      tell("provider_failed", `${message}; it is skipped`);
      return undefined;
    }
  }

  #settle(
    { name }: Provider,
    offers: readonly Offer[],
    tools: readonly unknown[],
    tell: (code: string, message: string, id?: string) => void,
  ): Offer[] {
    const { tree, index } = this.#host;
    const places = new Map<unknown, number>();
    // Loops, not `from` with a function: half of a request's cost was there.
    const handed = new Uint32Array(offers.length);
    for (let at = 0; at < offers.length; at++) {
      const { slot, definition } = offers[at] as Offer;
      handed[at] = slot;
      places.set(definition.id, at);
    }
    const returned = new Uint32Array(tools.length);
    const found: (Offer | undefined)[] = [];
    for (let at = 0; at < tools.length; at++) {
      const offer = offers[places.get((tools[at] as ToolDefinition | null | undefined)?.id) ?? -1];
      found.push(offer);
      returned[at] = offer?.slot ?? NOBODY;
    }
    const settled = crossing(() => tree.native.vet(index, name.toWellFormed(), handed, returned));
    const kept: Offer[] = [];
    for (const place of settled) {
      if (place >= RESTORED) {
        kept.push(offers[place - RESTORED] as Offer);
        continue;
      }
      const offer = found[place] as Offer;
      const definition = rewritten(offer.definition, tools[place] as ToolDefinition, (what) =>
        tell("provider_rewrite_refused", `provider \`${name}\` ${what}`, offer.definition.id),
      );
      kept.push(definition === offer.definition ? offer : { slot: offer.slot, definition });
    }
    return kept;
  }

  #finish(offers: readonly Offer[], maxTools: number | undefined, last: Offer | undefined): readonly FrozenDefinition[] {
    const { tree, index } = this.#host;
    const slots = new Uint32Array(offers.length);
    const deferred = new Uint8Array(offers.length);
    for (let at = 0; at < offers.length; at++) {
      const { slot, definition } = offers[at] as Offer;
      slots[at] = slot;
      deferred[at] = definition.deferred === true ? 1 : 0;
    }
    const weights = maxTools === undefined ? new Float64Array(0) : this.#host.weights(slots);
    const kept = crossing(() => tree.native.cap(index, slots, deferred, weights, maxTools));
    const tools: FrozenDefinition[] = [];
    for (const place of kept) {
      const { definition } = offers[place >> 1] as Offer;
      const isDeferred = (place & 1) === 1;
      tools.push(
        isDeferred === (definition.deferred === true) ? definition : Object.freeze({ ...definition, deferred: isDeferred }),
      );
    }
    if (last !== undefined && crossing(() => tree.native.requestTools(index)).includes(last.slot)) tools.push(last.definition);
    return Object.freeze(tools);
  }

  /** The request, beside the last one. */
  #compared(tools: readonly FrozenDefinition[], prompt: string, diagnostics: Diagnostic[]): PreparedRequest {
    const before = this.#last?.tools ?? [];
    let stablePrefix = 0;
    while (stablePrefix < Math.min(tools.length, before.length)) {
      if (!isSame(tools[stablePrefix] as FrozenDefinition, before[stablePrefix] as FrozenDefinition)) break;
      stablePrefix += 1;
    }
    const was = new Map(before.slice(stablePrefix).map((tool) => [tool.id, tool]));
    const changed = tools.slice(stablePrefix);
    const is = new Set(changed.map((tool) => tool.id));
    const delta = Object.freeze({
      added: Object.freeze(changed.filter((tool) => !was.has(tool.id))),
      removed: before.slice(stablePrefix).flatMap((tool) => (is.has(tool.id) ? [] : [tool.name])),
      redefined: changed.flatMap((tool) => {
        const old = was.get(tool.id);
        return old === undefined || isSame(tool, old) ? [] : [tool.name];
      }),
      reset: stablePrefix < before.length,
    });
    const same = this.#last?.prompt === prompt && stablePrefix === tools.length && stablePrefix === before.length;
    const digest = same ? (this.#last as PreparedRequest).fingerprint : fingerprint(tools, prompt);
    return Object.freeze({ tools, prompt, stablePrefix, delta, fingerprint: digest, diagnostics });
  }
}

/** Written out: spreading a frozen object costs ten times as much. */
function copied({ id, name, description, inputSchema, outputSchema, deferred }: FrozenDefinition): ToolDefinition {
  const copy: ToolDefinition = { id, name, description, inputSchema };
  if (outputSchema !== undefined) copy.outputSchema = outputSchema;
  if (deferred !== undefined) copy.deferred = deferred;
  return copy;
}

/**
 * The definition a provider made of one: description, schemas and deferral are its to change, id and name are not, since
 * the model calls by the name and the tool behind it stays the one its source registered.
 */
function rewritten(old: FrozenDefinition, given: ToolDefinition, refuse: (what: string) => void): FrozenDefinition {
  const { name, description, inputSchema, outputSchema, deferred } = given;
  if (name !== old.name) refuse(`renamed \`${old.name}\`; the name stands`);
  const changes: { -readonly [K in keyof ToolDefinition]?: ToolDefinition[K] } = {};
  if (description !== old.description) {
    if (typeof description === "string") changes.description = description.toWellFormed();
    else refuse(`gave \`${old.name}\` a description that is no string; the old one stands`);
  }
  const schema = (key: "inputSchema" | "outputSchema", value: unknown): void => {
    if (value === old[key]) return;
    const copy = copyOf(value);
    if (copy === undefined) refuse(`gave \`${old.name}\` an \`${key}\` that is no JSON object; the old one stands`);
    else changes[key] = copy;
  };
  schema("inputSchema", inputSchema);
  if (outputSchema !== undefined) schema("outputSchema", outputSchema);
  const dropsOutput = outputSchema === undefined && old.outputSchema !== undefined;
  if (deferred !== undefined && typeof deferred !== "boolean") {
    refuse(`gave \`${old.name}\` a \`deferred\` that is neither true nor false; it counts as false`);
  }
  const defers = deferred === true;
  if (Object.keys(changes).length === 0 && !dropsOutput && defers === (old.deferred === true)) return old;
  const { outputSchema: kept, deferred: _, ...rest } = old;
  return freezeDeep({
    ...rest,
    ...(kept !== undefined && !dropsOutput && { outputSchema: kept }),
    ...changes,
    ...(defers && { deferred: true }),
  });
}

/** A copy of what JSON says of a schema; nothing where it is none. */
function copyOf(schema: unknown): JsonSchema | undefined {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema));
    return typeof copy === "object" && copy !== null && !Array.isArray(copy) ? (copy as JsonSchema) : undefined;
  } catch {
    return undefined;
  }
}

const digests = new WeakMap<FrozenDefinition, string>();

/** A digest of the bytes of tools and prompt; each definition's own is kept, so that only what changed is hashed. */
function fingerprint(tools: readonly FrozenDefinition[], prompt: string): string {
  const parts = tools.map((tool) => {
    let kept = digests.get(tool);
    if (kept === undefined) {
      kept = native.digest(textOf(tool));
      digests.set(tool, kept);
    }
    return kept;
  });
  return native.digest(JSON.stringify([parts, prompt]));
}
