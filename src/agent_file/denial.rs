//! Reading a list of what is denied: every item denies all it could mean, and one that cannot be read denies all.

use super::{
    draft::Draft,
    list::{Item, List},
    selector_text::{nameable, named},
};

/// Denies everything, for a list of which something cannot be read.
pub(super) fn of_broken(key: &str, list: &List, draft: &mut Draft<'_>) {
    let unreadable = list.items.iter().find(|item| !nameable(&item.text));
    if let Some(item) = unreadable {
        let message =
            format!("{} in `{key}` is no name, so everything is denied; write a tool's name", named(&item.text));
        draft.note(item.place.error("name_invalid", message));
    }
    if list.broken || unreadable.is_some() {
        draft.exclude("*");
    }
}

/// Denies a name as it is written, the known one that it misspells in its case alone, and each name in it where it was
/// to be a list of its own.
pub(super) fn of_name(key: &str, item: &Item, known: &[&'static str], draft: &mut Draft<'_>) {
    draft.exclude(&*item.text);
    let words = words(&item.text);
    if words.len() != 1 || words[0] != item.text {
        let message =
            format!("{} in `{key}` is read as one name, and as those in it; divide names by commas", named(&item.text));
        draft.note(item.place.warning("list_separator", message).suggest(words.join(", ")));
    }
    for word in words {
        draft.exclude(word);
        if known.contains(&word) {
            continue;
        }
        for &meant in known.iter().filter(|known| known.eq_ignore_ascii_case(word)) {
            let message =
                format!("{} in `{key}` has the wrong case, and would deny nothing; both are denied", named(word));
            draft.note(item.place.warning("name_case", message).suggest(meant));
            draft.exclude(meant);
        }
    }
}

/// The names in a text that was to be several, without the brackets and quotes of another notation.
pub(super) fn words(text: &str) -> Vec<&str> {
    text.split(|character: char| character.is_whitespace() || matches!(character, ',' | ';' | '|'))
        .map(|word| word.trim_matches(['"', '\'', '`', '[', ']', '{', '}', '(', ')', ',']))
        .filter(|word| !word.is_empty())
        .collect()
}
