/**
 * Whether a schema keeps to what strict modes take: then a tool can be strict without being rewritten. One schema that does
 * not fails the whole request, so in doubt a schema is not strict.
 *
 * Rules: OpenAI's guide "Structured outputs" (Supported schemas) and its answers "schema must have a 'type' key", "$ref
 * cannot have keywords" and "reference can only point to definitions defined at the top level of the schema"; Anthropic's
 * guides "Structured outputs" (JSON Schema limitations, Schema complexity limits) and "Strict tool use". What is refused
 * by either is strict for neither, save that OpenAI takes schemas that refer to themselves.
 */
import { isObject } from "./json.js";

type Schema = Record<string, unknown>;

/**
 * OpenAI's limits as they were first published, which its models on Azure still have; its guide says 10 levels, 5,000
 * properties, 1,000 values and 120,000 characters by now. Anthropic publishes none of one schema. `way`, how many references,
 * choices and parts may lie between the root and a part, is ours: a long chain of references ends no reader's stack.
 */
const most = { levels: 5, properties: 100, values: 500, characters: 15_000, longList: 250, charactersOfLongList: 7_500, way: 100 };

/** Anthropic's limits of a request: strict tools, and parameters in them that are of several types. */
const anthropicMost = { tools: 20, unions: 16 };

const scalarKeywords = ["type", "enum", "const", "description", "title"];
const objectKeywords = ["properties", "required", "additionalProperties"];
/** The names that the Messages API takes at the root; deeper ones, and OpenAI's, are said nowhere. */
const legalName = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Whether OpenAI's APIs can be strict about a schema. Linear in its size. */
export const isStrictForOpenAi = (root: Schema): boolean => new Reading(root).isStrict;

/**
 * Which schemas of one request Anthropic's API can be strict about: the first ones that fit, so that what joins behind
 * them changes nothing. Linear in their size.
 */
export function strictForAnthropic(roots: readonly Schema[]): boolean[] {
  const left = { ...anthropicMost };
  return roots.map((root) => {
    if (left.tools === 0) return false;
    const { isStrict, isRecursive, unions } = new Reading(root);
    if (!isStrict || isRecursive || unions > left.unions) return false;
    left.tools -= 1;
    left.unions -= unions;
    return true;
  });
}

/** One schema, read once. */
class Reading {
  readonly isStrict: boolean;
  isRecursive = false;
  /** Choices and lists of types. */
  unions = 0;
  readonly #root: Schema;
  readonly #definitions: Schema;
  #properties = 0;
  #values = 0;
  #characters = 0;
  /** How many levels are below and at each part that was read to its end. */
  readonly #levels = new Map<Schema, number>();
  /** Parts on the way to the one that is read. */
  readonly #open = new Set<Schema>();

  constructor(root: Schema) {
    this.#root = root;
    this.#definitions = isObject(root["$defs"]) ? root["$defs"] : {};
    const names = Object.keys(this.#definitions);
    for (const name of names) this.#characters += name.length;
    const parts = [root, ...Object.values(this.#definitions)];
    const isWithin = names.every((name) => legalName.test(name)) && parts.every((part) => this.#levelsOf(part, 0) !== undefined);
    this.isStrict =
      isWithin && this.#properties <= most.properties && this.#values <= most.values && this.#characters <= most.characters;
  }

  /** How many levels of objects and lists a part has, references followed; nothing where it is not strict. */
  #levelsOf(part: unknown, above: number): number | undefined {
    if (!isObject(part)) return undefined;
    const known = this.#levels.get(part);
    if (known !== undefined) return above + known > most.levels ? undefined : known;
    if (this.#open.has(part)) {
      this.isRecursive = true;
      // A way round without an object or a list on it would never end; one through such a part does not.
      return isObject(part["properties"]) || isObject(part["items"]) ? 0 : undefined;
    }
    if (this.#open.size === most.way) return undefined;
    this.#open.add(part);
    const levels = this.#read(part, above);
    this.#open.delete(part);
    if (levels !== undefined) this.#levels.set(part, levels);
    return levels;
  }

  #read(part: Schema, above: number): number | undefined {
    const keys = Object.keys(part);
    const has = (allowed: readonly string[]): boolean => keys.every((key) => allowed.includes(key) || (key === "$defs" && part === this.#root));
    if (part["$ref"] !== undefined) return has(["$ref"]) ? this.#levelsOf(this.#definition(part["$ref"]), above) : undefined;
    if (part["anyOf"] !== undefined) {
      this.unions += 1;
      return has(["anyOf", "description", "title"]) ? this.#deepest(part["anyOf"] as unknown[], above) : undefined;
    }
    const types = [part["type"]].flat().filter((type) => typeof type === "string");
    if (types.length === 0) return undefined;
    if (Array.isArray(part["type"]) && types.length > 1) this.unions += 1;
    const [isOfObjects, isOfLists] = [types.includes("object"), types.includes("array")];
    if (!has([...scalarKeywords, ...(isOfObjects ? objectKeywords : []), ...(isOfLists ? ["items"] : [])])) return undefined;
    if (!this.#areValues(part, types)) return undefined;
    if (!isOfObjects && !isOfLists) return 0;
    if (above === most.levels) return undefined;
    const inner: unknown[] = isOfLists ? [part["items"]] : [];
    if (isOfObjects) {
      if (!this.#isClosed(part)) return undefined;
      inner.push(...Object.values(part["properties"] as Schema));
    }
    const below = this.#deepest(inner, above + 1);
    return below === undefined ? undefined : below + 1;
  }

  #deepest(parts: readonly unknown[], above: number): number | undefined {
    let deepest = 0;
    for (const part of parts) {
      const levels = this.#levelsOf(part, above);
      if (levels === undefined) return undefined;
      deepest = Math.max(deepest, levels);
    }
    return deepest;
  }

  #definition(reference: unknown): unknown {
    if (reference === "#") return this.#root;
    const [, name] = /^#\/\$defs\/([^/]+)$/.exec(String(reference)) ?? [];
    return name !== undefined && Object.hasOwn(this.#definitions, name) ? this.#definitions[name] : undefined;
  }

  #isClosed({ properties, required = [], additionalProperties }: Schema): boolean {
    if (!isObject(properties) || additionalProperties !== false) return false;
    const names = Object.keys(properties);
    this.#properties += names.length;
    for (const name of names) this.#characters += name.length;
    const listed = new Set(required as unknown[]);
    return listed.size === names.length && names.every((name) => listed.has(name) && legalName.test(name));
  }

  #areValues(part: Schema, types: readonly string[]): boolean {
    const list = Array.isArray(part["enum"]) ? part["enum"] : [];
    const values = "const" in part ? [...list, part["const"]] : list;
    if (!values.every((value) => types.some((type) => isOf(value, type)))) return false;
    const characters = values.reduce<number>((sum, value) => sum + String(value).length, 0);
    this.#values += list.length;
    this.#characters += characters;
    return list.length <= most.longList || characters <= most.charactersOfLongList;
  }
}

/** Whether a value is a scalar of a type: no API takes others in `enum` or `const`. */
function isOf(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  return (type === "string" || type === "number" || type === "boolean") && typeof value === type;
}
