//! Writing selectors for names that an agent file gives literally: whatever is in a name, it stays one name.

use crate::text::shown;

/// One part of a selector, quoted where it would not stand for itself.
fn part(name: &str) -> String {
    let plain = name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '-' | '.'));
    if plain && !name.is_empty() {
        return name.to_owned();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A tool of the builtin source.
pub(super) fn builtin(tool: &str) -> String {
    format!("builtin:{}", part(tool))
}

/// An extension, or one tool of it.
pub(super) fn extension(name: &str, tool: Option<&str>) -> String {
    match tool {
        Some(tool) => format!("ext:{}/{}", part(name), part(tool)),
        None => format!("ext:{}", part(name)),
    }
}

/// Whether a name can be one at all. A control character in it would make a selector that matches nothing.
pub(super) fn nameable(name: &str) -> bool {
    !name.is_empty() && name.len() <= 512 && !name.contains(char::is_control)
}

/// A name for a message.
pub(super) fn named(name: &str) -> String {
    format!("`{}`", shown(name))
}
