//! Reads a query: which terms it asks for, and how much each counts.

use hashbrown::HashMap;

use super::index::SearchIndex;
use super::setting::Setting;
use super::stem::Stems;
use super::synonym;
use super::tokenize::words;
use super::typo;
use super::vocabulary::TermId;

/// Bytes of a query that are read; a longer one is cut.
const LONGEST: usize = 4 * 1024;
/// Terms of a query that are looked for; the first ones, where there are more.
const MOST: usize = 64;
/// Misspelt words that are looked for, since each costs a walk over the vocabulary.
const MOST_UNKNOWN: usize = 8;

/// Something the query asks for: the terms that say it, each with its part.
#[derive(Debug)]
pub(super) struct Concept {
    /// The query's own word, as a term.
    pub word: String,
    pub weight: f32,
    pub terms: Vec<(TermId, f32)>,
}

/// One thing the query wants done.
#[derive(Debug, Default)]
pub(super) struct Need {
    pub concepts: Vec<Concept>,
}

/// What a query asks for.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub needs: Vec<Need>,
}

/// A term of the query, and how much it was said.
#[derive(Debug)]
struct Seen {
    text: String,
    count: f32,
}

impl Query {
    /// Reads a query against an index.
    pub fn read(text: &str, index: &SearchIndex, stems: &mut Stems) -> Self {
        let mut reader = Reader { index, stems, needs: vec![Vec::new()], places: HashMap::new(), left: MOST };
        for (part, is_quoted) in quoted(cut(text)) {
            for (number, sentence) in sentences(part).enumerate() {
                if number > 0 {
                    reader.end_need();
                }
                reader.sentence(sentence, is_quoted);
            }
        }
        reader.join_last();
        let mut unknown = MOST_UNKNOWN;
        let needs = reader.needs.iter().map(|seen| Need { concepts: concepts(seen, index, &mut unknown) }).collect();
        Self { needs }
    }
}

/// Gathers the terms of each need.
struct Reader<'a> {
    index: &'a SearchIndex,
    stems: &'a mut Stems,
    needs: Vec<Vec<Seen>>,
    /// Where each term stands in the last need.
    places: HashMap<String, usize>,
    /// How many more terms are read.
    left: usize,
}

impl Reader<'_> {
    /// Begins a new need, where the last one says enough to be one.
    fn end_need(&mut self) {
        if self.needs.last().is_some_and(|seen| seen.len() >= self.index.setting.need_terms) {
            self.needs.push(Vec::new());
            self.places.clear();
        }
    }

    /// Gives the last need to the one before, where it does not say enough to be one.
    fn join_last(&mut self) {
        let [.., before, last] = &mut self.needs[..] else { return };
        if last.len() >= self.index.setting.need_terms {
            return;
        }
        for word in std::mem::take(last) {
            match before.iter_mut().find(|known| known.text == word.text) {
                Some(known) => known.count += word.count,
                None => before.push(word),
            }
        }
        self.needs.pop();
    }

    fn sentence(&mut self, text: &str, is_quoted: bool) {
        let Self { index, stems, needs, places, left } = self;
        let setting = &index.setting;
        let Some(seen) = needs.last_mut() else { return };
        // Where each word of the sentence was counted, and how much; none for a stop word.
        let mut counted: Vec<Option<(usize, f32)>> = Vec::new();
        words(text, &mut |word| {
            let term = stems.term(word.text);
            if word.parts > 0 {
                if term.is_none_or(|term| index.vocabulary.find(term).is_none()) {
                    return;
                }
                // The name as a whole says more than its parts.
                for (part, count) in counted.iter().rev().take(word.parts).copied().flatten() {
                    seen[part].count -= count * (1.0 - setting.parts);
                }
            }
            let place = term.and_then(|term| {
                places.get(term).copied().or_else(|| {
                    *left = left.checked_sub(1)?;
                    places.insert(term.to_owned(), seen.len());
                    seen.push(Seen { text: term.to_owned(), count: 0.0 });
                    Some(seen.len() - 1)
                })
            });
            let count = weigh(word.text, is_quoted, setting);
            if let Some(place) = place {
                seen[place].count += count;
            }
            counted.push(place.map(|place| (place, count)));
        });
    }
}

/// What the terms of a need ask for: each with what means much the same, or with the nearest where no tool has it.
fn concepts(seen: &[Seen], index: &SearchIndex, unknown: &mut usize) -> Vec<Concept> {
    let Setting { repetition, typo: near, synonym: neighbour, .. } = index.setting;
    let mut concepts = Vec::with_capacity(seen.len());
    for word in seen.iter().filter(|word| word.count > 0.0) {
        let mut terms = Vec::new();
        if let Some(term) = index.vocabulary.find(&word.text) {
            terms.push((term, 1.0));
        } else if let Some(left) = unknown.checked_sub(1) {
            *unknown = left;
            terms.extend(typo::near(&word.text, &index.vocabulary).into_iter().map(|term| (term, near)));
        }
        for text in synonym::neighbours(&word.text) {
            // What the query says itself counts by itself.
            if !seen.iter().any(|other| other.text == text)
                && let Some(term) = index.vocabulary.find(text)
            {
                terms.push((term, neighbour));
            }
        }
        if !terms.is_empty() {
            let weight = word.count * (repetition + 1.0) / (repetition + word.count);
            concepts.push(Concept { word: word.text.clone(), weight, terms });
        }
    }
    concepts
}

/// The sentences of a text: what a full stop and a space, a semicolon or a line's end parts.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let end = (0..bytes.len())
            .find(|&at| match bytes[at] {
                b'\n' | b';' => true,
                b'.' | b'!' | b'?' => bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace),
                0xE3 => rest[at..].starts_with('。'),
                _ => false,
            })
            .map_or(rest.len(), |at| rest.ceil_char_boundary(at + 1));
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// The beginning of a query, as much as is read.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

fn weigh(word: &str, is_quoted: bool, setting: &Setting) -> f32 {
    let mut weight = 1.0;
    if is_quoted {
        weight *= setting.quoted;
    }
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        weight *= setting.digits;
    }
    weight
}

/// The parts of a query with whether they stand in quotes: what does is most often a value, not what is looked for.
fn quoted(text: &str) -> Vec<(&str, bool)> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut open: Option<(usize, char)> = None;
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map_or(' ', |(_, next)| *next);
        match (open, character) {
            (None, '"' | '\'' | '“' | '‘') if !before.is_alphanumeric() && !after.is_whitespace() => {
                let close = match character {
                    '“' => '”',
                    '‘' => '’',
                    same => same,
                };
                open = Some((at + character.len_utf8(), close));
            }
            (Some((from, close)), _) if character == close && !after.is_alphanumeric() && from < at => {
                parts.push((&text[start..from], false));
                parts.push((&text[from..at], true));
                start = at;
                open = None;
            }
            _ => {}
        }
        before = character;
    }
    parts.push((&text[start..], false));
    parts
}
