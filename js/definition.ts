import type { JsonSchema, ToolDeclaration, ToolDefinition } from "../index.js";
import type { Slot, Tree } from "./tree.js";

/** A definition that nobody can change: what a request holds. */
export type FrozenDefinition = Readonly<ToolDefinition>;

/** The tree's definitions as requests show them: each is read once, and again when its declaration changes. */
export class Definitions {
  readonly #tree: Tree;
  readonly #kept: (FrozenDefinition | undefined)[] = [];
  #at = 0;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  /** The definitions of these tools, in their order; a tool that is not here has none. */
  of(slots: Uint32Array): (FrozenDefinition | undefined)[] {
    if (this.#at !== this.#tree.declarations) {
      for (const slot of this.#tree.native.takeRedeclared()) this.#kept[slot] = undefined;
      this.#at = this.#tree.declarations;
    }
    this.#tree.readNames();
    const missing = slots.filter((slot) => this.#kept[slot]?.name !== this.#tree.nameOf(slot));
    if (missing.length > 0) {
      const declarations = JSON.parse(this.#tree.native.declarations(missing)) as (ToolDeclaration | null)[];
      declarations.forEach((declaration, at) => {
        const slot = missing[at] as Slot;
        this.#kept[slot] = declaration === null ? undefined : this.#define(slot, declaration);
      });
    }
    return Array.from(slots, (slot) => this.#kept[slot]);
  }

  #define(slot: Slot, { description, inputSchema, outputSchema }: ToolDeclaration): FrozenDefinition {
    return freezeDeep({
      id: this.#tree.idOf(slot),
      name: this.#tree.nameOf(slot),
      description: description ?? "",
      inputSchema: schemaOf(inputSchema),
      ...(typeof outputSchema === "object" && { outputSchema }),
    });
  }
}

/** A model is shown an object's schema, whatever the declaration left out or said as a boolean. */
function schemaOf(schema: JsonSchema | boolean | undefined): JsonSchema {
  if (typeof schema === "object") return schema;
  return schema === false ? { type: "object", not: {} } : { type: "object" };
}

/** Freezes plain data through and through. */
export function freezeDeep<T extends object>(value: T): T {
  for (const part of Object.values(value)) {
    if (typeof part === "object" && part !== null) freezeDeep(part as object);
  }
  return Object.freeze(value);
}

const texts = new WeakMap<FrozenDefinition, string>();

/** A definition's bytes. The order of its keys is ours, so equal content gives equal bytes. */
export function textOf(definition: FrozenDefinition): string {
  let text = texts.get(definition);
  if (text === undefined) {
    const { id, name, description, inputSchema, outputSchema, deferred } = definition;
    text = JSON.stringify({ id, name, description, inputSchema, outputSchema, deferred });
    texts.set(definition, text);
  }
  return text;
}

export const isSame = (one: FrozenDefinition, other: FrozenDefinition): boolean => one === other || textOf(one) === textOf(other);
