//! Reads a query: which terms it asks for, and how much each counts.

use hashbrown::HashMap;

use super::index::SearchIndex;
use super::setting::Setting;
use super::tokenize::words;
use super::typo;
use super::vocabulary::{Stems, TermId};

/// Bytes of a query that are read; a longer one is cut.
const LONGEST: usize = 16 * 1024;
/// Terms of a query that are looked for; the first ones, where there are more.
const MOST: usize = 128;
/// Misspelt words that are looked for, since each costs a walk over the vocabulary.
const MOST_UNKNOWN: usize = 8;

/// Something the query asks for: the terms that say it, each with its part.
#[derive(Debug)]
pub(super) struct Concept {
    pub weight: f32,
    pub terms: Vec<(TermId, f32)>,
}

/// What a query asks for.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub concepts: Vec<Concept>,
}

#[derive(Debug)]
struct Seen {
    text: String,
    count: f32,
}

impl Query {
    /// Reads a query against an index.
    pub fn read(text: &str, index: &SearchIndex, stems: &mut Stems) -> Self {
        let setting = &index.setting;
        let mut seen: Vec<Seen> = Vec::new();
        let mut at: HashMap<String, usize> = HashMap::new();
        for (segment, is_quoted) in quoted(cut(text)) {
            words(segment, &mut |word| {
                let Some(term) = stems.term(word.text) else { return };
                let count = weigh(word.text, word.is_whole, is_quoted, setting);
                if let Some(&known) = at.get(term) {
                    seen[known].count += count;
                } else if seen.len() < MOST {
                    at.insert(term.to_owned(), seen.len());
                    seen.push(Seen { text: term.to_owned(), count });
                }
            });
        }
        let mut unknown = 0;
        let mut concepts = Vec::with_capacity(seen.len());
        for word in &seen {
            let weight = word.count * (setting.query_saturation + 1.0) / (setting.query_saturation + word.count);
            let mut terms = Vec::new();
            if let Some(term) = index.vocabulary.find(&word.text) {
                terms.push((term, 1.0));
            } else if setting.typo > 0.0 && unknown < MOST_UNKNOWN {
                unknown += 1;
                terms.extend(typo::near(&word.text, &index.vocabulary).into_iter().map(|term| (term, setting.typo)));
            }
            if !terms.is_empty() {
                concepts.push(Concept { weight, terms });
            }
        }
        Self { concepts }
    }
}

/// The beginning of a query, as much as is read.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

fn weigh(word: &str, is_whole: bool, is_quoted: bool, setting: &Setting) -> f32 {
    let mut weight = 1.0;
    if is_whole {
        weight *= setting.joined;
    }
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
