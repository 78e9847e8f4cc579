//! YAML, with the place of each node. What YAML has beyond plain data (aliases, tags, merge keys) is kept as what it
//! is, for the reader of a field to refuse.

use super::{
    front_matter::LINES_ABOVE,
    remark::{Place, Remark},
};
use crate::text::shown;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 32;

/// A node of the document.
#[derive(Debug)]
pub(super) struct Node {
    pub place: Place,
    pub value: Value,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// A plain number, as it is written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// `*name`, which stands for a node elsewhere.
    Alias,
    /// `!tag`, which may change what the node means.
    Tagged,
}

impl Value {
    /// What it is, for a message.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a mapping",
            Self::Alias => "an alias",
            Self::Tagged => "a tagged value",
        }
    }
}

/// A list or mapping that is still open.
struct Open {
    place: Place,
    map: bool,
    tagged: bool,
    children: Vec<Node>,
}

impl Open {
    fn finish(self) -> Node {
        let value = if self.tagged {
            Value::Tagged
        } else if self.map {
            let mut pairs = Vec::with_capacity(self.children.len() / 2);
            let mut children = self.children.into_iter();
            while let (Some(key), Some(value)) = (children.next(), children.next()) {
                pairs.push((key, value));
            }
            Value::Map(pairs)
        } else {
            Value::List(self.children)
        };
        Node { place: self.place, value }
    }
}

/// Reads the one document of a text.
pub(super) fn read(text: &str) -> Result<Node, Remark> {
    let mut root = None;
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| invalid(text, &error))?;
        let place = place_of(span);
        let node = match event {
            Event::MappingStart(_, ref tag) | Event::SequenceStart(_, ref tag) => {
                if open.len() >= MAX_DEPTH {
                    let message = format!("the front matter is nested more than {MAX_DEPTH} deep; flatten it");
                    return Err(place.error("front_matter_invalid", message));
                }
                let map = matches!(event, Event::MappingStart(..));
                open.push(Open { place, map, tagged: tag.is_some(), children: Vec::new() });
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => match open.pop() {
                Some(open) => open.finish(),
                None => continue,
            },
            Event::Scalar(text, style, _, tag) => {
                let value = if tag.is_some() { Value::Tagged } else { scalar(&text, style) };
                Node { place, value }
            }
            Event::Alias(_) => Node { place, value: Value::Alias },
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.children.push(node),
            None if root.is_none() => root = Some(node),
            None => {
                let message = "the front matter holds a second document; keep one".to_owned();
                return Err(place.error("front_matter_invalid", message));
            }
        }
    }
    Ok(root.unwrap_or(Node { place: Place { line: LINES_ABOVE + 1, column: 1 }, value: Value::Null }))
}

/// A scalar by the core schema of YAML 1.2.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let special =
        digits.strip_prefix('.').is_some_and(|word| matches!(word, "inf" | "Inf" | "INF" | "nan" | "NaN" | "NAN"));
    let based = |prefix: &str, radix: u32| {
        digits
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|digit| digit.is_digit(radix)))
    };
    let decimal =
        digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') && digits.parse::<f64>().is_ok();
    special || decimal || based("0x", 16) || based("0o", 8)
}

fn place_of(span: Span) -> Place {
    Place { line: span.start.line() + LINES_ABOVE, column: span.start.col() + 1 }
}

/// What the library cannot read, and the likeliest fix.
fn invalid(text: &str, error: &ScanError) -> Remark {
    let marker = error.marker();
    let place = Place { line: marker.line() + LINES_ABOVE, column: marker.col() + 1 };
    let line = text.lines().nth(marker.line().saturating_sub(1)).unwrap_or_default();
    // The library points behind a star that no anchor has; it is the star that is to be quoted.
    let value = line.split_once(": ").map_or(line, |(_, value)| value).trim();
    let starred = line.char_indices().find(|&(at, character)| {
        character == '*' && !line[..at].ends_with(|before: char| !matches!(before, ' ' | '[' | ',' | '\t'))
    });
    if let Some((at, _)) = starred {
        let star = Place { column: line[..at].chars().count() + 1, ..place };
        let message = "an unquoted `*` means an alias in YAML, so nothing can be read; write it in quotes".to_owned();
        return star.error("front_matter_invalid", message).suggest(quoted(line, value));
    }
    if value.ends_with(':') {
        let message = format!(
            "`{}` ends in a colon with nothing behind it, so nothing is granted; name what is meant",
            shown(value)
        );
        return place.error("front_matter_invalid", message).suggest(format!("{value}extension"));
    }
    let fix = if value.contains(": ") || value.starts_with(['@', '`', '%', '&', '!', '[', '{', '"', '\'']) {
        "write the value in quotes"
    } else {
        "mend the YAML"
    };
    let message = format!("the front matter cannot be read ({}), so nothing is granted; {fix}", error.info());
    place.error("front_matter_invalid", message)
}

/// The line with its value in quotes.
fn quoted(line: &str, value: &str) -> String {
    let bare = value.trim_start_matches("- ");
    if bare.contains(['"', '\\', '[', '{']) || bare.is_empty() {
        return "\"*\"".to_owned();
    }
    line.trim().replacen(bare, &format!("\"{bare}\""), 1)
}
