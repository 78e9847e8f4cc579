//! The log of slots whose verdict may have changed, from which each session catches up at its own pace.

use super::Slot;

/// A bounded log; a reader that fell behind its start must look at everything.
#[derive(Debug, Default)]
pub struct ChangeLog {
    start: u64,
    slots: Vec<Slot>,
}

/// Past this many entries a reader is better served by looking at everything.
const MAX_ENTRIES: usize = 1 << 16;

impl ChangeLog {
    /// Notes a change.
    pub(crate) fn push(&mut self, slot: Slot) {
        if self.slots.len() >= MAX_ENTRIES {
            self.start += self.slots.len() as u64;
            self.slots.clear();
        }
        self.slots.push(slot);
    }

    /// Where the log ends now: what a reader remembers.
    pub(crate) const fn end(&self) -> u64 {
        self.start + self.slots.len() as u64
    }

    /// What came since `cursor`; `None` where that is no longer known.
    pub(crate) fn since(&self, cursor: u64) -> Option<&[Slot]> {
        let skip = usize::try_from(cursor.checked_sub(self.start)?).ok()?;
        self.slots.get(skip..)
    }
}
