//! Meeting a provider's cap on tools: what is deferred to make room.

use crate::{
    diagnostic::Diagnostic,
    registry::Slot,
    session::{SessionIndex, Tree},
};

/// One tool of a finished request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capped {
    /// Its place among those that were offered.
    pub at: u32,
    /// Whether it is deferred, by a provider or to make room.
    pub deferred: bool,
}

impl Tree {
    /// Finishes a request: drops what left the scope while providers ran, and defers the least used tools until no more
    /// than `most` are declared. `weights` says how much each offered tool is used; a tie goes against the later one. A
    /// tool that the scope names, or requires, is never deferred to make room.
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
        let Some(over) = most.map(|most| declared.saturating_sub(most)).filter(|&over| over > 0) else {
            return kept;
        };
        let slot_of = |tool: &Capped| offered[tool.at as usize].0;
        let mut yielding: Vec<usize> = (0..kept.len())
            .filter(|&at| !kept[at].deferred)
            .filter(|&at| {
                let slot = slot_of(&kept[at]);
                !session.requires(&self.registry, slot)
                    && !session.layers.iter().any(|layer| layer.names(&self.registry, slot))
            })
            .collect();
        let weight = |at: usize| weights.get(kept[at].at as usize).copied().unwrap_or(0.0);
        yielding.sort_by(|&left, &right| weight(left).total_cmp(&weight(right)).then(right.cmp(&left)));
        yielding.truncate(over);
        let mut names: Vec<&str> = Vec::with_capacity(yielding.len());
        for &at in &yielding {
            kept[at].deferred = true;
            names.push(self.registry.exposed_name_of(offered[kept[at].at as usize].0));
        }
        names.sort_unstable();
        let most = most.unwrap_or_default();
        let message = format!("{} tools are deferred to stay within {most}: `{}`", names.len(), names.join("`, `"));
        let mut told = vec![Diagnostic::info("tools_deferred", message)];
        if yielding.len() < over {
            let message = format!(
                "{} tools are declared, {most} at most were asked for: the scope names or requires every one; name fewer",
                declared - yielding.len()
            );
            told.push(Diagnostic::warning("tools_over_limit", message));
        }
        self.diagnostics.append(&mut told);
        kept
    }
}
