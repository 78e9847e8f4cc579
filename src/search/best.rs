//! The best of many hits, without sorting them all.

use std::cmp::Ordering;

use super::index::SearchIndex;
use super::rank::Hit;

/// Keeps the best hits of many.
pub(super) struct Best<'a> {
    index: &'a SearchIndex,
    wanted: usize,
    hits: Vec<Hit>,
    /// What is worse than this hit is none of the best.
    worst: Option<Hit>,
}

impl<'a> Best<'a> {
    pub fn new(index: &'a SearchIndex, wanted: usize) -> Self {
        Self { index, wanted, hits: Vec::new(), worst: None }
    }

    fn order(index: &SearchIndex, left: &Hit, right: &Hit) -> Ordering {
        (right.exactness.cmp(&left.exactness))
            .then_with(|| right.score.total_cmp(&left.score))
            .then_with(|| index.id(left.slot).cmp(index.id(right.slot)))
    }

    pub fn offer(&mut self, hit: Hit) {
        if self.worst.is_some_and(|worst| Self::order(self.index, &hit, &worst).is_gt()) {
            return;
        }
        self.hits.push(hit);
        if self.hits.len() >= self.wanted.saturating_mul(2) {
            let index = self.index;
            let (_, worst, _) =
                self.hits.select_nth_unstable_by(self.wanted - 1, |left, right| Self::order(index, left, right));
            self.worst = Some(*worst);
            self.hits.truncate(self.wanted);
        }
    }

    pub fn finish(mut self) -> Vec<Hit> {
        let index = self.index;
        self.hits.sort_unstable_by(|left, right| Self::order(index, left, right));
        self.hits.truncate(self.wanted);
        self.hits
    }
}
