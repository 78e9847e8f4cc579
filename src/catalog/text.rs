//! Text from outside, made fit for print: it stays one line, stays visible and stays inside its comment or literal.
//!
//! Invariant: nothing that this module writes holds a control, bidirectional or tag character, ends the comment it is
//! put into, or starts a line.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// Characters as JavaScript counts them (UTF-16 code units), which is what a catalog's tokens are counted from.
#[must_use]
pub fn length(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    // Every character has one byte that begins it, and those of four bytes are two units. The sum of few enough fits
    // a byte, so that many are counted at once.
    let units = |byte: &u8| u8::from(byte & 0xc0 != 0x80) + u8::from(*byte >= 0xf0);
    text.as_bytes().chunks(CHUNK).map(|chunk| usize::from(chunk.iter().map(units).sum::<u8>())).sum()
}

/// Tokens of so many characters: ⌈characters / 4⌉.
#[must_use]
pub const fn tokens(characters: usize) -> usize {
    characters.div_ceil(4)
}

/// Whether a character can hide or reorder text: controls, and every format character (bidirectional marks, tags,
/// zero-width ones) but the two joiners, which emoji and several scripts need.
fn hides(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    match character {
        // The joiners; and blocks that hold none and are looked at most often: Latin and Greek, dashes and quotes, from
        // the punctuation of Chinese to Hangul, and the full-width forms.
        '\u{200c}'
        | '\u{200d}'
        | '\u{ae}'..='\u{3ff}'
        | '\u{2010}'..='\u{2027}'
        | '\u{3000}'..='\u{d7ff}'
        | '\u{ff01}'..='\u{ffee}' => false,
        // Variation selectors that no text needs and that can smuggle bytes.
        '\u{e0100}'..='\u{e01ef}' => true,
        _ => matches!(
            character.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        ),
    }
}

/// Bytes that are looked at at once.
const CHUNK: usize = 32;

const fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The first line that holds something.
fn first_line(text: &str) -> &str {
    // Most descriptions begin with it; only bytes are looked at, many at once, and none far beyond its end.
    let may_end = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0xb | 0xc | 0xc2 | 0xe2);
    let has_end = |chunk: &&[u8]| chunk.iter().fold(false, |any, byte| any | may_end(byte));
    let plain = text.as_bytes().chunks(CHUNK).take_while(|chunk| !has_end(chunk)).count() * CHUNK;
    let rest = text.as_bytes().get(plain..).unwrap_or_default();
    match rest.iter().position(may_end).map(|at| plain + at) {
        None => return text.trim(),
        Some(at) if text.as_bytes()[at] < 0x80 => {
            let line = text[..at].trim();
            if !line.is_empty() {
                return line;
            }
        }
        Some(_) => {}
    }
    text.split(ends_line).map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
}

/// Whether bytes can be printed as they are: plain, with no run of spaces and nothing that ends a comment or may end a
/// fence. Looks at all of them, since that is done many at once.
fn is_plain(bytes: &[u8]) -> bool {
    let is_visible = bytes.iter().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'));
    let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
    let is_odd = |pair| matches!(pair, (b' ', b' ') | (b'*', b'/') | (b'`', b'`'));
    is_visible & !pairs.fold(false, |any, (one, other)| any | is_odd((*one, *other)))
}

/// The first sentence of a line: up to a full stop that another sentence follows, or to one of the CJK kind.
fn first_sentence(line: &str) -> &str {
    for (at, stop) in line.match_indices(['.', '!', '?', '。', '！', '？']) {
        let end = at + stop.len();
        // One letter before the stop is an abbreviation (`e.g.`), a small letter after it goes on.
        let is_word = |character: char| character.is_alphanumeric() || matches!(character, ')' | '`');
        let mut before = line[..at].chars().rev();
        let mut after = line[end..].chars();
        if !stop.is_ascii()
            || before.next().is_some_and(is_word)
                && before.next().is_some_and(is_word)
                && after.next() == Some(' ')
                && after.next().is_some_and(|next| !next.is_lowercase())
        {
            return &line[..end];
        }
    }
    line
}

/// Appends the first line of `text`, at most `limit` characters of it, so that it can stand inside a comment.
/// Returns whether anything was written.
pub fn push_line(out: &mut String, text: &str, limit: usize) -> bool {
    push_clean(out, first_line(text), limit)
}

/// Appends the first sentence of `text` as [`push_line`] does its first line.
pub fn push_sentence(out: &mut String, text: &str, limit: usize) -> bool {
    push_clean(out, first_sentence(first_line(text)).trim_end_matches('.'), limit)
}

/// Where the first `limit` characters of a trimmed line end that can be printed as they are, as most can in any language;
/// nothing where one of them cannot.
fn clean_end(line: &str, limit: usize) -> Option<usize> {
    let mut previous = ' ';
    for (count, (at, character)) in line.char_indices().enumerate() {
        let is_odd = match character {
            ' ' | '`' => previous == character,
            '/' => previous == '*',
            _ => character.is_whitespace() || hides(character),
        };
        if is_odd {
            return None;
        }
        if count == limit {
            return Some(at);
        }
        previous = character;
    }
    Some(line.len())
}

fn push_clean(out: &mut String, line: &str, limit: usize) -> bool {
    let bytes = line.as_bytes();
    if bytes.len() <= limit && is_plain(bytes) {
        out.push_str(line);
        return !line.is_empty();
    }
    // One more than fits shows that something is cut.
    if bytes.len() > limit && limit > 0 && is_plain(&bytes[..=limit]) {
        out.push_str(line[..limit].trim_end_matches(' '));
        out.push('…');
        return true;
    }
    if let Some(end) = clean_end(line, limit) {
        out.push_str(line[..end].trim_end_matches(' '));
        out.push_str(if end < line.len() { "…" } else { "" });
        return !line.is_empty();
    }
    let start = out.len();
    let mut written = 0;
    let mut backticks = 0;
    let mut previous = ' ';
    for character in line.chars() {
        let character = if character.is_whitespace() { ' ' } else { character };
        if hides(character) || (character == ' ' && previous == ' ') {
            continue;
        }
        if written >= limit {
            while out.len() > start && out.ends_with(' ') {
                out.pop();
            }
            out.push('…');
            return true;
        }
        // Three backticks would end a fence that a host puts around the catalog.
        backticks = if character == '`' { backticks + 1 } else { 0 };
        if backticks > 2 {
            continue;
        }
        // The only thing that ends a block comment.
        if character == '/' && previous == '*' {
            out.push(' ');
        }
        out.push(character);
        previous = character;
        written += 1;
    }
    if out.len() > start && out.ends_with(' ') {
        out.pop();
    }
    out.len() > start
}

/// Appends `text` as a string literal of TypeScript with exactly that value.
pub fn push_literal(out: &mut String, text: &str) {
    out.push('"');
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'`')) {
        out.push_str(text);
        out.push('"');
        return;
    }
    let mut backticks = 0;
    for character in text.chars() {
        backticks = if character == '`' { backticks + 1 } else { 0 };
        match character {
            // Three in a row would end a fence that a host puts around the catalog.
            '`' if backticks > 2 => out.push_str("\\u0060"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if hides(character) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.push_str("\\u");
                    for shift in [12, 8, 4, 0] {
                        out.push(char::from_digit(u32::from(*unit >> shift & 0xf), 16).unwrap_or('0'));
                    }
                }
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}

/// Whether a name can be written as it is, as a member and after a dot.
#[must_use]
pub fn is_identifier(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(|first| !first.is_ascii_digit())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'))
}

/// Whether a name can be written as it is as a member's: `new(…)` would declare a constructor.
fn is_key(name: &str) -> bool {
    is_identifier(name) && name != "new"
}

/// Characters of a member's name as [`push_key`] writes it.
#[must_use]
pub fn key_length(name: &str) -> usize {
    if is_key(name) {
        return name.len();
    }
    let mut key = String::with_capacity(name.len() + 2);
    push_literal(&mut key, name);
    length(&key)
}

/// Appends a member's name: as it is, or quoted.
pub fn push_key(out: &mut String, name: &str) {
    if is_key(name) { out.push_str(name) } else { push_literal(out, name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let mut out = String::new();
        push_line(&mut out, text, 40);
        out
    }

    #[test]
    fn what_hides_or_reorders_is_dropped() {
        assert_eq!(line("a\u{202e}b\u{e0041}c\u{200b}d\u{7}e\u{fe0f}"), "abcde\u{fe0f}");
        assert_eq!(line("👩\u{200d}💻 writes"), "👩\u{200d}💻 writes");
    }

    #[test]
    fn no_category_that_hides_is_passed_over() {
        for character in char::MIN..=char::MAX {
            let hides_by_category = matches!(
                character.general_category(),
                GeneralCategory::Control
                    | GeneralCategory::Format
                    | GeneralCategory::LineSeparator
                    | GeneralCategory::ParagraphSeparator
            );
            let is_kept = matches!(character, '\u{200c}' | '\u{200d}');
            let is_selector = ('\u{e0100}'..='\u{e01ef}').contains(&character);
            assert_eq!(hides(character), hides_by_category && !is_kept || is_selector, "{character:?}");
        }
    }

    #[test]
    fn a_comment_cannot_be_ended() {
        assert_eq!(line("glob a/**/*.ts */ x() /*"), "glob a/** /*.ts * / x() /*");
        assert_eq!(line("*\u{200b}/"), "* /");
        assert_eq!(line("```js"), "``js");
    }

    #[test]
    fn only_the_first_line_is_kept_and_cut() {
        assert_eq!(line("\n\n  one\ttwo \u{2028}three"), "one two");
        assert_eq!(line(&"x".repeat(50)), format!("{}…", "x".repeat(40)));
    }

    #[test]
    fn a_sentence_ends_where_the_next_begins() {
        let sentence = |text: &str| {
            let mut out = String::new();
            push_sentence(&mut out, text, 80);
            out
        };
        assert_eq!(sentence("Reads a file, e.g. a text. Then stops."), "Reads a file, e.g. a text");
        assert_eq!(sentence("版本 1.2 的工具。第二句"), "版本 1.2 的工具。");
        assert_eq!(sentence("Node.js tool"), "Node.js tool");
    }

    #[test]
    fn a_literal_keeps_its_value_and_shows_nothing_hidden() {
        let mut out = String::new();
        push_literal(&mut out, "a\"b\\\n\u{202e}\u{e0041}");
        assert_eq!(out, r#""a\"b\\\n\u202e\udb40\udc41""#);
        let mut out = String::new();
        for name in ["a_1", "1a", "get-sum", "new", ""] {
            push_key(&mut out, name);
            out.push(' ');
        }
        assert_eq!(out, r#"a_1 "1a" "get-sum" "new" "" "#);
    }
}
