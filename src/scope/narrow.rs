//! What the host's predicate answered for each source. The predicate itself stays with the host: it is asked from
//! outside, and what it said is kept here until its source's map changes.

use crate::{registry::Registry, source::SourceIndex};
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
    /// Questions without an answer yet, with the version of the map that each is about.
    asked: HashMap<SourceIndex, u32>,
    answers: HashMap<SourceIndex, (u32, Answer)>,
}

impl Narrow {
    /// The answer for a source, where its map is still the one that was asked about. A source that was not asked about
    /// has none, and is closed.
    pub(crate) fn answer(&self, source: SourceIndex, version: u32) -> Option<&Answer> {
        self.answers.get(&source).filter(|(asked, _)| *asked == version).map(|(_, answer)| answer)
    }

    /// Forgets the answers about maps that are no longer the present ones; returns their sources.
    pub(crate) fn forget_outdated(&mut self, registry: &Registry) -> Vec<SourceIndex> {
        let is_outdated = |source: &SourceIndex, asked: u32| registry.source(*source).version != asked;
        self.answers.extract_if(|source, (asked, _)| is_outdated(source, *asked)).map(|(source, _)| source).collect()
    }

    /// Notes that the predicate is being asked about `version` of a source's map.
    pub(crate) fn ask(&mut self, source: SourceIndex, version: u32) {
        self.asked.insert(source, version);
    }

    /// Keeps the answer to a question that still stands; whether it did.
    pub(crate) fn keep(&mut self, source: SourceIndex, version: u32, answer: Answer) -> bool {
        let stands = self.asked.get(&source) == Some(&version);
        if stands {
            self.asked.remove(&source);
            self.answers.insert(source, (version, answer));
        }
        stands
    }

    /// Forgets every answer, so that each source is asked about again; what is being asked is no longer the question.
    pub(crate) fn forget(&mut self) {
        self.asked.clear();
        self.answers.clear();
    }
}
