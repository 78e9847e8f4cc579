//! The default: what was used first, where usage ranks; then fairly over the sources, each one's cheapest next.
//!
//! The cheapest tool of a source is found without measuring all of them: each stands in a queue by what it costs at
//! the least, and is measured when it comes up. Where not even that least fits any more, the source is done.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::super::budget::{Level, Plan};
use super::super::index::CatalogIndex;
use super::super::measure::Known;
use super::super::view::Listing;
use super::{Weights, own_cost};

/// What a tool costs at the least, whether just that, its place among the source's tools, and its slot. Of two that may
/// cost the same the one not measured comes up first, so that equals come in the order of their names.
type Waiting = Reverse<(u32, Known, usize, u32)>;

/// Places tools at one level until nothing more fits.
pub(in super::super) fn place_evenly(
    index: &mut CatalogIndex,
    plan: &mut Plan<'_>,
    level: Level,
    usage: Option<&Weights>,
) {
    if let Some(usage) = usage {
        place_used(index, plan, level, usage);
    }
    let is_full = level == Level::Full;
    let mut queues: Vec<(usize, BinaryHeap<Waiting>)> = Vec::with_capacity(plan.view.sources.len());
    for (at, source) in plan.view.sources.iter().enumerate() {
        let waits = source
            .tools
            .iter()
            .enumerate()
            .filter(|(_, (slot, listing))| *listing == Listing::Open && plan.level(*slot) == Level::Not);
        let queue = waits.map(|(place, (slot, _))| {
            let (cost, known) = index.at_least(*slot, is_full);
            Reverse((cost, known, place, *slot))
        });
        queues.push((at, queue.collect()));
    }
    while !queues.is_empty() {
        queues.retain_mut(|(source, queue)| place_next(index, plan, level, *source, queue));
    }
}

/// Places the cheapest tool of a source. Returns whether the source may have another one.
fn place_next(
    index: &mut CatalogIndex,
    plan: &mut Plan<'_>,
    level: Level,
    source: usize,
    queue: &mut BinaryHeap<Waiting>,
) -> bool {
    while let Some(Reverse((cost, known, place, slot))) = queue.pop() {
        if known == Known::Exact {
            // The others of the source cost no less.
            return plan.raise(slot, source, level, cost as usize, 0);
        }
        if !plan.could_raise(source, cost as usize) {
            return false;
        }
        let cost = index.exactly(slot, level == Level::Full);
        queue.push(Reverse((cost, Known::Exact, place, slot)));
    }
    false
}

fn place_used(index: &mut CatalogIndex, plan: &mut Plan<'_>, level: Level, usage: &Weights) {
    let mut used: Vec<(f64, u32, usize)> = Vec::new();
    let by_id = index.by_id();
    let weights: HashMap<u32, f64> = usage.iter().filter_map(|(id, weight)| Some((*by_id.get(id)?, weight))).collect();
    for (place, source) in plan.view.sources.iter().enumerate() {
        for (slot, listing) in &source.tools {
            if *listing == Listing::Open
                && let Some(weight) = weights.get(slot)
            {
                used.push((*weight, *slot, place));
            }
        }
    }
    // The view's order breaks ties, since the sort keeps it.
    used.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (_, slot, source) in used {
        if plan.level(slot) == Level::Not {
            let own = own_cost(index, slot, level);
            plan.raise(slot, source, level, own, 0);
        }
    }
}
