//! Reading a list of what is denied: every item denies all it could mean, and one that cannot be read denies all.

use super::{
    draft::Draft,
    list::{Item, List},
    reading,
    selector_text::{nameable, named},
};

/// Denies everything, for a list of which something cannot be read.
pub(super) fn of_broken(key: &str, list: &List, draft: &mut Draft<'_>) {
    let unreadable = list.items.iter().find(|item| !nameable(&item.text) || reading::words(&item.text).is_empty());
    if let Some(item) = unreadable {
        let message =
            format!("{} in `{key}` is no name, so everything is denied; write a tool's name", named(&item.text));
        draft.note(item.place.error("name_invalid", message));
    }
    if list.broken || unreadable.is_some() {
        draft.exclude("*");
    }
}

/// Denies what an entry of a list of grants takes away again, as in `*, !bash`; whether it does.
pub(super) fn of_negated(key: &str, item: &Item, known: &[&'static str], draft: &mut Draft<'_>) -> bool {
    let Some(name) = reading::negated(&item.text) else { return false };
    let message =
        format!("{} in `{key}` takes away, which a list of grants cannot say; it is denied", named(&item.text));
    draft.note(item.place.warning("entry_negated", message));
    of_item(key, &Item { text: name.to_owned(), place: item.place }, known, true, draft);
    true
}

/// Denies a text as it is written, and everything it could mean, told as `told` says; known names also where they are
/// misspelt in their case alone.
pub(super) fn of_item(key: &str, item: &Item, known: &[&'static str], told: bool, draft: &mut Draft<'_>) {
    draft.exclude(&*item.text);
    let readings = reading::readings(&item.text);
    if told && !readings.is_empty() {
        tell(key, item, &readings, draft);
    }
    for word in std::iter::once(&item.text).chain(&readings) {
        draft.exclude(&**word);
        if known.contains(&&**word) {
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

fn tell(key: &str, item: &Item, readings: &[String], draft: &mut Draft<'_>) {
    let words = reading::words(&item.text);
    let (text, names) = (named(&item.text), words.join(", "));
    let remark = if reading::has_arguments(&item.text) {
        let message =
            format!("{text} in `{key}` denies {} as a whole; a scope has tools or has them not", named(&names));
        item.place.warning("tool_specifier", message)
    } else if words.len() != 1 || words[0] != item.text {
        let message = format!("{text} in `{key}` is read as one name, and as those in it; divide names by commas");
        item.place.warning("list_separator", message)
    } else {
        let message = format!("{text} in `{key}` is read as one name, and as {}", named(&readings.join("`, `")));
        return draft.note(item.place.info("name_ambiguous", message).suggest(&*readings[0]));
    };
    draft.note(remark.suggest(names));
}
