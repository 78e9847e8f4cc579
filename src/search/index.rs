//! The inverted index: which terms stand in which tools, kept up to date tool by tool.

use std::sync::Arc;

use hashbrown::HashMap;
use parking_lot::Mutex;

use super::document::{Document, Field, summary_end};
use super::lookup::{Lookup, source_name};
use super::numbers::Numbers;
use super::posting::Posting;
use super::rank::Scratch;
use super::rarity::Rarity;
use super::setting::Setting;
use super::stem::Stems;
use super::tokenize::words;
use super::vocabulary::{TermId, Vocabulary};

/// Words whose stems are remembered from one tool to the next; many tools are most often added at once.
const STEMS_WHILE_ADDING: usize = 50_000;

/// A tool as the index knows it.
#[derive(Debug)]
pub(super) struct Entry {
    pub id: Box<str>,
    /// Bytes of the raw name, which the id ends with.
    pub name_length: u32,
    pub exposed: Option<Box<str>>,
    /// The terms of its name, each once.
    pub name_terms: Box<[TermId]>,
    /// All other terms.
    pub other_terms: Numbers,
}

impl Entry {
    pub fn name(&self) -> &str {
        &self.id[self.id.len() - self.name_length as usize..]
    }

    pub fn terms(&self) -> impl Iterator<Item = TermId> {
        self.name_terms.iter().copied().chain(self.other_terms.iter())
    }

    pub fn source(&self) -> &str {
        self.id.get(..self.id.len().saturating_sub(self.name_length as usize + 1)).unwrap_or("")
    }
}

/// A searchable set of tools, each under a slot that the caller gives.
///
/// What it answers is a function of the tools it holds: neither the order in which they came nor what was removed
/// leaves a trace.
#[derive(Debug, Default)]
pub struct SearchIndex {
    pub(super) setting: Setting,
    pub(super) vocabulary: Vocabulary,
    pub(super) entries: Vec<Option<Entry>>,
    /// The number of each tool's source, beside the entries, since every search reads it of every hit.
    pub(super) source_of: Vec<u32>,
    pub(super) lookup: Lookup,
    pub(super) sources: Sources,
    pub(super) size: usize,
    pub(super) scratch: Mutex<Scratch>,
    reading: Reading,
    pub(super) rarity: Mutex<Option<Arc<Rarity>>>,
}

/// Numbers for the sources, with how many tools each has.
#[derive(Debug, Default)]
pub(super) struct Sources {
    numbers: HashMap<Box<str>, u32>,
    pub counts: Vec<u32>,
    free: Vec<u32>,
}

impl Sources {
    fn enter(&mut self, source: &str) -> u32 {
        let number = if let Some(&number) = self.numbers.get(source) {
            number
        } else {
            let number = self.free.pop().unwrap_or_else(|| {
                self.counts.push(0);
                u32::try_from(self.counts.len() - 1).expect("fewer than 2^32 sources")
            });
            self.numbers.insert(source.into(), number);
            number
        };
        self.counts[number as usize] += 1;
        number
    }

    fn leave(&mut self, source: &str) {
        if let Some(&number) = self.numbers.get(source) {
            self.counts[number as usize] -= 1;
            if self.counts[number as usize] == 0 {
                self.numbers.remove(source);
                self.free.push(number);
            }
        }
    }
}

impl SearchIndex {
    /// An empty index.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty index that ranks by other numbers than those that are shipped.
    #[must_use]
    pub fn with_setting(setting: Setting) -> Self {
        Self { setting, ..Self::default() }
    }

    /// How many tools it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Puts a tool under `slot`; one that was there is replaced. Slots are places in a list: memory goes with the
    /// highest.
    pub fn upsert(&mut self, slot: u32, document: &Document<'_>) {
        self.remove(slot);
        let mut reading = std::mem::take(&mut self.reading);
        let stems = &mut self.scratch.get_mut().stems;
        reading.document(document, &self.setting, &mut self.vocabulary, stems);
        stems.trim(STEMS_WHILE_ADDING);
        for term in &reading.terms {
            let impact = term.frequency / (self.setting.saturation + term.frequency);
            self.vocabulary.post(term.term, Posting::new(slot, impact, term.in_name));
        }
        let entry = Entry {
            id: document.id.into(),
            name_length: name_length(document),
            exposed: document.exposed.filter(|exposed| *exposed != document.name).map(Into::into),
            name_terms: reading.terms.iter().filter(|read| read.in_name).map(|read| read.term).collect(),
            other_terms: reading.other_terms(),
        };
        self.reading = reading;
        self.lookup.add(slot, &entry.id, entry.name(), entry.exposed.as_deref());
        let at = slot as usize;
        if at >= self.entries.len() {
            self.entries.resize_with(at + 1, || None);
            self.source_of.resize(at + 1, 0);
        }
        self.source_of[at] = self.sources.enter(document.source());
        self.entries[at] = Some(entry);
        self.size += 1;
        *self.rarity.get_mut() = None;
    }

    /// Takes the tool under `slot` away; whether there was one.
    pub fn remove(&mut self, slot: u32) -> bool {
        let Some(entry) = self.entries.get_mut(slot as usize).and_then(Option::take) else {
            return false;
        };
        for term in entry.terms() {
            self.vocabulary.withdraw(term, slot);
        }
        self.lookup.remove(slot, &entry.id, entry.name(), entry.exposed.as_deref());
        self.sources.leave(entry.source());
        self.size -= 1;
        *self.rarity.get_mut() = None;
        true
    }

    /// The id of the tool under a slot; empty where there is none.
    #[must_use]
    pub fn id(&self, slot: u32) -> &str {
        self.entry(slot).map_or("", |entry| &entry.id)
    }

    pub(super) fn entry(&self, slot: u32) -> Option<&Entry> {
        self.entries.get(slot as usize).and_then(Option::as_ref)
    }

    /// The slots that hold a tool.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.entries).filter(|(_, entry)| entry.is_some()).map(|(slot, _)| slot)
    }

    pub(super) fn source_of(&self, slot: u32) -> usize {
        self.source_of[slot as usize] as usize
    }

    /// Gives back memory that growing left unused; worth a call after many tools were added at once.
    pub fn shrink(&mut self) {
        self.vocabulary.shrink();
        self.scratch.get_mut().stems.trim(0);
        self.entries.shrink_to_fit();
        self.source_of.shrink_to_fit();
    }

    /// The bytes that the index holds, without what the allocator adds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let entries: usize = self
            .entries
            .iter()
            .flatten()
            .map(|entry| {
                entry.id.len()
                    + entry.exposed.as_ref().map_or(0, |exposed| exposed.len())
                    + entry.name_terms.len() * size_of::<TermId>()
                    + entry.other_terms.bytes()
            })
            .sum();
        entries
            + self.source_of.capacity() * size_of::<u32>()
            + self.entries.capacity() * size_of::<Option<Entry>>()
            + self.vocabulary.bytes()
            + self.lookup.bytes()
    }
}

/// How many bytes of its id are a tool's name; all of them where the id does not end with it.
fn name_length(document: &Document<'_>) -> u32 {
    let name = if document.id.ends_with(document.name) { document.name } else { document.id };
    u32::try_from(name.len()).unwrap_or(0)
}

/// One term of the tool that is being read.
#[derive(Debug)]
struct Read {
    term: TermId,
    /// How often it stands there, weighted by field.
    frequency: f32,
    in_name: bool,
}

/// Gathers the terms of a tool; kept from one tool to the next for its room.
#[derive(Debug, Default)]
struct Reading {
    terms: Vec<Read>,
    /// Of each term of the vocabulary, one more than where it stands in `terms`.
    places: Vec<u32>,
    field: Vec<(TermId, bool)>,
    others: Vec<TermId>,
}

impl Reading {
    /// Reads a tool's terms, each once.
    fn document(&mut self, document: &Document<'_>, setting: &Setting, vocabulary: &mut Vocabulary, stems: &mut Stems) {
        self.terms.clear();
        let description = document.description.unwrap_or("");
        let (summary, rest) = description.split_at(summary_end(description));
        for (number, field) in Field::ALL.into_iter().enumerate() {
            let text = match field {
                Field::Name => document.name,
                Field::Title => document.title.unwrap_or(""),
                Field::Summary => summary,
                Field::Description => rest,
                Field::Parameters => &document.schema.parameters,
                Field::ParameterDescriptions => &document.schema.descriptions,
                Field::Values => &document.schema.values,
                Field::Source => source_name(document.source()),
                Field::SourceDescription => document.source_description.unwrap_or(""),
                Field::Category => document.category.unwrap_or(""),
            };
            self.field(text, number, field == Field::Name, setting, vocabulary, stems);
        }
        for read in &self.terms {
            self.places[read.term as usize] = 0;
        }
    }

    /// The terms that are not of the name.
    fn other_terms(&mut self) -> Numbers {
        self.others.clear();
        self.others.extend(self.terms.iter().filter(|read| !read.in_name).map(|read| read.term));
        Numbers::pack(&mut self.others)
    }

    fn field(
        &mut self,
        text: &str,
        number: usize,
        in_name: bool,
        setting: &Setting,
        vocabulary: &mut Vocabulary,
        stems: &mut Stems,
    ) {
        self.field.clear();
        let mut length = 0.0;
        words(text, &mut |word| {
            if let Some(term) = stems.number(word.text, vocabulary) {
                let is_part = word.parts == 0;
                length += if is_part { 1.0 } else { 0.0 };
                self.field.push((term, is_part));
            }
        });
        let share = setting.length[number];
        let weight = setting.weight[number] / (1.0 - share + share * length / setting.pivot[number]);
        self.places.resize(vocabulary.len(), 0);
        for &(term, is_part) in &self.field {
            let in_name = in_name && is_part;
            let place = &mut self.places[term as usize];
            if *place == 0 {
                self.terms.push(Read { term, frequency: weight, in_name });
                *place = u32::try_from(self.terms.len()).unwrap_or(0);
            } else {
                let read = &mut self.terms[*place as usize - 1];
                read.frequency += weight;
                read.in_name |= in_name;
            }
        }
    }
}
