//! What the types of a schema are, keyword by keyword.

use toolscope::catalog::signature::{Declaration, Detail, standalone, types};

fn parts(schema: &str) -> (String, Vec<String>) {
    let text = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
    let mut declaration = Declaration::read(&text).expect("the text is a declaration");
    let types = types(&mut declaration, || "s/t".to_owned());
    (types.input, types.declarations.iter().map(|(name, text)| format!("{name} = {text}")).collect())
}

fn input(schema: &str) -> String {
    let (input, declarations) = parts(schema);
    assert!(declarations.is_empty(), "{declarations:?}");
    input
}

#[test]
fn plain_types_and_comments() {
    assert_eq!(
        input(
            r#"{"type":"object","properties":{"a":{"type":"string","description":"What.\nMore"},"b-c":{"type":["integer","null"]},"d":{"type":"boolean"}},"required":["a"]}"#
        ),
        r#"{ /** What. */ a: string; "b-c"?: number | null; d?: boolean }"#
    );
    assert_eq!(input("true"), "unknown");
    assert_eq!(input("false"), "never");
    assert_eq!(input("{}"), "unknown");
    assert_eq!(input("[]"), "unknown");
    assert_eq!(input(r#"{"type":"object"}"#), "Record<string, unknown>");
    assert_eq!(input(r#"{"type":"object","properties":{}}"#), "{}");
    assert_eq!(input(r#"{"type":"object","additionalProperties":false}"#), "{}");
    assert_eq!(input(r#"{"type":5,"properties":7,"required":true,"enum":{},"anyOf":{}}"#), "{}");
    assert_eq!(input(r#"{"required":["x"]}"#), "{ x: unknown }");
    assert_eq!(input(r#"{"not":{}}"#), "never");
    assert_eq!(input(r#"{"not":{"type":"string"}}"#), "unknown");
    assert_eq!(input(r#"{"type":"string","not":{"minLength":3}}"#), "string");
}

#[test]
fn literals_are_exact() {
    assert_eq!(
        input(r#"{"enum":["a\"b","c\nd",1,-0.5,null,true,[1,"x"],{"k":[]}]}"#),
        r#""a\"b" | "c\nd" | 1 | -0.5 | null | true | [1, "x"] | { k: [] }"#
    );
    assert_eq!(input(r#"{"enum":[]}"#), "never");
    assert_eq!(input(r#"{"const":"x"}"#), r#""x""#);
    assert_eq!(input(r#"{"const":1e400}"#), "number");
    assert_eq!(input(r#"{"type":"string","enum":["a",null]}"#), r#""a""#);
    assert_eq!(input(r#"{"type":"string","enum":["a",null],"nullable":true}"#), r#""a" | null"#);
    assert_eq!(input(r#"{"type":"string","enum":[1,2]}"#), "1 | 2");
}

#[test]
fn arrays_tuples_and_records() {
    assert_eq!(input(r#"{"type":"array"}"#), "unknown[]");
    assert_eq!(input(r#"{"type":"array","items":{"type":["string","number"]}}"#), "(string | number)[]");
    assert_eq!(
        input(r#"{"prefixItems":[{"type":"string"},{"enum":[1,2]}],"minItems":1}"#),
        "[string, (1 | 2)?, ...unknown[]]"
    );
    assert_eq!(
        input(r#"{"type":"array","items":[{"type":"string"}],"additionalItems":false,"minItems":1}"#),
        "[string]"
    );
    assert_eq!(
        input(r#"{"prefixItems":[{"type":"string"}],"items":{"type":"number"},"minItems":1}"#),
        "[string, ...number[]]"
    );
    assert_eq!(input(r#"{"additionalProperties":{"type":"string"}}"#), "Record<string, string>");
    assert_eq!(
        input(r#"{"patternProperties":{"^a":{"type":"string"},"^b":{"type":"number"}}}"#),
        "Record<string, string | number>"
    );
    assert_eq!(
        input(r#"{"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"number"}}"#),
        "{ a?: string; [key: string]: unknown }"
    );
}

#[test]
fn combinations() {
    assert_eq!(
        input(
            r#"{"type":"object","properties":{"by_id":{"type":"object"},"by_name":{"type":"object"}},"oneOf":[{"required":["by_id"]},{"required":["by_name"]}]}"#
        ),
        "{ by_id: Record<string, unknown>; by_name?: Record<string, unknown> } | { by_id?: Record<string, unknown>; by_name: Record<string, unknown> }"
    );
    assert_eq!(
        input(
            r#"{"properties":{"a":{"type":"string"}},"anyOf":[{"properties":{"b":{"type":"string"}}},{"required":["c"]}]}"#
        ),
        "{ a?: string } & ({ b?: string } | { c: unknown })"
    );
    assert_eq!(
        input(
            r#"{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"enum":["x"]},"b":{}}}]}"#
        ),
        r#"{ a: string & "x"; b?: unknown }"#
    );
    assert_eq!(input(r#"{"type":"string","allOf":[{"minLength":1}]}"#), "string");
    assert_eq!(input(r#"{"type":"string","anyOf":[{"format":"a"},{"format":"b"}]}"#), "string");
    assert_eq!(input(r#"{"anyOf":[{"type":"string"},{"type":"string"},{"type":"null"}]}"#), "string | null");
    assert_eq!(input(r#"{"anyOf":[{"type":"string"},{}]}"#), "unknown");
    assert_eq!(input(r#"{"anyOf":[{"not":{}},{"type":"string"}]}"#), "string");
    assert_eq!(
        input(
            r#"{"type":"object","anyOf":[{"type":"object","properties":{"a":{}}},{"type":"object","properties":{"b":{}}}]}"#
        ),
        "{ a?: unknown } | { b?: unknown }"
    );
}

#[test]
fn what_holds_for_some_values_may_be_given() {
    let kinds = r#""type":"object","properties":{"kind":{"enum":["url","file"]}},"required":["kind"]"#;
    let then = r#""if":{"properties":{"kind":{"const":"url"}}},"then":{"properties":{"url":{"type":"string"}},"required":["url"]}"#;
    let otherwise = r#""else":{"properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let wants = r#"{ kind: "url" | "file"; url?: string; path?: string }"#;
    assert_eq!(input(&format!("{{{kinds},{then},{otherwise}}}")), wants);
    assert_eq!(input(&format!("{{{then},{kinds},{otherwise}}}")), wants);
    assert_eq!(input(&format!(r#"{{{kinds},"allOf":[{{{then}}},{{{otherwise}}}]}}"#)), wants);
    assert_eq!(input(&format!(r#"{{"allOf":[{{{then},{otherwise}}},{{{kinds}}}]}}"#)), wants);
    let card = r#""type":"object","properties":{"card":{"type":"string"}}"#;
    for keyword in ["dependentSchemas", "dependencies"] {
        let schema = format!(r#"{{{card},"{keyword}":{{"card":{{"properties":{{"address":{{"type":"string"}}}}}}}}}}"#);
        assert_eq!(input(&schema), "{ card?: string; address?: string }");
    }
    // What is declared for all stands; two conditions that differ say nothing.
    let differ = r#""then":{"properties":{"kind":{"const":"url"},"to":{"type":"string"}}},"else":{"properties":{"to":{"type":"number"}}}"#;
    assert_eq!(input(&format!("{{{kinds},{differ}}}")), r#"{ kind: "url" | "file"; to?: unknown }"#);
    assert_eq!(
        input(&format!(r#"{{"type":"object","required":["a"],{then}}}"#)),
        "{ a: unknown; url?: string; [key: string]: unknown }"
    );
    assert_eq!(input(&format!(r#"{{"type":"object",{then}}}"#)), "{ url?: string; [key: string]: unknown }");
    // A list of names is no schema.
    assert_eq!(input(&format!(r#"{{{card},"dependencies":{{"card":["b"]}}}}"#)), "{ card?: string }");
}

#[test]
fn references() {
    assert_eq!(
        input(
            r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/p~1q","description":"keep this note"},"b":{"$ref":"#/definitions/R"},"c":{"$ref":"#/components/schemas/C"},"d":{"$ref":"other.json"},"e":{"$ref":"#/properties/b"},"f":{"$ref":"#/$defs/a%20b"}},"$defs":{"p/q":{"type":"integer"},"a b":{"type":"null"}},"definitions":{"R":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}},"components":{"schemas":{"C":{"type":"boolean"}}}}"##
        ),
        "{ /** keep this note */ a?: number; b?: { x: string }; c?: boolean; d?: unknown; e?: { x: string }; f?: null }"
    );
    assert_eq!(
        input(r##"{"properties":{"r":{"$ref":"#/$defs/R","nullable":true}},"$defs":{"R":{"type":"object"}}}"##),
        "{ r?: Record<string, unknown> | null }"
    );
    assert_eq!(
        input(
            r##"{"type":"object","additionalProperties":{"$ref":"#/definitions/L"},"definitions":{"L":{"oneOf":[{"type":"string"},{"$ref":"#/definitions/L"}]}}}"##
        ),
        "Record<string, string>"
    );
    assert_eq!(input(r##"{"$ref":"#"}"##), "unknown");
    assert_eq!(
        input(r##"{"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}},"$ref":"#/$defs/A"}"##),
        "unknown"
    );
    assert_eq!(input(r##"{"allOf":[{"$ref":"#"}],"type":"string"}"##), "string");
}

#[test]
fn recursion_is_a_named_type_declared_once() {
    let (text, declared) = parts(
        r##"{"properties":{"a":{"$ref":"#/$defs/tree"},"b":{"$ref":"#/$defs/tree"}},"$defs":{"tree":{"properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}"##,
    );
    let name = declared[0].split(' ').next().unwrap().to_owned();
    assert!(name.starts_with("Tree"), "{name}");
    assert_eq!(text, format!("{{ a?: {name}; b?: {name} }}"));
    assert_eq!(declared, [format!("{name} = {{ kids?: {name}[] }}")]);
    let (text, declared) = parts(
        r##"{"$ref":"#/$defs/Json","$defs":{"Json":{"anyOf":[{"type":"string"},{"additionalProperties":{"$ref":"#/$defs/Json"}}]}}}"##,
    );
    assert_eq!(declared, [format!("{text} = string | {{ [key: string]: {text} }}")]);
}

/// The same schemas under `$defs` and under a road that no node keeps; the places in the arena differ, and with them the
/// numbers in the names.
fn twins(schemas: &str, root: &str) -> [(String, Vec<String>); 2] {
    let said = |from: &str, road: &str, open: &str, close: &str| {
        let (root, schemas) = [root, schemas].map(|text| text.replace('@', road)).into();
        let (mut text, mut declared) = parts(&format!(r#"{{{root},"{from}":{open}{{{schemas}}}{close}}}"#));
        for at in 0..declared.len() {
            let name = declared[at].split(' ').next().unwrap_or_default().to_owned();
            let plain = name
                .split('_')
                .next()
                .unwrap_or_default()
                .trim_end_matches(|digit: char| digit.is_ascii_digit())
                .to_owned();
            text = text.replace(&name, &plain);
            declared = declared.into_iter().map(|declaration| declaration.replace(&name, &plain)).collect();
        }
        (text, declared)
    };
    [said("$defs", "#/$defs", "", ""), said("components", "#/components/schemas", r#"{"schemas":"#, "}")]
}

#[test]
fn a_place_in_the_text_is_one_node_whatever_leads_there() {
    let user = r#""User":{"type":"object","properties":{"id":{"type":"integer"},"manager":{"$ref":"@/User"}}}"#;
    let [defs, components] = twins(user, r#""properties":{"user":{"$ref":"@/User"}}"#);
    assert_eq!(defs.1, ["User = { id?: number; manager?: User }"]);
    assert_eq!(components, defs);
    let mutual = r#""A":{"properties":{"b":{"$ref":"@/B"},"l":{"$ref":"@/Leaf"}}},"B":{"properties":{"a":{"items":{"$ref":"@/A"}},"l":{"$ref":"@/%4Ceaf"}}},"Leaf":{"enum":["x","y"]}"#;
    let [defs, components] = twins(mutual, r#""properties":{"a":{"$ref":"@/A"},"b":{"$ref":"@/B"}}"#);
    assert!(!defs.0.contains("unknown") && !defs.1.concat().contains("unknown"), "{defs:?}");
    assert_eq!(components, defs);
    let many: Vec<String> = (0..500).map(|at| format!(r#""S{at}":{{"const":{at}}}"#)).collect();
    let members: Vec<String> = (0..500).map(|at| format!(r#""p{at}":{{"$ref":"@/S{at}"}}"#)).collect();
    let [defs, components] = twins(&many.join(","), &format!(r#""properties":{{{}}}"#, members.join(",")));
    assert!(components.0.contains("p499?: 499"), "{components:?}");
    assert_eq!(components, defs);
    assert_eq!(
        input(r##"{"properties":{"a":{"$ref":"#/x-list/1"},"b":{"$ref":"#/x-list/2"}},"x-list":[1,{"const":7}]}"##),
        "{ a?: 7; b?: unknown }"
    );
}

proptest::proptest! {
    /// References in any tangle, beside other keywords, too.
    #[test]
    fn references_lead_to_the_same_wherever_the_schemas_are(
        shapes in proptest::collection::vec((0..6_u8, 0..12_usize, 0..12_usize), 1..12),
    ) {
        let count = shapes.len();
        let schemas = shapes.iter().enumerate().map(|(at, (shape, one, other))| {
            let [one, other] = [one, other].map(|to| format!(r#"{{"$ref":"@/S{}"}}"#, to % count));
            let said = match shape {
                0 => format!(r#""properties":{{"o{at}":{one},"t":{other}}}"#),
                1 => format!(r#""type":"array","items":{one}"#),
                2 => format!(r#""anyOf":[{one},{other},{{"type":"null"}}]"#),
                3 => format!(r#""allOf":[{one},{{"properties":{{"a{at}":{other}}}}}]"#),
                4 => format!(r#""$ref":"@/S{}""#, other.len() % count),
                _ => format!(r#""const":{at}"#),
            };
            format!(r#""S{at}":{{{said}}}"#)
        });
        let [defs, components] = twins(&schemas.collect::<Vec<_>>().join(","), r#""properties":{"a":{"$ref":"@/S0"}}"#);
        proptest::prop_assert_eq!(defs, components);
    }
}

/// Each must end soon whatever its size, and be said, not overflow.
#[test]
fn the_work_is_linear_in_the_schema() {
    let started = std::time::Instant::now();
    let chain: Vec<String> = (0..10_000).map(|at| format!(r##""A{at}":{{"$ref":"#/$defs/A{}"}}"##, at + 1)).collect();
    let schema = format!(r##"{{"$ref":"#/$defs/A0","$defs":{{{},"A10000":{{"type":"string"}}}}}}"##, chain.join(","));
    assert_eq!(input(&schema), "string");

    let road = "#/components/schemas";
    let chain: Vec<String> = (0..10_000).map(|at| format!(r#""A{at}":{{"$ref":"{road}/A{}"}}"#, at + 1)).collect();
    let defs: Vec<String> = (0..1_000).map(|at| format!(r##""D{at}":{{"$ref":"#/$defs/D0"}}"##)).collect();
    let schema = format!(
        r#"{{"$ref":"{road}/A0","$defs":{{{}}},"components":{{"schemas":{{{},"A10000":{{"type":"string"}}}}}}}}"#,
        defs.join(","),
        chain.join(",")
    );
    assert_eq!(input(&schema), "string");
    // Each of these places holds all that are behind it.
    let pointers: Vec<String> = (1..2_000).map(|at| format!(r##"{{"$ref":"#{}"}}"##, "/c".repeat(at))).collect();
    let within = format!(r#"{}"{}"{}"#, r#"{"c":"#.repeat(2_000), "x".repeat(2 << 20), "}".repeat(2_000));
    let schema = format!(r#"{{"anyOf":[{}],"c":{within}}}"#, pointers.join(","));
    assert_eq!(input(&schema), "unknown");

    let nested: Vec<String> = (0..10_000)
        .map(|at| format!(r##""A{at}":{{"properties":{{"n":{{"$ref":"#/$defs/A{}"}}}}}}"##, at + 1))
        .collect();
    let schema = format!(r##"{{"$ref":"#/$defs/A0","$defs":{{{},"A10000":{{"type":"string"}}}}}}"##, nested.join(","));
    let (text, _) = parts(&schema);
    assert_eq!(text, "{ n?: { n?: { n?: { n?: Record<string, unknown> } } } }");

    let doubling: Vec<String> = (0..64)
        .map(|at| {
            format!(
                r##""A{at}":{{"properties":{{"l":{{"$ref":"#/$defs/A{0}"}},"r":{{"$ref":"#/$defs/A{0}"}}}}}}"##,
                at + 1
            )
        })
        .collect();
    let schema = format!(r##"{{"$ref":"#/$defs/A0","$defs":{{{},"A64":{{"type":"string"}}}}}}"##, doubling.join(","));
    let (text, declared) = parts(&schema);
    assert!(text.len() + declared.concat().len() < 60_000);

    let all: Vec<String> =
        (0..1_000).map(|at| format!(r#"{{"properties":{{"p{at}":{{"type":"number"}}}}}}"#)).collect();
    let text = input(&format!(r#"{{"allOf":[{}]}}"#, all.join(",")));
    assert!(text.starts_with("{ p0?: number; p1?: number"), "{}", &text[..60]);
    let all: Vec<String> =
        (0..10_000).map(|at| format!(r#"{{"anyOf":[{{"const":"a{at}"}},{{"const":"b{at}"}}]}}"#)).collect();
    let text = input(&format!(r#"{{"allOf":[{}]}}"#, all.join(",")));
    assert!(text.starts_with(r#"("a0" | "b0") & ("a1" | "b1") & "#), "{}", &text[..60]);
    let mut deep = r#"{"type":"string"}"#.to_owned();
    for _ in 0..55 {
        deep = format!(r#"{{"allOf":[{deep}]}}"#);
    }
    assert_eq!(input(&deep), "unknown");

    let long = format!(
        r#"{{"name":"t","description":"{}","inputSchema":{{"properties":{{"a":{{"description":"{}"}}}}}}}}"#,
        "x".repeat(10 << 20),
        "y".repeat(10 << 20)
    );
    let mut declaration = Declaration::read(&long).unwrap();
    assert!(standalone(&mut declaration, "s", "s/t", Detail::Full).len() < 500);
    // Far above what it takes, even unoptimised on a busy machine, and far below what squares of these sizes take.
    assert!(started.elapsed().as_secs_f64() < 60.0, "{:?}", started.elapsed());
}

#[test]
fn compact_says_that_other_keys_are_welcome_where_full_does() {
    for (schema, expected) in [
        (r#"{"properties":{"a":{}},"required":["a"],"additionalProperties":true}"#, "{a,[_:string]:any}"),
        (r#"{"properties":{"a":{},"b":{}},"required":["a"],"patternProperties":{"^x":{}}}"#, "{a,b?,[_:string]:any}"),
        (r#"{"type":"object","additionalProperties":{"type":"number"}}"#, "{[_:string]:any}"),
        (r#"{"properties":{"a":{}},"required":["a"],"additionalProperties":false}"#, "{a}"),
        (r#"{"properties":{"a":{}},"required":["a"]}"#, "{a}"),
        (r#"{"type":"object","properties":{}}"#, "{}"),
        (r#"{"type":"object"}"#, "{}"),
    ] {
        let text = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
        let shown = standalone(&mut Declaration::read(&text).unwrap(), "s", "s/t", Detail::Compact);
        assert_eq!(shown, format!("declare const tools: {{ s: {{ t(_:{expected}) }} }};"), "{schema}");
    }
}

/// What is merged into others within itself: it is named where it is short enough to be seen, and never takes the stack.
#[test]
fn recursion_through_what_is_merged_ends() {
    let held = |inner: &str| {
        format!(
            r##"{{"$ref":"#/$defs/X","properties":{{}},"$defs":{{"X":{{"properties":{{"c":{inner}}}}},"pad":{{"properties":{{@}}}}}}}}"##
        )
    };
    let ways = [
        held(r##"{"$ref":"#/$defs/X","properties":{"d":{"type":"string"}}}"##),
        held(r##"{"allOf":[{"$ref":"#/$defs/X"},{"properties":{"d":{"type":"string"}}}]}"##),
        held(
            r##"{"allOf":[{"$ref":"#/$defs/X"},{"$ref":"#/$defs/X"}],"properties":{"d":{"type":"string"},"e":{"$ref":"#/$defs/X","properties":{}}}}"##,
        ),
        held(r##"{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/X","required":["c"]},{"type":"null"}]}}"##),
    ];
    for way in &ways {
        let (text, declared) = parts(&way.replace('@', ""));
        assert_eq!(declared.len(), 1, "{text} {declared:?}");
        assert!(text.len() < 600, "{text}");
        for padding in [100, 100_000] {
            let padding: Vec<String> = (0..padding).map(|at| format!(r#""p{at}":{{}}"#)).collect();
            assert_eq!(parts(&way.replace('@', &padding.join(","))), (text.clone(), declared.clone()));
        }
    }
    let chain: Vec<String> = (0..20_000)
        .map(|at| {
            let next = at + 1;
            format!(r##""A{at}":{{"properties":{{"n":{{"$ref":"#/$defs/A{next}","properties":{{"d":{{}}}}}}}}}}"##)
        })
        .collect();
    let text = input(&format!(r##"{{"$ref":"#/$defs/A0","properties":{{}},"$defs":{{{}}}}}"##, chain.join(",")));
    assert!(text.starts_with("{ n?: {"), "{text}");
    assert!(text.len() <= 4_000);
}

#[test]
fn what_is_too_long_keeps_its_discriminators() {
    let variants: Vec<String> = (0..40)
        .map(|at| {
            format!(
                r#"{{"type":"object","required":["k"],"properties":{{"k":{{"const":"v{at}"}},"deep":{{"type":"object","properties":{{"a":{{"type":"object","properties":{{"b":{{"type":"array","items":{{"type":"object","properties":{{"cccccccccccccccccccccc":{{"type":"string"}},"dddddddddddddddddddd":{{"type":"number"}}}}}}}}}}}}}}}}}}}}"#
            )
        })
        .collect();
    let text = input(&format!(
        r#"{{"properties":{{"ops":{{"type":"array","items":{{"oneOf":[{}]}}}}}}}}"#,
        variants.join(",")
    ));
    assert!(text.len() <= 4_000, "{}", text.len());
    for at in 0..40 {
        assert!(text.contains(&format!(r#"k: "v{at}""#)), "{text}");
    }
}
