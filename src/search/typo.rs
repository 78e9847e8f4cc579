//! Tolerance for misspelt words; asked only where no tool has the word as it was written.

use rapidfuzz::distance::osa;

use super::vocabulary::{TermId, Vocabulary, letters};

/// Terms taken for one misspelt word.
const MOST: usize = 3;

/// Letters that may differ in a word of so many: none in a short one, where a slip makes another word.
const fn slips(length: usize) -> usize {
    match length {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The known terms that are nearest to an unknown one, in the order of their texts.
pub(super) fn near(word: &str, vocabulary: &Vocabulary) -> Vec<TermId> {
    let mut allowed = slips(word.len());
    if allowed == 0 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Vec::new();
    }
    let own = letters(word);
    let comparator = osa::BatchComparator::new(word.bytes());
    let mut found: Vec<(TermId, &str)> = Vec::new();
    for (term, mask, text) in vocabulary.all() {
        // One slip changes two letters of the mask at most.
        if (own ^ mask).count_ones() as usize > 2 * allowed || text.len().abs_diff(word.len()) > allowed || text.len() < 4 {
            continue;
        }
        // The first letter is seldom the wrong one.
        if text.as_bytes()[0] != word.as_bytes()[0] {
            continue;
        }
        let cutoff = osa::Args::default().score_cutoff(allowed);
        if let Some(distance) = comparator.distance_with_args(text.bytes(), &cutoff) {
            if distance < allowed {
                allowed = distance;
                found.clear();
            }
            found.push((term, text));
        }
    }
    found.sort_unstable_by_key(|(_, text)| *text);
    found.truncate(MOST);
    found.into_iter().map(|(term, _)| term).collect()
}
