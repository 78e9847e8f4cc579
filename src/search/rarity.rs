//! How much it tells that a tool has a term: the rarer the term, the more.

use std::sync::Arc;

use super::index::SearchIndex;

/// What follows from how many tools have each term; made anew after a change.
#[derive(Debug, Default)]
pub(super) struct Rarity {
    /// Of each term.
    pub terms: Vec<f32>,
    /// Of the terms of each tool's name, together.
    pub names: Vec<f32>,
}

impl SearchIndex {
    /// The rarity of terms and names as they are now.
    pub(super) fn rarity(&self) -> Arc<Rarity> {
        let mut kept = self.rarity.lock();
        if let Some(rarity) = &*kept {
            return Arc::clone(rarity);
        }
        let terms: Vec<f32> = self.vocabulary.counts().map(|count| self.rarity_of(count)).collect();
        let names = self
            .entries
            .iter()
            .map(|entry| {
                entry.as_ref().map_or(0.0, |entry| entry.name_terms.iter().map(|&term| terms[term as usize]).sum())
            })
            .collect();
        let rarity = Arc::new(Rarity { terms, names });
        *kept = Some(Arc::clone(&rarity));
        rarity
    }

    /// How much it tells that a tool has a term that so many have.
    #[expect(clippy::cast_precision_loss, reason = "counts of tools")]
    fn rarity_of(&self, count: usize) -> f32 {
        let information = ((self.size as f32 + 1.0) / (count as f32 + 0.5)).ln();
        // To the power of three quarters: the rarest word of a query is most often a value, not what is asked for.
        information.sqrt() * information.sqrt().sqrt()
    }
}
