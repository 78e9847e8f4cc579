//! Tolerance for words that are misspelt or cut short; asked only where no tool has the word as it was written.

use rapidfuzz::distance::osa;

use super::vocabulary::{Shape, TermId, Vocabulary};

/// Terms taken for one misspelt word.
const MOST: usize = 3;
/// Bytes of the shortest term that a misspelt word is taken for.
const SHORTEST: usize = 4;

/// Letters that may differ in a word of so many: none in a short one, where a slip makes another word.
const fn slips(length: usize) -> u8 {
    match length {
        0..SHORTEST => 0,
        SHORTEST..=7 => 1,
        _ => 2,
    }
}

/// The known terms that are nearest to an unknown one, in the order of their texts; where none is near, the shortest
/// that it begins. The first letter is held to be right.
pub(super) fn near(word: &str, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut allowed = slips(word.len());
    if allowed == 0 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let own = Shape::of(word);
    let comparator = osa::BatchComparator::new(word.bytes());
    let mut found: Vec<(&str, TermId)> = Vec::new();
    let mut longer: Vec<(usize, &str, TermId)> = Vec::new();
    for (term, shape) in vocabulary.shapes() {
        if own.may_begin(shape) && found.is_empty() {
            let text = vocabulary.text(term);
            if text.starts_with(word) {
                longer.push((text.len(), text, term));
            }
        }
        if !own.may_be_near(shape, allowed) {
            continue;
        }
        let text = vocabulary.text(term);
        if text.len() < SHORTEST {
            continue;
        }
        let cutoff = osa::Args::default().score_cutoff(usize::from(allowed));
        if let Some(distance) = comparator.distance_with_args(text.bytes(), &cutoff) {
            let distance = u8::try_from(distance).unwrap_or(u8::MAX);
            if distance < allowed {
                allowed = distance;
                found.clear();
            }
            found.push((text, term));
        }
    }
    if found.is_empty() {
        longer.sort_unstable();
        return longer.into_iter().take(MOST).map(|(_, _, term)| term).collect();
    }
    found.sort_unstable();
    found.truncate(MOST);
    found.into_iter().map(|(_, term)| term).collect()
}
