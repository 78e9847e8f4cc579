/** A schema as it is sent: with references to where their targets are now. */
import type { PlainSchemas } from "./dialect.js";
import { inKeyOrder } from "./json.js";
import { partsOf, step, withParts } from "./keywords.js";
import { Link } from "./references.js";

type Schema = Record<string, unknown>;

/**
 * The schema at `root`, whose parts are of `schemas`. What is referred to and is not in it any more comes into `$defs`;
 * where a part takes more than it did, what is said by exclusion (`not`, `oneOf`, `if`) is widened with it, since it would
 * take less.
 *
 * @param isRoot Whether what refers to the root of `schemas` can refer to this one.
 */
export function written(root: Schema, schemas: PlainSchemas, isRoot: boolean): Schema {
  return new Writing(schemas, root, isRoot).result;
}

class Writing {
  readonly result: Schema;
  readonly #schemas: PlainSchemas;
  readonly #places = new Map<Schema, string>();
  readonly #moved = new Map<string, Schema>();
  readonly #names: Set<string>;
  readonly #last = new Map<string, number>();

  constructor(schemas: PlainSchemas, root: Schema, isRoot: boolean) {
    this.#schemas = schemas;
    this.#names = new Set(Object.keys((root["$defs"] as Schema | undefined) ?? {}));
    if (isRoot) this.#places.set(schemas.root, "#");
    this.#place(root, "#");
    const sent = this.#written(root).part;
    const moved: [string, Schema][] = [];
    // What is moved may refer to more that has to be: a map gives what is added while it is read.
    for (const [name, part] of this.#moved) moved.push([name, this.#written(part).part]);
    const definitions = Object.entries((sent["$defs"] as Schema | undefined) ?? {});
    this.result = moved.length === 0 ? sent : inKeyOrder(Object.entries({ ...sent, $defs: inKeyOrder([...definitions, ...moved]) }));
  }

  #place(part: Schema, pointer: string): void {
    if (this.#places.has(part)) return;
    this.#places.set(part, pointer);
    for (const [steps, inner] of partsOf(part)) this.#place(inner, pointer + steps);
  }

  #pointerTo({ target, wish }: Link): string {
    const part = this.#schemas.of(target);
    const known = this.#places.get(part);
    if (known !== undefined) return known;
    const name = this.#free(wish);
    // The root's definitions are where they were.
    const isRoot = part === this.#schemas.root;
    this.#moved.set(name, isRoot ? Object.fromEntries(Object.entries(part).filter(([key]) => key !== "$defs")) : part);
    this.#places.set(part, `#/$defs/${step(name)}`);
    for (const [steps, inner] of partsOf(part)) this.#place(inner, `#/$defs/${step(name)}${steps}`);
    return `#/$defs/${step(name)}`;
  }

  #free(wish: string): string {
    let name = wish;
    // On from where the last one of this wish stopped: many may have the same.
    let number = this.#last.get(wish) ?? 1;
    while (this.#names.has(name)) name = `${wish}_${++number}`;
    this.#last.set(wish, number);
    this.#names.add(name);
    return name;
  }

  /** A part as it is sent, and whether it may take more than it did. */
  #written(part: Schema): { part: Schema; isWider: boolean } {
    let isWider = this.#schemas.wider.has(part);
    const lossy = new Set<string>();
    const parts = withParts(part, (one, keyword) => {
      const made = this.#written(one);
      if (made.isWider) lossy.add(keyword);
      return made.part;
    });
    const entries = parts.map(([key, value]): [string, unknown] => [key, value instanceof Link ? this.#pointerTo(value) : value]);
    // Where something is wider, whatever is referred to may be.
    isWider ||= this.#schemas.wider.size > 0 && part["$ref"] instanceof Link;
    lossy.delete("$defs");
    return { part: withoutNarrowing(entries, lossy), isWider: isWider || lossy.size > 0 };
  }
}

/** What is said by exclusion, only where what it excludes is what it was. */
function withoutNarrowing(entries: [string, unknown][], lossy: ReadonlySet<string>): Schema {
  const excluding = ["not", "oneOf", "if", "contains"].filter((key) => lossy.has(key));
  if (excluding.length === 0) return Object.fromEntries(entries);
  const has = (key: string): boolean => entries.some(([one]) => one === key);
  return inKeyOrder(entries.flatMap(([key, value]): [string, unknown][] => {
    if (key === "not" && lossy.has("not")) return [];
    if (lossy.has("if") && ["if", "then", "else"].includes(key)) return [];
    if (key === "maxContains" && lossy.has("contains")) return [];
    if (key === "oneOf" && lossy.has("oneOf")) return has("anyOf") ? [] : [["anyOf", value]];
    return [[key, value]];
  }));
}
