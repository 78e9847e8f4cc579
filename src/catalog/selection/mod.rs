//! What a budget is spent on. Both ways place pinned tools first; then they differ.

mod even;
mod ladder;
mod weight;

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
    let mut placed = Vec::new();
    for pin in pins {
        if placed.len() >= options.pinned_limit as usize {
            break;
        }
        if plan.level(pin.slot) != Level::Not {
            continue;
        }
        // On the ladder a pinned tool starts with its parameters and is the first to climb.
        let level = if options.detail == Detail::Adaptive { Level::Line } else { level_of(options.detail) };
        let own = own_cost(index, pin.slot, level);
        if plan.raise(pin.slot, pin.source, level, own, 0) {
            placed.push(*pin);
        }
    }
    placed
}

/// The pinned tools that are shown, by rank, as many as the options pin.
pub(super) fn shown_pins(plan: &Plan<'_>, pins: &[Place], options: &Options) -> Vec<Place> {
    let shown = pins.iter().filter(|pin| plan.level(pin.slot) != Level::Not);
    shown.take(options.pinned_limit as usize).copied().collect()
}

/// Whether usage places tools.
pub(super) fn is_ranked(options: &Options) -> bool {
    options.rank == Rank::Usage
}
