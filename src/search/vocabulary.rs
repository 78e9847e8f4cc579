//! The terms of the index: each a stemmed word with a number of its own, and the tools it stands in.
//!
//! A term that stands in no tool any more is forgotten and its number is given again.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::posting::Posting;

/// A term's number.
pub type TermId = u32;

#[derive(Debug, Default)]
struct Term {
    text: Box<str>,
    postings: Vec<Posting>,
}

/// Every term with its postings.
#[derive(Debug, Default)]
pub struct Vocabulary {
    terms: Vec<Term>,
    /// Of each term, beside the terms themselves, since a misspelt word is compared with all of them.
    shapes: Vec<Shape>,
    free: Vec<TermId>,
    numbers: HashTable<TermId>,
    hasher: DefaultHashBuilder,
    forgotten: u64,
}

/// What tells at a glance that two words are not near each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// A bit for each letter in it; digits and letters of other scripts share one.
    letters: u32,
    /// In bytes, 255 for more.
    length: u8,
    first: u8,
}

impl Shape {
    /// The shape of a word.
    pub fn of(text: &str) -> Self {
        let bit = |byte: u8| 1 << if byte.is_ascii_lowercase() { u32::from(byte - b'a') } else { 26 };
        Self {
            letters: text.bytes().fold(0, |letters, byte| letters | bit(byte)),
            length: u8::try_from(text.len()).unwrap_or(u8::MAX),
            first: text.bytes().next().unwrap_or(0),
        }
    }

    /// Whether a word of this shape may begin one of the other.
    pub fn may_begin(self, other: Self) -> bool {
        self.first == other.first && self.length < other.length && self.letters & !other.letters == 0
    }

    /// Whether words of these shapes may be so many slips apart, with the same first letter.
    pub fn may_be_near(self, other: Self, slips: u8) -> bool {
        // One slip changes two letters at most.
        self.first == other.first
            && self.length.abs_diff(other.length) <= slips
            && (self.letters ^ other.letters).count_ones() <= 2 * u32::from(slips)
    }
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
        let new = Term { text: text.into(), postings: Vec::new() };
        let number = if let Some(number) = self.free.pop() {
            self.terms[number as usize] = new;
            self.shapes[number as usize] = Shape::of(text);
            number
        } else {
            self.terms.push(new);
            self.shapes.push(Shape::of(text));
            TermId::try_from(self.terms.len() - 1).expect("an inventory of fewer than 2^32 words")
        };
        let (terms, hasher) = (&self.terms, &self.hasher);
        self.numbers.insert_unique(hasher.hash_one(text), number, |&term| hasher.hash_one(&*terms[term as usize].text));
        number
    }

    /// Terms keep their numbers as long as this stays the same; never 0.
    pub fn epoch(&self) -> u64 {
        self.forgotten + 1
    }

    /// How many numbers there are, free ones too.
    pub fn len(&self) -> usize {
        self.terms.len()
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
            self.shapes[term as usize] = Shape::default();
            self.free.push(term);
            self.forgotten += 1;
        }
    }

    /// Where a term stands.
    pub fn postings(&self, term: TermId) -> &[Posting] {
        &self.terms[term as usize].postings
    }

    /// In how many tools each term stands, by number; 0 for a number that is free.
    pub fn counts(&self) -> impl Iterator<Item = usize> {
        self.terms.iter().map(|term| term.postings.len())
    }

    /// The text of a term.
    pub fn text(&self, term: TermId) -> &str {
        &self.terms[term as usize].text
    }

    /// The shape of every term, by number; an empty one for a number that is free.
    pub fn shapes(&self) -> impl Iterator<Item = (TermId, Shape)> {
        (0..).zip(self.shapes.iter().copied())
    }

    /// Gives back the memory that growing left unused.
    pub fn shrink(&mut self) {
        for term in &mut self.terms {
            term.postings.shrink_to_fit();
        }
        self.terms.shrink_to_fit();
        self.shapes.shrink_to_fit();
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        let held = |term: &Term| term.text.len() + term.postings.capacity() * size_of::<Posting>();
        self.terms.iter().map(held).sum::<usize>()
            + self.terms.capacity() * size_of::<Term>()
            + self.shapes.capacity() * size_of::<Shape>()
            + self.free.capacity() * size_of::<TermId>()
            + self.numbers.capacity() * (size_of::<TermId>() + 1)
    }
}
