//! What a budget is spent on. Both ways place pinned tools first; then they differ.

mod even;
mod ladder;
mod weight;

use std::collections::HashSet;

use super::budget::{Level, Plan};
use super::index::CatalogIndex;
use super::options::{Detail, Options, Rank};
pub(super) use even::place_evenly;
pub(super) use ladder::climb;
pub use weight::Weights;

/// A tool of the view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub slot: u32,
    /// Of the view.
    pub source: usize,
    /// Who pinned it.
    pub party: usize,
}

/// The level at which a detail shows a tool.
pub(super) const fn level_of(detail: Detail) -> Level {
    match detail {
        Detail::Full | Detail::Adaptive => Level::Full,
        Detail::Compact => Level::Sentence,
    }
}

/// What a tool's lines cost at a level.
pub(super) fn own_cost(index: &mut CatalogIndex, slot: u32, level: Level) -> usize {
    match level {
        Level::Not => 0,
        Level::Name => index.entry(slot).measure.name as usize,
        Level::Line => index.compact(slot).0 as usize,
        Level::Sentence => {
            let (line, sentence) = index.compact(slot);
            (line + sentence) as usize
        }
        Level::Full => index.full(slot) as usize,
    }
}

/// Places pinned tools in their order, up to the limit; what does not fit is skipped and the next one tried.
/// Returns those that were placed.
pub(super) fn place_pinned(
    index: &mut CatalogIndex,
    plan: &mut Plan<'_>,
    pins: &[Place],
    options: &Options,
) -> Vec<Place> {
    within_limits(pins, options, |pin| {
        // On the ladder a pinned tool starts with its parameters and is the first to climb.
        let level = if options.detail == Detail::Adaptive { Level::Line } else { level_of(options.detail) };
        let own = own_cost(index, pin.slot, level);
        plan.raise(pin.slot, pin.source, level, own, 0)
    })
}

/// The pins that are `placed`, in their order: each tool once, of each plugin as many as it may pin, and no more in all
/// than the host allows.
pub(super) fn within_limits(pins: &[Place], options: &Options, mut placed: impl FnMut(&Place) -> bool) -> Vec<Place> {
    let mut counts = vec![0; options.plugins.len() + 1];
    let mut taken = HashSet::new();
    let mut within = Vec::new();
    for pin in pins {
        if within.len() >= options.limit_of(0) {
            break;
        }
        if counts[pin.party] < options.limit_of(pin.party) && !taken.contains(&pin.slot) && placed(pin) {
            counts[pin.party] += 1;
            taken.insert(pin.slot);
            within.push(*pin);
        }
    }
    within
}

/// The pinned tools that are shown, by rank, as many as the options pin.
pub(super) fn shown_pins(plan: &Plan<'_>, pins: &[Place], options: &Options) -> Vec<Place> {
    within_limits(pins, options, |pin| plan.level(pin.slot) != Level::Not)
}

/// Whether usage places tools.
pub(super) fn is_ranked(options: &Options) -> bool {
    options.rank == Rank::Usage
}
