//! Approved definitions: a tool that was approved under one definition is held back under another, since a server can
//! change what a tool says it does after somebody agreed to it (a "rug pull").

use crate::registry::{Registry, Slot, Status};
use hashbrown::HashMap;

/// Fingerprints by tool.
#[derive(Debug, Default)]
pub struct Pins {
    /// Whether tools seen later are approved as they first come.
    on: bool,
    approved: HashMap<Slot, String>,
}

impl Pins {
    /// Whether tools seen later are approved as they first come.
    pub(crate) const fn is_on(&self) -> bool {
        self.on
    }

    /// Approves every tool as it is now, and each later one as it first comes. Hashes each definition once.
    pub(crate) fn pin_all(&mut self, registry: &Registry) {
        self.on = true;
        for slot in registry.slots() {
            if registry.tool(slot).status == Status::Here {
                self.approve(registry, slot);
            }
        }
    }

    /// Approves one tool as it is now.
    pub(crate) fn approve(&mut self, registry: &Registry, slot: Slot) {
        self.approved.insert(slot, registry.tool(slot).fingerprint().to_owned());
    }

    /// A tool came or changed: the first definition seen is the approved one.
    pub(crate) fn meet(&mut self, registry: &Registry, slot: Slot) {
        if self.on && registry.tool(slot).status == Status::Here && !self.approved.contains_key(&slot) {
            self.approve(registry, slot);
        }
    }

    /// Whether a tool is another one than was approved.
    pub(crate) fn is_redefined(&self, registry: &Registry, slot: Slot) -> bool {
        self.approved.get(&slot).is_some_and(|approved| registry.tool(slot).fingerprint() != approved)
    }
}
