//! Invariants 7 and 8: order is a function of content, what was shown keeps its place, and no step is no work.

use crate::{
    history::{Asking, ROOT, Step, World, cases, declaration, history, scope, source},
    model::{Answer, Code, Declaration, Scope, SourceSpec},
};
use proptest::{collection::vec, prelude::*};
use std::collections::HashMap;
use toolscope::session::delta::Delta;

/// A source with the map it ends at.
#[derive(Clone, Debug)]
struct Settled {
    spec: SourceSpec,
    map: Vec<Declaration>,
    /// What came of it before, and in which pieces.
    before: Vec<Step>,
}

/// Pieces of a map, earlier definitions of its tools, failures: whatever comes before the map itself.
fn settled(at: usize) -> impl Strategy<Value = Settled> {
    let piece = vec((any::<prop::sample::Index>(), 0..3_u8), 0..4);
    let kinds = vec((0..4_u8, piece), 0..4);
    (source(), vec(declaration(), 1..5), kinds).prop_map(move |(spec, tools, pieces)| {
        let mut map: Vec<Declaration> = Vec::new();
        for tool in tools {
            if map.iter().all(|other| other.raw != tool.raw) {
                map.push(tool);
            }
        }
        // Redefining a good tool malformed is no order of arrival: it withdraws what was there.
        let good: Vec<&Declaration> = map.iter().filter(|tool| tool.good).collect();
        let before = pieces.iter().map(|(kind, piece)| {
            let picked = piece.iter().filter(|_| !good.is_empty());
            let tools =
                picked.map(|(at, definition)| Declaration { definition: *definition, ..(*at.get(&good)).clone() });
            match kind {
                0 => Step::Fail(at),
                1 => Step::Set(at, tools.collect()),
                _ => Step::Add(at, tools.collect()),
            }
        });
        Settled { spec, before: before.collect(), map: map.clone() }
    })
}

/// The steps of every source in its own order, merged as `picks` say; sources are added in theirs.
fn merged(sources: &[Settled], picks: &[prop::sample::Index]) -> Vec<Step> {
    let mut left: Vec<Vec<Step>> = sources
        .iter()
        .enumerate()
        .map(|(at, source)| [source.before.clone(), vec![Step::Set(at, source.map.clone())]].concat())
        .collect();
    for steps in &mut left {
        steps.reverse();
    }
    let mut steps = Vec::new();
    let mut added = 0;
    let mut take = |at: usize, left: &mut Vec<Vec<Step>>| {
        while added <= at {
            steps.push(Step::AddSource(added));
            added += 1;
        }
        steps.extend(left[at].pop());
    };
    for pick in picks {
        take(pick.index(sources.len()), &mut left);
    }
    for at in 0..sources.len() {
        while !left[at].is_empty() {
            take(at, &mut left);
        }
    }
    steps
}

/// Everything a host could show, in bytes.
fn shown(world: &mut World) -> String {
    let names: Vec<&str> =
        world.tree.active(ROOT).iter().map(|&slot| world.tree.registry().exposed_name_of(slot)).collect();
    let names = names.join("\n");
    let (report, tools) = (world.tree.report(ROOT), world.tree.tools(ROOT));
    format!("{names}\n{report:#?}\n{tools:#?}\n{:#?}", world.decisions())
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn arrival_order_before_the_first_presentation_changes_nothing(
        // Of one id they would be one source, and what is set last is its map.
        sources in (settled(0), settled(1), settled(2)).prop_filter("one source each", |(one, two, three)| {
            let ids = [one, two, three].map(|source| source.spec.id());
            ids[0] != ids[1] && ids[1] != ids[2] && ids[2] != ids[0]
        }),
        picks in vec(any::<prop::sample::Index>(), 0..16),
        looks in vec(any::<bool>(), 40),
        start in 0..12_usize,
        scope in scope(),
        answers in vec(Just(Answer::Everything), 1..2),
    ) {
        let sources = [sources.0, sources.1, sources.2];
        // A seal is of the moment: what is announced at `start` is the ceiling.
        let scope = Scope { sealed: false, ..scope };
        let specs: Vec<SourceSpec> = sources.iter().map(|source| source.spec.clone()).collect();
        let asking = Asking::Answers(answers);

        let mut plain = World::new(&specs, &scope);
        for at in 0..sources.len() {
            plain.take(&Step::AddSource(at), &asking);
        }
        for (at, source) in sources.iter().enumerate() {
            plain.take(&Step::Set(at, source.map.clone()), &asking);
        }
        plain.take(&Step::Start, &asking);

        let mut tangled = World::new(&specs, &scope);
        for (at, step) in merged(&sources, &picks).iter().enumerate() {
            if at == start {
                tangled.take(&Step::Start, &asking);
            }
            tangled.take(step, &asking);
            if looks[at % looks.len()] {
                shown(&mut tangled);
                tangled.take(&Step::Delta, &asking);
            }
        }
        tangled.take(&Step::Start, &asking);

        prop_assert_eq!(shown(&mut plain), shown(&mut tangled));
        // Nor does it change what comes after: plain names are bound to the same tools from now on.
        plain.take(&Step::Turn, &asking);
        tangled.take(&Step::Turn, &asking);
        for at in 0..sources.len() {
            plain.take(&Step::Add(at, sources[0].map.clone()), &asking);
            tangled.take(&Step::Add(at, sources[0].map.clone()), &asking);
        }
        plain.take(&Step::Turn, &asking);
        tangled.take(&Step::Turn, &asking);
        prop_assert_eq!(shown(&mut plain), shown(&mut tangled));
    }
}

/// The list that a delta makes of the one before; where it says `reset`, the list is only said as a whole.
fn applied(before: &[String], delta: &Delta, world: &World) -> Vec<String> {
    if delta.reset { world.active() } else { [before.to_vec(), world.ids(&delta.added)].concat() }
}

proptest! {
    #![proptest_config(cases(4))]

    #[test]
    fn a_delta_makes_the_new_list_of_the_old_one(history in history()) {
        let mut before: Vec<String> = Vec::new();
        let mut from = 0;
        World::live(&history, |world| {
            let Some(delta) = world.delta.clone() else {
                assert_eq!(world.active(), before, "the list changes in deltas alone");
                return;
            };
            let after = world.active();
            assert_eq!(applied(&before, &delta, world), after);
            let (added, removed) = (world.ids(&delta.added), world.ids(&delta.removed));
            assert_eq!(delta.reset, !after.starts_with(&before), "{before:?} {after:?}");
            // One that left and came anew in between is neither, wherever it stands.
            assert!(removed.iter().all(|id| before.contains(id) && !after.contains(id)), "{removed:?}");
            assert!(added.iter().all(|id| !before.contains(id)), "{added:?}");
            let stays = before.iter().filter(|id| !removed.contains(id));
            let mut sum: Vec<&String> = stays.chain(&added).collect();
            let mut whole: Vec<&String> = after.iter().collect();
            sum.sort();
            whole.sort();
            assert_eq!(sum, whole, "what stays and what was added is what is there");
            assert!(delta.changed() || after == before);
            if world.model.started {
                assert_eq!(delta.from, from);
                from = delta.generation;
            }
            before = after;
        });
    }

    #[test]
    fn what_was_shown_does_not_move_among_itself(history in history()) {
        let mut before: Vec<String> = Vec::new();
        let mut lives: HashMap<String, u64> = HashMap::new();
        let mut presented = false;
        let mut steps = history.steps.iter();
        World::live(&history, |world| {
            let is_compact = matches!(steps.next(), Some((Step::Compact, _)));
            if world.delta.is_none() {
                return;
            }
            let after = world.active();
            let lived: HashMap<String, u64> =
                world.model.tools().iter().map(|(_, tool)| (tool.id.clone(), tool.life)).collect();
            if presented && !is_compact {
                // Those that left and came anew take a new place.
                let kept = |list: &[String], other: &[String]| -> Vec<String> {
                    let is_kept = |id: &&String| other.contains(*id) && lives.get(*id) == lived.get(*id);
                    list.iter().filter(is_kept).cloned().collect()
                };
                assert_eq!(kept(&before, &after), kept(&after, &before));
            }
            presented = world.model.presented;
            before = after;
            lives = lived;
        });
    }

    #[test]
    fn compact_and_every_list_before_a_presentation_are_in_canonical_order(history in history()) {
        let mut steps = history.steps.iter();
        World::live(&history, |world| {
            let is_compact = matches!(steps.next(), Some((Step::Compact, _)));
            if world.delta.is_some() && (is_compact || !world.model.presented) {
                let active = world.active();
                let canonical = world.model.tools().into_iter().map(|(_, tool)| tool.id.clone());
                assert_eq!(canonical.filter(|id| active.contains(id)).collect::<Vec<_>>(), active);
            }
        });
    }

    #[test]
    fn where_nothing_changed_nothing_is_asked_listed_or_counted(history in history()) {
        let answers = Asking::Answers(vec![Answer::Everything]);
        World::live(&history, |world| {
            world.take(&Step::Look, &answers);
            world.take(&Step::Turn, &answers);
            let generation = world.tree.registry().generation();
            let active = world.active();
            assert!(world.tree.narrow_questions(ROOT).is_empty());
            world.decisions();
            world.tree.report(ROOT);
            world.take(&Step::Turn, &answers);
            let delta = world.delta.clone().expect("a turn returns one");
            assert!(!delta.changed(), "{delta:?}");
            assert_eq!(delta.generation, generation);
            assert!(!world.model.started || delta.from == generation);
            assert_eq!(world.active(), active);
        });
    }

    #[test]
    fn a_source_that_comes_back_has_its_old_places(history in history(), down in 0..2_usize) {
        let asking = Asking::Answers(vec![Answer::Everything]);
        let mut world = World::live(&history, |_| {});
        world.take(&Step::Start, &asking);
        world.take(&Step::Turn, &asking);
        let before = world.active();
        let id = world.sources[down].id();
        let Some(source) = world.model.source(&id).filter(|source| source.spec == world.sources[down]) else {
            return Ok(());
        };
        // A map that says the same again, as a server does that was respawned.
        if source.state != toolscope::source::SourceState::Ready {
            return Ok(());
        }
        world.take(&Step::Fail(down), &asking);
        world.take(&Step::Turn, &asking);
        prop_assert!(world.active().iter().all(|id| world.model.decide_tool(id, false) != Code::Pending));
        world.take(&Step::Add(down, Vec::new()), &asking);
        world.take(&Step::Turn, &asking);
        if !world.model.scope.narrow {
            prop_assert_eq!(world.active(), before);
        }
    }
}
