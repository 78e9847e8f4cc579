//! Invariant 9: a malformed declaration is refused alone; its source, its neighbours and its session go on.

use crate::history::{ROOT, World, cases, declaration_json, declarations};
use crate::model::{Declaration, Scope, SourceKind, SourceSpec};
use proptest::{collection::vec, option, prelude::*, sample::select};
use toolscope::{
    registry::Incoming,
    session::decision::{Call, Via},
    source::Declaration as Parsed,
};

/// Any JSON, nested a little.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<f64>().prop_map(|value| format!("{value:e}")),
        any::<String>().prop_map(|value| serde_json::Value::from(value).to_string()),
        select(vec![r#""\ud800""#, r#""\udc00\ud800""#, r#""object""#]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(6, 32, 4, |inner| {
        let key = select(vec!["type", "properties", "required", "items", "$ref", "__proto__", "x"]);
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            vec((key, inner), 0..4).prop_map(|entries| {
                let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    })
}

/// A line that may be anything: a declaration with any JSON for its fields, one that was cut, or any text.
fn line() -> impl Strategy<Value = String> {
    let key = select(vec![
        "name",
        "description",
        "inputSchema",
        "outputSchema",
        "annotations",
        "exposure",
        "category",
        "exposedName",
        "x",
    ]);
    let named = option::of(select(vec!["z", "z.z", "__proto__"]));
    let object = (named, vec((key, json()), 0..4)).prop_map(|(name, entries)| {
        let mut fields: Vec<String> = name.map(|name| format!("\"name\":{name:?}")).into_iter().collect();
        fields.extend(entries.into_iter().map(|(key, value)| format!("{key:?}:{value}")));
        format!("{{{}}}", fields.join(","))
    });
    let deep = (120..140_usize).prop_map(|depth| {
        format!("{{\"name\":\"z\",\"inputSchema\":{{\"x\":{}{}}}}}", "[".repeat(depth), "]".repeat(depth))
    });
    let object = object.boxed();
    let cut = (object.clone(), any::<prop::sample::Index>())
        .prop_map(|(text, at)| text.chars().take(at.index(text.chars().count())).collect());
    prop_oneof![6 => object, 2 => cut, 1 => deep, 1 => any::<String>(), 1 => json()]
}

const SOURCE: &str = "ext:s";

fn world(tools: Vec<Incoming>) -> World {
    let spec = SourceSpec {
        kind: SourceKind::Ext,
        name: "s".to_owned(),
        aliases: Vec::new(),
        precedence: None,
        trust_hints: None,
        declares: Vec::new(),
        renames: false,
    };
    let mut world = World::new(std::slice::from_ref(&spec), &Scope::default());
    let source = world.tree.add_source(crate::history::source_spec(&spec)).expect("it is the only one");
    world.tree.set(source, tools).expect("it is open");
    world.tree.start(ROOT).expect("it is not disposed");
    world.tree.delta(ROOT, false).expect("it is not disposed");
    world
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn any_line_is_read_or_refused(line in line()) {
        match Parsed::parse(&line) {
            Ok(declaration) => prop_assert!(!declaration.name.is_empty()),
            Err(malformed) => prop_assert!(!malformed.reason.is_empty()),
        }
    }

    #[test]
    fn a_list_in_the_place_of_an_object_is_refused(values in vec(select(vec!["null", "true", "false", "\"t\"", "{}", "\"direct\""]), 0..9)) {
        let list = format!("[{}]", values.join(","));
        for line in [list.clone(), format!("[\"t\",{}", &list[1..]), format!("{{\"name\":\"t\",\"annotations\":{list}}}")] {
            prop_assert!(Parsed::parse(&line).is_err(), "{}", line);
        }
    }

    #[test]
    fn a_bad_line_is_refused_alone(tools in declarations(), bad in vec((any::<prop::sample::Index>(), line()), 1..4)) {
        let mut good: Vec<Declaration> = Vec::new();
        for tool in tools {
            if good.iter().all(|other| other.raw != tool.raw) {
                good.push(Declaration { good: true, ..tool });
            }
        }
        let read = |tool: &Declaration| Parsed::parse(&declaration_json(tool, None));
        let mut mixed: Vec<Incoming> = good.iter().map(read).collect();
        for (at, line) in &bad {
            // A line that names a tool of the list would be about that tool.
            let parsed = Parsed::parse(line);
            let name = parsed.as_ref().map_or_else(|malformed| &malformed.name, |tool| &tool.name);
            if good.iter().all(|tool| tool.raw != *name) {
                mixed.insert(at.index(mixed.len() + 1), parsed);
            }
        }
        let refused = mixed.iter().filter(|tool| tool.is_err()).count();
        let mut alone = world(good.iter().map(read).collect());
        let mut beside = world(mixed);
        for tool in &good {
            let id = format!("{SOURCE}/{}", tool.raw);
            for via in [Via::Direct, Via::Code] {
                let call = Call { name: &id, id: None, via };
                let (mut one, print) = alone.tree.open_door(ROOT, call);
                let (mut other, other_print) = beside.tree.open_door(ROOT, call);
                (one.slot, other.slot) = (None, None);
                prop_assert_eq!(one, other);
                prop_assert_eq!(print, other_print);
            }
        }
        let names = |world: &World| -> Vec<String> {
            world.active().into_iter().filter(|id| good.iter().any(|tool| *id == format!("{SOURCE}/{}", tool.raw))).collect()
        };
        prop_assert_eq!(names(&alone), names(&beside));
        let told = beside.tree.take_diagnostics().iter().filter(|told| told.code == "tool_quarantined").count();
        prop_assert!(told >= refused, "{} refused, {} told", refused, told);
    }
}
