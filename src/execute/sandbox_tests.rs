use std::time::{Duration, Instant};

use super::*;
use crate::execute::limits::Limits;

/// Runs a program to its end, every call answered with its own number; what is left of its heap afterwards.
fn left_after(code: &str, limits: Limits) -> usize {
    let mut sandbox = Sandbox::new().unwrap_or_else(|failure| panic!("{failure:?}"));
    let heap = Arc::clone(&sandbox.heap);
    let control = Arc::new(Control::new(Instant::now() + limits.time));
    let bridge = Bridge::new(limits, Arc::default(), Arc::clone(&control));
    let mut slice = sandbox.start(code, bridge, &control);
    while let Slice::Waiting = slice {
        let open: Vec<u32> = sandbox.bridge.lock().open.keys().copied().collect();
        slice = sandbox.resume(open.into_iter().map(|call| Reply { call, kind: 1, text: call.to_string() }).collect());
    }
    assert!(heap.used() > 100_000, "the context itself is counted");
    drop(sandbox);
    heap.used()
}

#[test]
fn nothing_of_a_heap_is_left_however_a_program_ends() {
    let short = Limits { time: Duration::from_millis(60), memory_bytes: 8 << 20, tool_calls: 20, ..Limits::default() };
    for code in [
        "1 + 1",
        "const a: number = 1; return { a, b: [new Map([[1, 2]])] }",
        "await tools.a.b({ x: 1 }); await Promise.all([tools.c(), tools.d(), search('x')])",
        "tools.a(); tools.b(); 'unawaited'",
        "throw new Error('x')",
        "const a = 1; a.b.c",
        "syntax error here",
        "for (;;);",
        "for (;;) await null;",
        "for (;;) (async () => { for (;;); })();",
        "for (;;) await tools.a();",
        "const a = []; for (;;) a.push({}, [], 'x' + a.length)",
        "let s = 'x'; for (;;) s += s",
        "const keep = []; for (;;) try { for (;;) keep.push(new Array(1e4).fill({})) } catch {}",
        "const f = () => f(); f()",
        "const a = {}; a.a = a; const b = { a }; a.b = b; globalThis.keep = [a, b]; 1",
        "globalThis.m = new Map(); const w = new WeakMap([[m, m]]); m.set(w, m); new FinalizationRegistry(() => m).register(m, 1); 1",
        "function* g() { yield* g() } globalThis.it = g(); it.next().value",
        "new Proxy({}, { get() { return new Proxy(this, this) } }).a.b",
        "await new Promise(() => {})",
        "class A { #x = this; static { globalThis.A = A } } new A(); Object.prototype.toJSON = () => { throw new A() }; ({})",
    ] {
        assert_eq!(left_after(code, short), 0, "{code}");
    }
}

#[test]
fn a_generic_call_is_not_taken_for_comparisons() {
    assert!(
        generic_call("f<string>(1)")
            && generic_call("new Map<string, number[]>(x)")
            && generic_call("a.b<{ c: 1 }>(d)")
    );
    for plain in ["a < b; c > (d)", "a<b && c", "1 <2 >(3)", "x => (y)", "if (a < b) {} else if (c >(d)) {}"] {
        assert!(!generic_call(plain), "{plain}");
    }
}
