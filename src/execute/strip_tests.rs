use super::*;

fn code(source: &str) -> String {
    strip(source).unwrap_or_else(|fault| panic!("{source}: {fault:?}")).code
}
/// Runs of spaces as one, so that a case is readable.
fn squeezed(source: &str) -> String {
    code(source).split([' ', '\n']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[test]
fn annotations_become_spaces() {
    for (source, expected) in [
        ("const a: number = 1", "const a = 1"),
        ("let x!: string; x = 'a'", "let x ; x = 'a'"),
        (
            "function f(a?: number, ...rest: string[]): asserts a is 1 { return a }",
            "function f(a , ...rest ) { return a }",
        ),
        ("function f(this: Window, a: 1) {}", "function f( a ) {}"),
        ("const f = <T,>(x: T): T => x", "const f = (x ) => x"),
        ("const f = async <T>(x: T): Promise<T> => x", "const f = async (x ) => x"),
        ("new Map<string, number>()", "new Map ()"),
        ("(a as unknown as B).c!.d satisfies E", "(a ).c .d"),
        ("<Foo>bar", "bar"),
        (
            "class A<T> extends B<T> implements C, D { private readonly x?: number = 1; static readonly y: string; constructor() { super() } abstract z(): void }",
            "class A extends B { ; x = 1; static y ; constructor() { super() } ; }",
        ),
        (
            "abstract class A { [key: string]: unknown; declare q: 1; override m?(): void {} }",
            "; class A { ; ; ; m () {} }",
        ),
        ("function f(a: string): void; function f(a: any) { return a }", "; function f(a ) { return a }"),
        ("try {} catch (error: unknown) {}", "try {} catch (error ) {}"),
        ("declare const q: 1; declare function z(): void; const b = 2", "; ; const b = 2"),
        (
            "for (const [k, v] of Object.entries(x) as [string, number][]) {}",
            "for (const [k, v] of Object.entries(x) ) {}",
        ),
    ] {
        assert_eq!(squeezed(source), expected, "{source}");
    }
}

#[test]
fn lines_and_columns_stay() {
    let source = "interface A {\n  b: string;\n}\nconst é: A = { b: 'ü' } as A;\nthrow é;";
    let stripped = code(source);
    assert_eq!(stripped.chars().count(), source.chars().count());
    assert_eq!(stripped.lines().count(), source.lines().count());
    assert_eq!(stripped.lines().nth(3).unwrap().find('{'), source.lines().nth(3).unwrap().find('{'));
}

#[test]
fn places_are_counted_in_characters() {
    let verbatim = Script::verbatim("const s = '日本語';\n/* 🙂é */ s.foo.bar");
    // Bytes of the second line: 3, 4, 2, 3 ahead of `s`.
    assert_eq!(verbatim.position(2, 13), (2, 9));
    assert_eq!(verbatim.position(1, 7), (1, 7));
    assert_eq!(verbatim.position(7, 3), (7, 3));
    assert_eq!(verbatim.position(2, 900), (2, 896));
    assert_eq!(Script::verbatim("plain").position(1, 3), (1, 3));
    assert_eq!(verbatim.position(0, 0), (0, 0));
    assert_eq!(verbatim.position(u32::MAX, u32::MAX), (u32::MAX, u32::MAX));
    assert!(verbatim.position(2, u32::MAX).1 > 1);
    let wrapped = strip("const é: string = 'ü'; return é.foo.bar").unwrap();
    let at = wrapped.code.lines().next().unwrap().find("é.foo").unwrap() + 1;
    assert_eq!(wrapped.position(1, u32::try_from(at).unwrap()), (1, 31));
}

#[test]
fn erased_lines_do_not_run_on() {
    assert!(code("const a = b as string\n(foo)").contains(';'));
    assert!(code("const a = 1\ninterface X {}\n(foo)").contains(';'));
    let arrow = code("const f = (x: number): {\n  a: string\n} => ({ a: '' })");
    assert!(arrow.contains(") =>"), "{arrow}");
}

#[test]
fn top_level_return_wraps_and_maps_back() {
    let script = strip("if (x) return 1;\nx + 2").unwrap();
    assert!(script.wrapped);
    assert_eq!(script.code, "(async () => {if (x) return 1;\nreturn (x + 2)\n})()");
    assert_eq!(script.position(1, 15), (1, 1));
    assert_eq!(script.position(2, 9), (2, 1));
    assert_eq!(script.position(2, 13), (2, 5));
    assert!(strip("for await (const x of y) {}\nreturn await { then: 1 }").is_ok());
    assert!(!strip("function f(): number { return 1 }").unwrap().wrapped);
    assert_eq!(code("if (a) return 1; else { b }"), "(async () => {if (a) return 1; else { return (b) }\n})()");
}

#[test]
fn what_is_more_than_an_annotation_is_refused_with_its_place() {
    for (source, word, line, column) in [
        ("let a\nenum B { C }", "enum", 2, 1),
        ("class A { constructor(private x: number) {} }", "parameter property", 1, 23),
        ("namespace N { export const a = 1 }", "namespace", 1, 1),
        ("import fs from 'fs'", "modules", 1, 1),
        ("export default 1", "exports", 1, 1),
        ("const = 1", "", 1, 7),
    ] {
        let fault = strip(source).unwrap_err();
        assert!(fault.message.contains(word), "{fault:?}");
        assert_eq!((fault.line, fault.column), (line, column), "{fault:?}");
    }
}

#[test]
fn deep_source_does_not_exhaust_the_stack() {
    let half = TYPESCRIPT_BYTES / 2 - 64;
    let full = TYPESCRIPT_BYTES - 64;
    for (open, repeat) in [
        ("(", half),
        ("[", half),
        ("{", half),
        ("!", full),
        ("-~", full / 2),
        ("a=>", full / 3),
        ("a?b:", full / 4),
        ("if(a)", full / 5),
        ("a**", full / 3),
        ("new ", full / 4),
        ("a+", full / 2),
        ("`${", full / 3),
        ("a=", full / 2),
        ("a.b", full / 4),
        ("f(", half),
        ("a[", half),
        ("<", half),
        ("type A=(", half / 8),
        ("x as A<", full / 8),
        ("else ", full / 5),
        ("keyof ", full / 6),
        ("a,", full / 2),
        ("a??", full / 3),
        ("class A{b=", full / 10),
        ("()=>{", full / 6),
    ] {
        // Any answer is right; that there is one is the point.
        let _ = strip(&open.repeat(repeat));
        let _ = strip(&format!("let q: {} = 1", open.repeat(repeat - 16)));
    }
}
