//! The fields of a pi file about extensions as a whole: which are loaded, and which are left out.

use super::{
    draft::Draft,
    key::Fields,
    list::{self, Item, Within},
    reading,
    selector_text::{extension, nameable, named},
    yaml::Value,
};
use crate::source::identity::same;

/// The extension of pi that holds the MCP servers' tools.
pub(super) const MCP: &str = "mcp";

/// Which extensions are loaded.
pub(super) enum Loaded {
    All,
    Only(Vec<String>),
}

impl Loaded {
    /// Whether an extension is among them.
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|loaded| same(loaded, name)),
        }
    }
}

/// What `extensions` says.
pub(super) fn read_extensions(fields: &Fields, draft: &mut Draft<'_>) -> Loaded {
    const KEY: &str = "extensions";
    let Some(node) = fields.get(KEY) else { return Loaded::All };
    match &node.value {
        Value::Bool(true) => return Loaded::All,
        Value::Bool(false) => return Loaded::Only(Vec::new()),
        Value::Null => {
            let message = "`extensions` is empty, which means all of them on pi; write `false` for none".to_owned();
            draft.note(node.place.warning("value_empty", message).suggest("extensions: false"));
            return Loaded::All;
        }
        Value::Text(text)
            if is_no(text) || ["yes", "y", "on", "true"].iter().any(|word| word.eq_ignore_ascii_case(text)) =>
        {
            let message =
                format!("`extensions` is {}, which is no truth value in YAML, so it is read as none", named(text));
            draft.note(node.place.warning("value_ambiguous", message).suggest("extensions: false"));
            return Loaded::Only(Vec::new());
        }
        _ => {}
    }
    let mut list = list::read(KEY, node, Within::Nothing, draft);
    list.items.retain(|item| {
        let name = reading::negated(&item.text);
        if let Some(name) = name {
            let message = format!("{} in `{KEY}` takes away; it is denied", named(&item.text));
            draft.note(item.place.warning("entry_negated", message).suggest(format!("exclude_extensions: {name}")));
            deny_extension_word(KEY, name, item, draft);
        }
        name.is_none()
    });
    if list.items.iter().any(|item| item.text == "*") {
        return Loaded::All;
    }
    let names =
        list.items.iter().filter(|item| item.text != "none").filter_map(|item| extension_name(KEY, item, draft));
    Loaded::Only(names.collect())
}

/// Denies what `exclude_extensions` names.
pub(super) fn exclude_extensions(fields: &Fields, draft: &mut Draft<'_>) {
    const KEY: &str = "exclude_extensions";
    let Some(node) = fields.get(KEY) else { return };
    if matches!(node.value, Value::Bool(false)) {
        return;
    }
    let list = list::read(KEY, node, Within::Nothing, draft);
    let nothing = list.items.len() == 1 && list.items[0].text == "none";
    for item in list.items.iter().filter(|_| !nothing) {
        let name = extension_name(KEY, item, draft);
        // An extension of this name may be meant, or all.
        let every = item.text == "*" || item.text == "all" || name.is_none();
        deny_extension(if every { "*" } else { name.as_deref().unwrap_or("*") }, draft);
        for word in reading::words(&item.text) {
            deny_extension_word(KEY, &word, item, draft);
        }
    }
    if list.broken {
        deny_extension("*", draft);
    }
}

/// However a list was divided, and however each name in it is written, it is denied.
fn deny_extension_word(key: &str, word: &str, item: &Item, draft: &mut Draft<'_>) {
    if word != item.text {
        let part = Item { text: word.to_owned(), place: item.place };
        deny_extension(extension_name(key, &part, draft).as_deref().unwrap_or(word), draft);
    }
    let (kind, bare) = word.split_once(':').map_or((None, word), |(kind, bare)| (Some(kind), bare));
    // A tool of an extension cannot be left out by this field; the extension can.
    if let Some(name) = bare.split('/').next().filter(|name| kind.is_some() && nameable(name)) {
        deny_extension(name, draft);
    }
    for reading in reading::readings(&format!("ext: {bare}")).iter().filter(|reading| reading.starts_with("ext:")) {
        draft.exclude(&**reading);
    }
}

/// The name of an extension that is given by name or by path: the file's base name, or the folder's for `index.*`.
fn extension_name(key: &str, item: &Item, draft: &mut Draft<'_>) -> Option<String> {
    let text = item.text.strip_prefix("ext:").unwrap_or(&item.text);
    if text.len() < item.text.len() {
        let message = format!("{} in `{key}` is a selector; write the extension's name alone", named(&item.text));
        draft.note(item.place.warning("selector_invalid", message).suggest(text));
    }
    let path = text.contains(['/', '\\']) || has_script_ending(text);
    let mut parts = text.split(['/', '\\']).filter(|part| !part.is_empty()).rev();
    let base = parts.next().map(stem);
    let name = if path && base == Some("index") { parts.next() } else { base };
    let name = name.filter(|name| nameable(name) && !matches!(*name, "." | "..") && !name.contains('*'));
    let Some(name) = name else {
        if text != "*" {
            let message =
                format!("{} in `{key}` names no extension; write a name, a path or `\"*\"`", named(&item.text));
            draft.note(item.place.warning("name_invalid", message));
        }
        return None;
    };
    if path {
        let message = format!("{} in `{key}` is a path; it is matched by the extension's name, `{name}`", named(text));
        draft.note(item.place.info("extension_path", message).suggest(name));
    }
    Some(name.to_owned())
}

fn has_script_ending(text: &str) -> bool {
    stem(text).len() < text.len()
}

fn stem(text: &str) -> &str {
    text.strip_suffix(".ts").or_else(|| text.strip_suffix(".js")).unwrap_or(text)
}

/// Denies an extension; those of the MCP servers with `mcp`.
pub(super) fn deny_extension(name: &str, draft: &mut Draft<'_>) {
    let every = name.contains('*');
    draft.exclude(if every { "ext:*".to_owned() } else { extension(name, None) });
    if every || same(name, MCP) {
        draft.exclude("mcp:*");
    }
}

/// A word that some readers of YAML take for false.
pub(super) fn is_no(text: &str) -> bool {
    ["no", "n", "off", "false"].iter().any(|word| word.eq_ignore_ascii_case(text.trim()))
}
