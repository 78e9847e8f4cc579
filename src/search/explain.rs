//! Why a tool stands where it stands.

use serde::Serialize;

use super::index::SearchIndex;
use super::lookup::Exactness;
use super::query::Concept;
use super::rank::Prior;

/// What a tool's score is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The tool's slot.
    pub slot: u32,
    /// How the query names it outright, if it does.
    pub exactness: Exactness,
    /// The query's words that it answers to, in the query's order.
    pub words: Vec<WordShare>,
    /// What each need is worth that it answers to.
    pub needs: Vec<NeedShare>,
    /// The part of the score that its source's other hits gave, from 0 to 1.
    pub source: f32,
    /// What the score was multiplied by for its use; 1 for none.
    pub prior: f32,
    /// The score, as the hit has it.
    pub score: f32,
}

/// One of the query's words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WordShare {
    /// The word, stemmed.
    pub word: String,
    /// What it is worth in the tool.
    pub worth: f32,
}

/// One of the query's needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NeedShare {
    /// What the tool is worth for it.
    pub worth: f32,
    /// The part of the tool's name that it covers, from 0 to 1.
    pub covered: f32,
    /// The part of it that the tool answers to, from 0 to 1.
    pub met: f32,
}

impl Explanation {
    /// Notes what a word is worth.
    pub(super) fn word(&mut self, concept: &Concept, worth: f32) {
        if worth > 0.0 {
            self.words.push(WordShare { word: concept.word.clone(), worth });
        }
    }
}

/// The explanation, where it is of that tool.
pub(super) fn of(explained: &mut Option<Explanation>, slot: u32) -> Option<&mut Explanation> {
    explained.as_mut().filter(|explained| explained.slot == slot)
}

impl SearchIndex {
    /// Why the tool under `slot` stands where it stands in what [`Self::search`] answers; `None` where it is not
    /// found.
    pub fn explain(
        &self,
        query: &str,
        visible: impl Fn(u32) -> bool,
        slot: u32,
        prior: Option<Prior<'_>>,
    ) -> Option<Explanation> {
        self.entry(slot)?;
        let (words, needs) = (Vec::new(), Vec::new());
        let mut explained =
            Some(Explanation { slot, exactness: Exactness::None, words, needs, source: 0.0, prior: 1.0, score: 0.0 });
        let page = self.run(query, visible, self.len(), 0, prior, &mut explained);
        let hit = page.hits.into_iter().find(|hit| hit.slot == slot)?;
        explained.map(|explained| Explanation { exactness: hit.exactness, score: hit.score, ..explained })
    }
}
