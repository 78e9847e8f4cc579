/** What the references of a schema point at, in whichever of the drafts' ways they are written. */
import { isObject } from "./json.js";

type Schema = Record<string, unknown>;

/** Keywords of any draft that hold one schema or a list of them, and those that hold schemas by name. */
const holders = new Set([
  "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "items", "prefixItems", "contains",
  "propertyNames", "not", "if", "then", "else", "allOf", "anyOf", "oneOf",
]);
const namedHolders = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);
/** What the drafts call differently; servers write a reference in the words of one and the schema in those of another. */
const otherWords = new Map([
  ["definitions", "$defs"], ["$defs", "definitions"], ["dependencies", "dependentSchemas"], ["dependentSchemas", "dependencies"],
  ["items", "prefixItems"], ["prefixItems", "items"],
]);
/** Where a schema is that does not say so itself. */
const HERE = "schema://here/";

/** What a reference points at, until it is known where that is in the schema that is sent. */
export class Link {
  /** `wish`: what to call the target where it has to be given a name. `number`: the target's, within its schema. */
  constructor(readonly target: Schema, readonly wish: string, readonly number: number) {}

  /** So that parts can be compared as text without reading their targets. */
  toJSON(): number {
    return this.number;
  }
}

/** The references of one schema. Reading it is linear in its size, each answer in the reference's length. */
export class References {
  readonly #root: Schema;
  readonly #bases = new Map<Schema, string>();
  readonly #resources = new Map<string, Schema>();
  readonly #anchors = new Map<string, Schema>();
  readonly #dynamic = new Map<string, Schema[]>();
  readonly #numbers = new Map<Schema, number>();
  readonly #endless = new Map<Schema, boolean>();

  constructor(root: Schema) {
    this.#root = root;
    this.#resources.set(HERE, root);
    this.#read(root, HERE);
  }

  /** What a part refers to: a link, a schema that is a boolean, or nothing where the reference leads nowhere. */
  of(part: Schema): Link | boolean | undefined {
    const target = this.#target(part);
    if (!isObject(target)) return target;
    if (this.#isEndless(part)) return undefined;
    const number = this.#numbers.get(target) ?? this.#numbers.size;
    this.#numbers.set(target, number);
    return new Link(target, wishOf(referenceOf(part) as string), number);
  }

  #target(part: Schema): Schema | boolean | undefined {
    const reference = referenceOf(part);
    if (reference === undefined) return undefined;
    const target = this.#find(reference, part);
    return reference !== part["$ref"] && isObject(target) ? this.#outermost(target) : target;
  }

  /** Whether a part refers to itself by references alone, which says nothing and no validator ends with. */
  #isEndless(part: Schema): boolean {
    const way = new Set<Schema>();
    let [at, answer]: [unknown, boolean | undefined] = [part, undefined];
    while (answer === undefined) {
      if (!isObject(at)) answer = false;
      else if (way.has(at)) answer = true;
      else {
        answer = this.#endless.get(at);
        way.add(at);
        at = this.#target(at);
      }
    }
    for (const one of way) this.#endless.set(one, answer);
    return answer;
  }

  #read(part: unknown, base: string): void {
    if (Array.isArray(part)) for (const one of part) this.#read(one, base);
    if (!isObject(part) || this.#bases.has(part)) return;
    const { $id, id, $anchor, $dynamicAnchor } = part;
    const own = typeof $id === "string" ? $id : typeof id === "string" ? id : undefined;
    const here = own === undefined || own.startsWith("#") ? base : (resolved(own, base) ?? base);
    this.#bases.set(part, here);
    if (!this.#resources.has(here)) this.#resources.set(here, part);
    // Up to draft 7 an anchor is an `$id` that is a fragment.
    for (const name of [own?.startsWith("#") ? own.slice(1) : undefined, $anchor, $dynamicAnchor]) {
      if (typeof name === "string" && !this.#anchors.has(`${here}#${name}`)) this.#anchors.set(`${here}#${name}`, part);
    }
    if (typeof $dynamicAnchor === "string") {
      const parts = this.#dynamic.get($dynamicAnchor);
      if (parts === undefined) this.#dynamic.set($dynamicAnchor, [part]);
      else parts.push(part);
    }
    for (const [key, value] of Object.entries(part)) {
      if (holders.has(key)) this.#read(value, here);
      else if (namedHolders.has(key) && isObject(value)) for (const one of Object.values(value)) this.#read(one, here);
    }
  }

  #find(reference: string, part: Schema): Schema | boolean | undefined {
    const base = this.#bases.get(part) ?? HERE;
    const [uri = "", ...rest] = reference.split("#");
    const fragment = rest.join("#");
    const resource = uri === "" ? base : resolved(uri, base);
    if (resource === undefined) return undefined;
    const within = (start: Schema | undefined, named: string): Schema | boolean | undefined => {
      if (start === undefined || fragment === "") return start;
      return fragment.startsWith("/")
        ? this.#pointed(start, fragment.split("/").slice(1).map(unescaped), named)
        : this.#anchors.get(`${named}#${unescaped(fragment)}`);
    };
    const own = within(this.#resources.get(resource), resource);
    // Many a generator writes all of them from the root, whatever a part calls itself.
    return own === undefined && uri === "" ? within(this.#root, this.#bases.get(this.#root) ?? HERE) : own;
  }

  #pointed(start: Schema, steps: readonly string[], base: string): Schema | boolean | undefined {
    let [at, here]: [unknown, string] = [start, this.#bases.get(start) ?? base];
    for (const [index, step] of steps.entries()) {
      const next = steps[index + 1];
      const keys = wordsOf(step).filter((key) => has(at, key));
      // One step ahead and no further: all the ways at once would be as many as there are places.
      const key = keys.find((one) => leadsOn((at as Schema)[one], next)) ?? keys[0];
      if (key === undefined) return undefined;
      at = (at as Schema)[key];
      if (isObject(at)) here = this.#bases.get(at) ?? here;
    }
    // It may be where no draft has schemas: then it has not been read yet.
    if (isObject(at)) this.#read(at, here);
    return isObject(at) || typeof at === "boolean" ? at : undefined;
  }

  /** A dynamic reference means the outermost part of its name: the root's, since every input is read from there. */
  #outermost(target: Schema): Schema | undefined {
    if (target["$recursiveAnchor"] === true) return this.#root["$recursiveAnchor"] === true ? this.#root : target;
    const name = target["$dynamicAnchor"];
    if (typeof name !== "string") return target;
    const outer = this.#anchors.get(`${this.#bases.get(this.#root)}#${name}`);
    if (outer?.["$dynamicAnchor"] === name) return outer;
    // Between several it depends on the way there, which no one reference says.
    return this.#dynamic.get(name)?.length === 1 ? target : undefined;
  }
}

const has = (value: unknown, key: string): boolean => typeof value === "object" && value !== null && Object.hasOwn(value, key);

/** A step, and what other drafts call it. */
const wordsOf = (step: string): string[] => [step, otherWords.get(step)].filter((word) => word !== undefined);

/** Whether a pointer may go on from a value by its next step, or end there. */
const leadsOn = (value: unknown, next: string | undefined): boolean =>
  next === undefined ? isObject(value) || typeof value === "boolean" : wordsOf(next).some((word) => has(value, word));

/** A URI without its fragment, or nothing where it is none. */
function resolved(uri: string, base: string): string | undefined {
  try {
    const url = new URL(uri, base);
    url.hash = "";
    return url.href;
  } catch {
    return undefined;
  }
}

/** What a part refers by, in the words of any draft. */
function referenceOf({ $ref, $dynamicRef, $recursiveRef }: Schema): string | undefined {
  return [$ref, $dynamicRef, $recursiveRef].find((one) => typeof one === "string") as string | undefined;
}

function unescaped(step: string): string {
  let plain = step;
  try {
    plain = decodeURIComponent(step);
  } catch {
    // It is no escape, but how the name is written.
  }
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The end of a reference, as a name that every API takes. */
function wishOf(reference: string): string {
  const steps = reference.split(/[/#]/);
  const last = steps.findLastIndex((step) => step !== "" && !/^\d+$/.test(step));
  return steps.slice(Math.max(last, 0)).map(unescaped).join("_").replaceAll(/[^a-zA-Z0-9_.-]+/g, "_").slice(0, 60) || "root";
}
