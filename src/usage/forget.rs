//! Which counts are too old to weigh anything, so that a log does not grow for good.
//!
//! What is forgotten follows from what is counted. The newest uses always stay, and they alone decide how far back the
//! log reaches; so it does not matter whether copies forget before they are merged, after it, or both.

use std::sync::Arc;

use super::weight::DAY;
use super::{Tool, UsageLog};

/// The counts (of one tool, in one session, by one log) that a log keeps, however old they are: about half a megabyte of a file.
/// So a wrong clock, too, has to count that much before it ages anything.
pub const ALWAYS_KEPT: usize = 10_000;

/// How much older than the newest ones a count is when it goes: then a use weighs a millionth of a new one.
pub const FORGOTTEN_AFTER_HALF_LIVES: f64 = 20.0;

impl UsageLog {
    /// Drops the counts whose last use is [`FORGOTTEN_AFTER_HALF_LIVES`] older than the oldest of the newest
    /// [`ALWAYS_KEPT`]; uses dated later than `now` (milliseconds since 1970) are taken for uses of now. Every write of
    /// a file does it.
    pub fn forget(&mut self, now: i64) {
        let mut lasts: Vec<i64> =
            self.tools.values().flat_map(|tool| tool.uses.values().map(|cell| cell.last.min(now))).collect();
        if lasts.len() <= ALWAYS_KEPT {
            return;
        }
        let (_, oldest_kept, _) = lasts.select_nth_unstable_by(ALWAYS_KEPT - 1, |one, other| other.cmp(one));
        #[expect(clippy::cast_possible_truncation, reason = "a span past every date saturates")]
        let horizon = oldest_kept.saturating_sub((FORGOTTEN_AFTER_HALF_LIVES * self.half_life_days * DAY) as i64);
        let mut changed = false;
        self.tools.retain(|_, tool| {
            if tool.uses.values().all(|cell| cell.last >= horizon) {
                return true;
            }
            changed = true;
            let kept = tool.uses.iter().filter(|(_, cell)| cell.last >= horizon).map(|(key, cell)| (*key, *cell));
            *tool = Tool::new(Arc::new(kept.collect()));
            !tool.uses.is_empty()
        });
        self.version += u64::from(changed);
    }
}
