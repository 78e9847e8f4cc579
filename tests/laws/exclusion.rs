//! `exclude` always beats everything, whatever stands beside it and whatever happened before.

use crate::{
    history::{History, ROOT, Step, World, cases, history, selector},
    model::{
        Code, Scope, denies,
        name::sanitised,
        selector::{Selector, splits},
    },
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;
use toolscope::{
    scope::ScopeSpec,
    session::{
        SessionSpec, Tree,
        decision::{Call, Via},
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
