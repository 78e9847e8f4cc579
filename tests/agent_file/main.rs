//! No agent file, however broken, yields a scope wider than the file says.
//!
//! `model` is what a file says, as data; `render` writes it as text in every way there is, whole or damaged. The laws
//! compare the decisions of a session with the model's, tool by tool. `notation` writes names as other notations do.
//!
//! `TOOLSCOPE_FUZZ_SECONDS` sets how long each law is shown (default 1).

mod model;
mod notation;
mod render;

use model::{File, inventory};
use proptest::{
    prelude::*,
    sample::select,
    test_runner::{Config, TestRunner},
};
use std::{
    cell::Cell,
    collections::BTreeSet,
    time::{Duration, Instant},
};
use toolscope::agent_file::{Dialect, Spawns, parse};

/// Shows a law over cases until its time is up.
#[expect(clippy::print_stderr, reason = "how much was shown is what a long run is for")]
fn shown_for_a_while<S: Strategy>(strategy: &S, law: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let seconds = std::env::var("TOOLSCOPE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let until = Instant::now() + Duration::from_secs(seconds);
    let ran = Cell::new(0);
    while Instant::now() < until {
        // A runner that has seen its cases pass runs no more.
        let mut runner = TestRunner::new(Config { cases: 64, failure_persistence: None, ..Config::default() });
        if let Err(failure) = runner.run(strategy, |case| {
            ran.set(ran.get() + 1);
            law(case)
        }) {
            panic!("after {} cases: {failure}", ran.get());
        }
    }
    eprintln!("{} cases in {seconds} s", ran.get());
    assert!(ran.get() >= 64);
}

#[test]
fn a_file_grants_what_it_says() {
    shown_for_a_while(&(model::files(), any::<u64>()), |(file, style)| {
        let text = render::whole(&file, style);
        let parsed = parse(&text, file.dialect);
        let granted = model::granted_by(&parsed.scope, file.dialect);
        prop_assert_eq!(&granted, &file.says(), "{}", text);
        if let Some(expected) = file.spawns() {
            prop_assert_eq!(parsed.spawns, Some(Spawns::Only(expected)), "{}", text);
        }
        Ok(())
    });
}

#[test]
fn a_damaged_file_grants_no_more() {
    shown_for_a_while(&(model::files(), any::<u64>(), render::damages()), |(file, style, damage)| {
        let text = render::damaged(&file, style, &damage);
        let granted = model::granted_by(&parse(&text, file.dialect).scope, file.dialect);
        let says = file.says();
        let more: BTreeSet<_> = granted.difference(&says).collect();
        prop_assert!(more.is_empty(), "{damage:?} grants {more:?}\n{text}");
        Ok(())
    });
}

fn notations() -> impl Strategy<Value = (Dialect, notation::Noted, bool)> {
    select(Dialect::ALL.to_vec()).prop_flat_map(|dialect| (Just(dialect), notation::texts(dialect), any::<bool>()))
}

#[test]
fn what_is_denied_in_any_notation_is_not_callable() {
    shown_for_a_while(&notations(), |(dialect, noted, in_list)| {
        let key = match dialect {
            Dialect::Pi => "disallowed_tools",
            Dialect::Claude => "disallowedTools",
            Dialect::Toolscope => "exclude",
        };
        let text = format!("---\n{key}: {}\n---\n", notation::yaml(&noted.text, in_list));
        let parsed = parse(&text, dialect);
        let granted = model::granted_by(&parsed.scope, dialect);
        let left: Vec<_> = granted.intersection(&noted.about).collect();
        prop_assert!(left.is_empty(), "{left:?} stay callable\n{text}{:?}", parsed.scope.exclude);
        Ok(())
    });
}

#[test]
fn what_is_granted_in_any_notation_is_no_more_than_is_named() {
    shown_for_a_while(&notations(), |(dialect, noted, in_list)| {
        let text = format!("---\ntools: {}\nextensions: false\n---\n", notation::yaml(&noted.text, in_list));
        // Elsewhere than on pi, `extensions` is a key that closes the file.
        let text = if dialect == Dialect::Pi { text } else { text.replace("extensions: false\n", "") };
        let granted = model::granted_by(&parse(&text, dialect).scope, dialect);
        let more: Vec<_> = granted.difference(&noted.about).collect();
        prop_assert!(more.is_empty(), "{more:?} are granted\n{text}");
        Ok(())
    });
}

#[test]
fn any_text_grants_what_it_mentions_alone() {
    let texts = (model::files(), any::<u64>(), render::mutations());
    shown_for_a_while(&texts, |(file, style, mutations)| {
        let text = render::mutated(&file, style, &mutations);
        for dialect in Dialect::ALL {
            granted_by_mention(&text, dialect)?;
        }
        Ok(())
    });
}

#[test]
fn any_bytes_do_no_harm() {
    shown_for_a_while(&"(---\n)?(\\PC|[-:*&!|>\\[\\]{}\"'#%@`,?\n\t\r ]){0,200}(\n---\n)?", |text| {
        for dialect in Dialect::ALL {
            granted_by_mention(&text, dialect)?;
        }
        Ok(())
    });
}

/// What can be known of a text without reading YAML: lines that plainly restrict, and names that are nowhere in it.
fn granted_by_mention(text: &str, dialect: Dialect) -> Result<(), TestCaseError> {
    let parsed = parse(text, dialect);
    let granted = model::granted_by(&parsed.scope, dialect);
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = body.lines();
    let opened = lines.next().is_some_and(|line| line.trim_end() == "---");
    let fields: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "---").collect();
    let closed = opened && body.lines().skip(1).any(|line| line.trim_end() == "---");
    prop_assert!(closed || granted.is_empty(), "granted {granted:?} without front matter\n{text}");
    let front_matter = fields.join("\n");
    let plain = |keys: &[&str]| -> Vec<Vec<String>> {
        fields
            .iter()
            .filter_map(|line| line.split_once(": "))
            .filter(|(key, _)| keys.contains(key))
            .map(|(_, value)| value.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>())
            .filter(|names| {
                names.iter().all(|name| name.len() > 1 && name.chars().all(|letter| letter.is_ascii_alphabetic()))
            })
            .filter(|names| !names.iter().any(|name| matches!(&**name, "all" | "none" | "null" | "Null" | "NULL")))
            .collect()
    };
    let key = if dialect == Dialect::Toolscope { "allow" } else { "tools" };
    for names in plain(&[key]) {
        prop_assert!(parsed.scope.allow.is_some(), "`{key}` narrows nothing\n{text}");
        for id in granted.iter().filter(|id| id.starts_with("builtin:")) {
            let name = &id["builtin:".len()..];
            let remembered = front_matter.contains("memory");
            let listed = names.iter().any(|listed| listed == name) || fields.iter().any(|line| line.contains(name));
            prop_assert!(
                remembered || listed || front_matter.contains('*') || front_matter.contains("all"),
                "granted {id}\n{text}"
            );
        }
    }
    let denying: &[&str] = match dialect {
        Dialect::Pi => &["disallowed_tools"],
        Dialect::Claude => &["disallowedTools"],
        Dialect::Toolscope => &["exclude", "disallowedTools", "disallowed_tools"],
    };
    for name in plain(denying).concat() {
        let raw = |id: &&String| id.rsplit_once(['/', ':']).is_some_and(|(_, raw)| raw == name);
        prop_assert!(!granted.iter().any(|id| raw(&id)), "`{name}` is denied, and granted\n{text}");
    }
    if parsed.scope.allow.is_some() && !front_matter.contains('*') {
        for id in &granted {
            let (source, raw) = id.split_once(['/', ':']).unwrap_or(("", id));
            let by_kind = matches!(source, "ext" | "mcp") && dialect == Dialect::Pi;
            let name = raw.rsplit('/').next().unwrap_or(raw);
            let mentioned = front_matter.contains(name)
                || front_matter.contains("all")
                || front_matter.contains("memory")
                || front_matter.to_lowercase().contains(raw.split('/').next().unwrap_or(raw));
            let absent = dialect == Dialect::Pi && !fields.iter().any(|line| line.starts_with("tools: "));
            prop_assert!(by_kind || mentioned || absent, "granted {id}, which the file does not mention\n{text}");
        }
    }
    Ok(())
}

#[test]
fn the_inventory_has_every_kind() {
    for dialect in Dialect::ALL {
        let kinds: BTreeSet<_> =
            inventory(dialect).iter().map(|id| id.split(':').next().unwrap_or_default().to_owned()).collect();
        assert_eq!(kinds.len(), 4);
    }
    assert!(File::default().says().len() > 10, "a file that says nothing narrows nothing");
}
