/**
 * An object of the host's with some members replaced. The AI SDK finds a tool's members wherever they are, also in its
 * class and behind getters, and a copy by `...` has none of those: an approval left out of it is an approval not asked.
 */
export function derived<T extends object>(original: T, changes: Partial<T>): T {
  const made = {} as T;
  for (let holder: object | null = original; holder !== null && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const key of Reflect.ownKeys(holder)) {
      if (Object.hasOwn(made, key) || (key === "constructor" && holder !== original)) continue;
      // What is inherited is enumerable here, since the AI SDK itself spreads tools now and then.
      const enumerable = holder !== original || Object.prototype.propertyIsEnumerable.call(holder, key);
      Object.defineProperty(made, key, { get: () => memberOf(original, key), enumerable, configurable: true });
    }
  }
  for (const [key, value] of Object.entries(changes)) {
    const enumerable = Object.getOwnPropertyDescriptor(made, key)?.enumerable ?? true;
    Object.defineProperty(made, key, { value, enumerable, configurable: true });
  }
  return made;
}

/** A member as the original has it now; its methods are called on it, so that private fields and state are found. */
function memberOf(original: object, key: PropertyKey): unknown {
  const value: unknown = Reflect.get(original, key);
  // A Standard Schema may be a function, and is told by what it carries.
  return typeof value === "function" && !("~standard" in value) ? value.bind(original) : value;
}
