//! Our own dialect: the fields of a scope by their names, with the whole grammar of selectors.

use super::{
    Spawns, denial,
    draft::Draft,
    key::Fields,
    list::{self, Item, List, Within},
    reading,
    remark::Place,
    selector_text::named,
    yaml::Value,
};
use crate::selector::{self, Selector};

pub(super) fn read(fields: &Fields, draft: &mut Draft<'_>) {
    if let Some((key, node)) = fields.one_of(&["allow", "tools"], draft) {
        let list = list::read(key, node, Within::Quotes, draft);
        if list.empty {
            let message = format!("`{key}` is empty, so nothing is granted; write `\"*\"` for everything");
            draft.note(node.place.warning("value_empty", message).suggest(format!("{key}: \"*\"")));
        }
        draft.scope.allow = Some(grants(key, &list, draft));
    }
    if let Some(node) = fields.get("required") {
        let list = list::read("required", node, Within::Quotes, draft);
        draft.scope.required = grants("required", &list, draft);
    }
    if let Some((key, node)) = fields.one_of(&["exclude", "disallowedTools", "disallowed_tools"], draft) {
        let list = list::read(key, node, Within::Quotes, draft);
        denial::of_broken(key, &list, draft);
        for item in &list.items {
            check(key, item, draft);
            if is_quoted(&item.text) {
                draft.exclude(&*item.text);
            } else {
                denial::of_item(key, item, &[], selector::parse(&item.text).is_ok(), draft);
            }
        }
    }
    if let Some(node) = fields.get("sealed") {
        draft.scope.sealed = match &node.value {
            Value::Bool(said) => *said,
            Value::Null => false,
            _ => {
                let message = "`sealed` is neither `true` nor `false`; it is read as `true`".to_owned();
                draft.note(node.place.warning("value_ambiguous", message).suggest("sealed: true"));
                true
            }
        };
    }
    if let Some((key, node)) = fields.one_of(&["requireGuards", "require_guards"], draft) {
        let list = list::read(key, node, Within::Nothing, draft);
        if list.broken {
            let message = format!("`{key}` cannot be read, so nothing is granted; list the names of the guards");
            draft.close(node.place.error("value_type", message));
        }
        draft.scope.require_guards = list.items.into_iter().map(|item| item.text).collect();
    }
    if let Some((key, node)) = fields.one_of(&["spawns", "allowed_subagents"], draft) {
        let list = list::read(key, node, Within::Nothing, draft);
        let all = !list.broken && list.items.iter().any(|item| item.text == "*" || item.text == "all");
        draft.spawns = Some(if all {
            Spawns::All
        } else {
            Spawns::Only(list.items.into_iter().map(|item| item.text).filter(|name| name != "none").collect())
        });
    }
}

/// The entries that parse; the others grant nothing, and are told.
fn grants(key: &str, list: &List, draft: &mut Draft<'_>) -> Vec<String> {
    let mut granted = Vec::new();
    for item in &list.items {
        if denial::of_negated(key, item, &[], draft) || !check(key, item, draft) {
            continue;
        }
        let words = reading::words(&item.text);
        if words.len() > 1 && !item.text.contains('"') {
            let message = format!("{} in `{key}` is one name with a space; divide names by commas", named(&item.text));
            draft.note(item.place.warning("list_separator", message).suggest(words.join(", ")));
        }
        granted.push(item.text.clone());
    }
    granted
}

/// Whether it is a selector that quotes a name, and nothing else in it could mean more: what is in quotes is as it is.
fn is_quoted(text: &str) -> bool {
    let outside: String =
        text.split('"').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "name" }).collect();
    outside != text && matches!(selector::parse(text), Ok(Selector::Path(_))) && reading::words(&outside) == [&*outside]
}

/// Whether an entry parses; tells where it does not.
fn check(key: &str, item: &Item, draft: &mut Draft<'_>) -> bool {
    if let Err(invalid) = selector::parse(&item.text) {
        let place = Place { column: item.place.column + invalid.column - 1, ..item.place };
        draft.note(place.error("selector_invalid", format!("{} in `{key}`: {}", named(&item.text), invalid.message)));
        return false;
    }
    true
}
