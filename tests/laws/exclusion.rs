//! `exclude` always beats everything, whatever stands beside it and whatever happened before.

use crate::{
    history::{History, ROOT, Step, World, asked_by, cases, history, selector},
    model::{
        Code, Scope, denies,
        name::sanitised,
        selector::{Selector, splits},
    },
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;
use toolscope::{
    scope::{ScopeSpec, narrow},
    session::{
        SessionIndex, SessionSpec, Tree,
        decision::{Call, Via},
        scoping::NarrowQuestion,
    },
    source::{Declaration, SourceKind, SourceSpec},
};

/// The history with every scope in it changed.
fn with_scopes(history: &History, change: impl Fn(&mut Scope)) -> History {
    let mut history = history.clone();
    change(&mut history.scope);
    for (step, _) in &mut history.steps {
        if let Step::SetScope(scope) = step {
            change(scope);
        }
    }
    history
}

/// Every id that some call is allowed on, after each step.
fn allowed(history: &History) -> Vec<BTreeSet<(String, bool)>> {
    let mut all = Vec::new();
    World::live(history, |world| {
        let decisions = world.decisions().into_iter().filter(|(_, _, code, _)| *code == Code::Allowed);
        all.push(decisions.filter_map(|(_, from_code, _, id)| Some((id?, from_code))).collect());
    });
    all
}

/// A child that is left all but what a predicate takes.
fn asking_child() -> SessionSpec {
    let scope = ScopeSpec { narrow: true, ..ScopeSpec::default() };
    SessionSpec { id: "child".to_owned(), scope, ..SessionSpec::default() }
}

/// What a session's predicate must be asked, each question with the ids of the tools that it tells of.
fn shown(world: &mut World, index: SessionIndex) -> Vec<(NarrowQuestion, Vec<String>)> {
    let questions = world.tree.narrow_questions(index).into_iter();
    let told = questions.map(|question| {
        let source = world.tree.registry().source_id(question.source);
        let separator = if source == "builtin" { ":" } else { "/" };
        let ids = question.tools.iter().map(|raw| format!("{source}{separator}{raw}")).collect();
        (question, ids)
    });
    told.collect()
}

proptest! {
    #![proptest_config(cases(2))]

    #[test]
    fn what_exclude_matches_is_nowhere(history in history(), excluded in vec(selector(), 1..3)) {
        let history = with_scopes(&history, |scope| scope.exclude.extend(excluded.clone()));
        World::live(&history, |world| {
            let is_denied = |id: &str| {
                let (source, tool) = world.model.tool(id).expect("only known tools are listed");
                excluded.iter().any(|entry| denies(entry, source, tool))
            };
            let denied: Vec<String> =
                world.model.tools().iter().map(|(_, tool)| tool.id.clone()).filter(|id| is_denied(id)).collect();
            assert!(world.delta.is_none() || world.active().iter().all(|id| !denied.contains(id)));
            assert!(world.tree.tools(ROOT).iter().all(|tool| !denied.contains(&tool.id)));
            for id in denied {
                for from_code in [false, true] {
                    assert_eq!(world.check(&id, None, from_code).code, Code::Excluded, "{id}");
                }
            }
        });
    }

    #[test]
    fn what_exclude_matches_no_descendant_is_told_of(history in history(), excluded in vec(selector(), 1..3)) {
        let history = with_scopes(&history, |scope| scope.exclude.extend(excluded.clone()));
        World::live(&history, |world| {
            let tools = world.model.tools();
            let denied = tools.into_iter().filter(|(source, tool)| world.model.excluded(source, tool));
            let denied: BTreeSet<String> = denied.map(|(_, tool)| tool.id.clone()).collect();
            let mut parent = ROOT;
            for _ in 0..2 {
                let Ok(child) = world.tree.spawn(parent, asking_child()) else { return };
                assert!(world.tree.tools(child).iter().all(|tool| !denied.contains(&tool.id)), "{denied:?} are listed");
                for (question, shown) in shown(world, child) {
                    assert!(shown.iter().all(|id| !denied.contains(id)), "{question:?} tells of one of {denied:?}");
                }
                parent = child;
            }
        });
    }

    #[test]
    fn a_predicate_that_keeps_all_it_is_shown_takes_nothing(history in history()) {
        let mut descendants = Vec::new();
        World::live(&history, |world| {
            if descendants.is_empty() {
                let child = world.tree.spawn(ROOT, asking_child()).expect("there is room");
                descendants = vec![child, world.tree.spawn(child, asking_child()).expect("there is room")];
            }
            for &descendant in &descendants {
                for (question, _) in shown(world, descendant) {
                    let answer = narrow::Answer::Only(question.tools.iter().cloned().collect());
                    world.tree.narrow_answered(descendant, asked_by(&question), answer);
                }
                let ids: Vec<String> = world.model.tools().iter().map(|(_, tool)| tool.id.clone()).collect();
                for id in ids {
                    let call = Call { name: &id, id: None, via: Via::Code };
                    let (above, below) = (world.tree.check(ROOT, call).code, world.tree.check(descendant, call).code);
                    // Not `out_of_scope`, as if the predicate had been asked.
                    let told = matches!(below, Code::Parent | Code::Shadowed);
                    assert!(above != Code::Excluded || told, "{id} is {below:?} and excluded above");
                    assert_eq!(below == Code::Allowed, above == Code::Allowed, "{id}: {above:?}, below {below:?}");
                }
            }
        });
    }

    #[test]
    fn one_more_exclude_never_allows_more(history in history(), more in selector()) {
        let with = with_scopes(&history, |scope| scope.exclude.push(more.clone()));
        for (with, without) in allowed(&with).iter().zip(allowed(&history)) {
            prop_assert!(with.is_subset(&without), "{:?} also allows {:?}", more, with - &without);
        }
    }

    #[test]
    fn the_order_of_entries_never_matters(history in history()) {
        let turned = with_scopes(&history, |scope| {
            scope.exclude.reverse();
            scope.required.reverse();
            scope.allow.iter_mut().for_each(|allow| allow.reverse());
        });
        let mut decisions = Vec::new();
        World::live(&history, |world| decisions.push(world.decisions()));
        let mut turned_decisions = Vec::new();
        World::live(&turned, |world| turned_decisions.push(world.decisions()));
        prop_assert_eq!(decisions, turned_decisions);
    }

    #[test]
    fn every_split_of_a_joined_name_is_denied(rest in "[ab_]{1,9}") {
        for (server, tool) in splits(&rest) {
            let scope = ScopeSpec { exclude: vec![format!("mcp__{rest}")], ..ScopeSpec::default() };
            let mut tree = Tree::new(SessionSpec { scope, ..SessionSpec::default() }).expect("it is lenient");
            let source = tree.add_source(SourceSpec::new(SourceKind::Mcp, server)).expect("it is the only one");
            let raw = tool.unwrap_or("any");
            tree.set(source, vec![Declaration::parse(&format!("{{\"name\":\"{raw}\"}}"))]).expect("it is open");
            let id = format!("mcp:{server}/{raw}");
            let decision = tree.check(ROOT, Call { name: &id, id: None, via: Via::Direct });
            prop_assert_eq!(decision.code, Code::Excluded, "{}", id);
        }
    }

    #[test]
    fn a_glob_over_a_joined_name_denies_it_though_the_tool_is_called_otherwise(
        server in "[aB_.]{1,4}",
        raw in "[aB_.]{1,4}",
        spelled in any::<bool>(),
        cut in any::<[prop::sample::Index; 2]>(),
    ) {
        let joined = format!("mcp__{server}__{raw}");
        let joined = if spelled { sanitised(&joined) } else { joined };
        let [start, end] = cut.map(|cut| cut.index(joined.len() + 1));
        let glob = format!("{}*{}", &joined[..start.min(end)], &joined[start.max(end)..]);
        let scope = ScopeSpec { exclude: vec![glob.clone()], ..ScopeSpec::default() };
        let mut tree = Tree::new(SessionSpec { scope, ..SessionSpec::default() }).expect("it is lenient");
        let source = tree.add_source(SourceSpec::new(SourceKind::Mcp, &*server)).expect("it is the only one");
        tree.set(source, vec![Declaration::parse(&format!("{{\"name\":\"{raw}\"}}"))]).expect("it is open");
        let id = format!("mcp:{server}/{raw}");
        let decision = tree.check(ROOT, Call { name: &id, id: None, via: Via::Direct });
        prop_assert_eq!(decision.code, Code::Excluded, "{} by {}", id, glob);
    }

    #[test]
    fn no_scope_allows_more_than_the_widest_one_with_its_exclude(history in history(), excluded in selector()) {
        let widest = |scope: &mut Scope| {
            *scope = Scope {
                allow: None,
                required: vec![Selector::Everything],
                exclude: vec![excluded.clone()],
                ..Scope::default()
            };
        };
        let wide = allowed(&with_scopes(&history, widest));
        let narrow = allowed(&with_scopes(&history, |scope| scope.exclude.push(excluded.clone())));
        for (narrow, wide) in narrow.iter().zip(wide) {
            prop_assert!(narrow.is_subset(&wide), "{:?}", narrow - &wide);
        }
    }
}
