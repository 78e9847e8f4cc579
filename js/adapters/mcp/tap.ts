/** Puts a function of ours before one of a host's object, and takes it out again without a trace. */

type Callback = (this: unknown, ...args: never[]) => unknown;

/** What ours that are out, but still called by whoever wrapped them, stand before. */
const before = new WeakMap<object, PropertyDescriptor | undefined>();

/**
 * Sets `target[key]` to what `make` gives for the function that is there. The returned function puts things back as they
 * were, where ours is what is there; where the host has wrapped ours meanwhile, its wrapper stays, and the caller sees to
 * it that ours only passes on.
 */
export function tap<F extends Callback>(target: object, key: string, make: (own: F | undefined) => F): () => void {
  let own = Object.getOwnPropertyDescriptor(target, key);
  // The host has put back what it had wrapped, which was ours: it is not wrapped again.
  while (typeof own?.value === "function" && before.has(own.value as object)) own = before.get(own.value as object);
  // Accessors keep their meaning: what is set there is set through them.
  const accessor = own === undefined ? accessorOf(target, key) : own.get !== undefined || own.set !== undefined;
  const value = (own !== undefined && "value" in own ? own.value : inherited(target, key, accessor)) as F | undefined;
  const ours = make(value);
  const set = (given: unknown): void => void Reflect.set(target, key, given, target);
  if (accessor) set(ours);
  else Object.defineProperty(target, key, own === undefined ? hidden(ours) : { ...own, value: ours });
  return () => {
    if (Reflect.get(target, key) !== ours) before.set(ours, own);
    else if (accessor) set(value);
    else if (own === undefined) Reflect.deleteProperty(target, key);
    else Object.defineProperty(target, key, own);
  };
}

const hidden = (value: unknown): PropertyDescriptor => ({ value, configurable: true, writable: true, enumerable: false });

function accessorOf(target: object, key: string): boolean {
  for (let at: object | null = Object.getPrototypeOf(target); at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, key);
    if (found !== undefined) return found.get !== undefined || found.set !== undefined;
  }
  return false;
}

/** What is there without a property of its own. */
function inherited(target: object, key: string, accessor: boolean): unknown {
  return accessor ? Reflect.get(target, key) : Reflect.get(Object.getPrototypeOf(target) as object, key, target);
}
