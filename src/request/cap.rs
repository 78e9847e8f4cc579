//! Meeting a provider's cap on tools: what is deferred to make room.

use crate::{
    diagnostic::Diagnostic,
    registry::Slot,
    session::{SessionIndex, Tree},
};
use hashbrown::HashSet;

/// One tool of a finished request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capped {
    /// Its place among those that were offered.
    pub at: u32,
    /// Whether it is deferred, by a provider or to make room.
    pub deferred: bool,
}

impl Tree {
    /// Finishes a request: drops what left the scope while providers ran, and defers tools until no more than `most` are
    /// declared: the least used first, by `weights`, a tie going against the later one; then those that were activated
    /// by name, the latest last, for the model may be about to call what it searched for. A tool that the scope names, or
    /// requires, is never deferred to make room. What is deferred is told of where it was not so in the last request.
    pub fn cap(
        &mut self,
        index: SessionIndex,
        offered: &[(Slot, bool)],
        weights: &[f64],
        most: Option<usize>,
    ) -> Vec<Capped> {
        self.sync(index);
        let Some(session) = self.session(index) else { return Vec::new() };
        let mut kept: Vec<Capped> = (0..)
            .zip(offered)
            .filter(|&(_, &(slot, _))| session.wants(&self.registry, slot))
            .map(|(at, &(_, deferred))| Capped { at, deferred })
            .collect();
        let declared = kept.iter().filter(|tool| !tool.deferred).count();
        let over = most.map_or(0, |most| declared.saturating_sub(most));
        let slot_of = |tool: &Capped| offered[tool.at as usize].0;
        let mut yielding: Vec<usize> = Vec::new();
        if over > 0 {
            yielding = (0..kept.len()).filter(|&at| !kept[at].deferred).collect();
            yielding.retain(|&at| {
                let slot = slot_of(&kept[at]);
                !session.requires(&self.registry, slot)
                    && !session.layers.iter().any(|layer| layer.names(&self.registry, slot))
            });
            let asked = |at: usize| session.active.asked(slot_of(&kept[at]));
            let weight = |at: usize| weights.get(kept[at].at as usize).copied().unwrap_or(0.0);
            yielding.sort_by(|&left, &right| {
                asked(left).cmp(&asked(right)).then(weight(left).total_cmp(&weight(right))).then(right.cmp(&left))
            });
            yielding.truncate(over);
        }
        let yielded = (yielding.iter().map(|&at| slot_of(&kept[at])).collect(), over - yielding.len());
        for at in yielding {
            kept[at].deferred = true;
        }
        // What is as it was in the last request was told of then.
        if session.active.yielded != yielded {
            self.tell_of_yielding(&yielded, most.unwrap_or_default());
            if let Some(session) = self.session_mut(index) {
                session.active.yielded = yielded;
            }
        }
        kept
    }

    fn tell_of_yielding(&mut self, (slots, over): &(HashSet<Slot>, usize), most: usize) {
        if !slots.is_empty() {
            let mut names: Vec<&str> = slots.iter().map(|&slot| self.registry.exposed_name_of(slot)).collect();
            names.sort_unstable();
            let message = format!("{} tools are deferred to stay within {most}: `{}`", names.len(), names.join("`, `"));
            self.diagnostics.push(Diagnostic::info("tools_deferred", message));
        }
        if *over > 0 {
            let message = format!(
                "{} tools are declared, {most} at most were asked for: the scope names or requires every one; name fewer",
                most + over
            );
            self.diagnostics.push(Diagnostic::warning("tools_over_limit", message));
        }
    }
}
