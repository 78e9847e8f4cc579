//! Invariants 1, 2, 3 and 5: the registry is live, there is one door, doubt closes it, and empty means none.

use crate::{
    history::{self, Asking, ROOT, Step, World, cases, history, scope_spec},
    model::{Code, Scope, Standing, selector::Selector},
};
use proptest::prelude::*;
use std::collections::HashMap;
use toolscope::{
    scope::{narrow, verdict::Outcome},
    session::decision::{Call, Guarded, Via},
};

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn every_decision_is_the_one_that_the_design_says(history in history()) {
        World::live(&history, |world| {
            let (said, expected) = (world.decisions(), world.expected());
            for (said, expected) in said.into_iter().zip(expected) {
                assert_eq!(said, expected);
            }
        });
    }

    #[test]
    fn decisions_follow_though_nobody_looked_in_between(history in history()) {
        let mut world = World::live(&history, |_| {});
        let (said, expected) = (world.decisions(), world.expected());
        for (said, expected) in said.into_iter().zip(expected) {
            prop_assert_eq!(said, expected);
        }
    }
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn every_registered_tool_is_in_the_registry_unless_excluded(history in history()) {
        World::live(&history, |world| {
            let listed: Vec<_> = world.tree.tools(ROOT).into_iter().map(|tool| (tool.id, tool.name, tool.in_scope)).collect();
            let here = world.model.tools().into_iter().filter(|(_, tool)| tool.standing == Standing::Here);
            let expected: Vec<_> = here
                .filter(|(source, tool)| !world.model.excluded(source, tool))
                .map(|(source, tool)| {
                    (tool.id.clone(), tool.exposed.clone(), world.model.verdict(source, tool) == Code::Allowed)
                })
                .collect();
            assert_eq!(listed, expected);
        });
    }

    #[test]
    fn every_path_comes_to_the_same_decision(history in history()) {
        World::live(&history, |world| {
            for name in world.spellings() {
                for from_code in [false, true] {
                    let decision = world.check(&name, None, from_code);
                    let Some(slot) = decision.slot else { continue };
                    let id = decision.id.clone().expect("a tool that was decided has an id");
                    let via = if from_code { Via::Code } else { Via::Direct };
                    let allowed = decision.code == Code::Allowed;
                    assert_eq!(world.tree.is_reachable(ROOT, slot, via), allowed, "the mask of {name}");
                    assert_eq!(world.check(&id, None, from_code).code, decision.code, "{id} by its id");
                    assert_eq!(world.check(&id, Some(&id), from_code).code, decision.code, "{id} by both");
                    if !from_code {
                        let (explained, steps) = world.tree.explain(ROOT, &name).expect("it is not disposed");
                        assert_eq!(&explained, &decision);
                        let refusals = steps.iter().filter(|step| step.outcome == Outcome::Refuse);
                        assert_eq!(refusals.count(), usize::from(!allowed), "{steps:?}");
                        assert_eq!(steps.last().is_some_and(|step| step.outcome == Outcome::Refuse), !allowed);
                    }
                }
            }
        });
    }

    #[test]
    fn an_identified_call_is_allowed_only_on_the_tool_it_identifies(history in history()) {
        World::live(&history, |world| {
            let ids: Vec<String> = world.model.tools().iter().map(|(_, tool)| tool.id.clone()).collect();
            for name in world.spellings() {
                for id in ids.iter().map(String::as_str).chain(["ext:s/none"]) {
                    let decision = world.check(&name, Some(id), false);
                    let (code, _) = world.model.decide(&name, Some(id), false);
                    assert_eq!(decision.code, code, "{name} as {id}");
                    assert!(decision.code != Code::Allowed || decision.id.as_deref() == Some(id));
                }
            }
        });
    }

    #[test]
    fn for_one_generation_the_same_call_gets_the_same_decision(history in history()) {
        let mut kept: HashMap<(u64, String, bool), (Code, Option<String>)> = HashMap::new();
        World::live(&history, |world| {
            for (name, from_code, code, id) in world.decisions() {
                let generation = world.tree.registry().generation();
                let before = kept.entry((generation, name.clone(), from_code)).or_insert_with(|| (code, id.clone()));
                assert_eq!(before, &(code, id), "{name} at {generation}");
            }
        });
    }

    #[test]
    fn a_guard_that_refuses_or_fails_never_lets_a_call_through(history in history(), fails in any::<bool>()) {
        let mut world = World::live(&history, |_| {});
        for name in world.spellings() {
            let call = Call { name: &name, id: None, via: Via::Direct };
            let (opened, fingerprint) = world.tree.open_door(ROOT, call);
            let Some(slot) = opened.slot else { continue };
            let by = "g".to_owned();
            let guarded = if fails {
                Guarded::Failed { by, problem: "it hung".to_owned() }
            } else {
                Guarded::Blocked { by, reason: None }
            };
            let closed = world.tree.close_door(ROOT, call, slot, fingerprint.as_deref(), guarded);
            prop_assert_eq!(closed.code, if fails { Code::GuardError } else { Code::Vetoed });
        }
    }

    #[test]
    fn what_changes_while_a_guard_waits_is_decided_anew(history in history(), then in history::step(2), late in 0..64_usize) {
        let mut world = World::live(&history, |_| {});
        let spellings = world.spellings();
        let name = spellings[late % spellings.len()].clone();
        let call = Call { name: &name, id: None, via: Via::Direct };
        let (opened, fingerprint) = world.tree.open_door(ROOT, call);
        world.model.present();
        if let Some(slot) = opened.slot.filter(|_| opened.code == Code::Allowed) {
            let id = opened.id.clone().unwrap_or_default();
            let before = world.model.tool(&id).and_then(|(_, tool)| tool.definition());
            world.take(&then, &Asking::Answers(vec![crate::model::Answer::Everything]));
            let closed = world.tree.close_door(ROOT, call, slot, fingerprint.as_deref(), Guarded::Passed);
            let (code, now) = world.model.decide(&name, None, false);
            let same = now.as_ref() == Some(&id) && world.model.tool(&id).and_then(|(_, tool)| tool.definition()) == before;
            let expected = if code == Code::Allowed && !same { Code::Changed } else { code };
            prop_assert_eq!(closed.code, expected);
        }
    }

    #[test]
    fn an_empty_allow_is_nothing_and_an_absent_one_everything(history in history()) {
        let mut history = history;
        history.steps.retain(|(step, _)| !matches!(step, Step::SetScope(_)));
        history.scope = Scope { allow: Some(Vec::new()), ..Scope::default() };
        let none = |world: &mut World| {
            assert!(world.tree.tools(ROOT).iter().all(|tool| !tool.in_scope && !tool.active));
            assert!(world.active().is_empty());
        };
        World::live(&history, none);
        history.scope.allow = Some(vec![Selector::Nothing]);
        World::live(&history, none);
        history.scope.allow = None;
        let without = World::live(&history, |_| {}).decisions();
        history.scope.allow = Some(vec![Selector::Everything]);
        prop_assert_eq!(World::live(&history, |_| {}).decisions(), without);
    }

    #[test]
    fn an_answer_to_a_question_of_an_earlier_scope_is_not_kept(history in history(), refreshed in any::<bool>()) {
        let mut world = World::live(&history, |_| {});
        let scope = Scope { narrow: true, ..Scope::default() };
        world.take(&Step::SetScope(scope.clone()), &Asking::Silence);
        let questions = world.tree.narrow_questions(ROOT);
        // The predicate that is being asked replaces the scope that it is of, or has everything asked anew.
        let meanwhile = if refreshed { Step::Refresh } else { Step::SetScope(scope) };
        world.take(&meanwhile, &Asking::Silence);
        for question in questions {
            world.tree.narrow_answered(ROOT, history::asked_by(&question), narrow::Answer::Everything);
        }
        prop_assert_eq!(world.decisions(), world.expected());
        prop_assert!(world.tree.tools(ROOT).iter().all(|tool| !tool.in_scope));
    }

    #[test]
    fn nothing_the_scope_denies_is_active_or_allowed(history in history()) {
        World::live(&history, |world| {
            let denied: Vec<String> = world
                .model
                .tools()
                .into_iter()
                .filter(|(source, tool)| world.model.scoped(source, tool).is_some())
                .map(|(_, tool)| tool.id.clone())
                .collect();
            for id in &denied {
                for from_code in [false, true] {
                    assert_ne!(world.check(id, None, from_code).code, Code::Allowed, "{id}");
                }
            }
            if world.delta.is_some() {
                assert!(world.active().iter().all(|id| !denied.contains(id)));
            }
        });
    }

    #[test]
    fn a_session_that_is_over_refuses_everything(history in history(), then in history::step(2)) {
        let mut world = World::live(&history, |_| {});
        world.take(&Step::Dispose, &Asking::Silence);
        let refused = |world: &mut World| world.decisions().iter().all(|(_, _, code, _)| *code == Code::Disposed);
        prop_assert!(refused(&mut world));
        prop_assert!(world.active().is_empty() && world.tree.tools(ROOT).is_empty());
        let Step::SetScope(scope) = then else { return Ok(()) };
        prop_assert!(world.tree.set_scope(ROOT, scope_spec(&scope)).is_err());
        prop_assert!(refused(&mut world));
    }
}
