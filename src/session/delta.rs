//! How a list of active tools differs from an earlier one.

use super::active::Shown;
use crate::registry::{Registry, Slot, Tool};
use hashbrown::{HashMap, HashSet};

/// How the active set changed since an earlier moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// The generation it starts from.
    pub from: u64,
    /// The generation it leads to.
    pub generation: u64,
    /// Newly declared, in their order.
    pub added: Vec<Slot>,
    /// No longer declared.
    pub removed: Vec<Slot>,
    /// Declared before and now, with another definition, or anew after it had left.
    pub redefined: Vec<Slot>,
    /// Whether the new list is not the old one plus a suffix.
    pub reset: bool,
}

impl Delta {
    /// Whether anything changed.
    #[must_use]
    pub const fn changed(&self) -> bool {
        self.reset || !(self.added.is_empty() && self.removed.is_empty() && self.redefined.is_empty())
    }

    /// Takes in a tool of both lists. Under another name it makes the list another one.
    pub(super) fn stays(&mut self, slot: Slot, old: &Shown, tool: &Tool) {
        let is_renamed = *old.name != *tool.exposed;
        self.reset |= is_renamed;
        if is_renamed || old.revision != tool.revision {
            self.redefined.push(slot);
        }
    }
}

/// What was listed at a moment, in order.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub slots: Vec<Slot>,
    pub shown: HashMap<Slot, Shown>,
}

impl Listed {
    /// Fills in how `now` differs from this.
    pub(super) fn compare(&self, now: &[Slot], registry: &Registry, delta: &mut Delta) {
        for &slot in now {
            match self.shown.get(&slot).filter(|old| old.listed) {
                None => delta.added.push(slot),
                Some(old) => delta.stays(slot, old, registry.tool(slot)),
            }
        }
        let is: HashSet<Slot> = now.iter().copied().collect();
        delta.removed.extend(self.slots.iter().copied().filter(|slot| !is.contains(slot)));
        delta.reset |= !now.starts_with(&self.slots);
    }
}
