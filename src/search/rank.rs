//! The ranking: what a tool's terms, its name and its source are worth for a query.
//!
//! A need's worth in a tool is the sum, over what the need asks for, of how rare the term is and how much it counts
//! in the tool; more where the need covers the tool's name, less where the tool answers to little of the need. A
//! tool's score joins its worth for every need, and adds a share of what its source is worth as a whole. Sums whose
//! order could depend on the order of insertion are made in whole numbers, so that equal inventories give equal
//! scores.

use super::best::Best;
use super::explain::{Explanation, NeedShare, of};
use super::index::SearchIndex;
use super::lookup::Exactness;
use super::posting::Posting;
use super::query::{Concept, Need, Query};
use super::rarity::Rarity;
use super::spread::{Part, spread};
use super::stem::Stems;

/// Hits that [`spread`] may reorder, whatever page is asked for, so that pages part one order.
pub(super) const WINDOW: usize = 40;

/// Words whose stems are remembered from one search to the next.
const STEMS_WHILE_SEARCHING: usize = 8_192;

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its slot.
    pub slot: u32,
    /// How well it fits. Comparable within one query only.
    pub score: f32,
    /// How the query names the tool outright, if it does; such hits come first.
    pub exactness: Exactness,
}

/// Some of the tools that were found, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Those from the offset on, as many as the limit allows.
    pub hits: Vec<Hit>,
    /// How many were found in all.
    pub total: usize,
}

/// How much a tool was used, from 0 (never, or not known) to 1 (most): a nudge between tools that fit alike.
pub type Prior<'a> = &'a dyn Fn(u32) -> f32;

/// What a tool has gathered so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// Of the need at hand.
    score: f32,
    matched: f32,
    named: f32,
    /// Of the concept at hand, whose terms count once: as much as the best of them.
    concept: u32,
    concept_score: f32,
    concept_matched: f32,
    concept_named: f32,
    /// Over the needs, each raised to [`need_worth`].
    total: f32,
}

/// Room for one search, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub stems: Stems,
    tallies: Vec<Tally>,
    touched: Vec<u32>,
    found: Vec<u32>,
    /// What each source's tools are worth together, in units of 2^-16.
    sources: Vec<u64>,
}

/// Worths of needs are joined as the sum of their powers: two halves of a need are worth less than one whole.
pub(super) fn need_worth(worth: f32) -> f32 {
    worth * worth.sqrt().sqrt()
}

/// The inverse of [`need_worth`] over a sum.
pub(super) fn joined_worth(sum: f32) -> f32 {
    sum.powf(0.8)
}

impl SearchIndex {
    /// Finds the tools that fit `query` best among those that `visible` admits, and gives those from `offset` on,
    /// `limit` at most. A tool that the query names outright comes first; an empty query gives every visible tool in
    /// the order of ids. Equal scores are settled by id.
    ///
    /// `visible` and `prior` must not search the index themselves: they are asked while it is at work.
    ///
    /// Cost: in proportion to how many tools have each of the query's words; the first search after a change reads
    /// the whole vocabulary once.
    pub fn search(
        &self,
        query: &str,
        visible: impl Fn(u32) -> bool,
        limit: usize,
        offset: usize,
        prior: Option<Prior<'_>>,
    ) -> Page {
        self.run(query, visible, limit, offset, prior, &mut None)
    }

    /// As [`Self::search`]; notes on the way what the tool of the explanation is worth.
    pub(super) fn run(
        &self,
        query: &str,
        visible: impl Fn(u32) -> bool,
        limit: usize,
        offset: usize,
        prior: Option<Prior<'_>>,
        explained: &mut Option<Explanation>,
    ) -> Page {
        if query.trim().is_empty() {
            return self.browse(visible, limit, offset);
        }
        let rarity = self.rarity();
        let mut scratch = self.scratch.lock();
        let Scratch { stems, tallies, touched, found, sources } = &mut *scratch;
        let asked = Query::read(query, self, stems);
        stems.trim(STEMS_WHILE_SEARCHING);
        tallies.resize(tallies.len().max(self.entries.len()), Tally::default());
        sources.clear();
        sources.resize(self.sources.counts.len(), 0);

        let mut parts: Vec<Part> = Vec::new();
        for (number, need) in (0..).zip(&asked.needs) {
            let whole = self.gather(need, &rarity, tallies, touched, explained);
            for slot in touched.drain(..) {
                let tally = &mut tallies[slot as usize];
                let worth = self.worth(tally, whole, rarity.names[slot as usize]);
                if let Some(explained) = of(explained, slot) {
                    explained.needs.push(NeedShare {
                        worth,
                        covered: (tally.named / rarity.names[slot as usize]).min(1.0),
                        met: (tally.matched / whole).min(1.0),
                    });
                }
                let before = tally.total;
                *tally = Tally { total: before, ..Tally::default() };
                if !visible(slot) {
                    continue;
                }
                if before == 0.0 {
                    found.push(slot);
                }
                tally.total = before + need_worth(worth);
                if asked.needs.len() > 1 {
                    parts.push(Part { slot, need: number, worth });
                }
            }
        }
        for &slot in found.iter() {
            sources[self.source_of(slot)] += units(tallies[slot as usize].total);
        }
        let exact = self.exact(query, &visible);
        let wanted = offset.saturating_add(limit).max(WINDOW);
        let mut best = Best::new(self, wanted);
        let unmatched = exact.iter().filter(|(slot, _)| tallies[*slot as usize].total == 0.0);
        found.extend(unmatched.map(|(slot, _)| *slot));
        let total = found.len();
        for slot in found.drain(..) {
            let mut score = std::mem::take(&mut tallies[slot as usize].total);
            let source = self.setting.source_share * self.source_worth(slot, sources);
            let factor = prior.map_or(1.0, |prior| self.prior_factor(prior(slot)));
            if let Some(explained) = of(explained, slot) {
                explained.source = if score + source > 0.0 { source / (score + source) } else { 0.0 };
                explained.prior = factor;
            }
            score = (score + source) * need_worth(factor);
            let exactness =
                exact.binary_search_by_key(&slot, |(other, _)| *other).map_or(Exactness::None, |at| exact[at].1);
            best.offer(Hit { slot, score, exactness });
        }
        let mut hits = best.finish();
        for hit in &mut hits {
            hit.score = joined_worth(hit.score);
        }
        if asked.needs.len() > 1 {
            self.spread(&parts, &mut hits, asked.needs.len(), tallies);
        }
        Page { hits: hits.into_iter().skip(offset).take(limit).collect(), total }
    }

    /// Brings something for each need to the top of the hits that the query does not name outright.
    fn spread(&self, parts: &[Part], hits: &mut [Hit], needs: usize, tallies: &mut [Tally]) {
        let named = hits.iter().take_while(|hit| hit.exactness != Exactness::None).count();
        let (window, rest) = {
            let end = WINDOW.saturating_sub(named).min(hits.len() - named);
            hits[named..].split_at_mut(end)
        };
        // A tally's concept is free by now; it tells where in the window its tool stands.
        for (place, hit) in (1..).zip(&*window) {
            tallies[hit.slot as usize].concept = place;
        }
        let place = |slot: u32| (tallies[slot as usize].concept as usize).checked_sub(1);
        spread(parts, window, needs, self.setting.spread, place);
        for hit in &*window {
            tallies[hit.slot as usize].concept = 0;
        }
        // What the window's hits have lost, those after it lose too: scores never rise down a page.
        let least = window.last().map_or(f32::MAX, |hit| hit.score);
        for hit in rest {
            hit.score = hit.score.min(least);
        }
    }

    fn browse(&self, visible: impl Fn(u32) -> bool, limit: usize, offset: usize) -> Page {
        let mut slots: Vec<u32> = self.slots().filter(|slot| visible(*slot)).collect();
        slots.sort_unstable_by_key(|slot| self.id(*slot));
        let total = slots.len();
        let hit = |slot| Hit { slot, score: 0.0, exactness: Exactness::None };
        Page { hits: slots.into_iter().skip(offset).take(limit).map(hit).collect(), total }
    }

    /// Adds what a need's terms are worth to each tool that has them; returns what all of it is worth.
    fn gather(
        &self,
        need: &Need,
        rarity: &Rarity,
        tallies: &mut [Tally],
        touched: &mut Vec<u32>,
        explained: &mut Option<Explanation>,
    ) -> f32 {
        let mut whole = 0.0;
        for (number, concept) in (1..).zip(&need.concepts) {
            let base = Self::base(concept, rarity);
            whole += base;
            let single = concept.terms.len() == 1;
            let before = explained.as_ref().map(|explained| tallies[explained.slot as usize].score);
            for &(term, share) in &concept.terms {
                let weight = (rarity.terms[term as usize] * concept.weight).min(base) * share;
                let unit = weight / Posting::FULL;
                for posting in self.vocabulary.postings(term) {
                    let slot = posting.slot;
                    let tally = &mut tallies[slot as usize];
                    if tally.score == 0.0 {
                        touched.push(slot);
                    }
                    let score = unit * posting.impact();
                    let named = if posting.in_name() { weight } else { 0.0 };
                    if single {
                        tally.score += score;
                        tally.matched += weight;
                        tally.named += named;
                    } else {
                        tally.once(number, score, weight, named);
                    }
                }
            }
            if let (Some(explained), Some(before)) = (explained.as_mut(), before) {
                explained.word(concept, tallies[explained.slot as usize].score - before);
            }
        }
        whole
    }

    /// What the first term of a concept is worth; its neighbours are worth no more.
    fn base(concept: &Concept, rarity: &Rarity) -> f32 {
        concept.terms.first().map_or(0.0, |&(term, _)| rarity.terms[term as usize] * concept.weight)
    }

    /// What a tool that gathered so much is worth for a need that is worth `whole`; `name` is what its name's terms
    /// are.
    fn worth(&self, tally: &Tally, whole: f32, name: f32) -> f32 {
        let mut worth = tally.score;
        if tally.named > 0.0 {
            let covered = (tally.named / name).min(1.0);
            worth += self.setting.name_coverage * tally.named * covered * covered;
        }
        // A quarter power, so that a tool that answers to half of the need loses a sixth.
        worth * (tally.matched / whole).min(1.0).sqrt().sqrt()
    }

    /// What the tool's source is worth per tool; few tools count as some more, since one hit of one says little.
    #[expect(clippy::cast_precision_loss, reason = "the sum is of a few digits")]
    fn source_worth(&self, slot: u32, sources: &[u64]) -> f32 {
        let source = self.source_of(slot);
        sources[source] as f32 / UNIT / (self.sources.counts[source] as f32 + self.setting.source_floor)
    }

    fn prior_factor(&self, prior: f32) -> f32 {
        1.0 + self.setting.prior * if prior.is_finite() { prior.clamp(0.0, 1.0) } else { 0.0 }
    }
}

const UNIT: f32 = 65_536.0;

/// A worth in whole units, for sums that must not depend on their order.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a worth is positive and far below 2^47")]
fn units(worth: f32) -> u64 {
    (worth * UNIT) as u64
}

impl Tally {
    /// Counts a term of a concept of several: the concept counts as much as the best of its terms.
    fn once(&mut self, concept: u32, score: f32, matched: f32, named: f32) {
        if self.concept != concept {
            self.concept = concept;
            (self.concept_score, self.concept_matched, self.concept_named) = (0.0, 0.0, 0.0);
        }
        let raise = |sum: &mut f32, known: &mut f32, new: f32| {
            if new > *known {
                *sum += new - *known;
                *known = new;
            }
        };
        raise(&mut self.score, &mut self.concept_score, score);
        raise(&mut self.matched, &mut self.concept_matched, matched);
        raise(&mut self.named, &mut self.concept_named, named);
    }
}
