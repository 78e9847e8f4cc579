/**
 * Small programs whose value must be the same here and in Node's `vm`: one a line. `scripts` end with an expression;
 * `bodies` use `await` and `return` at the top level.
 */
const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

export const scripts: string[] = lines(String.raw`
1 + 2 * 3 - 4 / 5 % 6
2 ** 10 + 7 % 3
0.1 + 0.2
1 / 3
-7 % 3
5 & 3 | 4 ^ 1
~5 >>> 28
-1 >> 1
1e21 + 1
0.1.toFixed(20)
(1234.5678).toExponential(2)
(255).toString(36)
(0.000001234).toString()
Number("0x1f") + Number("0b11") + Number("  12 ")
parseInt("12px") + parseFloat("3.5e2abc")
Number.MAX_SAFE_INTEGER + 2
Number.EPSILON > 0 && Number.isInteger(5.0)
Math.max(1, 2, 3) - Math.min(4, 5) + Math.abs(-3)
[1.5, 2.5, -1.5, -0.4].map(Math.round)
[4.7, -4.7].map(Math.trunc).concat([4.2, -4.2].map(Math.ceil))
Math.hypot(3, 4) + Math.sign(-9) + Math.cbrt(27)
Math.clz32(1) + Math.imul(0xffffffff, 5)
[Math.log2(8), Math.log10(1000), Math.fround(5.5)]
typeof null + typeof undefined + typeof (() => 1) + typeof Symbol() + typeof 1n
null ?? "a" ?? "b"
0 || null || "x" && "y"
undefined?.a?.b ?? "none"
({ a: { b: [1, { c: 2 }] } }).a?.b?.[1]?.c
[1, "1", true, null, undefined].map((x) => x == 1)
[NaN === NaN, Object.is(NaN, NaN), Object.is(0, -0)]
[] + {} + [1, 2]
"5" * "2" + "5" - 2
[10, 9, 1, 2].sort()
[10, 9, 1, 2].sort((a, b) => a - b)
["b", "a", "C", "B"].sort()
[3, 1, 2].toSorted().concat([3, 1, 2].toReversed())
[1, 2, 3, 4].with(1, 9).toSpliced(0, 1)
[1, 2, 3, 4, 5].filter((x) => x % 2).map((x) => x * x).reduce((a, b) => a + b, 0)
[[1, [2, [3, [4]]]]].flat(Infinity)
[1, 2, 3].flatMap((x) => [x, x * 10])
Array.from({ length: 5 }, (_, i) => i * i)
Array.of(7, 8).concat([9], 10, [[11]])
[1, 2, 3, 4, 5].slice(-3, -1)
const a = [1, 2, 3, 4, 5]; a.splice(1, 2, "x", "y", "z"); a
const a2 = [1, 2, 3, 4, 5]; a2.copyWithin(0, 3)
[1, 2, 3].fill(0, 1)
[1, 2, 3, 2, 1].lastIndexOf(2) + [1, 2, NaN].indexOf(NaN)
[1, 2, NaN].includes(NaN)
[5, 12, 8].find((x) => x > 6) + [5, 12, 8].findLastIndex((x) => x > 6)
[1, 2, 3].every((x) => x > 0) && [1, 2, 3].some((x) => x > 2)
[..."héllo"].reverse().join("")
[3, 4, 5].entries().next().value
[...[7, 8].keys(), ...[7, 8].values(), ...[7, 8].entries()]
[1, 2, 3].reduceRight((a, b) => a + "-" + b)
[, 1, , 2].length + Object.keys([, 1, , 2]).join()
[1, 2, 3].at(-1) + "abc".at(-2)
Array.isArray([]) && !Array.isArray({ length: 0 })
[3, 1, 2].join("|") + [null, undefined, 1].join()
let s1 = 0; for (const x of [1, 2, 3]) s1 += x; s1
let s2 = ""; for (const k in { a: 1, b: 2, 1: 3, 0: 4 }) s2 += k; s2
let s3 = []; for (let i = 0, j = 10; i < j; i += 3, j--) s3.push([i, j]); s3
let s4 = 0; outer: for (let i = 0; i < 5; i++) { for (let j = 0; j < 5; j++) { if (j === 3) continue outer; if (i === 3) break outer; s4 += j } } s4
let s5 = 0; do { s5 += 2 } while (s5 < 7); s5
let s6 = []; let w = 5; while (w--) { if (w === 2) continue; s6.push(w) } s6
const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); fs.map((f) => f())
var fv = []; for (var i9 = 0; i9 < 3; i9++) fv.push(() => i9); fv.map((f) => f())
switch (3) { case 1: "one"; break; case 3: "three"; break; default: "other" }
switch ("x") { default: "d"; case "y": "y" }
if (1) { "yes" } else { "no" }
try { null.x } catch { "caught" } finally { "ignored" }
try { throw new TypeError("t") } catch (e) { [e.name, e.message, e instanceof TypeError, e instanceof Error] }
try { undefinedName } catch (e) { e.name }
try { (void 0)() } catch (e) { e.constructor === TypeError }
try { new Array(-1) } catch (e) { e.name }
try { "x".repeat(-1) } catch (e) { e.name }
try { JSON.parse("{bad") } catch (e) { e.name }
try { BigInt(1.5) } catch (e) { e.name }
try { Symbol() + "" } catch (e) { e.name }
try { const c = 1; c = 2 } catch (e) { e.name }
try { decodeURIComponent("%") } catch (e) { e.name }
try { x0; let x0 = 1 } catch (e) { e.name }
const ea = new AggregateError([new Error("1")], "agg"); [ea.errors.length, ea.message, ea.name]
new Error("outer", { cause: "inner" }).cause
(() => { try { return 1 } finally { 2 } })()
(() => { try { return 1 } finally { return 2 } })()
(() => { for (const x of [1, 2]) { try { continue } finally { if (x === 2) return x } } })()
const { p, q = 5, ...rest } = { p: 1, r: 2, t: 3 }; [p, q, rest]
const [h, , t1 = 9, ...more] = [1, 2, undefined, 4, 5]; [h, t1, more]
const { u: { v: [, w2] } } = { u: { v: [1, 2] } }; w2
let m1 = 1, m2 = 2; [m1, m2] = [m2, m1]; [m1, m2]
const { [["a", "b"].join("")]: computed = "def" } = {}; computed
(({ a, b: [c] }, ...[d]) => [a, c, d])({ a: 1, b: [2] }, 3)
((a, b = a + 1, c = b * 2) => [a, b, c])(1)
(function () { return arguments.length + [...arguments].join("") })(1, 2, 3)
((...xs) => xs.length)(...[1, 2], 3, ..."ab")
const o1 = { a: 1, ["b" + 1]: 2, get c() { return 3 }, d() { return 4 } }; [o1.a, o1.b1, o1.c, o1.d()]
({ ...{ a: 1, b: 2 }, b: 3, ...null, ...[7, 8] })
Object.entries({ x: 1, y: [2] }).map(([k, v]) => k + v)
Object.fromEntries([["a", 1], ["b", 2]].map(([k, v]) => [k.toUpperCase(), v * 2]))
Object.assign({}, { a: 1 }, null, { b: 2 }, "z")
Object.keys({ b: 1, 2: 1, a: 1, 1: 1 })
JSON.stringify(Object.getOwnPropertyDescriptor({ get a() { return 1 } }, "a"))
const fz = Object.freeze({ a: 1 }); fz.a = 2; [fz.a, Object.isFrozen(fz)]
"use strict"; try { Object.freeze({ a: 1 }).a = 2; "no" } catch (e) { e.name }
Object.groupBy([1, 2, 3, 4], (x) => (x % 2 ? "odd" : "even"))
Object.hasOwn({ a: 1 }, "a") && !Object.hasOwn({}, "toString")
const pr = Object.create({ inherited: 1 }); pr.own = 2; [Object.keys(pr), "inherited" in pr]
class A1 { #x = 1; get x() { return this.#x } static make() { return new A1() } } A1.make().x
class B1 { constructor(n) { this.n = n } hi() { return "B" + this.n } } class C1 extends B1 { hi() { return super.hi() + "C" } } new C1(7).hi()
class S1 { static n = 0; static { S1.n = 5 } static inc() { return ++S1.n } } S1.inc() + S1.inc()
class F1 { a = 1; b = this.a + 1; ["c" + 1] = 3 } ({ ...new F1() })
class P1 { #secret = 4; has(o) { return #secret in o } } [new P1().has(new P1()), new P1().has({})]
const M1 = (Base) => class extends Base { mixed() { return "m" } }; new (M1(Object))().mixed()
class T1 { toString() { return "T!" } } ${"`${new T1()}`"}
class V1 { valueOf() { return 42 } } new V1() + 1
class I1 { *[Symbol.iterator]() { yield* [1, 2]; yield 3 } } [...new I1()]
(function () { return new.target === undefined })()
[class {}.name, class Z {}.name, (() => {}).name, function n() {}.name]
function* g1() { const x = yield 1; yield x * 2 } const it = g1(); [it.next().value, it.next(21).value, it.next().done]
function* g2() { try { yield 1; yield 2 } finally { yield "f" } } const it2 = g2(); [it2.next().value, it2.return(9).value, it2.next()]
function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b] } } const out = []; for (const x of fib()) { if (x > 50) break; out.push(x) } out
function* d1() { yield* d2(); return 3 } function* d2() { yield 1; yield 2 } [...d1()]
[...(function* () { yield* "ab" })()]
const itp = { from: 1, to: 3, [Symbol.iterator]() { let n = this.from; return { next: () => ({ done: n > this.to, value: n++ }) } } }; [...itp]
const [i1, i2] = new Set([5, 6, 7]); [i1, i2]
Math.max(...new Set([1, 5, 3]))
[1, 2, 3].values().map((x) => x * 2).toArray()
[..."abc"].entries().filter(([i]) => i > 0).map(([, c]) => c).toArray()
Iterator.from([1, 2, 3, 4]).drop(1).take(2).toArray()
[1, 2, 3].values().reduce((a, b) => a + b)
const m = new Map([["a", 1], ["b", 2]]); m.set("c", 3); m.delete("a"); [...m]
const mm = new Map(); mm.set(NaN, 1).set(0, 2); [mm.get(NaN), mm.get(-0), mm.size]
const mo = new Map([[{}, 1]]); [mo.get({}), mo.size]
[...new Map(Object.entries({ x: 1, y: 2 })).entries()].flat()
Map.groupBy([1, 2, 3], (x) => x % 2).get(1)
let order = ""; new Map([["b", 1], ["a", 2]]).forEach((v, k) => (order += k + v)); order
const mi = new Map([[1, 1]]); let seen = 0; for (const [k] of mi) { if (seen++ < 3) mi.set(k + 1, 1) } mi.size
[...new Set([1, 2, 2, 3, "3", NaN, NaN])].length
const st = new Set("hello"); st.delete("l"); [...st].join("")
[...new Set([1, 2, 3]).union(new Set([3, 4]))]
[...new Set([1, 2, 3]).intersection(new Set([2, 3, 9]))]
[...new Set([1, 2, 3]).difference(new Set([2]))]
new Set([1]).isSubsetOf(new Set([1, 2]))
const ws = new WeakSet(); const key = {}; ws.add(key); [ws.has(key), ws.has({})]
const wm = new WeakMap([[Array, 1]]); wm.get(Array)
new Date(0).toISOString()
new Date("2024-02-29T12:34:56.789Z").getTime()
new Date(Date.UTC(2020, 0, 31)).toJSON()
const dd = new Date(Date.UTC(2024, 0, 31)); dd.setUTCMonth(1); dd.toISOString()
new Date("2024-03-10T00:00:00Z") - new Date("2024-03-09T00:00:00Z")
[new Date("x").getTime(), isNaN(new Date(NaN))]
new Date(2024, 0, 1, 12).getMonth() + new Date(2024, 11, 25).getDate()
Date.parse("2000-01-01") === Date.UTC(2000, 0, 1)
new Date(1e12).getUTCDay() + "" + new Date(1e12).getUTCFullYear()
JSON.stringify({ d: new Date(86400000) })
try { new Date(NaN).toISOString() } catch (e) { e.name }
new Date(Date.UTC(99, 0)).getUTCFullYear()
"2024-01-05".replace(/(\d+)-(\d+)-(\d+)/, "$3/$2/$1")
"a1b22c333".match(/\d+/g)
"x=1;y=2".match(/(?<k>\w)=(?<v>\d)/).groups.k
[..."x=1;y=2".matchAll(/(\w)=(\d)/g)].map((r) => [r[1], r[2], r.index])
"aBc".replace(/b/i, (c, i) => c + i)
"a-b_c d".split(/[-_ ]/)
"abcabc".replaceAll("b", "$&$&")
/^(?=.*\d)(?=.*[a-z]).{4,}$/.test("ab12")
/(?<!\$)\b\d+/.exec("$5 7")[0]
"ünïcödé".match(/\p{L}+/u)[0].length
/(a)|(b)/.exec("b").slice(0, 3)
const re = /o/g; const found = []; let r; while ((r = re.exec("foo boo"))) found.push(r.index); found
const ry = /a/y; ry.lastIndex = 1; [ry.test("ba"), ry.lastIndex, ry.test("ba")]
"aaa".replace(/a/g, () => "b") + "x.y.z".split(".", 2)
"line1\nline2".match(/^line\d$/gm)
"a\nb".match(/a.b/s)[0].length
/[\u{1F600}-\u{1F64F}]/u.test("😀") + "😀".length + [..."😀"].length
"abc".replace(/(?<first>a)(b)/, "$2$<first>$'")
new RegExp("a+", "gi").flags + String(/a\/b/)
"aBC".search(/[A-Z]/)
"tel: 555-1234".replace(/\D+/g, "")
"camelCaseString".replace(/([A-Z])/g, " $1").toLowerCase()
"snake_case_here".replace(/_(\w)/g, (_, c) => c.toUpperCase())
/(\w+)\s\1/.test("hello hello")
"  trim me ".trim() + "|" + "  x".trimStart() + "x  ".trimEnd() + "|"
"abc".padStart(5, "12") + "abc".padEnd(6, "-")
"Hello".charCodeAt(1) + "😀".codePointAt(0) + String.fromCodePoint(128512).length
"abc".localeCompare("abd") < 0
"ß".toUpperCase() + "İ".toLowerCase().length + "ΑΣ".toLowerCase()
"e\u0301".normalize("NFC").length
"abcdef".substring(4, 1) + "abcdef".slice(-2) + "abcdef".substr(1, 2)
"a,b,,c".split(",")
"abc".split("")
"ab".repeat(3) + "abcab".indexOf("ab", 1) + "abcab".lastIndexOf("ab")
"banana".includes("nan") && "banana".startsWith("ana", 1) && "banana".endsWith("nan", 5)
["a", "b"].concat("c").join`+"`-`"+String.raw`
const tag = (s, ...v) => s.raw.join("|") + v.join(); tag`+"`a${1}\\n${2}b`"+String.raw`
String.raw`+"`\\u0041${1}`"+String.raw`
`+"`multi\n${[1, 2].map((x) => `<${x}>`).join(\"\")}`".replace("\n","\\n")+String.raw`
"abc" < "abd" && "B" < "a" && "10" < "9"
encodeURIComponent("a b&c/ü😀") + decodeURIComponent("%E2%82%AC")
escape("ü") + unescape("%FC") + encodeURI("a b/ü")
"x".isWellFormed() + "\ud800".toWellFormed().charCodeAt(0)
JSON.stringify({ a: [1, "x", null, undefined, () => 1], b: undefined, c: NaN, d: Infinity })
JSON.stringify({ a: { b: [1, { c: 2 }] } }, null, 2)
JSON.stringify([new Map([[1, 2]]), new Set([1]), /x/, Symbol("s")])
JSON.stringify({ a: 1, b: 2, c: { a: 3 } }, ["a", "c"])
JSON.stringify({ a: 5, b: "x" }, (k, v) => (typeof v === "number" ? v * 2 : v))
JSON.parse('{"a":[1,2,{"b":null}]}', (k, v) => (Array.isArray(v) ? v.length : v))
JSON.parse('"\\u0041\\n\\ud83d\\ude00"')
JSON.stringify("\u2028\ud800\"\\\b")
JSON.parse("[1e3, -0.5, true, null]")
JSON.stringify({ toJSON() { return { x: 1 } } })
JSON.parse('{"__proto__": 1, "a": 2}').a
JSON.stringify(Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } }))
(2n ** 64n).toString() + (-7n / 2n) + (-7n % 3n)
BigInt.asUintN(8, 257n).toString() + BigInt("0xff").toString(2)
[1n < 2, 2n == 2, 2n === 2, typeof (1n + 2n)]
(12345678901234567890n * 98765432109876543210n).toString()
[3n, 1n, 2].sort((a, b) => (a < b ? -1 : 1)).map(String)
const sy = Symbol("d"); [sy.toString(), sy.description, Symbol.for("k") === Symbol.for("k"), Symbol.keyFor(Symbol.for("k"))]
const os = { [Symbol.toStringTag]: "Mine" }; Object.prototype.toString.call(os)
const tp = { [Symbol.toPrimitive](hint) { return hint } }; [String(tp), tp + "", tp * 1]
class Even { static [Symbol.hasInstance](n) { return n % 2 === 0 } } [2 instanceof Even, 3 instanceof Even]
const px = new Proxy({}, { get: (_, k) => "got " + String(k), has: () => true }); [px.foo, "bar" in px]
const log = []; const py = new Proxy([], { set(t, k, v) { log.push(k); t[k] = v; return true } }); py.push(1); log
Reflect.ownKeys({ b: 1, a: 2, 1: 3, [Symbol.iterator]: 4 }).length
Reflect.construct(Date, [0]).getTime() + Reflect.apply(Math.max, null, [1, 2])
new Uint8Array([1, 2, 300]).join()
[...new Float32Array([1.5, 2.1]).map((x) => x * 2)].map((x) => x.toFixed(2))
const buf = new ArrayBuffer(4); new DataView(buf).setUint16(0, 0x1234); [...new Uint8Array(buf)]
[...new Uint8ClampedArray([300, -5, 1.5])]
new Int16Array([3, 1, 2]).toSorted().join() + Uint8Array.from([1, 2], (x) => x * 2).join()
new Uint8Array([1, 2, 3, 4]).subarray(1, 3).length
[...new BigInt64Array([1n, -1n])].map(String)
Array.from(new Uint16Array([1, 2]).entries()).flat()
(function f(n) { return n <= 1 ? 1 : n * f(n - 1) })(20)
const memo = {}; const fibm = (n) => (n < 2 ? n : (memo[n] ??= fibm(n - 1) + fibm(n - 2))); fibm(50)
const compose = (...f) => (x) => f.reduceRight((a, g) => g(a), x); compose((x) => x + 1, (x) => x * 2)(5)
const curry = (f) => (a) => (b) => f(a, b); curry((a, b) => a - b)(5)(3)
const counter = (() => { let n = 0; return { inc: () => ++n, get n() { return n } } })(); counter.inc(); counter.inc(); counter.n
(function () { return typeof this })() + (() => typeof this)()
(function () { "use strict"; return typeof this })()
const bound = function (a, b) { return [this.x, a, b] }.bind({ x: 1 }, 2); bound(3)
[1, 2, 3].map(parseInt)
hoisted(); function hoisted() { return "h" }
typeof notDefined + (typeof later); var later = 1
var ev = eval("var inner = 5; inner * 2"); [ev, inner]
new Function("a", "b", "return a * b")(6, 7)
let la = null; la ??= 5; la ||= 6; la &&= 7; la
let ex = 2; ex **= 3; ex <<= 1; ex
1_000_000 + 0b101 + 0o17 + 0xff
(1, 2, 3)
void 0 ?? "v"
delete { a: 1 }.a
!!"" + !!"0" + !![]
const sieve = (n) => { const c = new Uint8Array(n + 1); const ps = []; for (let i = 2; i <= n; i++) { if (!c[i]) { ps.push(i); for (let j = i * i; j <= n; j += i) c[j] = 1 } } return ps }; sieve(40)
const gcd = (a, b) => (b ? gcd(b, a % b) : a); gcd(1071, 462)
const perms = (xs) => (xs.length ? xs.flatMap((x, i) => perms(xs.filter((_, j) => j !== i)).map((p) => [x, ...p])) : [[]]); perms([1, 2, 3]).map((p) => p.join(""))
"the quick the lazy the end".split(" ").reduce((m, w) => ({ ...m, [w]: (m[w] ?? 0) + 1 }), {})
const rows = "a,b\n1,2\n3,4".split("\n").map((l) => l.split(",")); const [head, ...body] = rows; body.map((r) => Object.fromEntries(r.map((c, i) => [head[i], +c])))
const matrix = [[1, 2], [3, 4]]; matrix[0].map((_, i) => matrix.map((r) => r[i]))
[..."mississippi"].reduce((m, c) => m.set(c, (m.get(c) || 0) + 1), new Map()).get("s")
[{ n: "b", a: 2 }, { n: "a", a: 2 }, { n: "c", a: 1 }].sort((x, y) => x.a - y.a || x.n.localeCompare(y.n)).map((x) => x.n)
const bin = (xs, x) => { let l = 0, h = xs.length - 1; while (l <= h) { const m = (l + h) >> 1; if (xs[m] === x) return m; xs[m] < x ? (l = m + 1) : (h = m - 1) } return -1 }; bin([1, 3, 5, 7, 9], 7)
(function () { return this === undefined || typeof this })()
isNaN("x") && isFinite("12") && !Number.isFinite("12")
globalThis === this && typeof globalThis
Array.from("a😀b", (c) => c.length)
[1, 2, 3, 4, 5, 6, 7].findLast((x) => x % 3 === 0)
[[3, "c"], [1, "a"]].map(([n, c]) => ({ n, c })).at(0)
`);

export const bodies: string[] = lines(String.raw`
return 1
return await 5
return await Promise.resolve([1, 2])
const x = await Promise.all([1, Promise.resolve(2), (async () => 3)()]); return x
return await Promise.race([new Promise(() => {}), Promise.resolve("fast")])
return await Promise.any([Promise.reject(1), Promise.resolve(2)])
return (await Promise.allSettled([1, Promise.reject(new Error("no"))])).map((r) => r.status)
try { await Promise.reject(new RangeError("r")) } catch (e) { return e.name + e.message }
try { await Promise.any([Promise.reject(1)]) } catch (e) { return [e.name, e.errors] }
const order = []; queueMicrotask(() => order.push("m")); order.push("s"); await null; order.push("a"); return order
const o = []; Promise.resolve().then(() => o.push(1)).then(() => o.push(3)); Promise.resolve().then(() => o.push(2)); await new Promise((f) => Promise.resolve().then().then().then(f)); return o
const { promise, resolve } = Promise.withResolvers(); resolve("w"); return promise
return await new Promise((f) => f(new Promise((g) => g("nested"))))
return await { then: (f) => f("thenable") }
async function f() { throw new Error("x") } return f().catch((e) => e.message)
async function f(n) { return n ? n + (await f(n - 1)) : 0 } return await f(10)
const f = async ({ a, b = 2 }) => a + b; return await f({ a: 1 })
class A { async m() { return await this.#p() } async #p() { return "private" } } return new A().m()
class B { static async make() { return new B() } x = 1 } return (await B.make()).x
async function* g() { yield 1; yield await Promise.resolve(2); yield 3 } const out = []; for await (const x of g()) out.push(x); return out
const out = []; for await (const x of [Promise.resolve(1), 2]) out.push(x); return out
async function* g() { try { yield 1; yield 2 } finally { log.push("done") } } const log = []; for await (const x of g()) { log.push(x); break } return log
const it = { [Symbol.asyncIterator]() { let n = 0; return { next: async () => ({ done: n >= 2, value: n++ }) } } }; const xs = []; for await (const x of it) xs.push(x); return xs
return await Array.fromAsync([1, Promise.resolve(2), 3])
return await Array.fromAsync((async function* () { yield* [1, 2] })(), (x) => x * 2)
let n = 0; for (const x of [1, 2, 3]) n += await x; return n
const results = await Promise.all([1, 2, 3].map(async (x) => x * (await 2))); return results
const chain = [1, 2, 3].reduce(async (acc, x) => [...(await acc), x * 2], Promise.resolve([])); return chain
return await Promise.resolve(1).then((x) => { throw x }).catch((x) => x + 1).finally(() => 99)
return await Promise.reject(1).then(null, (x) => x + 10)
return await Promise.resolve(1).finally(() => Promise.reject("f")).catch((e) => e)
try { await (async () => { await null; null.x })() } catch (e) { return e instanceof TypeError }
const sleepless = () => Promise.resolve(); await sleepless(); return "woke"
const cache = new Map(); const get = async (k) => cache.get(k) ?? (cache.set(k, k * 2), cache.get(k)); return [await get(1), await get(1), cache.size]
const queue = []; const push = async (x) => { await null; queue.push(x) }; await Promise.all([push(1), push(2)]); return queue
if (await true) { return "then" } return "else"
for (let i = 0; ; i++) { if (await (i > 3)) return i }
label: for (const a of [1, 2]) { for (const b of [3, 4]) { if (await (a * b === 6)) break label; if (b === 4) return "late" } } return "out"
switch (await "k") { case "k": return "found" } return "lost"
const fn = async () => { try { return await Promise.reject(1) } catch { return 2 } finally { side = 3 } }; let side; return [await fn(), side]
const [a, { b }] = await Promise.all([1, { b: 2 }]); return a + b
return await (async () => { for (const x of [1, 2]) { try { if (x === 2) return x } finally { await null } } })()
const gen = (function* () { const x = yield 1; return x })(); gen.next(); return gen.next(await 7).value
const log = []; const a = async () => { log.push(1); await null; log.push(3) }; const p = a(); log.push(2); await p; return log
return typeof (async () => {})().then
return (async () => {}) instanceof Function
return Object.prototype.toString.call(Promise.resolve())
const e = await Promise.reject(new Error("m", { cause: 5 })).catch((x) => x); return [e.message, e.cause]
const retry = async (f, n) => { try { return await f(n) } catch (e) { if (n > 0) return retry(f, n - 1); throw e } }; return retry(async (n) => { if (n > 1) throw n; return "ok" + n }, 3)
const pool = async (xs, k, f) => { const out = []; let i = 0; await Promise.all(Array.from({ length: k }, async () => { while (i < xs.length) { const j = i++; out[j] = await f(xs[j]) } })); return out }; return pool([1, 2, 3, 4], 2, async (x) => x * x)
const events = []; const bus = new Map(); const on = (k, f) => bus.set(k, [...(bus.get(k) ?? []), f]); on("x", async (v) => events.push(v)); await Promise.all(bus.get("x").map((f) => f(1))); return events
return undefined
return null
return [undefined, null, NaN, Infinity, -0]
return { a: undefined, b: [() => 1], c: Symbol("x") }
return new Date(0)
return [new Date(1e12), { d: new Date(0) }]
return ""
return "multi\nline \u2028 😀"
return { nested: { deep: { deeper: [1, [2, [3]]] } } }
return Object.create({ inherited: 1 })
return new (class Point { constructor() { this.x = 1 } get y() { return 2 } })()
return { toJSON: () => "json" }
return [1, , 3]
return Object.assign([1, 2], { extra: 3 })
return { "": 1, " ": 2, "a.b": 3, "0": 4 }
return Number.MAX_VALUE
return 1e-7
return [0.1 + 0.2, 1 / 3, 123456789012345680000]
return new String("boxed")
return [new Number(5), new Boolean(false)]
return Array.from({ length: 100 }, (_, i) => i).filter((x) => x % 7 === 0)
`);
