//! The ranking.

use super::index::SearchIndex;
use super::lookup::bare;
use super::query::Query;
use super::vocabulary::{Stems, TermId};

/// Room for one search, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub stems: Stems,
    scores: Vec<f32>,
    named: Vec<f32>,
    matched: Vec<f32>,
    concept: Vec<f32>,
    touched: Vec<u32>,
}

/// A tool that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Its slot.
    pub slot: u32,
    /// How well it fits; comparable within one search only.
    pub score: f32,
}

/// Some of the tools that were found, best first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Those from `offset` on, `limit` at most.
    pub hits: Vec<Hit>,
    /// How many were found in all.
    pub total: usize,
}

impl SearchIndex {
    /// Finds the tools that fit `query` best among those that `visible` admits.
    pub fn search(
        &self,
        query: &str,
        visible: impl Fn(u32) -> bool,
        limit: usize,
        offset: usize,
        prior: Option<&dyn Fn(u32) -> f32>,
    ) -> Page {
        let mut scratch = self.scratch.lock();
        let scratch = &mut *scratch;
        let setting = &self.setting;
        let asked = Query::read(query, self, &mut scratch.stems);
        scratch.stems.trim();
        let Scratch { scores, named, matched, concept, touched, .. } = scratch;
        let room = self.entries.len();
        for buffer in [&mut *scores, named, matched, concept] {
            if buffer.len() < room {
                buffer.resize(room, 0.0);
            }
        }
        let mut whole = 0.0;
        for part in &asked.concepts {
            let mut most: f32 = 0.0;
            for &(term, share) in &part.terms {
                let idf = self.idf(term).powf(setting.idf_power) * share * part.weight;
                most = most.max(idf);
                for posting in self.vocabulary.postings(term) {
                    let slot = posting.slot as usize;
                    if scores[slot] == 0.0 {
                        touched.push(posting.slot);
                    }
                    scores[slot] += idf * posting.impact();
                    matched[slot] += idf;
                    if posting.in_name() {
                        named[slot] += idf;
                    }
                }
            }
            whole += most;
        }
        let mut hits: Vec<Hit> = Vec::with_capacity(touched.len());
        for &slot in touched.iter() {
            let at = slot as usize;
            let (score, name, own) = (scores[at], named[at], matched[at]);
            (scores[at], named[at], matched[at]) = (0.0, 0.0, 0.0);
            if !visible(slot) {
                continue;
            }
            let Some(entry) = &self.entries[at] else { continue };
            let mut value = score;
            if name > 0.0 {
                let all: f32 =
                    entry.terms[..entry.name_terms as usize].iter().map(|&term| self.idf(term).powf(setting.idf_power)).sum();
                value += setting.name_coverage * name * (name / all).min(1.0).powf(setting.coverage_power);
            }
            value *= (own / whole).min(1.0).powf(setting.match_power);
            if let Some(prior) = prior {
                value *= 1.0 + setting.prior * prior(slot);
            }
            hits.push(Hit { slot, score: value });
        }
        touched.clear();
        let order = |left: &Hit, right: &Hit| {
            right.score.total_cmp(&left.score).then_with(|| self.id(left.slot).cmp(self.id(right.slot)))
        };
        if setting.source_smoothing > 0.0 {
            let mut best = vec![(0.0f32, 0u32); self.sources.counts.len()];
            for hit in &hits {
                let source = self.entries[hit.slot as usize].as_ref().map_or(0, |entry| entry.source) as usize;
                best[source].0 += hit.score;
                best[source].1 += 1;
            }
            for hit in &mut hits {
                let source = self.entries[hit.slot as usize].as_ref().map_or(0, |entry| entry.source) as usize;
                #[expect(clippy::cast_precision_loss)]
                {
                    let mean = best[source].0 / (self.sources.counts[source] as f32 + setting.feedback);
                    hit.score += setting.source_smoothing * mean;
                }
            }
        }
        hits.sort_unstable_by(order);
        let _ = bare;
        let total = hits.len();
        Page { hits: hits.into_iter().skip(offset).take(limit).collect(), total }
    }

    /// The id of the tool under a slot; empty where there is none.
    #[must_use]
    pub fn id(&self, slot: u32) -> &str {
        self.entries.get(slot as usize).and_then(Option::as_ref).map_or("", |entry| &entry.id)
    }

    /// How much it tells that a tool has a term.
    #[expect(clippy::cast_precision_loss, reason = "counts of tools")]
    pub(super) fn idf(&self, term: TermId) -> f32 {
        let with = self.vocabulary.postings(term).len() as f32;
        (1.0 + (self.size as f32 - with + 0.5) / (with + 0.5)).ln()
    }
}
