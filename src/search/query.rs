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

#[derive(Debug)]
struct Seen {
    text: String,
    count: f32,
}

impl Query {
    /// Reads a query against an index.
    pub fn read(text: &str, index: &SearchIndex, stems: &mut Stems) -> Self {
        let setting = &index.setting;
        let mut needs: Vec<Vec<Seen>> = vec![Vec::new()];
        let mut at: HashMap<String, usize> = HashMap::new();
        let mut budget = MOST;
        for (segment, is_quoted) in quoted(cut(text)) {
            for (number, sentence) in sentences(segment).enumerate() {
                let last = needs.len() - 1;

                if number > 0 && needs[last].len() >= setting.need_terms {
                    needs.push(Vec::new());
                    at.clear();
                }
                let last = needs.len() - 1;
                let seen = &mut needs[last];
                let mut recent: Vec<Option<(usize, f32)>> = Vec::new();
                words(sentence, &mut |word| {
                    let Some(term) = stems.term(word.text) else {
                        recent.push(None);
                        return;
                    };
                    if word.parts > 0 {
                        if index.vocabulary.find(term).is_none() {
                            return;
                        }
                        // The name as a whole says more than its parts.
                        for (part, count) in recent.iter().rev().take(word.parts).copied().flatten() {
                            seen[part].count -= count * (1.0 - setting.parts);
                        }
                    }
                    let count = weigh(word.text, is_quoted, setting);
                    if count == 0.0 {
                        return;
                    }
                    if let Some(&known) = at.get(term) {
                        seen[known].count += count;
                        recent.push(Some((known, count)));
                    } else if budget > 0 {
                        budget -= 1;
                        recent.push(Some((seen.len(), count)));
                        at.insert(term.to_owned(), seen.len());
                        seen.push(Seen { text: term.to_owned(), count });
                    }
                });
            }
        }
        let last = needs.len() - 1;

        if last > 0 && needs[last].len() < setting.need_terms {
            let rest = needs.pop().unwrap_or_default();
            for word in rest {
                if let Some(known) = needs[last - 1].iter_mut().find(|known| known.text == word.text) {
                    known.count += word.count;
                } else {
                    needs[last - 1].push(word);
                }
            }
        }
        let mut unknown = 0;
        let needs = needs.into_iter().map(|seen| Need { concepts: concepts(&seen, index, &mut unknown) }).collect();
        Self { needs }
    }
}

fn concepts(seen: &[Seen], index: &SearchIndex, unknown: &mut usize) -> Vec<Concept> {
    let setting = &index.setting;
    let mut concepts = Vec::with_capacity(seen.len());
    for word in seen.iter().filter(|word| word.count > 0.0) {
        let weight = word.count * (setting.repetition + 1.0) / (setting.repetition + word.count);
        let mut terms = Vec::new();
        if let Some(term) = index.vocabulary.find(&word.text) {
            terms.push((term, 1.0));
        } else if setting.typo > 0.0 && *unknown < MOST_UNKNOWN {
            *unknown += 1;
            terms.extend(typo::near(&word.text, &index.vocabulary).into_iter().map(|term| (term, setting.typo)));
        }
        if setting.synonym > 0.0 {
            for neighbour in synonym::neighbours(&word.text) {
                if !seen.iter().any(|other| other.text == neighbour)
                    && let Some(term) = index.vocabulary.find(neighbour)
                {
                    terms.push((term, setting.synonym));
                }
            }
        }
        if !terms.is_empty() {
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
