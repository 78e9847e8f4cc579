//! The ladder: each next bit of budget goes to the step that is worth most for its cost.
//!
//! A step raises one tool to a name, to its parameters, to a sentence, or to its full signature. Its gain is the
//! tool's expected use times what the higher level is worth more; its cost is exact, the opening of a source's block
//! included. Gain is divided by the root of the cost: by the cost itself, tools that are cheap because they say
//! nothing would crowd out those that are used.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::super::budget::{Level, Plan};
use super::super::index::CatalogIndex;
use super::super::view::Listing;
use super::{Place, Weights, own_cost, weight};

/// What it is worth to show a tool at a level, against its parameters. A name costs the model a look-up before it can
/// call; types and comments save it a mistake now and then.
const fn worth(level: Level) -> f64 {
    match level {
        Level::Not => 0.0,
        Level::Name => 0.3,
        Level::Line => 1.0,
        Level::Sentence => 1.02,
        Level::Full => 1.03,
    }
}

/// A pinned tool counts as this many times the most used one.
const PINNED: f64 = 4.0;
/// Steps in a row that do not fit, after which the rest is taken not to fit either.
const MOST_MISSES: usize = 256;

struct Step {
    density: f64,
    /// The tool's place in the view, which breaks ties.
    place: usize,
    from: Level,
    to: Level,
    /// Whether the source's block was open when the cost was found.
    open: bool,
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        self.density.total_cmp(&other.density).then_with(|| other.place.cmp(&self.place))
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Step {}

struct Tool {
    slot: u32,
    source: usize,
    weight: f64,
    /// The highest level it may be shown at.
    top: Level,
    /// Costs of the levels of [`Level::SHOWN`].
    costs: [usize; 4],
}

impl Tool {
    fn own(&self, level: Level) -> usize {
        Level::SHOWN.iter().position(|shown| *shown == level).map_or(0, |at| self.costs[at])
    }

    /// The best step from where the tool is, among those that cost less than `below`.
    fn step(&self, plan: &Plan<'_>, place: usize, below: usize) -> Option<Step> {
        let from = plan.level(self.slot);
        let before = self.own(from);
        let mut best: Option<Step> = None;
        for to in Level::SHOWN {
            if to <= from || to > self.top {
                continue;
            }
            let cost = plan.cost(self.slot, self.source, to, self.own(to), before);
            let Ok(cost) = usize::try_from(cost.max(1)) else { continue };
            if cost >= below {
                continue;
            }
            #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^52")]
            let density = self.weight * (worth(to) - worth(from)) / (cost as f64).sqrt();
            if best.as_ref().is_none_or(|best| density > best.density) {
                best = Some(Step { density, place, from, to, open: plan.blocks[self.source].is_open() });
            }
        }
        best
    }
}

/// Spends what is left of the budget step by step.
pub(in super::super) fn climb(
    index: &mut CatalogIndex,
    plan: &mut Plan<'_>,
    usage: Option<&Weights>,
    pinned: &[Place],
) {
    let view = plan.view;
    let mut expected = weight::expected(index, view, usage.unwrap_or(&Weights::default()));
    let most = expected.iter().copied().fold(1.0, f64::max);
    for pin in pinned {
        expected[pin.slot as usize] = most * PINNED;
    }
    let mut tools = Vec::with_capacity(view.total);
    // Where each source's tools begin in `tools`.
    let mut starts = Vec::with_capacity(view.sources.len() + 1);
    for (source, list) in view.sources.iter().enumerate() {
        starts.push(tools.len());
        for (slot, listing) in &list.tools {
            let is_pinned = plan.level(*slot) != Level::Not;
            let top = if *listing == Listing::Open || is_pinned { Level::Full } else { Level::Name };
            let costs = Level::SHOWN.map(|level| own_cost(index, *slot, level));
            tools.push(Tool { slot: *slot, source, weight: expected[*slot as usize], top, costs });
        }
    }
    starts.push(tools.len());
    let mut steps: BinaryHeap<Step> =
        tools.iter().enumerate().filter_map(|(place, tool)| tool.step(plan, place, usize::MAX)).collect();
    let mut misses = 0;
    while let Some(step) = steps.pop() {
        let tool = &tools[step.place];
        let is_open = plan.blocks[tool.source].is_open();
        if step.from != plan.level(tool.slot) || step.open != is_open {
            continue;
        }
        if !plan.raise(tool.slot, tool.source, step.to, tool.own(step.to), tool.own(step.from)) {
            misses += 1;
            if misses > MOST_MISSES {
                break;
            }
            steps.extend(tool.step(plan, step.place, plan.left() + 1));
            continue;
        }
        misses = 0;
        steps.extend(tool.step(plan, step.place, usize::MAX));
        if !is_open {
            // Its neighbours no longer pay for the block.
            let own = starts[tool.source]..starts[tool.source + 1];
            for (place, neighbour) in own.clone().zip(&tools[own]) {
                if place != step.place {
                    steps.extend(neighbour.step(plan, place, usize::MAX));
                }
            }
        }
    }
}
