//! Lists as agent files write them: one text with commas, or a YAML list.

use super::{
    draft::Draft,
    front_matter::LINES_ABOVE,
    remark::Place,
    yaml::{Node, Value},
};

/// One item of a list.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub text: String,
    pub place: Place,
}

/// A field that should be a list.
#[derive(Debug, Default)]
pub(super) struct List {
    pub items: Vec<Item>,
    /// The key is there, with nothing behind it.
    pub empty: bool,
    /// Something of it cannot be read.
    pub broken: bool,
}

/// Within what a comma does not divide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    Nothing,
    Parentheses,
    Quotes,
}

/// Reads a list. What cannot be read is told, and marks the list as broken.
pub(super) fn read(key: &str, node: &Node, within: Within, draft: &mut Draft<'_>) -> List {
    let mut list = List::default();
    match &node.value {
        Value::Null => list.empty = true,
        Value::List(nodes) => {
            for node in nodes {
                add(key, node, within, &mut list, draft);
            }
        }
        _ => add(key, node, within, &mut list, draft),
    }
    list
}

fn add(key: &str, node: &Node, within: Within, list: &mut List, draft: &mut Draft<'_>) {
    match &node.value {
        Value::Text(text) => divide(text, node.place, within, list, draft),
        Value::Number(text) => {
            let message = format!("`{text}` in `{key}` is a number; write names in quotes where they look like one");
            draft.note(node.place.warning("value_type", message).suggest(format!("\"{text}\"")));
            list.items.push(Item { text: text.clone(), place: node.place });
        }
        Value::Null => {
            draft.note(
                node.place.warning("value_empty", format!("an item of `{key}` is empty; remove it or name a tool")),
            );
        }
        other => {
            list.broken = true;
            let message =
                format!("`{key}` holds {}, which cannot be read; write names, divided by commas", other.kind());
            let remark = node.place.error("value_type", message);
            draft.note(match split_selector(other) {
                Some(joined) => remark.suggest(joined),
                None => remark,
            });
        }
    }
}

/// `ext: foo` with a space is a mapping; it was to be a selector.
fn split_selector(value: &Value) -> Option<String> {
    let Value::Map(pairs) = value else { return None };
    match &pairs[..] {
        [(Node { value: Value::Text(kind), .. }, Node { value: Value::Text(name), .. })] => {
            Some(format!("{kind}:{name}"))
        }
        _ => None,
    }
}

fn divide(text: &str, place: Place, within: Within, list: &mut List, draft: &Draft<'_>) {
    let mut depth = 0_usize;
    let mut in_quotes = false;
    let mut escaped = false;
    let mut parts = vec![String::new()];
    for character in text.chars() {
        match character {
            '(' if within == Within::Parentheses => depth += 1,
            ')' if within == Within::Parentheses => depth = depth.saturating_sub(1),
            '"' if within == Within::Quotes && !escaped => in_quotes = !in_quotes,
            ',' if depth == 0 && !in_quotes => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        escaped = character == '\\' && !escaped;
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    let mut cursor = place;
    for part in parts {
        let text = part.trim();
        if text.is_empty() {
            continue;
        }
        cursor = find(text, cursor, draft);
        list.items.push(Item { text: text.to_owned(), place: cursor });
        cursor.column += text.chars().count();
    }
}

/// Where an item stands: at or behind `from` in its line, else where its value begins.
fn find(text: &str, from: Place, draft: &Draft<'_>) -> Place {
    let line = from.line.checked_sub(LINES_ABOVE + 1).and_then(|at| draft.lines.get(at)).copied().unwrap_or_default();
    let start = line.char_indices().nth(from.column - 1).map_or(line.len(), |(at, _)| at);
    match line[start..].find(text) {
        Some(at) => Place { column: from.column + line[start..start + at].chars().count(), ..from },
        None => from,
    }
}
