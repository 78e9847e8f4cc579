//! Reading a selector. A text that does not parse says where, and keeps what did parse, since an exclude that is
//! half understood must still deny.

use super::{Joined, Path, Pattern, Selector};
use crate::{
    source::{Hint, SourceKind},
    text::shown,
};

/// A text that is no selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Where, counted in characters from 1.
    pub column: usize,
    /// What is wrong, and the fix.
    pub message: String,
    /// The widest selectors that the text before that column can mean: what an exclude denies.
    pub widest: Vec<Selector>,
}

/// Longer texts are not selectors.
const MAX_SELECTOR_BYTES: usize = 4_096;

/// Reads a selector.
///
/// ```
/// use toolscope::selector::parse;
/// assert!(parse("mcp:\"@acme/kb\"/find*@readOnly").is_ok());
/// assert_eq!(parse("foo:bar").unwrap_err().column, 1);
/// ```
pub fn parse(text: &str) -> Result<Selector, Invalid> {
    match text {
        "*" => return Ok(Selector::Everything),
        "none" => return Ok(Selector::Nothing),
        "" => return invalid(text, 0, "the selector is empty; name a tool or a source, or use `none`".into(), vec![]),
        _ => {}
    }
    if text.len() > MAX_SELECTOR_BYTES {
        let message = format!("the selector has {} bytes; {MAX_SELECTOR_BYTES} at most", text.len());
        // What it begins with can still be denied.
        let head = &text[..text.floor_char_boundary(MAX_SELECTOR_BYTES - 1)];
        let widest = parse(&format!("{head}*")).map_or_else(|invalid| invalid.widest, |selector| vec![selector]);
        return invalid(text, 0, message, widest);
    }
    if let Some(at) = text.find(char::is_control) {
        let mut widest = vec![Selector::Name(Pattern::quoted(text))];
        widest.extend(before(text, at));
        return invalid(text, at, "a control character; remove it".into(), widest);
    }
    if let Some(rest) = text.strip_prefix("mcp__") {
        return Ok(Selector::Joined(joined(text, rest)));
    }
    let Some(colon) = text.find(':') else { return name(text) };
    if let Some(kind) = SourceKind::parse(&text[..colon]) {
        return PathReader { text, kind }.read(colon + 1);
    }
    let kinds = SourceKind::ALL.map(SourceKind::as_str).join("`, `");
    let message = format!("unknown kind `{}`; use one of `{kinds}`", shown(&text[..colon]));
    // It may be a raw name that holds a colon, or one that ends there.
    let widest = vec![Selector::Name(Pattern::quoted(text)), Selector::Name(Pattern::new(&text[..colon]))];
    invalid(text, 0, message, widest)
}

/// What the text before byte `at` says, or could have meant.
fn before(text: &str, at: usize) -> Vec<Selector> {
    parse(&text[..at]).map_or_else(|invalid| invalid.widest, |selector| vec![selector])
}

/// The refusal of what stands at byte `at`.
fn invalid(text: &str, at: usize, message: String, widest: Vec<Selector>) -> Result<Selector, Invalid> {
    Err(Invalid { column: text[..at].chars().count() + 1, message, widest })
}

/// A plain name, or a glob over names.
fn name(text: &str) -> Result<Selector, Invalid> {
    if text.trim() != text || text.contains('"') {
        let at = text.find([' ', '"']).unwrap_or_default();
        let bare = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '"');
        let mut widest = vec![Selector::Name(Pattern::quoted(text)), Selector::Name(Pattern::new(bare))];
        widest.extend(before(text, at));
        let message = format!("`{}` is no name; remove the spaces and quotes around it", shown(text));
        return invalid(text, at, message, widest);
    }
    if let Some((name, hint)) = text.rsplit_once('@')
        && Hint::parse(hint).is_some()
    {
        let message = format!("a hint needs a kind and a source, as in `builtin:{}@{hint}`", shown(name));
        return invalid(text, name.len(), message, vec![Selector::Name(Pattern::new(name))]);
    }
    Ok(Selector::Name(Pattern::new(text)))
}

/// Reads `kind:source/tool@hint` from behind the colon.
struct PathReader<'a> {
    text: &'a str,
    kind: SourceKind,
}

const UNCLOSED: &str = "the quote is not closed; add `\"` at its end";

impl PathReader<'_> {
    fn read(&self, at: usize) -> Result<Selector, Invalid> {
        if self.kind == SourceKind::Builtin {
            return self.tool(Pattern::any(), at);
        }
        let (source, at) = match part(self.text, at, &['/', '@', ':', '"', ' ']) {
            Part::Read(source, at) => (source, at),
            Part::Unclosed => return self.invalid(at, UNCLOSED.into(), vec![self.path(Pattern::any(), None, None)]),
        };
        if source.text().is_empty() {
            let message = format!("a source's name must follow `{0}:`; use `{0}:*` for every one", self.kind.as_str());
            return self.invalid(at, message, vec![self.path(Pattern::any(), None, None)]);
        }
        match self.text[at..].chars().next() {
            None => Ok(self.path(source, None, None)),
            Some('/') => self.tool(source, at + 1),
            Some('@') => self.hint(source, None, at),
            Some(other) => {
                let message = format!("`{other}` cannot be part of a source's name here; write the name in quotes");
                let widest = Pattern::new(format!("{}*", source.text()));
                self.invalid(at, message, vec![self.path(widest, None, None)])
            }
        }
    }

    fn tool(&self, source: Pattern, at: usize) -> Result<Selector, Invalid> {
        let (tool, after) = match part(self.text, at, &['@', '"']) {
            Part::Read(tool, after) => (tool, after),
            Part::Unclosed => return self.invalid(at, UNCLOSED.into(), vec![self.path(source, None, None)]),
        };
        if tool.text().is_empty() {
            let message = "a tool's name must follow; use `*` for every one".to_owned();
            return self.invalid(after, message, vec![self.path(source, None, None)]);
        }
        // `ext:foo` and `ext:foo/*` are the same.
        let tool = Some(tool).filter(|tool| self.kind == SourceKind::Builtin || !tool.is_any());
        self.hint(source, tool, after)
    }

    fn hint(&self, source: Pattern, tool: Option<Pattern>, at: usize) -> Result<Selector, Invalid> {
        let rest = &self.text[at..];
        if rest.is_empty() {
            return Ok(self.path(source, tool, None));
        }
        let Some(word) = rest.strip_prefix('@') else {
            let message = format!("`{}` cannot follow here; end the selector before it", shown(rest));
            let widest = tool.map(|tool| Pattern::new(format!("{}*", tool.text())));
            return self.invalid(at, message, vec![self.path(source, widest, None)]);
        };
        if let Some(hint) = Hint::parse(word) {
            return Ok(self.path(source, tool, Some(hint)));
        }
        let hints = Hint::ALL.map(Hint::as_str).join("`, `@");
        let message = format!(
            "unknown hint `{}`; use one of `@{hints}`, or write a tool's name that holds `@` in quotes",
            shown(rest)
        );
        // The `@` may belong to the name, too.
        let whole = tool.as_ref().map(|tool| Pattern::new(format!("{}{rest}", tool.text())));
        let mut widest = vec![self.path(source.clone(), tool, None)];
        widest.extend(whole.map(|whole| self.path(source, Some(whole), None)));
        self.invalid(at, message, widest)
    }

    const fn path(&self, source: Pattern, tool: Option<Pattern>, hint: Option<Hint>) -> Selector {
        Selector::Path(Path { kind: self.kind, source, tool, hint })
    }

    fn invalid(&self, at: usize, message: String, widest: Vec<Selector>) -> Result<Selector, Invalid> {
        invalid(self.text, at, message, widest)
    }
}

enum Part {
    /// A pattern and the index after it.
    Read(Pattern, usize),
    Unclosed,
}

/// Reads one part from `at` up to a character of `ends`; in quotes, up to the closing one, taken literally.
fn part(text: &str, at: usize, ends: &[char]) -> Part {
    let rest = &text[at..];
    let Some(quoted) = rest.strip_prefix('"') else {
        let length = rest.find(ends).unwrap_or(rest.len());
        return Part::Read(Pattern::new(&rest[..length]), at + length);
    };
    let mut name = String::new();
    let mut characters = quoted.char_indices();
    while let Some((offset, character)) = characters.next() {
        match character {
            '"' => return Part::Read(Pattern::quoted(name), at + 1 + offset + 1),
            '\\' => match characters.next() {
                Some((_, escaped)) => name.push(escaped),
                None => return Part::Unclosed,
            },
            other => name.push(other),
        }
    }
    Part::Unclosed
}

/// Every way to split what follows `mcp__`.
fn joined(text: &str, rest: &str) -> Joined {
    let splits = (1..rest.len()).filter(|&at| rest.is_char_boundary(at) && rest[at..].starts_with("__"));
    let mut readings: Vec<(Pattern, Option<Pattern>)> = splits
        .map(|at| (&rest[..at], &rest[at + 2..]))
        .filter(|(_, tool)| !tool.is_empty())
        .map(|(server, tool)| (Pattern::new(server), Some(Pattern::new(tool)).filter(|tool| !tool.is_any())))
        .collect();
    // `mcp__server__` is a server, too, and `_` can be part of its name.
    let trimmed = if rest.ends_with("__") { rest.trim_end_matches('_') } else { "" };
    let servers = [trimmed, rest].into_iter().filter(|server| !server.is_empty());
    readings.extend(servers.map(|server| (Pattern::new(server), None)));
    Joined { text: text.to_owned(), readings }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(text: &str) -> usize {
        parse(text).expect_err(text).column
    }

    #[test]
    fn bad_syntax_says_where() {
        assert_eq!(column(""), 1);
        assert_eq!(column("foo:bar"), 1);
        assert_eq!(column("mcp:plugin:box:srv/*"), 11);
        assert_eq!(column("mcp:"), 5);
        assert_eq!(column("mcp:/x"), 5);
        assert_eq!(column("mcp:\"a"), 5);
        assert_eq!(column("ext:foo/"), 9);
        assert_eq!(column("ext:foo/bar@readonly"), 12);
        assert_eq!(column("ext:\"foo\"x"), 10);
        assert_eq!(column("builtin:"), 9);
        assert_eq!(column("read@readOnly"), 5);
        assert_eq!(column(" read"), 1);
    }

    #[test]
    fn what_is_too_long_still_says_what_it_begins_with() {
        let long = |start: &str| parse(&format!("{start}{}", "é".repeat(MAX_SELECTOR_BYTES))).expect_err(start).widest;
        assert!(matches!(&long("ext:foo/bar")[..], [Selector::Path(Path { source, tool: Some(tool), .. })]
            if source.text() == "foo" && tool.matches(&format!("bar{}", "é".repeat(MAX_SELECTOR_BYTES)))));
        assert_eq!(long("mcp:\"a").len(), 1);
        assert!(
            matches!(&long("read")[..], [Selector::Name(name)] if name.matches(&format!("read{}", "é".repeat(3_000))))
        );
    }

    #[test]
    fn equal_forms_read_alike() {
        assert_eq!(parse("ext:foo"), parse("EXT:foo/*"));
        assert_eq!(parse("ext:foo"), parse("ext:\"foo\""));
        assert!(
            matches!(parse("mcp:s/a/b"), Ok(Selector::Path(Path { tool: Some(tool), .. })) if tool.text() == "a/b")
        );
    }

    #[test]
    fn joined_names_keep_every_split() {
        let Ok(Selector::Joined(joined)) = parse("mcp__a__b__c") else { panic!("not joined") };
        let texts: Vec<_> =
            joined.readings.iter().map(|(server, tool)| (server.text(), tool.as_ref().map(Pattern::text))).collect();
        assert_eq!(texts, [("a", Some("b__c")), ("a__b", Some("c")), ("a__b__c", None)]);
    }
}
