//! Brings words to terms: stop words are left out, the rest is stemmed.

use std::fmt;
use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::{DefaultHashBuilder, HashTable};
use rust_stemmers::{Algorithm, Stemmer};

use super::stop::is_stop;
use super::vocabulary::{TermId, Vocabulary};

/// Brings words to terms, and remembers those it has seen.
pub struct Stems {
    stemmer: Stemmer,
    /// Every word and term it remembers, end to end, so that forgetting them leaves no holes in memory.
    texts: String,
    known: HashTable<Known>,
    hasher: DefaultHashBuilder,
}

/// Where a word and its term stand; the empty term is a stop word's.
struct Known {
    word: Range<u32>,
    term: Range<u32>,
    /// The term's number in the vocabulary, as long as the vocabulary's epoch is this one.
    number: TermId,
    epoch: u64,
}

impl Default for Stems {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            texts: String::new(),
            known: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }
}

impl fmt::Debug for Stems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Stems").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

fn part<'a>(texts: &'a str, range: &Range<u32>) -> &'a str {
    &texts[range.start as usize..range.end as usize]
}

/// Snowball's English, with one of its later rules: in `adding` and `odder` the doubled consonant is the word's own.
fn stem_of(stemmer: &Stemmer, word: &str) -> String {
    let stem = stemmer.stem(word);
    match *stem.as_bytes() {
        [b'a' | b'e' | b'o', last] if word.starts_with(&*stem) && word.as_bytes().get(2) == Some(&last) => {
            word[..3].to_owned()
        }
        _ => stem.into_owned(),
    }
}

impl Stems {
    /// Forgets what it has seen where that is more than `kept` words.
    pub fn trim(&mut self, kept: usize) {
        if self.known.len() > kept {
            self.known = HashTable::new();
            self.texts = String::new();
        }
    }

    /// The term of a word in lower case; `None` for a stop word.
    pub fn term(&mut self, word: &str) -> Option<&str> {
        let hash = self.hasher.hash_one(word);
        let found = self.known.find(hash, |known| part(&self.texts, &known.word) == word);
        let term = found.map(|known| known.term.clone());
        let term = term.unwrap_or_else(|| self.learn(word, hash));
        Some(part(&self.texts, &term)).filter(|term| !term.is_empty())
    }

    /// The number of a word's term in a vocabulary, always the same one, which learns it; `None` for a stop word.
    pub fn number(&mut self, word: &str, vocabulary: &mut Vocabulary) -> Option<TermId> {
        let hash = self.hasher.hash_one(word);
        let texts = &self.texts;
        let Some(known) = self.known.find_mut(hash, |known| part(texts, &known.word) == word) else {
            let term = self.learn(word, hash);
            return (!term.is_empty()).then(|| vocabulary.intern(part(&self.texts, &term)));
        };
        if known.term.is_empty() {
            return None;
        }
        if known.epoch != vocabulary.epoch() {
            known.number = vocabulary.intern(part(texts, &known.term));
            known.epoch = vocabulary.epoch();
        }
        Some(known.number)
    }

    fn learn(&mut self, word: &str, hash: u64) -> Range<u32> {
        let word_range = self.keep(word);
        let term = if is_stop(word) {
            0..0
        } else {
            let stem = stem_of(&self.stemmer, word);
            if stem == word { word_range.clone() } else { self.keep(&stem) }
        };
        let known = Known { word: word_range, term: term.clone(), number: 0, epoch: 0 };
        let (texts, hasher) = (&self.texts, &self.hasher);
        self.known.insert_unique(hash, known, |known| hasher.hash_one(part(texts, &known.word)));
        term
    }

    fn keep(&mut self, text: &str) -> Range<u32> {
        let end = |texts: &str| u32::try_from(texts.len()).expect("words are forgotten long before 4 GB");
        let start = end(&self.texts);
        self.texts.push_str(text);
        start..end(&self.texts)
    }
}

#[cfg(test)]
mod tests {
    use super::Stems;

    #[test]
    fn what_is_done_to_a_word_is_the_same_word() {
        let mut stems = Stems::default();
        for (word, forms) in [
            ("add", ["adds", "adding", "added"]),
            ("err", ["errs", "erring", "erred"]),
            ("run", ["runs", "running", "run"]),
            ("plan", ["plans", "planning", "planned"]),
            ("create", ["creates", "creating", "created"]),
        ] {
            let term = stems.term(word).map(str::to_owned);
            assert!(term.is_some(), "{word}");
            for form in forms {
                assert_eq!(stems.term(form).map(str::to_owned), term, "{form}");
            }
        }
    }
}
