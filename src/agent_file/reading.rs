//! What a text could mean where a tool was to be named: in another notation, as several names, by a path. Used to deny
//! and to suggest; what is granted is read to the letter.

use crate::{
    selector,
    source::{Hint, SourceKind},
    text::is_hostile,
};

/// Endings of script files, by which extensions are named.
const ENDINGS: [&str; 10] = [".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx", ".jsx", ".py", ".sh"];

const OPENING: [char; 4] = ['(', '[', '{', '<'];
const CLOSING: [char; 4] = [')', ']', '}', '>'];

/// How words for a kind of source begin.
const KINDS: [&str; 7] = ["ext", "mcp", "server", "plugin", "host", "builtin", "tool"];

/// What may stand between two names, or around one.
fn divides(character: char) -> bool {
    character.is_whitespace()
        || OPENING.contains(&character)
        || CLOSING.contains(&character)
        || matches!(character, ',' | ';' | '|' | '&' | '+' | '，' | '；' | '、' | '•' | '·')
        || matches!(character, '"' | '\'' | '`' | '´' | '\u{2018}'..='\u{201F}' | '«' | '»' | '‹' | '›' | '「' | '」')
}

/// Signs before or behind a name that are no part of it.
const SIGNS: [char; 12] = ['!', '-', '~', '@', '#', '$', '^', '%', '=', '.', '?', ':'];

/// What an entry of a list of grants takes away again, as `!bash` and `-bash` do.
pub(super) fn negated(text: &str) -> Option<&str> {
    text.strip_prefix(['!', '-']).map(str::trim).filter(|name| !name.is_empty())
}

/// The names in a text: without brackets, quotes and invisible characters, and apart where it is a list.
pub(super) fn words(text: &str) -> Vec<String> {
    let seen: String = text.chars().filter(|&character| character.is_whitespace() || !is_hostile(character)).collect();
    let bare = without_arguments(&seen).unwrap_or(seen);
    let mut words = Vec::new();
    for word in closed_up(&bare).split(divides) {
        // A star is a name of its own, and a sign alone is none.
        if word.contains(|character: char| character.is_alphanumeric() || character == '*') {
            push(&mut words, word.to_owned());
        }
    }
    words
}

/// Whether brackets stand behind a name, and say of which of its calls it is.
pub(super) fn has_arguments(text: &str) -> bool {
    // Brackets become blanks, so that it is shorter only where something was left out.
    without_arguments(text).is_some_and(|bare| bare.chars().count() < text.chars().count())
}

/// Everything that a text could mean, beside itself, as selectors; the names in it come first.
pub(super) fn readings(text: &str) -> Vec<String> {
    let mut readings = words(text);
    for word in readings.clone() {
        widen(&word, &mut readings);
    }
    readings.retain(|reading| reading != text);
    readings
}

/// A text without the brackets that stand right behind a name: `Bash(git:*)` is about `Bash`. Brackets that hold a list,
/// or do not pair, only divide.
fn without_arguments(text: &str) -> Option<String> {
    let mut bare = String::with_capacity(text.len());
    let mut open: Vec<(usize, bool)> = Vec::new();
    for character in text.chars() {
        let skipped = open.iter().any(|&(_, skipped)| skipped);
        if let Some(kind) = OPENING.iter().position(|&opening| opening == character) {
            let behind =
                bare.chars().next_back().is_some_and(|last| last.is_alphanumeric() || matches!(last, '_' | '*'));
            open.push((kind, skipped || behind));
            if skipped {
                continue;
            }
            // What follows stands behind a bracket, and no longer behind the name.
            bare.push(' ');
        } else if let Some(kind) = CLOSING.iter().position(|&closing| closing == character) {
            if open.pop()?.0 != kind {
                return None;
            }
            bare.push(' ');
        } else if !skipped {
            bare.push(character);
        }
    }
    open.is_empty().then_some(bare)
}

/// A text without blanks around what joins the parts of a selector: `ext: foo` is `ext:foo`.
fn closed_up(text: &str) -> String {
    let mut closed = String::with_capacity(text.len());
    for character in text.chars() {
        let joins = matches!(character, ':' | '/');
        if joins {
            closed.truncate(closed.trim_end().len());
        }
        if !(character.is_whitespace() && closed.ends_with([':', '/'])) {
            closed.push(character);
        }
    }
    closed
}

/// Adds what one name could mean beside itself.
fn widen(word: &str, readings: &mut Vec<String>) {
    let name = word.trim_matches(SIGNS).trim_matches(['/', '\\']);
    let mut add = |reading: &str| {
        if !reading.is_empty() && selector::parse(reading).is_ok() {
            push(readings, reading.to_owned());
        }
    };
    add(name);
    if name.eq_ignore_ascii_case("all") {
        add("*");
    }
    if let Some((head, hint)) = name.rsplit_once('@')
        && Hint::parse(hint).is_none()
        && !head.ends_with([':', '/'])
    {
        add(head);
    }
    // The kind of a selector is read in any case; the mark of an MCP tool's name is not.
    if name.get(..5).is_some_and(|mark| mark.eq_ignore_ascii_case("mcp__")) {
        let rest = &name[5..];
        add(&format!("mcp__{rest}"));
        add(&format!("mcp__{}", rest.replace(['/', '.', ':'], "__")));
        return;
    }
    let Some((kind, rest)) = name.split_once(':') else {
        by_joint(name, &mut add);
        return by_path(name, &["ext", "host", "mcp"], true, &mut add);
    };
    match SourceKind::parse(&kind.to_lowercase()) {
        Some(SourceKind::Builtin) => add(&format!("builtin:{}", rest.trim_matches('/'))),
        Some(kind) => by_path(rest.trim_matches('/'), &[kind.as_str()], false, &mut add),
        // A tool with a note behind it, or a source of a kind by another name.
        None => {
            add(kind);
            // The star of a note, as in `git:*`, is not every tool.
            if rest.contains('*') && !KINDS.iter().any(|known| kind.to_lowercase().starts_with(known)) {
                return;
            }
            for kind in ["ext", "host", "mcp"] {
                add(&format!("{kind}:{rest}"));
            }
            if !rest.contains('*') {
                add(rest);
                by_path(rest, &["ext", "host", "mcp"], true, &mut add);
            }
        }
    }
}

/// An MCP tool's name without its mark, or with one line where there are to be two.
fn by_joint(name: &str, add: &mut impl FnMut(&str)) {
    if name.contains("__") {
        add(&format!("mcp__{name}"));
    } else if let Some(rest) = name.strip_prefix("mcp_").or_else(|| name.strip_prefix("MCP_")) {
        for (at, _) in rest.match_indices('_').take(8) {
            add(&format!("mcp__{}__{}", &rest[..at], &rest[at + 1..]));
        }
    }
}

/// A source and its tool, a package and its tool, or the path of a script; in a plain list also a name alone.
fn by_path(text: &str, kinds: &[&str], plain: bool, add: &mut impl FnMut(&str)) {
    let parts: Vec<&str> = text.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    let (Some(&first), Some(&last)) = (parts.first(), parts.last()) else { return };
    let base = match stem(last) {
        "index" => parts.len().checked_sub(2).map_or("index", |at| parts[at]),
        base => base,
    };
    for kind in kinds {
        let mut source = |name: &str, tool: Option<&&str>| match tool {
            Some(tool) => add(&format!("{kind}:{name}/{tool}")),
            None => add(&format!("{kind}:{name}")),
        };
        if stem(last) != last {
            source(base, None);
        }
        if first.starts_with('@') && parts.len() > 1 {
            source(&format!("\"{first}/{}\"", parts[1]), parts.get(2));
            source(parts[1], parts.get(2));
        } else if !plain || parts.len() == 2 {
            source(stem(first), parts.get(1));
        }
    }
    if plain {
        for part in [first, last, base] {
            add(part);
        }
    }
}

/// A file's name without the ending of a script.
pub(super) fn stem(name: &str) -> &str {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).filter(|stem| !stem.is_empty()).unwrap_or(name)
}

fn push(readings: &mut Vec<String>, reading: String) {
    if !readings.contains(&reading) {
        readings.push(reading);
    }
}
