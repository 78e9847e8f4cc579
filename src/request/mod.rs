//! Requests: what one model request shows, apart from what is discovered.
//!
//! Providers select, transform and describe; they run in the host. Here is settled what of their answers stands: nothing
//! that was not handed to them, nothing twice, every required tool, and no more than the model's provider takes.

mod cap;
mod vet;

pub use cap::Capped;
pub use vet::Kept;

use crate::{
    registry::{Registry, Slot},
    session::{Session, SessionIndex, Tree},
};

impl Tree {
    /// The tools of a session's next request: the active ones that are in scope now, in order.
    pub fn request_tools(&mut self, index: SessionIndex) -> Vec<Slot> {
        self.sync(index);
        let Some(session) = self.session(index) else { return Vec::new() };
        session.active.slots().iter().copied().filter(|&slot| session.wants(&self.registry, slot)).collect()
    }

    /// The declarations of tools, as one JSON array; `null` where one is not here.
    #[must_use]
    pub fn declarations(&self, slots: &[Slot]) -> String {
        let mut text = String::from("[");
        for (at, &slot) in slots.iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            let declaration = self.registry.declaration(slot);
            text.push_str(if declaration.is_empty() { "null" } else { declaration });
        }
        text.push(']');
        text
    }
}

impl Session {
    /// Whether `allow` and `narrow` cannot take the tool away, and so no provider can.
    fn requires(&self, registry: &Registry, slot: Slot) -> bool {
        self.layers.iter().any(|layer| layer.required.matching(registry, slot).is_some())
    }
}
