//! What the host's predicate answered for each source. The predicate itself stays with the host: it is asked from
//! outside, and what it said is kept here until its source's map changes.

use crate::source::SourceIndex;
use hashbrown::{HashMap, HashSet};

/// The predicate's word on one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All of it.
    Everything,
    /// Nothing of it.
    Nothing,
    /// These raw names.
    Only(HashSet<String>),
    /// It threw, or returned something else: closed on doubt.
    Failed(String),
}

/// The answers of one session's predicate.
#[derive(Debug, Default)]
pub struct Narrow {
    answers: HashMap<SourceIndex, (u32, Answer)>,
}

impl Narrow {
    /// The answer for a source, where its map is still the one that was asked about. A source that was not asked about
    /// has none, and is closed.
    pub(crate) fn answer(&self, source: SourceIndex, version: u32) -> Option<&Answer> {
        self.answers.get(&source).filter(|(asked, _)| *asked == version).map(|(_, answer)| answer)
    }

    /// Keeps an answer about `version` of a source's map.
    pub(crate) fn keep(&mut self, source: SourceIndex, version: u32, answer: Answer) {
        self.answers.insert(source, (version, answer));
    }

    /// Forgets every answer, so that each source is asked about again.
    pub(crate) fn forget(&mut self) {
        self.answers.clear();
    }
}
