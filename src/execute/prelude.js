// What a program finds in its context: `tools`, `search`, `describe`, `console`. It runs inside the sandbox with the
// program's own authority, so nothing here is a defence: what a program may do is decided by the host, call by call.
// What it needs is captured before the program runs, so that a polluted prototype breaks the program's work alone.
const { parse, stringify } = JSON;
const { apply, getPrototypeOf, defineProperty } = Reflect;
const { create } = Object;
const { isArray, from } = Array;
const { isView } = ArrayBuffer;
const objectPrototype = Object.prototype;
const [PromiseOf, ErrorOf, TypeErrorOf, MapOf, SetOf, StringOf, ArrayBufferOf, Bytes] = [
  Promise, Error, TypeError, Map, Set, String, ArrayBuffer, Uint8Array,
];
const { withResolvers } = Promise;
const { has: mapHas, get: mapGet, set: mapSet } = WeakMap.prototype;
const { forEach: forEachEntry } = Map.prototype;
const { forEach: forEachMember } = Set.prototype;
const { join } = Array.prototype;
const { toWellFormed } = String.prototype;

const wellFormed = (text) => apply(toWellFormed, text, []);

/** What JSON drops or refuses though it is data. */
function replaced(key, value) {
  if (typeof value === "bigint") return `${value}`;
  if (typeof value !== "object" || value === null || isArray(value)) return value;
  const prototype = getPrototypeOf(value);
  if (prototype === objectPrototype || prototype === null) return value;
  if (value instanceof ErrorOf) return described(value);
  if (value instanceof MapOf) {
    const entries = [];
    apply(forEachEntry, value, [(item, name) => { entries[entries.length] = [name, item]; }]);
    return entries;
  }
  if (value instanceof SetOf) {
    const members = [];
    apply(forEachMember, value, [(item) => { members[members.length] = item; }]);
    return members;
  }
  if (value instanceof PromiseOf) throw new TypeErrorOf(`\`${key}\` is a promise: put \`await\` before what returns it`);
  if (isView(value)) return from(value.length === undefined ? new Bytes(value.buffer, value.byteOffset, value.byteLength) : value);
  if (value instanceof ArrayBufferOf) return from(new Bytes(value));
  return value;
}
const serialised = (value) => stringify(value, replaced);

function described(error) {
  const made = create(null);
  for (const name of ["name", "message", "code", "cause"]) {
    try {
      const value = error[name];
      if (value !== undefined && (typeof value === "string" || typeof value === "number" || name === "cause")) made[name] = value;
    } catch {}
  }
  return made;
}

/** One argument of `console.log` as text. */
function shown(value) {
  try {
    if (typeof value === "string") return value;
    if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
    if (typeof value !== "object" || value === null) return typeof value === "bigint" ? `${value}n` : StringOf(value);
    if (value instanceof ErrorOf) return `${value.name}: ${value.message}`;
    if (value instanceof PromiseOf) return "[promise]";
    return serialised(value) ?? StringOf(value);
  } catch (error) {
    try {
      return `[cannot be shown: ${error.message}]`;
    } catch {
      return "[cannot be shown]";
    }
  }
}

export default (host) => {
  const waiting = create(null);
  const paths = new WeakMap();
  let last = 0;

  const call = (kind, path, input, absent) => {
    // Not by an executor, which would turn the end of the program's time into a rejection.
    const { promise, resolve, reject } = apply(withResolvers, PromiseOf, []);
    // Made now, so that a refusal nobody catches points at the line of the call.
    const failure = new ErrorOf("");
    let text;
    try {
      // Half a surrogate pair is an escape in what JSON.stringify writes, so this text is always well formed.
      text = absent ? undefined : serialised(input);
    } catch (error) {
      reject(error);
      return promise;
    }
    const id = ++last;
    waiting[id] = { resolve, reject, failure };
    const refusal = host.call(id, kind, path, text);
    if (refusal !== undefined) {
      delete waiting[id];
      reject(said(failure, refusal[0], refusal[1]));
    }
    return promise;
  };

  const said = (failure, message, code, suggestions) => {
    for (const [name, value] of [["message", message], ["code", code], ["suggestions", suggestions]]) {
      if (value !== undefined) defineProperty(failure, name, { value, writable: true, configurable: true, enumerable: name !== "message" });
    }
    return failure;
  };

  const settle = (id, kind, text) => {
    const { resolve, reject, failure } = waiting[id];
    delete waiting[id];
    if (kind === 2) return resolve(undefined);
    if (kind === 1) {
      let value;
      try {
        value = parse(text);
      } catch (error) {
        // Too deep or too large for this context.
        return reject(error);
      }
      return resolve(value);
    }
    const { message, code, suggestions } = parse(text);
    reject(said(failure, message, code, suggestions));
  };

  const node = (path) => {
    const children = create(null);
    // Half a surrogate pair does not cross the boundary.
    const child = (key) => (children[key] ??= node([...path, wellFormed(key)]));
    const listed = (key) => host.has(path, wellFormed(key));
    const target = path.length === 0 ? create(null) : () => {};
    if (path.length > 0) {
      delete target.name;
      delete target.length;
    }
    const made = new Proxy(target, {
      apply: (_, self, inputs) => call("tool", path, inputs[0], inputs.length === 0),
      get(_, key) {
        if (typeof key === "symbol") {
          return key === Symbol.toPrimitive ? () => `tools${path.length ? "." : ""}${apply(join, path, ["."])}` : undefined;
        }
        // What the language itself looks up is a tool only where one bears that name.
        switch (key) {
          case "then": case "toJSON": case "constructor": case "prototype": case "name": case "length": case "toString":
          case "valueOf": case "__proto__":
            return listed(key) ? child(key) : key === "toString" ? () => "[tools]" : undefined;
          case "call": case "apply": case "bind":
            return listed(key) ? child(key) : target[key];
        }
        return child(key);
      },
      has: (_, key) => typeof key === "string" && listed(key),
      ownKeys: () => host.keys(path),
      getOwnPropertyDescriptor: (_, key) =>
        typeof key === "string" && listed(key)
          ? { value: child(key), enumerable: true, configurable: true, writable: false }
          : undefined,
      set: () => false,
      defineProperty: () => false,
      deleteProperty: () => false,
      setPrototypeOf: () => false,
      preventExtensions: () => false,
    });
    apply(mapSet, paths, [made, path]);
    return made;
  };

  const pathOf = (value) => (apply(mapHas, paths, [value]) ? apply(mapGet, paths, [value]) : [wellFormed(StringOf(value))]);
  const log = (prefix) => (...values) => {
    if (host.full()) return;
    let text = prefix;
    for (let index = 0; index < values.length; index++) text += (index === 0 ? "" : " ") + shown(values[index]);
    host.log(wellFormed(text));
  };
  const counts = create(null);
  const console = {
    log: log(""), info: log(""), debug: log(""), dir: log(""), table: log(""), trace: log(""),
    warn: log("warning: "), error: log("error: "),
    // What only arranges the output of a terminal says what it was given, and there is no clock to tell.
    group: log(""), groupCollapsed: log(""), groupEnd() {}, dirxml: log(""), clear() {},
    time() {}, timeEnd() {}, timeLog: log(""), timeStamp() {}, countReset(label = "default") { delete counts[`${label}`]; },
    count(label = "default") {
      const name = `${label}`;
      counts[name] = (counts[name] ?? 0) + 1;
      console.log(`${name}: ${counts[name]}`);
    },
    assert: (condition, ...values) => { if (!condition) console.error("assertion failed", ...values); },
  };
  const globals = {
    tools: node([]),
    search: (query, options) => call("search", [], [query, options], false),
    describe: (tool) => call("describe", pathOf(tool), undefined, true),
    console,
  };
  for (const name of ["tools", "search", "describe", "console"]) {
    defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true });
  }

  return {
    settle,
    /** The program's value as JSON text, once its script has settled. */
    async conclude(script, wrapped) {
      const done = await script;
      const value = await (wrapped ? done.value : done.value);
      if (typeof value === "function" && !apply(mapHas, paths, [value])) host.hint("function");
      return serialised(apply(mapHas, paths, [value]) ? `${value}` : value);
    },
    /** Whatever was thrown, as JSON text. */
    explain(thrown) {
      if (!(thrown instanceof ErrorOf)) return stringify({ message: `uncaught ${shown(thrown)}` });
      const { name, message, code, suggestions, stack } = thrown;
      return stringify({ name: `${name}`, message: `${message}`, code: typeof code === "string" ? code : undefined, stack: `${stack}`,
        suggestions: isArray(suggestions) ? suggestions : undefined });
    },
  };
};
