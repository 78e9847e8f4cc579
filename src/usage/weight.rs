//! What counts weigh: recent uses more, and no session more than a bounded weight per tool.

use std::sync::Arc;

use parking_lot::Mutex;

use super::{Tool, UsageLog, Uses};
use crate::catalog::Weights;

/// What one session can add to one tool's weight: a program that calls a tool a thousand times says little more than
/// that it was needed, and then again.
pub const MOST_PER_SESSION: f64 = 2.0;

/// In milliseconds.
pub(super) const DAY: f64 = 86_400_000.0;

/// A sum is made anew each time the newest use has gone on by so many half-lives; until then it only scales, and a float
/// holds it.
const HALF_LIVES_PER_ANCHOR: f64 = 32.0;

/// What a tool's uses weighed at one moment, kept until they change: nearly every search follows a call, and a call
/// changes one tool.
#[derive(Debug, Default)]
pub(super) struct Sum(Mutex<Option<(i64, f64)>>);

impl Clone for Sum {
    fn clone(&self) -> Self {
        Self(Mutex::new(*self.0.lock()))
    }
}

/// The time that a use is taken to be of. A clock that is an hour fast is off by an hour, and one that is a century fast
/// makes a use worthless and not the newest for good.
fn dated(last: i64, now: i64) -> i64 {
    if last <= now { last } else { now.saturating_sub(last.saturating_sub(now)) }
}

impl UsageLog {
    /// The used tools with their weights, heaviest first, equals by id.
    ///
    /// A session adds the number of its uses, [`MOST_PER_SESSION`] at most, halved for every half-life between its
    /// last use and the newest use of all. So a weight depends on what was recorded and not on when it is asked for. A
    /// use dated later than `now` (milliseconds since 1970) counts as one that is as long ago as it is ahead.
    ///
    /// Costs a look at each tool, and at each use of those that changed since it was last asked.
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
        let newest = self.tools.values().map(|tool| tool.newest(now)).max().unwrap_or(now);
        // It follows from what is counted alone, so that equal logs have equal weights, whatever was asked before.
        let anchor = self.anchor(newest);
        let scale = self.growth(anchor, newest);
        let weight = |tool: &Tool| self.sum(tool, anchor, now) / scale;
        self.tools.iter().map(|(id, tool)| (Arc::clone(id), weight(tool))).collect()
    }

    fn anchor(&self, newest: i64) -> i64 {
        #[expect(clippy::cast_possible_truncation, reason = "a span past every date saturates")]
        let span = (HALF_LIVES_PER_ANCHOR * self.half_life_days * DAY) as i64;
        let span = span.max(1);
        newest.div_euclid(span).saturating_mul(span)
    }

    /// What a use at `to` weighs, where one at `from` weighs 1.
    fn growth(&self, from: i64, to: i64) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a fraction of a millisecond of age changes nothing")]
        let days = to.saturating_sub(from) as f64 / DAY;
        if days == 0.0 { 1.0 } else { (days / self.half_life_days).exp2() }
    }

    fn sum(&self, tool: &Tool, anchor: i64, now: i64) -> f64 {
        // The uses of a wrong clock get older and newer as time goes by.
        if tool.latest > now {
            return self.summed(&tool.uses, anchor, now);
        }
        let mut kept = tool.sum.0.lock();
        match *kept {
            Some((of, sum)) if of == anchor => sum,
            _ => kept.insert((anchor, self.summed(&tool.uses, anchor, now))).1,
        }
    }

    fn summed(&self, uses: &Uses, anchor: i64, now: i64) -> f64 {
        let weight = |count: u32, last: i64| f64::from(count).min(MOST_PER_SESSION) * self.growth(anchor, last);
        let mut sum = 0.0;
        let mut open: Option<(u64, u32, i64)> = None;
        for (&(session, _), cell) in uses {
            let last = dated(cell.last, now);
            open = match open {
                Some((before, count, latest)) if before == session => {
                    Some((session, count.saturating_add(cell.count), latest.max(last)))
                }
                ended => {
                    sum += ended.map_or(0.0, |(_, count, last)| weight(count, last));
                    Some((session, cell.count, last))
                }
            };
        }
        sum + open.map_or(0.0, |(_, count, last)| weight(count, last))
    }
}

impl Tool {
    /// The time of its newest use.
    fn newest(&self, now: i64) -> i64 {
        if self.latest <= now {
            return self.latest;
        }
        self.uses.values().map(|cell| dated(cell.last, now)).max().unwrap_or(now)
    }
}
