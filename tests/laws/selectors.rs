//! Reading selectors: no text panics, and what is half understood denies no less for it.

use crate::{
    history::{RAWS, ROOT, SOURCES, cases, selector},
    model::{
        Code,
        selector::{Selector, fits},
    },
};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::BTreeSet;
use toolscope::{
    scope::ScopeSpec,
    selector::{Pattern, parse},
    session::{
        SessionSpec, Tree,
        decision::{Call, Via},
    },
    source::{Declaration, SourceKind, SourceSpec},
};

/// Texts that are nearly selectors.
fn soup() -> impl Strategy<Value = String> {
    let pieces = vec![
        "ext:",
        "mcp:",
        "host:",
        "builtin:",
        "mcp__",
        "foo:",
        "\"",
        "\\",
        "*",
        "/",
        "@",
        "@readOnly",
        "@bogus",
        "__",
        "_",
        ":",
        " ",
        "a",
        "b",
        "s",
        "s.t",
        "@k/b",
        "é",
        "\u{0}",
        "none",
    ];
    vec(select(pieces), 0..7).prop_map(|pieces| pieces.concat())
}

/// What `exclude` of one text denies in a small world of many spellings.
fn denied(text: &str) -> BTreeSet<String> {
    let scope = ScopeSpec { exclude: vec![text.to_owned()], ..ScopeSpec::default() };
    let mut tree = Tree::new(SessionSpec { scope, ..SessionSpec::default() }).expect("it is lenient");
    let mut ids = Vec::new();
    for kind in SourceKind::ALL {
        for name in SOURCES {
            let Ok(source) = tree.add_source(SourceSpec::new(kind, name)) else { continue };
            let tools = RAWS.map(|raw| Declaration::parse(&format!("{{\"name\":{raw:?}}}")));
            tree.set(source, tools.into()).expect("it is open");
            let prefix = tree.registry().source_id(source).to_owned();
            let separator = if kind == SourceKind::Builtin { ":" } else { "/" };
            ids.extend(RAWS.map(|raw| format!("{prefix}{separator}{raw}")));
        }
    }
    ids.retain(|id| tree.check(ROOT, Call { name: id, id: None, via: Via::Direct }).code == Code::Excluded);
    ids.into_iter().collect()
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn no_text_panics_and_a_bad_one_says_where(any in any::<String>(), soup in soup()) {
        for text in [any, soup] {
            if let Err(invalid) = parse(&text) {
                prop_assert!((1..=text.chars().count() + 1).contains(&invalid.column), "{:?}", invalid);
                prop_assert!(!invalid.message.is_empty());
            }
        }
    }

    #[test]
    fn what_is_printed_is_read(selector in selector()) {
        let is_invalid = matches!(selector, Selector::Invalid { .. });
        prop_assert_eq!(parse(&selector.text()).is_err(), is_invalid, "{}", selector.text());
    }

    #[test]
    fn an_invalid_exclude_denies_no_less_than_its_valid_prefix(text in soup()) {
        let Err(invalid) = parse(&text) else { return Ok(()) };
        let prefix: String = text.chars().take(invalid.column - 1).collect();
        let prefix = if parse(&prefix).is_ok() { &prefix } else { prefix.trim_end_matches('/') };
        if parse(prefix).is_err() {
            return Ok(());
        }
        let (whole, part) = (denied(&text), denied(prefix));
        prop_assert!(part.is_subset(&whole), "`{}` leaves {:?} that `{}` denies", text, &part - &whole, prefix);
    }

    #[test]
    fn an_invalid_grant_gives_nothing(text in soup()) {
        if parse(&text).is_ok() {
            return Ok(());
        }
        let scope = ScopeSpec { allow: Some(vec![text]), ..ScopeSpec::default() };
        let mut tree = Tree::new(SessionSpec { scope, ..SessionSpec::default() }).expect("it is lenient");
        let source = tree.add_source(SourceSpec::new(SourceKind::Ext, "s")).expect("it is the only one");
        tree.set(source, RAWS.map(|raw| Declaration::parse(&format!("{{\"name\":{raw:?}}}"))).into()).expect("it is open");
        prop_assert!(tree.tools(ROOT).iter().all(|tool| !tool.in_scope));
    }

    #[test]
    fn in_strict_mode_a_bad_selector_throws_and_the_old_scope_stands(good in selector(), text in soup()) {
        if matches!(good, Selector::Invalid { .. }) {
            return Ok(());
        }
        let scope = |text: String| ScopeSpec { exclude: vec![text], ..ScopeSpec::default() };
        let spec = SessionSpec { scope: scope(good.text()), strict: true, ..SessionSpec::default() };
        let mut tree = Tree::new(spec).expect("the selector is good");
        let before = tree.report(ROOT);
        let set = tree.set_scope(ROOT, scope(text.clone()));
        prop_assert_eq!(set.is_err(), parse(&text).is_err());
        prop_assert!(set.is_ok() || tree.report(ROOT) == before);
    }

    #[test]
    fn a_pattern_matches_as_trying_everything_does(pattern in "[ab*é]{0,8}", name in "[abé/]{0,8}") {
        prop_assert_eq!(Pattern::new(pattern.clone()).matches(&name), fits(&pattern, &name), "{} {}", pattern, name);
    }
}
