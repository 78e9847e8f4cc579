//! Programs and values through the public pool: nothing crashes it, and what crosses it comes back as it was.

use std::{sync::mpsc, time::Duration};

use proptest::prelude::*;
use serde_json::{Value, json};
use toolscope::execute::Pool;

/// Runs one program, its calls answered by `answer`; the message that tells its end.
fn run(code: &str, milliseconds: u32, answer: impl Fn(&Value) -> Value) -> Value {
    let (sender, lines) = mpsc::channel();
    let pool = Pool::new(move |line: String| {
        let _ = sender.send(line);
    });
    let run = json!({ "op": "run", "id": 1, "list": 0, "code": code, "timeoutMs": milliseconds, "memoryBytes": 16 << 20, "toolCalls": 50 });
    pool.post(&run.to_string()).expect("a well-formed message");
    loop {
        // The host's own deadline, which ends what does not end by itself.
        let Ok(line) = lines.recv_timeout(Duration::from_secs(30)) else {
            pool.post(r#"{"op":"expire","id":1}"#).expect("a well-formed message");
            continue;
        };
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        if told.get("done").is_some() {
            return told["done"].clone();
        }
        let results: Vec<Value> =
            told["calls"].as_array().into_iter().flatten().map(|call| json!([call[0], 1, answer(&call[3])])).collect();
        pool.post(&json!({ "op": "settle", "id": 1, "results": results }).to_string()).expect("a well-formed message");
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        // Sixteenths, since the test's own reader of JSON rounds longer fractions.
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 16.0)),
        any::<i32>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 6, |inner| {
        let key = prop_oneof![
            any::<String>(),
            Just("__proto__".to_owned()),
            Just("constructor".to_owned()),
            Just("toJSON".to_owned())
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// The same number may be written in more than one way.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

/// Scraps of programs, good and bad.
const SCRAPS: &[&str] = &[
    "a",
    "b",
    "1",
    "'x'",
    "`${",
    "}`",
    "`",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ".",
    "?.",
    "??",
    "=>",
    "=",
    "===",
    "+",
    "-",
    "*",
    "/",
    "/a+/",
    "**",
    "++",
    "!",
    "~",
    "...",
    "?",
    ":",
    "<",
    ">",
    "&&",
    "||",
    "@",
    "#x",
    "\n",
    " ",
    "await ",
    "async ",
    "return ",
    "yield ",
    "function ",
    "function* f",
    "class A ",
    "extends ",
    "static ",
    "get ",
    "new ",
    "delete ",
    "typeof ",
    "throw ",
    "let ",
    "const ",
    "var ",
    "if(",
    "else ",
    "for(",
    "for await(",
    " of ",
    " in ",
    "while(",
    "do ",
    "try{",
    "}catch{",
    "}finally{",
    "switch(",
    "case ",
    "break;",
    "continue;",
    "label:",
    "import(",
    "import ",
    "export ",
    "tools",
    "tools.a",
    "search(",
    "describe(",
    "console.log(",
    "Promise",
    "Proxy",
    "Symbol.iterator",
    "JSON.stringify(",
    "eval(",
    "Array(9e9)",
    "'a'.repeat(9e6)",
    "while(1);",
    "globalThis",
    ": number",
    " as any",
    " as const",
    "<T>",
    "!",
    "interface I {",
    "type T = ",
    "enum E {",
    "declare ",
    "abstract ",
    "private ",
    "readonly ",
    "satisfies T",
    "implements I",
    "namespace N {",
    "é",
    "😀",
    "\u{2028}",
    "\\u{61}",
    "//",
    "/*",
    "*/",
    "\"",
    "'",
    "\0",
];

fn program() -> impl Strategy<Value = String> {
    let scrap = prop::sample::select(SCRAPS);
    prop::collection::vec(scrap, 0..40).prop_map(|scraps| scraps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_crosses_both_ways_unchanged(value in value()) {
        let done = run("await tools.echo(await tools.give())", 20_000, |input| if input.is_null() { value.clone() } else { input.clone() });
        prop_assert_eq!(&done["ok"], &json!(true), "{}", done);
        // A value with a `toJSON` of its own that is no function is data like any other.
        prop_assert!(same(&done["value"], &value), "{} is not {}", done["value"], value);
    }

    #[test]
    fn any_program_ends_with_an_outcome(code in program()) {
        let done = run(&code, 150, Clone::clone);
        prop_assert!(done["ok"].is_boolean());
        if done["ok"] == json!(false) {
            prop_assert!(done["error"]["kind"].is_string() && done["error"]["message"].is_string());
            prop_assert!(done["error"]["kind"] != json!("internal"), "{}", done);
        }
    }

    #[test]
    fn any_text_is_stripped_or_refused(code in program(), text in any::<String>()) {
        for source in [code, text] {
            if let Ok(script) = toolscope::execute::strip::strip(&source) {
                prop_assert_eq!(script.code.matches('\n').count(), source.matches('\n').count() + usize::from(script.wrapped));
            }
        }
    }

    #[test]
    fn a_malformed_message_is_an_error(text in any::<String>()) {
        let pool = Pool::new(|_| {});
        prop_assert!(pool.post(&text).is_err());
    }
}

/// More of them with `TOOLSCOPE_CASES`, for a fuzzing run.
fn cases() -> u32 {
    std::env::var("TOOLSCOPE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(48)
}
