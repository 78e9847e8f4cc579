//! Who owns an exposed name: a name means one tool in every session of a tree.

use super::{Registry, Slot, Status};
use crate::source::SourceIndex;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::{cmp::Reverse, hash::BuildHasher};

/// Every known tool of each exposed name, the owner first.
#[derive(Debug, Default)]
pub struct Ownership {
    /// Each entry's name is that of any tool in it; it is never empty.
    table: HashTable<Vec<Slot>>,
    hasher: DefaultHashBuilder,
    /// Slots whose name, or whose name's owner, changed since the copy of the table was last brought up to date.
    news: Vec<Slot>,
    version: u64,
}

impl Ownership {
    fn tell(&mut self, slot: Slot, tools: usize) {
        self.version += 1;
        self.news.push(slot);
        if self.news.len() > 2 * tools + 1_024 {
            self.news.sort_unstable();
            self.news.dedup();
        }
    }
}

impl Ownership {
    pub(super) fn contenders(&self, registry: &Registry, exposed: &str) -> &[Slot] {
        self.table
            .find(self.hasher.hash_one(exposed), |entry| *registry.tool(entry[0]).exposed == *exposed)
            .map_or(&[], Vec::as_slice)
    }

    /// Whether another known tool of its source bears a tool's name.
    pub(super) fn is_shared_within_source(&self, registry: &Registry, slot: Slot) -> bool {
        let tool = registry.tool(slot);
        let mut others = self.contenders(registry, &tool.exposed).iter().filter(|&&other| other != slot);
        others.any(|&other| registry.tool(other).source == tool.source)
    }

    /// The registered tools of the same source that bear this name: two of one source would be one to the model.
    pub(super) fn rivals(
        &self,
        registry: &Registry,
        tool: Option<Slot>,
        source: SourceIndex,
        exposed: &str,
    ) -> impl Iterator<Item = Slot> {
        self.contenders(registry, exposed).iter().copied().filter(move |&other| {
            Some(other) != tool && registry.tool(other).source == source && registry.tool(other).registered()
        })
    }
}

/// Brings the entry of a tool's name up to date with its status; returns whoever else bears the name, since each of
/// them may be shadowed now, or no longer.
pub(super) fn update(registry: &mut Registry, slot: Slot) -> Vec<Slot> {
    let Registry { names, tools, sources, .. } = registry;
    let hash = names.hasher.hash_one(&*tools[slot.at()].exposed);
    let found = names.table.find_entry(hash, |entry| tools[entry[0].at()].exposed == tools[slot.at()].exposed);
    let mut entry = found.map_or_else(|_| Vec::new(), |found| found.remove().0);
    entry.retain(|&other| other != slot);
    tools[slot.at()].shadowed = false;
    let others = entry.clone();
    if tools[slot.at()].status != Status::Gone {
        entry.push(slot);
        entry.sort_by_key(|&slot| {
            let tool = &tools[slot.at()];
            let source = &sources[tool.source.at()];
            (Reverse(tool.registered()), Reverse(source.precedence), source.order, tool.place, slot)
        });
    }
    names.tell(entry.first().copied().unwrap_or(slot), tools.len());
    if let Some((&owner, rest)) = entry.split_first() {
        let owned = tools[owner.at()].registered();
        tools[owner.at()].shadowed = false;
        for other in rest {
            tools[other.at()].shadowed = owned;
        }
        names.table.insert_unique(hash, entry, |entry| names.hasher.hash_one(&*tools[entry[0].at()].exposed));
    }
    others
}

/// A name that changed hands, or a tool's new name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The tool.
    pub slot: Slot,
    /// Who owns its name now.
    pub owner: Option<Slot>,
}

impl Registry {
    /// Counts changes of names; a copy of the table is current while this stands.
    #[must_use]
    pub const fn names_version(&self) -> u64 {
        self.names.version
    }

    /// What changed of names since the last call, each slot once. There is one copy of the table to a registry.
    pub fn take_names(&mut self) -> Vec<Naming> {
        let mut slots = std::mem::take(&mut self.names.news);
        slots.sort_unstable();
        slots.dedup();
        slots.into_iter().map(|slot| Naming { slot, owner: self.owner(&self.tool(slot).exposed) }).collect()
    }
}
