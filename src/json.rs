//! JSON text read where it lies: a cursor that goes through it once, member by member, builds nothing, and copies
//! nothing but strings with escapes.
//!
//! It is for text that has passed a check of its syntax. Whatever else it is given, it stays within the text and comes
//! to its end; what it makes of it is then of no use.

use std::borrow::Cow;

/// A string of the text, its escapes not yet undone: most are never looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text<'a> {
    /// Between its quotes.
    raw: &'a str,
    escaped: bool,
}

impl<'a> Text<'a> {
    /// Its value. One that has no form in UTF-8, for a lone surrogate, is empty.
    #[must_use]
    pub fn value(self) -> Cow<'a, str> {
        if self.escaped { decoded(self.raw) } else { Cow::Borrowed(self.raw) }
    }

    /// Whether its value is that word.
    pub(crate) fn is(self, word: &str) -> bool {
        if self.escaped { self.value() == word } else { self.raw == word }
    }

    /// Its value where it has no escapes.
    pub(crate) fn plain(self) -> Option<&'a str> {
        (!self.escaped).then_some(self.raw)
    }

    /// The first line of its value that holds something, perhaps with more behind it: a description can be a page.
    #[must_use]
    pub fn first_line(self) -> Cow<'a, str> {
        if !self.escaped {
            return Cow::Borrowed(self.raw);
        }
        let bytes = self.raw.as_bytes();
        let escape = |from: usize| Some(from + bytes.get(from..)?.iter().position(|byte| *byte == b'\\')?);
        let (mut line, mut from) = (0, 0);
        while let Some(at) = escape(from) {
            from = at + 2;
            if matches!(bytes.get(at + 1), Some(b'n' | b'r')) {
                let value = decoded(&self.raw[line..at]);
                if !value.trim().is_empty() {
                    return value;
                }
                line = from;
            }
        }
        decoded(&self.raw[line..])
    }
}

fn decoded(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    Cow::Owned(serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_default())
}

/// A place in JSON text.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// How far it is.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// What it went through since `from`, a place where it was.
    pub(crate) fn since(&self, from: usize) -> &'a str {
        self.text.get(from..self.at).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass_over(&mut self, separator: u8) {
        while self.byte().is_some_and(|byte| byte == separator || matches!(byte, b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// The first byte of the next value.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.pass_over(b' ');
        self.byte()
    }

    /// Goes into an object or a list where the next value is one: `open` is its brace or bracket.
    pub(crate) fn enter(&mut self, open: u8) -> bool {
        let is_one = self.peek() == Some(open);
        self.at += usize::from(is_one);
        is_one
    }

    /// The name of the next member of the object it is in, with its value ahead; `None` once it is behind the object.
    pub(crate) fn next_member(&mut self) -> Option<Text<'a>> {
        self.pass_over(b',');
        if self.byte() != Some(b'"') {
            self.at = (self.at + 1).min(self.text.len());
            return None;
        }
        let name = self.pass_string();
        self.pass_over(b':');
        Some(name)
    }

    /// Whether the list it is in has another element, which is then ahead; if not, it is behind the list.
    pub(crate) fn has_element(&mut self) -> bool {
        self.pass_over(b',');
        if matches!(self.byte(), None | Some(b']')) {
            self.at = (self.at + 1).min(self.text.len());
            return false;
        }
        true
    }

    /// The next value where it is a string; any other is passed over.
    pub(crate) fn string(&mut self) -> Option<Text<'a>> {
        if self.peek() == Some(b'"') {
            return Some(self.pass_string());
        }
        self.skip();
        None
    }

    fn pass_string(&mut self) -> Text<'a> {
        let from = self.at + 1;
        self.at = from;
        let mut escaped = false;
        loop {
            self.at = until_quote_or_escape(self.text.as_bytes(), self.at);
            match self.byte() {
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                end => {
                    let raw = self.since(from);
                    self.at += usize::from(end.is_some());
                    return Text { raw, escaped };
                }
            }
        }
    }

    /// Passes over the next value and gives its text.
    pub(crate) fn raw(&mut self) -> &'a str {
        self.peek();
        let from = self.at;
        self.skip();
        self.since(from)
    }

    /// Passes over the next value. Needs no stack, however deep it is.
    pub(crate) fn skip(&mut self) {
        match self.peek() {
            Some(b'"') => {
                self.pass_string();
            }
            Some(b'{' | b'[') => self.pass_nested(),
            _ => {
                // At the least one byte, so that it gets on in a text that is none.
                self.at = (self.at + 1).min(self.text.len());
                while self.byte().is_some_and(|byte| !matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
                {
                    self.at += 1;
                }
            }
        }
    }

    fn pass_nested(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.byte() {
            match byte {
                b'"' => {
                    self.pass_string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
    }
}

/// The place of the next quote or backslash from `at` on, or the end. Eight bytes are looked at at once.
pub(crate) fn until_quote_or_escape(bytes: &[u8], at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
    const ESCAPES: u64 = u64::from_ne_bytes([b'\\'; 8]);
    // The lowest high bit that is set is that of the first byte that is zero.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
    let mut rest = bytes.get(at..).unwrap_or_default();
    while let Some((eight, after)) = rest.split_first_chunk() {
        let word = u64::from_le_bytes(*eight);
        let found = zeros(word ^ QUOTES) | zeros(word ^ ESCAPES);
        if found != 0 {
            return bytes.len() - rest.len() + found.trailing_zeros() as usize / 8;
        }
        rest = after;
    }
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
    bytes.len() - rest.len() + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements_are_read_in_turn() {
        let mut cursor = Cursor::new(r#" { "a" : [ 1 , "x\"y" , {"b":[]} ] , "c\n" : null } "#);
        assert!(cursor.enter(b'{'));
        assert_eq!(cursor.next_member().map(Text::value).as_deref(), Some("a"));
        assert!(cursor.enter(b'[') && cursor.has_element());
        assert_eq!(cursor.raw(), "1");
        assert!(cursor.has_element());
        assert_eq!(cursor.string().map(Text::value).as_deref(), Some("x\"y"));
        assert!(cursor.has_element());
        assert_eq!(cursor.raw(), r#"{"b":[]}"#);
        assert!(!cursor.has_element());
        assert_eq!(cursor.next_member().map(Text::value).as_deref(), Some("c\n"));
        assert_eq!(cursor.string(), None);
        assert_eq!(cursor.next_member(), None);
    }

    #[test]
    fn a_first_line_is_enough_of_a_page() {
        let line = |text: &str| Cursor::new(text).string().unwrap().first_line().into_owned();
        assert_eq!(line(r#""one\ntwo""#), "one");
        assert_eq!(line(r#""\n \n a\\nb\u0041\r\nc""#), " a\\nbA");
        assert_eq!(line(r#""\n\nlast\t""#), "last\t");
        assert_eq!(line(r#""\n\n""#), "");
        // Each line is looked at once.
        assert_eq!(line(&format!("\"{}end\"", r"\n".repeat(1 << 20))), "end");
        assert_eq!(line(r#""\ud800""#), "");
    }

    #[test]
    fn text_that_is_none_comes_to_an_end() {
        for text in ["", "{", "[", "\"", "\"\\", "{\"a\"", "{\"a\":", "[}", "[é,", "}{", "{\"a\":[[{é", ",,", "[\"\\é"]
        {
            let mut cursor = Cursor::new(text);
            let mut steps = 0;
            while cursor.at() < text.len() {
                if cursor.enter(b'{') {
                    while cursor.next_member().is_some() {
                        cursor.skip();
                    }
                } else if cursor.enter(b'[') {
                    while cursor.has_element() {
                        cursor.raw();
                    }
                }
                cursor.skip();
                steps += 1;
                assert!(steps < 20, "{text}");
            }
        }
    }
}
