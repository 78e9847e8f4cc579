//! The terms of the index: each a stemmed word with a number of its own, and the tools it stands in.
//!
//! A term that stands in no tool any more is forgotten and its number is given again.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use rust_stemmers::{Algorithm, Stemmer};

use super::stop::is_stop;

/// A term's number.
pub type TermId = u32;

/// That a term stands in a tool, and how much it counts there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(2))]
pub struct Posting {
    /// The tool's slot.
    pub slot: u32,
    /// Bit 15: the term is of the tool's name. The rest: how much it counts, of [`Posting::FULL`].
    mark: u16,
}

impl Posting {
    const NAME: u16 = 1 << 15;
    /// The mark of a term that counts as much as a term can.
    pub const FULL: f32 = 32_767.0;

    /// A posting that counts `impact`, between 0 and 1.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an impact is between 0 and 1")]
    pub fn new(slot: u32, impact: f32, in_name: bool) -> Self {
        let impact = (impact * Self::FULL).round().clamp(1.0, Self::FULL) as u16;
        Self { slot, mark: impact | if in_name { Self::NAME } else { 0 } }
    }

    /// How much the term counts, between 0 and 1.
    pub fn impact(self) -> f32 {
        f32::from(self.mark & !Self::NAME) / Self::FULL
    }

    /// Whether the term is of the tool's name.
    pub fn in_name(self) -> bool {
        self.mark & Self::NAME != 0
    }
}

#[derive(Debug, Default)]
struct Term {
    text: Box<str>,
    postings: Vec<Posting>,
    /// A bit for each letter in it, so that most terms are known not to be near a misspelt one at a glance.
    letters: u32,
}

/// Every term with its postings.
#[derive(Debug, Default)]
pub struct Vocabulary {
    terms: Vec<Term>,
    free: Vec<TermId>,
    numbers: HashTable<TermId>,
    hasher: DefaultHashBuilder,
}

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
    /// Words remembered from one call to the next.
    const KEPT: usize = 50_000;

    /// Forgets what it has seen where that is a lot.
    pub fn trim(&mut self) {
        if self.known.len() > Self::KEPT {
            self.known = HashMap::new();
        }
    }

    /// The term of a word in lower case; `None` for a stop word.
    pub fn term(&mut self, word: &str) -> Option<&str> {
        if !self.known.contains_key(word) {
            let term = if is_stop(word) { String::new() } else { self.stemmer.stem(word).into_owned() };
            self.known.insert(word.into(), term.into());
        }
        self.known.get(word).map(|term| &**term).filter(|term| !term.is_empty())
    }
}

/// A bit for each letter of a term; digits and letters of other scripts share one.
pub fn letters(text: &str) -> u32 {
    text.bytes().fold(0, |mask, byte| mask | 1 << if byte.is_ascii_lowercase() { u32::from(byte - b'a') } else { 26 })
}

impl Vocabulary {
    /// The number of a known term.
    pub fn find(&self, text: &str) -> Option<TermId> {
        let hash = self.hasher.hash_one(text);
        self.numbers.find(hash, |&term| &*self.terms[term as usize].text == text).copied()
    }

    /// The number of a term, a new one where it is not known.
    pub fn intern(&mut self, text: &str) -> TermId {
        if let Some(term) = self.find(text) {
            return term;
        }
        let new = Term { text: text.into(), postings: Vec::new(), letters: letters(text) };
        let number = if let Some(number) = self.free.pop() {
            self.terms[number as usize] = new;
            number
        } else {
            self.terms.push(new);
            TermId::try_from(self.terms.len() - 1).expect("an inventory of fewer than 2^32 words")
        };
        let (terms, hasher) = (&self.terms, &self.hasher);
        self.numbers.insert_unique(hasher.hash_one(text), number, |&term| hasher.hash_one(&*terms[term as usize].text));
        number
    }

    /// Notes that a term stands in a tool.
    pub fn post(&mut self, term: TermId, posting: Posting) {
        self.terms[term as usize].postings.push(posting);
    }

    /// Takes a tool's posting away, and forgets the term where it was the last one.
    pub fn withdraw(&mut self, term: TermId, slot: u32) {
        let entry = &mut self.terms[term as usize];
        if let Some(at) = entry.postings.iter().position(|posting| posting.slot == slot) {
            entry.postings.swap_remove(at);
        }
        if entry.postings.is_empty() {
            let hash = self.hasher.hash_one(&*entry.text);
            if let Ok(found) = self.numbers.find_entry(hash, |&other| other == term) {
                found.remove();
            }
            self.terms[term as usize] = Term::default();
            self.free.push(term);
        }
    }

    /// Where a term stands.
    pub fn postings(&self, term: TermId) -> &[Posting] {
        &self.terms[term as usize].postings
    }

    /// The text of a term.
    pub fn text(&self, term: TermId) -> &str {
        &self.terms[term as usize].text
    }

    /// Every term with its letters.
    pub fn all(&self) -> impl Iterator<Item = (TermId, u32, &str)> {
        (0..).zip(&self.terms).map(|(number, term)| (number, term.letters, &*term.text))
    }

    /// Gives back the memory that growing left unused.
    pub fn shrink(&mut self) {
        for term in &mut self.terms {
            term.postings.shrink_to_fit();
        }
        self.terms.shrink_to_fit();
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        let terms: usize =
            self.terms.iter().map(|term| term.text.len() + term.postings.capacity() * size_of::<Posting>()).sum();
        terms
            + self.terms.capacity() * size_of::<Term>()
            + self.free.capacity() * size_of::<TermId>()
            + self.numbers.capacity() * (size_of::<TermId>() + 1)
    }
}
