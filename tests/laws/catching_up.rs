//! A session catches up at its own pace: when it looks changes nothing, and what it then knows is what a session that
//! is new would.

use crate::{
    history::{
        Asking, History, ROOT, Step, World, answer_of, arrival, asked_by, cases, history, history_of, incoming, scope,
        scope_spec, source_spec,
    },
    model::{Declaration, Standing},
};
use proptest::prelude::*;
use toolscope::{
    session::{
        SessionSpec, Tree,
        decision::{Call, Via},
    },
    source::{Announcement, SourceState},
};

/// What depends on nothing but the present state.
fn stateless(sources: usize) -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => arrival(sources),
        2 => scope().prop_map(|scope| Step::SetScope(crate::model::Scope { sealed: false, ..scope })),
        1 => Just(Step::GuardAdded("g")),
        1 => Just(Step::GuardRemoved("g")),
        1 => Just(Step::Refresh),
        1 => Just(Step::Start),
        2 => Just(Step::Delta),
        2 => Just(Step::Look),
    ]
}

fn history_without_memory() -> impl Strategy<Value = History> {
    history_of(stateless).prop_map(|mut history| {
        history.scope.sealed = false;
        // A name that the host gave is read from a declaration, so which tool has one depends on what came before.
        history.sources.iter_mut().for_each(|source| source.renames = false);
        history
    })
}

/// A tree that was never anything but what the world is now.
fn rebuilt(world: &World) -> Tree {
    let model = &world.model;
    let spec = SessionSpec { id: "root".to_owned(), scope: scope_spec(&model.scope), ..SessionSpec::default() };
    let mut tree = Tree::new(spec).expect("it is lenient");
    for source in &model.sources {
        let announced = source.tools.iter().map(|tool| Announcement::from(tool.raw.clone()));
        let spec = toolscope::source::SourceSpec { declares: announced.collect(), ..source_spec(&source.spec) };
        let index = tree.add_source(spec).expect("the ids are distinct");
        if source.state == SourceState::Pending {
            continue;
        }
        let with = |standing: &[Standing]| -> Vec<Declaration> {
            let tools = source.tools.iter().filter(|tool| standing.contains(&tool.standing));
            tools.filter_map(|tool| tool.declaration.clone()).collect()
        };
        let malformed =
            source.tools.iter().filter(|tool| matches!(tool.standing, Standing::Quarantined | Standing::Withdrawn));
        let malformed: Vec<String> = malformed.map(|tool| tool.raw.clone()).collect();
        let registered = with(&[Standing::Here, Standing::Withdrawn]);
        tree.add(index, incoming(&source.spec, &registered)).expect("it is open");
        let refuse =
            |raw: &String| toolscope::source::Declaration::parse(&format!("{{\"name\":{raw:?},\"category\":5}}"));
        tree.add(index, malformed.iter().map(refuse).collect()).expect("it is open");
        if source.state == SourceState::Failed {
            tree.fail(index, "it went down").expect("it is open");
        }
    }
    for guard in &model.guards {
        tree.guard_added(ROOT, guard).expect("it is not disposed");
    }
    for question in tree.narrow_questions(ROOT) {
        let id = tree.registry().source_id(question.source).to_owned();
        if let Some(answer) = model.source(&id).and_then(|source| source.answer.as_ref()) {
            tree.narrow_answered(ROOT, asked_by(&question), answer_of(answer));
        }
    }
    tree
}

proptest! {
    #![proptest_config(cases(2))]

    #[test]
    fn verdicts_that_followed_equal_those_of_a_fresh_tree(history in history_without_memory()) {
        World::live(&history, |world| {
            let mut fresh = rebuilt(world);
            for name in world.spellings() {
                for via in [Via::Direct, Via::Code] {
                    let call = Call { name: &name, id: None, via };
                    let mut followed = world.tree.check(ROOT, call);
                    let mut rebuilt = fresh.check(ROOT, call);
                    (followed.slot, rebuilt.slot) = (None, None);
                    assert_eq!(followed, rebuilt);
                }
            }
            assert_eq!(world.tree.report(ROOT), fresh.report(ROOT));
            let in_scope = |tree: &mut Tree| -> Vec<(String, bool)> {
                tree.tools(ROOT).into_iter().map(|tool| (tool.id, tool.in_scope)).collect()
            };
            assert_eq!(in_scope(&mut world.tree), in_scope(&mut fresh));
        });
    }

    #[test]
    fn asking_changes_nothing(history in history()) {
        let mut silent = World::live(&history, |_| {});
        let mut asked = World::live(&history, |world| {
            world.decisions();
            world.tree.report(ROOT);
            world.tree.tools(ROOT);
            world.tree.take_news(ROOT);
            world.tree.registry_mut().take_names();
            for name in world.spellings() {
                world.tree.explain(ROOT, &name).expect("it is not disposed");
                world.tree.awaited_source(ROOT, &name).expect("it is not disposed");
            }
            world.tree.pending_sources(ROOT, None).expect("it is not disposed");
        });
        prop_assert_eq!(silent.decisions(), asked.decisions());
        prop_assert_eq!(silent.tree.report(ROOT), asked.tree.report(ROOT));
        silent.take(&Step::Turn, &Asking::Silence);
        asked.take(&Step::Turn, &Asking::Silence);
        prop_assert_eq!(silent.active(), asked.active());
        prop_assert_eq!(silent.tree.registry().generation(), asked.tree.registry().generation());
        let (silent, asked) = (silent.delta, asked.delta);
        prop_assert_eq!(silent, asked);
    }

    #[test]
    fn the_news_tell_every_verdict_that_changed(history in history(), every in 1..5_usize) {
        let mut kept: Vec<(bool, bool)> = Vec::new();
        let mut at = 0;
        World::live(&history, |world| {
            at += 1;
            if at % every != 0 {
                return;
            }
            let news = world.tree.take_news(ROOT);
            let slots = (0..world.tree.registry().slot_count()).map(toolscope::registry::Slot);
            let now: Vec<(bool, bool)> = slots
                .map(|slot| (world.tree.is_reachable(ROOT, slot, Via::Direct), world.tree.is_reachable(ROOT, slot, Via::Code)))
                .collect();
            kept.resize(now.len(), (false, false));
            match news {
                None => kept.clone_from(&now),
                Some(news) => news.iter().for_each(|slot| kept[slot.0 as usize] = now[slot.0 as usize]),
            }
            assert_eq!(kept, now);
        });
    }
}
