//! Names: legal, unique, a function of the tool's own id; and the host's copy of them never disagrees.

use crate::{
    history::{RAWS, ROOT, SOURCES, World, cases, history},
    model::{SourceKind, name},
};
use proptest::{prelude::*, sample::select};
use std::collections::HashMap;
use toolscope::{
    registry::{Slot, name::exposed},
    source::{Declaration, SourceSpec, identity},
};

/// Names that are nearly others: cut, punctuated, hashed-looking, of every object.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(&RAWS[..]).prop_map(str::to_owned),
        2 => select(&SOURCES[..]).prop_map(str::to_owned),
        2 => "[ab_.-]{1,6}",
        1 => "mcp__[ab_]{1,6}",
        1 => "[ab]{0,2}_[A-B2-3]{10}",
        1 => "[a-b]{50,70}",
        1 => select(vec!["__proto__", "constructor", "toString", "valueOf", "__a"]).prop_map(str::to_owned),
        1 => any::<String>().prop_filter("a name is not empty", |name| !name.is_empty()),
    ]
}

fn tool() -> impl Strategy<Value = (SourceKind, String, String)> {
    (select(SourceKind::ALL.to_vec()), word(), word())
}

fn named((kind, source, raw): &(SourceKind, String, String)) -> (String, String) {
    let id = identity::tool_prefix(*kind, &identity::source_id(*kind, source)) + raw;
    (exposed(*kind, source, raw, &id), id)
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn a_name_is_legal_and_the_one_that_the_design_says(tool in tool()) {
        let (exposed, id) = named(&tool);
        prop_assert!(name::is_legal(&exposed), "{}", exposed);
        prop_assert_eq!(exposed, name::exposed(tool.0, &tool.1, &tool.2, &id));
    }

    #[test]
    fn two_tools_have_one_name_only_where_they_registered_it_so(one in tool(), other in tool()) {
        let ((name, id), (other_name, other_id)) = (named(&one), named(&other));
        if name == other_name && id != other_id {
            prop_assert!(one.0 != SourceKind::Mcp && other.0 != SourceKind::Mcp, "{} {}", id, other_id);
            prop_assert_eq!(&one.2, &other.2);
            prop_assert_eq!(&one.2, &name);
        }
    }

    #[test]
    fn an_id_splits_into_the_parts_it_was_made_from(tool in tool()) {
        let (_, id) = named(&tool);
        let source = identity::source_id(tool.0, &tool.1);
        prop_assert_eq!(identity::split_tool_id(&id), Some((source.as_str(), tool.2.as_str())));
    }
}

/// The table as JavaScript keeps it: names to slots, brought up to date from what `take_names` tells.
#[derive(Default)]
struct Table {
    at: u64,
    slot_of: HashMap<String, Slot>,
    name_of: HashMap<Slot, String>,
}

impl Table {
    fn read(&mut self, world: &mut World) {
        let version = world.tree.registry().names_version();
        if version == self.at {
            return;
        }
        let news = world.tree.registry_mut().take_names();
        let registry = world.tree.registry();
        for naming in &news {
            let exposed = registry.exposed_name_of(naming.slot);
            let before = self.name_of.get(&naming.slot).filter(|before| *before != exposed);
            if let Some(before) = before
                && self.slot_of.get(before) == Some(&naming.slot)
            {
                self.slot_of.remove(before);
            }
        }
        for naming in news {
            let exposed = registry.exposed_name_of(naming.slot).to_owned();
            match naming.owner {
                Some(owner) => self.slot_of.insert(exposed.clone(), owner),
                None => self.slot_of.remove(&exposed),
            };
            self.name_of.insert(naming.slot, exposed);
        }
        self.at = version;
    }
}

proptest! {
    #![proptest_config(cases(2))]

    #[test]
    fn the_hosts_table_never_disagrees_with_a_fresh_lookup(history in history(), every in 1..6_usize) {
        let mut table = Table::default();
        let mut names: Vec<String> = Vec::new();
        let mut at = 0;
        World::live(&history, |world| {
            names.extend(world.model.tools().iter().map(|(_, tool)| tool.exposed.clone()));
            at += 1;
            if at % every != 0 {
                return;
            }
            table.read(world);
            for name in &names {
                assert_eq!(table.slot_of.get(name).copied(), world.tree.registry().named(name), "{name}");
                let owner = world.model.owner(name).map(|tool| tool.id.clone());
                let slot = table.slot_of.get(name).copied();
                assert_eq!(slot.map(|slot| world.tree.registry().tool_id(slot)), owner, "the owner of {name}");
            }
            for (slot, name) in &table.name_of {
                let is_known = world.tree.registry().by_id(&world.tree.registry().tool_id(*slot)).is_some();
                assert!(!is_known || world.tree.registry().exposed_name_of(*slot) == name, "{name}");
            }
        });
    }

    #[test]
    fn no_two_active_tools_have_one_name(history in history()) {
        World::live(&history, |world| {
            if world.delta.is_none() {
                return;
            }
            let slots = world.tree.active(ROOT).iter();
            let mut names: Vec<&str> = slots.map(|&slot| world.tree.registry().exposed_name_of(slot)).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        });
    }

    #[test]
    fn a_name_does_not_depend_on_neighbours(history in history(), kind in select(SourceKind::ALL.to_vec()), raw in select(&RAWS[..])) {
        let (exposed, id) = named(&(kind, "own".to_owned(), raw.to_owned()));
        let mut world = World::live(&history, |_| {});
        let Ok(source) = world.tree.add_source(SourceSpec::new(kind, "own")) else { return Ok(()) };
        world.tree.set(source, vec![Declaration::parse(&format!("{{\"name\":{raw:?}}}"))]).expect("it is open");
        let slot = world.tree.registry().by_id(&id).expect("it was just registered");
        prop_assert_eq!(world.tree.registry().exposed_name_of(slot), exposed);
    }
}
