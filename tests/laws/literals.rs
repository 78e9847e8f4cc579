//! A tool that a scope names in full has rights that no glob gives: it makes no room for others, a child has it loaded,
//! and a child may have it though it spawns agents. Whatever stands beside the entry, and in whichever order.

use crate::{
    history::{Asking, ROOT, Step, World, cases, history, scope_spec, selector},
    model::{Code, Exposure, Scope, selector::Selector},
};
use proptest::{collection::vec, prelude::*};
use std::collections::BTreeSet;
use toolscope::{
    registry::Slot,
    scope::ScopeSpec,
    session::{
        SessionSpec, Tree,
        decision::{Call, Via},
    },
    source::{Declaration, SourceKind, SourceSpec},
};

/// A scope of lists alone, with much that says the same tools in several ways.
fn scope() -> impl Strategy<Value = Scope> {
    (vec(selector(), 1..5), any::<bool>(), vec(selector(), 0..2)).prop_map(|(mut allow, everything, required)| {
        allow.extend(everything.then_some(Selector::Everything));
        Scope { allow: Some(allow), required, ..Scope::default() }
    })
}

/// The ids that a scope names in full, by the model.
fn named(world: &World, scope: &Scope) -> BTreeSet<String> {
    let mut model = world.model.clone();
    // A session that is spawned now is not presented yet, whatever its parent is.
    model.presented = false;
    model.set_scope(scope);
    let tools = model.tools().into_iter().filter(|(source, tool)| model.names(source, tool));
    tools.map(|(_, tool)| tool.id.clone()).collect()
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn what_makes_room_is_what_no_entry_names(history in history(), scope in scope()) {
        let mut world = World::live(&history, |_| {});
        world.take(&Step::SetScope(scope.clone()), &Asking::Silence);
        let slots = (0..world.tree.registry().slot_count()).map(Slot);
        let offered: Vec<(Slot, bool)> = slots.map(|slot| (slot, false)).collect();
        let kept = world.tree.cap(ROOT, &offered, &[], Some(0));
        let model = &world.model;
        for tool in kept {
            let id = world.tree.registry().tool_id(Slot(tool.at));
            let (source, known) = model.tool(&id).expect("what is in scope is known");
            prop_assert_eq!(!tool.deferred, model.names(source, known) || model.requires(source, known), "{} {:?}", id, scope);
        }
    }

    #[test]
    fn a_child_has_loaded_what_its_scope_names(history in history(), scope in scope()) {
        let mut world = World::live(&history, |_| {});
        world.take(&Step::SetScope(Scope::default()), &Asking::Silence);
        let spec = SessionSpec { id: "child".to_owned(), scope: scope_spec(&scope), ..SessionSpec::default() };
        let child = world.tree.spawn(ROOT, spec).expect("there is room");
        world.tree.start(child).expect("it was just spawned");
        world.tree.delta(child, false).expect("it is started");
        let named = named(&world, &scope);
        let listed = world.tree.tools(child).into_iter();
        for tool in listed.filter(|tool| tool.in_scope && tool.exposure == Exposure::Deferred) {
            prop_assert_eq!(tool.active, named.contains(&tool.id), "{} {:?}", tool.id, scope);
        }
    }
}

#[test]
fn a_child_has_a_tool_that_spawns_where_an_entry_names_it() {
    for (allow, expected) in [
        (vec!["*"], false),
        (vec!["mcp:m"], false),
        (vec!["mcp__m"], false),
        (vec!["mcp__m__"], false),
        (vec!["mcp__m__*"], false),
        (vec!["mcp:*/task"], false),
        (vec!["mcp__m__task"], true),
        (vec!["mcp:m/task"], true),
        (vec!["*", "mcp:m/task"], true),
        (vec!["mcp__m__task", "*"], true),
        (vec!["mcp:*/task", "mcp:m/task"], true),
        (vec!["mcp:m/t*", "mcp:m/task", "mcp__*"], true),
    ] {
        for allow in [allow.clone(), allow.into_iter().rev().collect()] {
            let spec = SessionSpec { spawn_tools: vec!["task".to_owned()], ..SessionSpec::default() };
            let mut tree = Tree::new(spec).expect("it is lenient");
            let source = tree.add_source(SourceSpec::new(SourceKind::Mcp, "m")).expect("it is the only one");
            tree.set(source, vec![Declaration::parse(r#"{"name":"task"}"#)]).expect("it is open");
            let allow_texts = allow.iter().map(|&text| text.to_owned()).collect();
            let scope = ScopeSpec { allow: Some(allow_texts), ..ScopeSpec::default() };
            let child = tree.spawn(ROOT, SessionSpec { scope, ..SessionSpec::default() }).expect("there is room");
            let call = Call { name: "mcp:m/task", id: None, via: Via::Direct };
            let allowed = tree.check(child, call).code == Code::Allowed;
            assert_eq!(allowed, expected, "{allow:?}");
        }
    }
}
