//! Invariant 6: nothing is silent. Each selector ends in a state that says what it does.

use crate::{
    history::{Asking, ROOT, Step, World, arrival, cases, history, raw, scope},
    model::{Answer, Code, Scope, name::sanitised, selector::Selector},
};
use proptest::{collection::vec, prelude::*, sample::select};
use std::collections::BTreeSet;
use toolscope::{
    scope::{
        ScopeSpec,
        report::{EntryReport, EntryState},
    },
    session::{SessionSpec, Tree},
    source::{Declaration, SourceKind, SourceSpec},
};

fn in_scope(world: &mut World) -> BTreeSet<String> {
    world.tree.tools(ROOT).into_iter().filter(|tool| tool.in_scope).map(|tool| tool.id).collect()
}

fn lists<'a>(scope: &'a Scope, world: &mut World) -> [(&'static str, &'a [Selector], Vec<EntryReport>); 3] {
    let report = world.tree.report(ROOT);
    [
        ("allow", scope.allow.as_deref().unwrap_or_default(), report.allow),
        ("exclude", &scope.exclude, report.exclude),
        ("required", &scope.required, report.required),
    ]
}

/// A history that ends with a scope, whose predicate was asked.
fn with_scope(history: &crate::history::History, scope: &Scope) -> World {
    let mut world = World::live(history, |_| {});
    world.take(&Step::SetScope(scope.clone()), &Asking::Answers(vec![Answer::Everything]));
    world
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn every_selector_ends_in_a_state_that_is_true(history in history(), scope in scope()) {
        let mut world = with_scope(&history, &scope);
        let allowed = in_scope(&mut world);
        for (list, entries, reports) in lists(&scope, &mut world) {
            prop_assert_eq!(entries.len(), reports.len());
            for (entry, report) in entries.iter().zip(&reports) {
                prop_assert_eq!(&entry.text(), &report.selector);
                let is_invalid = matches!(entry, Selector::Invalid { .. });
                prop_assert_eq!(report.state == EntryState::Invalid, is_invalid);
                prop_assert_eq!(report.column.is_some(), is_invalid);
                prop_assert!(report.message.is_some() || report.state == EntryState::Active || report.state == EntryState::Pending, "{:?}", report);
                let known = |id: &String| world.model.tool(id).is_some();
                prop_assert!(report.ids.iter().all(known), "{:?}", report);
                if list == "exclude" {
                    let tools = world.model.tools();
                    let denied = tools.iter().filter(|(source, tool)| crate::model::denies(entry, source, tool));
                    let denied: BTreeSet<&String> = denied.map(|(_, tool)| &tool.id).collect();
                    prop_assert!(is_invalid || report.ids.iter().collect::<BTreeSet<_>>() == denied, "{:?} {:?}", report, denied);
                    continue;
                }
                if let Some(raw) = &report.alias_of {
                    let spelling = sanitised(raw);
                    prop_assert!(spelling != *raw && entry.text().ends_with(&spelling), "{:?}", report);
                }
                let here = report.ids.iter().filter(|id| allowed.contains(*id)).count();
                let expected = if report.state == EntryState::Active { report.ids.len() } else { 0 };
                prop_assert_eq!(here, expected, "{:?}", report);
                match report.state {
                    EntryState::Unknown | EntryState::Invalid => prop_assert!(report.ids.is_empty(), "{:?}", report),
                    EntryState::Excluded => prop_assert!(!report.ids.is_empty(), "{:?}", report),
                    // By the tool that owns the name.
                    EntryState::Shadowed => prop_assert!(report.by.as_ref().is_some_and(known), "{:?}", report),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn whoever_came_to_own_a_granted_name_is_told(history in history(), scope in scope(), words in vec(raw(), 1..4), after in vec(arrival(2), 1..8)) {
        let allow: Vec<Selector> = words.into_iter().map(Selector::Name).collect();
        let mut world = with_scope(&history, &Scope { allow: Some(allow.clone()), ..scope });
        world.take(&Step::Present, &Asking::Silence);
        for step in after {
            world.take(&step, &Asking::Answers(vec![Answer::Everything]));
            let reports = world.tree.report(ROOT).allow;
            for ((at, entry), report) in allow.iter().enumerate().zip(reports) {
                let bound = world.model.bound[0].get(&at);
                let owner = entry.word().and_then(|word| world.model.meaning(&word));
                // The tool that the name was granted to is gone, and another one bears it now.
                let is_taken = bound.is_some_and(|bound| world.model.tool(bound).is_none()) && owner.is_some();
                prop_assert!(report.state != EntryState::Unknown || owner.is_none(), "{:?} {:?}", report, owner);
                prop_assert!(!is_taken || (report.state == EntryState::Shadowed && report.by == owner), "{:?} {:?}", report, owner);
            }
        }
    }

    #[test]
    fn an_entry_that_is_not_active_grants_nothing(history in history(), scope in scope()) {
        // A second seal could only lower the first.
        let scope = Scope { sealed: false, ..scope };
        let mut world = with_scope(&history, &scope);
        let allowed = in_scope(&mut world);
        let [allow, _, required] = lists(&scope, &mut world);
        let kept = |(_, entries, reports): (_, &[Selector], Vec<EntryReport>)| -> Vec<Selector> {
            let active = entries.iter().zip(reports).filter(|(_, report)| report.state == EntryState::Active);
            active.map(|(entry, _)| entry.clone()).collect()
        };
        let fewer = Scope { allow: scope.allow.as_ref().map(|_| kept(allow)), required: kept(required), ..scope };
        world.take(&Step::SetScope(fewer), &Asking::Answers(vec![Answer::Everything]));
        let left = in_scope(&mut world);
        prop_assert!(allowed.is_subset(&left), "{:?} went", &allowed - &left);
    }

    #[test]
    fn every_tool_in_scope_is_named_by_an_active_entry(history in history(), scope in scope()) {
        let mut world = with_scope(&history, &scope);
        if scope.allow.is_none() {
            return Ok(());
        }
        let allowed = in_scope(&mut world);
        let [allow, _, required] = lists(&scope, &mut world);
        let active = allow.2.iter().chain(&required.2).filter(|report| report.state == EntryState::Active);
        let named: BTreeSet<String> = active.flat_map(|report| report.ids.clone()).collect();
        prop_assert!(allowed.is_subset(&named), "{:?} is in scope by no entry", &allowed - &named);
    }

    #[test]
    fn an_entry_that_waits_admits_its_tool_the_moment_it_comes(history in history(), scope in scope(), raw in select(&crate::history::RAWS[..])) {
        // The tool is new to the history, so that every entry that names it waits.
        let entry = Selector::Path { kind: SourceKind::Ext, source: "late".to_owned(), tool: Some(raw.to_owned()), hint: None };
        let mut allow = scope.allow.clone().unwrap_or_default();
        allow.push(entry);
        let scope = Scope { allow: Some(allow), exclude: Vec::new(), narrow: false, sealed: false, guards: Vec::new(), ..scope };
        let mut history = history;
        history.steps.retain(|(step, _)| !matches!(step, Step::SetScope(_) | Step::Start));
        history.scope = Scope { sealed: false, ..history.scope };
        let mut world = with_scope(&history, &scope);
        let report = world.tree.report(ROOT).allow.pop().expect("the entry is there");
        prop_assert_eq!(report.state, EntryState::Unknown);
        let source = world.tree.add_source(SourceSpec { precedence: Some(999), ..SourceSpec::new(SourceKind::Ext, "late") });
        let source = source.expect("no source of the history is called so");
        let report = world.tree.report(ROOT).allow.pop().expect("the entry is there");
        prop_assert_eq!(report.state, EntryState::Pending);
        world.tree.set(source, vec![Declaration::parse(&format!("{{\"name\":{raw:?}}}"))]).expect("it is open");
        let id = format!("ext:late/{raw}");
        prop_assert_eq!(world.check(&id, None, false).code, Code::Allowed);
        let report = world.tree.report(ROOT).allow.pop().expect("the entry is there");
        prop_assert_eq!((report.state, report.ids), (EntryState::Active, vec![id]));
    }

    #[test]
    fn a_slip_of_the_pen_is_told_the_name_it_missed(
        name in select(vec!["read", "write_file", "search", "web-fetch"]),
        at in any::<prop::sample::Index>(),
        slip in 0..3_u8,
    ) {
        let mut letters: Vec<char> = name.chars().collect();
        let at = at.index(letters.len() - 1);
        match slip {
            0 => drop(letters.remove(at)),
            1 => letters.swap(at, at + 1),
            _ => letters.insert(at, 'x'),
        }
        let missed: String = letters.into_iter().collect();
        if missed == name {
            return Ok(());
        }
        for (selector, expected) in [(missed.clone(), name.to_owned()), (format!("ext:s/{missed}"), format!("ext:s/{name}"))] {
            let scope = ScopeSpec { allow: Some(vec![selector.clone()]), ..ScopeSpec::default() };
            let mut tree = Tree::new(SessionSpec { scope, ..SessionSpec::default() }).expect("it is lenient");
            let source = tree.add_source(SourceSpec::new(SourceKind::Ext, "s")).expect("it is the only one");
            tree.set(source, vec![Declaration::parse(&format!("{{\"name\":\"{name}\"}}"))]).expect("it is open");
            tree.start(ROOT).expect("it is not disposed");
            let report = tree.report(ROOT).allow.pop().expect("the entry is there");
            prop_assert_eq!(report.state, EntryState::Unknown);
            prop_assert!(report.did_you_mean.contains(&expected), "{} {:?}", selector, report);
            prop_assert!(tree.take_diagnostics().iter().any(|told| told.code == "selector_unknown"));
        }
    }
}

/// The state of the first entry, and what the scope allows, over servers that share names, aliases and spellings.
#[test]
fn a_joined_name_means_the_server_that_a_path_means() {
    for (aliases, joined, path) in [
        (["foo", "x"], "mcp__foo", "mcp:foo"),
        (["foo", "x"], "mcp__foo__t", "mcp:foo/t"),
        (["foo", "x"], "mcp__foo__a.b", "mcp:foo/a.b"),
        (["al", "al"], "mcp__al", "mcp:al"),
        (["al", "al"], "mcp__al__t", "mcp:al/t"),
        (["foo", "al"], "mcp__al__t*", "mcp:al/t*"),
    ] {
        let ends = [joined, path].map(|text| {
            let scope = ScopeSpec { allow: Some(vec![text.to_owned()]), ..ScopeSpec::default() };
            let mut tree = Tree::new(SessionSpec { scope, ..SessionSpec::default() }).expect("it is lenient");
            for (name, alias) in ["bar", "foo", "third"].into_iter().zip([Some(aliases[0]), None, Some(aliases[1])]) {
                let aliases = alias.map(str::to_owned).into_iter().collect();
                let spec = SourceSpec { aliases, ..SourceSpec::new(SourceKind::Mcp, name) };
                let source = tree.add_source(spec).expect("each has its own name");
                let tools = ["t", "a.b"].map(|raw| Declaration::parse(&format!("{{\"name\":\"{raw}\"}}")));
                tree.set(source, tools.into()).expect("it is open");
            }
            let report = tree.report(ROOT).allow.pop().expect("the entry is there");
            let allowed = tree.tools(ROOT).into_iter().filter(|tool| tool.in_scope).map(|tool| tool.id);
            (report.state, report.ids, allowed.collect::<Vec<_>>())
        });
        assert_eq!(ends[0], ends[1], "{joined} {path}");
    }
}
