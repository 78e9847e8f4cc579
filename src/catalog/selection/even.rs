//! The default: what was used first, where usage ranks; then fairly over the sources, each one's cheapest next.

use super::super::budget::{Level, Plan};
use super::super::index::CatalogIndex;
use super::super::view::Listing;
use super::{Weights, own_cost};

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
    let view = plan.view;
    // Per source the place of its cheapest tool that was not tried.
    let mut next = vec![0; view.sources.len()];
    let mut running: Vec<usize> = (0..view.sources.len()).collect();
    while !running.is_empty() {
        running.retain(|source| {
            let tools = &view.sources[*source].tools;
            while let Some((slot, listing)) = tools.get(next[*source]) {
                next[*source] += 1;
                if *listing == Listing::Open && plan.level(*slot) == Level::Not {
                    let own = own_cost(index, *slot, level);
                    // The others of the source cost no less.
                    return plan.raise(*slot, *source, level, own, 0);
                }
            }
            false
        });
    }
}

fn place_used(index: &mut CatalogIndex, plan: &mut Plan<'_>, level: Level, usage: &Weights) {
    let mut used: Vec<(f64, u32, usize)> = Vec::new();
    let weights: std::collections::HashMap<u32, f64> =
        usage.iter().filter_map(|(id, weight)| Some((index.slot(id)?, weight))).collect();
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
