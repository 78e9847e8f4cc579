//! What of one provider's answer stands.

use crate::{
    diagnostic::Diagnostic,
    registry::Slot,
    session::{SessionIndex, Tree},
    text::shown,
};
use hashbrown::HashSet;

/// One tool of the settled answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// As the provider returned it, at this place of its answer.
    Returned(u32),
    /// As it was handed over, at this place: the provider dropped it, and it is required.
    Restored(u32),
}

impl Tree {
    /// Settles a provider's answer: what was not handed over is dropped, what stands twice stands once, and required
    /// tools come back near where they were. `returned` holds `None` where no tool has the id that was returned.
    pub fn vet(
        &mut self,
        index: SessionIndex,
        provider: &str,
        handed: &[Slot],
        returned: &[Option<Slot>],
    ) -> Vec<Kept> {
        let Some(session) = self.session(index) else { return Vec::new() };
        let known: HashSet<Slot> = handed.iter().copied().collect();
        let mut seen = HashSet::with_capacity(returned.len());
        let mut kept = Vec::with_capacity(handed.len());
        let mut told = Vec::new();
        let mut tell = |code, what: &str, slot: Option<Slot>| {
            let diagnostic = Diagnostic::warning(code, format!("provider `{}` {what}", shown(provider)));
            told.push(match slot {
                Some(slot) => diagnostic.of_tool(self.registry.tool_id(slot)),
                None => diagnostic,
            });
        };
        for (at, &slot) in (0..).zip(returned) {
            match slot.filter(|slot| known.contains(slot)) {
                None => tell("provider_tool_unknown", "returned a tool that was not handed to it; it is dropped", slot),
                Some(slot) if !seen.insert(slot) => {
                    tell("provider_tool_repeated", "returned a tool twice; the first one stands", Some(slot));
                }
                Some(_) => kept.push(Kept::Returned(at)),
            }
        }
        for (at, &slot) in (0_u32..).zip(handed) {
            if !seen.contains(&slot) && session.requires(&self.registry, slot) {
                tell("provider_dropped_required", "dropped a required tool; it is put back", Some(slot));
                kept.insert(kept.len().min(at as usize), Kept::Restored(at));
            }
        }
        self.diagnostics.append(&mut told);
        kept
    }
}
