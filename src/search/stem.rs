//! Brings words to terms: stop words are left out, the rest is stemmed.

use hashbrown::HashMap;
use rust_stemmers::{Algorithm, Stemmer};

use super::stop::is_stop;

/// Brings words to terms, and remembers those it has seen.
pub struct Stems {
    stemmer: Stemmer,
    /// The empty term is a stop word's.
    known: HashMap<Box<str>, Box<str>>,
}

impl std::fmt::Debug for Stems {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Stems").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl Default for Stems {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English), known: HashMap::new() }
    }
}

impl Stems {
    /// Forgets what it has seen where that is more than `kept` words.
    pub fn trim(&mut self, kept: usize) {
        if self.known.len() > kept {
            self.known = HashMap::new();
        }
    }

    /// The term of a word in lower case; `None` for a stop word.
    pub fn term(&mut self, word: &str) -> Option<&str> {
        if !self.known.contains_key(word) {
            let term =
                if is_stop(word) { String::new() } else { self.stemmer.stem(word).into_owned() };
            self.known.insert(word.into(), term.into());
        }
        self.known.get(word).map(|term| &**term).filter(|term| !term.is_empty())
    }
}
