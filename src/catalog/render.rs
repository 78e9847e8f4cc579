//! From tools, options and use to a catalog.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::budget::{Level, Plan};
use super::index::CatalogIndex;
use super::options::{Detail, Options};
use super::pin::Pin;
use super::print::{self, count_note, head, source_note};
use super::selection::{self, Place, Weights, level_of, own_cost};
use super::text;
use super::view::{Listing, View};
use super::{Catalog, Category, CategoryCount};

/// The part of the budget that the list of sources may take before anything is placed: one in this many.
const LIST_SHARE: usize = 4;
/// The part of the budget that the category lines of all plugins may take: one in this many.
const WISHED_SHARE: usize = 4;

impl CatalogIndex {
    /// The catalog of the tools that `sees` lets through.
    ///
    /// `pins` are best first: whoever asks has resolved `options.pinned()`. `usage` is read where `options.rank`
    /// asks for it. Costs one step per tool, the measuring of tools that may be shown, once each, and the lines that
    /// are.
    pub fn render(
        &mut self,
        sees: &dyn Fn(u32) -> Listing,
        options: &Options,
        pins: &[Pin],
        usage: Option<&Weights>,
    ) -> Catalog {
        self.settle();
        let view = View::of(self, sees);
        let usage = usage.filter(|_| selection::is_ranked(options));
        if let Some(catalog) = self.complete(&view, options, pins) {
            return catalog;
        }
        let mut warnings = Vec::new();
        let sources = view.sources.len();
        let terse = options.detail == Detail::Adaptive;
        let mut plan = Plan::new(&view, options.budget, self.entries.len(), terse);
        if !plan.spend(text::length(&head(view.total, view.total, sources, false, options.detail))) {
            let tools = view.total;
            warnings
                .push(format!("budget `{}` has no room for a first line; {tools} tools are not shown", options.budget));
            let unshown = |category: &Category| self.held(&view, category).len();
            return Catalog { warnings, total: tools, categories: counts(options, unshown), ..Catalog::default() };
        }
        let host = options.categories.iter();
        self.take_categories(&mut plan, host, usize::MAX, &mut warnings);
        if !terse {
            let share = plan.limit / LIST_SHARE;
            plan.list_sources(share);
        }
        let places = places(&view, pins);
        let pinned = selection::place_pinned(self, &mut plan, &places, options);
        // What plugins say of the rest takes no pinned tool's room, and no more than a share of the others'.
        let wished = options.plugins.iter().flat_map(|wishes| &wishes.categories);
        let share = plan.limit / WISHED_SHARE;
        self.take_categories(&mut plan, wished, share, &mut warnings);
        if terse {
            selection::climb(self, &mut plan, usage, &pinned);
        } else {
            selection::place_evenly(self, &mut plan, level_of(options.detail), usage);
        }
        let rest = plan.left();
        plan.list_sources(rest);
        describe_sources(self, &mut plan);
        let is_complete = plan.shown == view.total && plan.blocks.iter().all(|block| block.names == 0);
        // One that had no room at its turn may have found some since: it stands among the pinned all the same.
        let pinned = selection::shown_pins(&plan, &places, options);
        let catalog = print::catalog(self, &plan, &pinned, is_complete, options.detail, warnings);
        self.forget_signatures(|slot| plan.level(slot) == Level::Full);
        catalog
    }

    /// The catalog that shows everything, where it fits.
    fn complete(&mut self, view: &View, options: &Options, pins: &[Pin]) -> Option<Catalog> {
        if view.total == 0 {
            return Some(Catalog { complete: true, categories: counts(options, |_| 0), ..Catalog::default() });
        }
        let level = level_of(options.detail);
        let terse = options.detail == Detail::Adaptive;
        let mut plan = Plan::new(view, options.budget, self.entries.len(), terse);
        let first = head(view.total, view.total, view.sources.len(), true, options.detail);
        if !plan.spend(text::length(&first)) {
            return None;
        }
        let pinned = selection::within_limits(&places(view, pins), options, |_| true);
        let is_pinned: HashSet<u32> = pinned.iter().map(|pin| pin.slot).collect();
        let is_shown = |slot, listing| listing == Listing::Open || is_pinned.contains(&slot);
        let mut tools = view.sources.iter().flat_map(|source| &source.tools);
        if tools.any(|(slot, listing)| !is_shown(*slot, *listing)) || !self.may_fit(view, level, plan.left()) {
            return None;
        }
        for (at, source) in view.sources.iter().enumerate() {
            for (slot, _) in &source.tools {
                let own = own_cost(self, *slot, level);
                if !plan.raise(*slot, at, level, own, 0) {
                    return None;
                }
            }
        }
        describe_sources(self, &mut plan);
        let empty = options.all_categories().filter(|category| self.held(view, category).is_empty());
        let warnings = empty.map(holds_nothing).collect();
        let mut catalog = print::catalog(self, &plan, &pinned, true, options.detail, warnings);
        catalog.categories = counts(options, |_| 0);
        self.forget_signatures(|_| true);
        Some(catalog)
    }

    /// Whether the lines of all tools may fit, found without writing more of them than it takes.
    fn may_fit(&mut self, view: &View, level: Level, room: usize) -> bool {
        let is_full = level == Level::Full;
        let slots = || view.sources.iter().flat_map(|source| &source.tools).map(|(slot, _)| *slot);
        let mut least: usize = slots().map(|slot| self.at_least(slot, is_full).0 as usize).sum();
        least <= room
            && slots().all(|slot| {
                least -= self.at_least(slot, is_full).0 as usize;
                least += self.exactly(slot, is_full) as usize;
                least <= room
            })
    }

    /// The visible tools that a category holds.
    fn held(&self, view: &View, category: &Category) -> Vec<u32> {
        // A source's tools stand together, by a name or by an id, and several sources may have the name.
        let sources = view.sources.iter().filter(|source| {
            let first = source.tools.first().map(|(slot, _)| &self.entry(*slot).tool.origin);
            first.is_some_and(|origin| [&*origin.name, &*origin.source].contains(&&*category.namespace))
        });
        let tools = sources.flat_map(|source| &source.tools).map(|(slot, _)| *slot);
        tools.filter(|slot| category.holds(&self.entry(*slot).tool.member)).collect()
    }

    /// Sets room aside for the lines of categories, `share` characters at most.
    fn take_categories<'c>(
        &self,
        plan: &mut Plan<'_>,
        categories: impl Iterator<Item = &'c Category>,
        mut share: usize,
        warnings: &mut Vec<String>,
    ) {
        for category in categories {
            let holds = self.held(plan.view, category);
            if holds.is_empty() {
                warnings.push(holds_nothing(category));
            }
            let line = plan.add_category(Arc::new(category.clone()), &holds, share);
            share -= line.reserved.unwrap_or(0);
            if line.unshown > 0 && line.reserved.is_none() {
                let budget = plan.limit / 4;
                warnings.push(format!(
                    "budget `{budget}` has no room for the line of category `{}/{}`; raise it or shorten the description",
                    category.namespace, category.name
                ));
            }
        }
        plan.settle_categories();
    }
}

/// Where pins are in the view; one that is not visible is skipped.
fn places(view: &View, pins: &[Pin]) -> Vec<Place> {
    if pins.is_empty() {
        return Vec::new();
    }
    let mut sources = HashMap::with_capacity(view.total);
    for (at, source) in view.sources.iter().enumerate() {
        sources.extend(source.tools.iter().map(|(slot, _)| (*slot, at)));
    }
    pins.iter()
        .filter_map(|Pin { slot, party }| Some(Place { slot: *slot, source: *sources.get(slot)?, party: *party }))
        .collect()
}

fn holds_nothing(category: &Category) -> String {
    format!(
        "category `{}/{}` holds no tool here; check its `namespace` and its `match` `{}`",
        category.namespace,
        category.name,
        category.pattern()
    )
}

/// The categories of the options where no line of theirs is printed.
fn counts(options: &Options, unshown: impl Fn(&Category) -> usize) -> Vec<CategoryCount> {
    let count = |category: &Category| CategoryCount {
        namespace: category.namespace.to_string(),
        name: category.name.to_string(),
        unshown: unshown(category),
    };
    options.all_categories().map(count).collect()
}

/// Spends what is left on counts that have no room yet, and on what sources say of themselves.
fn describe_sources(index: &CatalogIndex, plan: &mut Plan<'_>) {
    for at in 0..plan.blocks.len() {
        let (source, block) = (&plan.view.sources[at], &plan.blocks[at]);
        let (all, there) = (source.tools.len(), block.lines + block.names);
        // Where everything is there, a count says little.
        if plan.terse && block.is_open() && there < all {
            plan.blocks[at].counted = plan.spend(count_note(there, all).len());
        }
    }
    for at in 0..plan.blocks.len() {
        let (source, block) = (&plan.view.sources[at], &plan.blocks[at]);
        if !block.is_open() {
            continue;
        }
        let note = source_note(source.description(index));
        let needs_count = plan.terse && !block.counted;
        let (all, there) = (source.tools.len(), block.lines + block.names);
        let count = if needs_count { count_note(there, all).len() } else { 0 };
        if !note.is_empty() && plan.spend(text::length(&note) + count) {
            plan.blocks[at].counted |= needs_count;
            plan.blocks[at].note = note;
        }
    }
}
