//! What counts weigh: recent uses more, and no session more than a bounded weight per tool.

use std::sync::Arc;

use super::{Sessions, UsageLog};
use crate::catalog::Weights;

/// What one session can add to one tool's weight: a program that calls a tool a thousand times says little more than
/// that it was needed, and then again.
pub const MOST_PER_SESSION: f64 = 2.0;

const DAY: f64 = 86_400_000.0;

impl UsageLog {
    /// The used tools with their weights, heaviest first, equals by id.
    ///
    /// A session adds the number of its uses, [`MOST_PER_SESSION`] at most, halved for every half-life between its
    /// last use and the newest use of all. So a weight depends on what was recorded and not on when it is asked for;
    /// `now` (milliseconds since 1970) only stands in for uses dated later than it.
    #[must_use]
    pub fn rank(&self, limit: Option<usize>, now: i64) -> Vec<(Arc<str>, f64)> {
        let mut all = self.weigh(now);
        all.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        all.truncate(limit.unwrap_or(usize::MAX));
        all
    }

    /// The same as a snapshot that catalogs are made with.
    #[must_use]
    pub fn weights(&self, now: i64) -> Weights {
        Weights::new(self.weigh(now))
    }

    fn weigh(&self, now: i64) -> Vec<(Arc<str>, f64)> {
        let lasts = self.tools.values().flat_map(|sessions| sessions.values());
        let newest = lasts.flat_map(|replicas| replicas.values().map(|cell| cell.last)).max().unwrap_or(now).min(now);
        self.tools.iter().map(|(id, sessions)| (Arc::clone(id), self.weight(sessions, newest))).collect()
    }

    fn weight(&self, sessions: &Sessions, newest: i64) -> f64 {
        sessions
            .values()
            .map(|replicas| {
                let count = replicas.values().fold(0_u32, |sum, cell| sum.saturating_add(cell.count));
                let last = replicas.values().map(|cell| cell.last).max().unwrap_or(newest);
                #[expect(clippy::cast_precision_loss, reason = "a fraction of a millisecond of age changes nothing")]
                let days = newest.saturating_sub(last).max(0) as f64 / DAY;
                f64::from(count).min(MOST_PER_SESSION) * (-days / self.half_life_days).exp2()
            })
            .sum()
    }
}
