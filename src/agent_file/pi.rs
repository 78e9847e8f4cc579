//! Agent files as spawners of subagents on pi read them.
//!
//! Two things are decided apart: which of the built-in tools, and which extensions' tools. Every loaded extension's
//! tools stay until an entry of `tools` names one (`ext:`); then only what is named does. The MCP servers belong to
//! pi's own extension `mcp`. Where pi passes over an entry and so opens more than was meant, the narrower reading holds
//! here, and is told.

use super::{
    Spawns, denial,
    draft::Draft,
    extension::{Loaded, MCP, deny_extension, exclude_extensions, is_no, read_extensions},
    key::Fields,
    list::{self, Item, List, Within},
    reading,
    remark::Place,
    selector_text::{builtin, extension, nameable, named},
    yaml::Value,
};
use crate::source::identity::same;

/// pi's built-in tools.
const BUILTINS: &[&str] = &["read", "bash", "powershell", "edit", "write", "grep", "find", "ls"];

/// `ext:foo` or `ext:foo/bar`.
struct Selected {
    extension: String,
    tool: Option<String>,
    item: Item,
}

/// What `tools` says.
#[derive(Default)]
struct Tools {
    /// `None`: all of them.
    builtins: Option<Vec<String>>,
    /// Where an entry is a selector, or was to be one: extension tools are in by name alone.
    by_name_alone: bool,
    selected: Vec<Selected>,
    /// Tools of MCP servers by their whole name.
    servers: Vec<Item>,
}

pub(super) fn read(fields: &Fields, draft: &mut Draft<'_>) {
    let mut tools = read_tools(fields, draft);
    deny(fields, draft);
    remember(fields, &mut tools, draft);
    let isolated = is_isolated(fields, draft);
    let loaded = if isolated { Loaded::Only(Vec::new()) } else { read_extensions(fields, draft) };
    exclude_extensions(fields, draft);
    spawns(fields, isolated, draft);
    let unnarrowed = tools.builtins.is_none() && !tools.by_name_alone && tools.servers.is_empty();
    if unnarrowed && matches!(loaded, Loaded::All) {
        return;
    }
    let mut allow = match &tools.builtins {
        None => vec!["builtin:*".to_owned()],
        Some(names) => names.iter().map(|name| builtin(name)).collect(),
    };
    allow.extend(extension_tools(&tools, &loaded, draft));
    let mut once = Vec::with_capacity(allow.len());
    for selector in allow {
        if !once.contains(&selector) {
            once.push(selector);
        }
    }
    draft.scope.allow = Some(once);
}

fn read_tools(fields: &Fields, draft: &mut Draft<'_>) -> Tools {
    let Some(node) = fields.get("tools") else { return Tools::default() };
    let list = list::read("tools", node, Within::Nothing, draft);
    if list.empty {
        let message = "`tools` is empty, which means every built-in tool on pi; write `none` for none".to_owned();
        draft.note(node.place.warning("value_empty", message).suggest("tools: none"));
        return Tools::default();
    }
    // What cannot be read may have been a selector.
    let mut tools = Tools { builtins: Some(Vec::new()), by_name_alone: list.broken, ..Tools::default() };
    let alone = list.items.len() == 1 && !list.broken;
    for item in list.items {
        read_entry(item, alone, &mut tools, draft);
    }
    tools
}

fn read_entry(item: Item, alone: bool, tools: &mut Tools, draft: &mut Draft<'_>) {
    let text = item.text.clone();
    if denial::of_negated("tools", &item, BUILTINS, draft) {
        // It grants nothing, and may be a selector whose sign is a slip.
        tools.by_name_alone |= text.contains(':');
    } else if text == "*" || text == "all" {
        tools.builtins = None;
    } else if text == "none" {
        if !alone {
            let message = "`none` beside other entries of `tools` says nothing; remove it".to_owned();
            draft.note(item.place.warning("value_ambiguous", message));
        }
    } else if let Some((kind, rest)) = text.split_once(':') {
        tools.by_name_alone = true;
        if kind.trim().eq_ignore_ascii_case("ext") {
            select(kind, rest, item, tools, draft);
        } else {
            let message = format!(
                "{} in `tools` is no selector on pi, and grants nothing; name a built-in tool, or an extension as `ext:name`",
                named(&text)
            );
            let remark = item.place.warning("selector_invalid", message);
            draft.note(if kind == "builtin" { remark.suggest(rest) } else { remark });
        }
    } else if text.starts_with("mcp__") {
        tools.servers.push(item);
    } else if !nameable(&text) || text.contains(['*', '/']) || text.contains(char::is_whitespace) {
        let words = text.split_whitespace().collect::<Vec<_>>().join(", ");
        let message =
            format!("{} in `tools` is no tool's name, and grants nothing; divide names by commas", named(&text));
        let remark = item.place.warning("name_invalid", message);
        draft.note(if words == text { remark } else { remark.suggest(words) });
    } else {
        unknown_builtin(&item, draft);
        if let Some(builtins) = &mut tools.builtins {
            builtins.push(text);
        }
    }
}

/// Tells of a name that is no built-in tool of pi.
fn unknown_builtin(item: &Item, draft: &mut Draft<'_>) {
    if BUILTINS.contains(&&*item.text) {
        return;
    }
    let name = named(&item.text);
    if let Some(&meant) = BUILTINS.iter().find(|known| known.eq_ignore_ascii_case(&item.text)) {
        let message = format!("{name} in `tools` has the wrong case, and grants nothing");
        draft.note(item.place.warning("name_case", message).suggest(meant));
    } else {
        let message =
            format!("{name} in `tools` is no built-in tool of pi; write an extension's tool as `ext:extension/tool`");
        draft.note(item.place.warning("name_unknown", message).suggest(format!("ext:extension/{}", item.text)));
    }
}

/// Reads a selector. One that is half written selects nothing, and still makes extension tools opt-in.
fn select(kind: &str, rest: &str, item: Item, tools: &mut Tools, draft: &mut Draft<'_>) {
    let (name, tool) = match rest.split_once('/') {
        Some((name, tool)) => (name, Some(tool)),
        None => (rest, None),
    };
    let whole = named(&item.text);
    let glob = name.contains('*') || tool.is_some_and(|tool| tool.contains('*'));
    let (code, message) = if name.is_empty() || tool == Some("") {
        ("selector_empty", format!("{whole} in `tools` names nothing, so no extension's tool is granted for it"))
    } else if glob {
        ("selector_glob", format!("{whole} in `tools` matches nothing on pi, where a selector has no `*`"))
    } else if !nameable(rest) || rest.contains(char::is_whitespace) || kind.trim() != kind {
        (
            "selector_invalid",
            format!("{whole} in `tools` is no selector; write `ext:extension` or `ext:extension/tool`"),
        )
    } else {
        if kind != "ext" {
            let message = format!(
                "{whole} in `tools` is no selector on pi, where `ext:` is written in lower case; it is read as one"
            );
            draft.note(item.place.warning("selector_case", message).suggest(format!("ext:{rest}")));
        }
        tools.selected.push(Selected { extension: name.to_owned(), tool: tool.map(str::to_owned), item });
        return;
    };
    let remark = item.place.warning(code, message);
    let name = name.trim();
    draft.note(if name.is_empty() || name.contains('*') {
        remark.suggest("ext:extension/tool")
    } else {
        remark.suggest(format!("ext:{name}"))
    });
}

fn deny(fields: &Fields, draft: &mut Draft<'_>) {
    const KEY: &str = "disallowed_tools";
    let Some(node) = fields.get(KEY) else { return };
    let list = list::read(KEY, node, Within::Nothing, draft);
    denial::of_broken(KEY, &list, draft);
    let nothing = list.items.len() == 1 && list.items[0].text == "none";
    for item in list.items.iter().filter(|_| !nothing) {
        let words = reading::words(&item.text);
        let slipped = is_selector(&item.text)
            && words.len() == 1
            && (words[0] != item.text || !item.text.starts_with("ext:") || item.text.len() == 4);
        if slipped {
            let message = format!("{} in `{KEY}` is no selector on pi; all it could mean is denied", named(&item.text));
            let name = item.text.split_once(':').map_or("", |(_, name)| name.trim());
            draft.note(item.place.warning("selector_invalid", message).suggest(format!("ext:{name}")));
        }
        denial::of_item(KEY, item, BUILTINS, !slipped && item.text != "all", draft);
        for word in words.iter().filter(|word| is_selector(word)) {
            deny_selector(word, draft);
        }
    }
}

/// Whether it is a selector of pi's, in whatever case.
fn is_selector(text: &str) -> bool {
    text.split_once(':').is_some_and(|(kind, _)| kind.trim().eq_ignore_ascii_case("ext"))
}

fn deny_selector(text: &str, draft: &mut Draft<'_>) {
    let rest = text.split_once(':').map_or(text, |(_, rest)| rest);
    let (name, tool) = rest.split_once('/').map_or((rest, None), |(name, tool)| (name, Some(tool)));
    let any = |text: &str| text.is_empty() || text.contains('*');
    if any(name) {
        deny_extension("*", draft);
    } else if let Some(tool) = tool.filter(|tool| !any(tool)) {
        draft.exclude(extension(name, Some(tool)));
        if same(name, MCP) {
            draft.exclude(tool);
        }
    } else {
        deny_extension(name, draft);
    }
}

/// `memory` lets the agent keep notes: with read, write and edit where it may write at all, else with read alone.
fn remember(fields: &Fields, tools: &mut Tools, draft: &mut Draft<'_>) {
    let Some(node) = fields.get("memory") else { return };
    match &node.value {
        Value::Text(text) if matches!(&**text, "user" | "project" | "local") => {}
        Value::Null | Value::Bool(false) => return,
        other => {
            let shown = if let Value::Text(text) = other { named(text) } else { other.kind().to_owned() };
            let message = format!("`memory` is {shown}, and adds no tool; use `user`, `project` or `local`");
            draft.note(node.place.warning("value_unknown", message).suggest("memory: project"));
            return;
        }
    }
    let Some(builtins) = &mut tools.builtins else { return };
    let denied = |name: &str| draft.scope.exclude.iter().any(|denied| denied == name || denied == "*");
    let writes = ["write", "edit"].iter().any(|name| builtins.iter().any(|has| has == name) && !denied(name));
    let added: &[&str] = if writes { &["read", "write", "edit"] } else { &["read"] };
    for name in added {
        if !builtins.iter().any(|has| has == name) {
            builtins.push((*name).to_owned());
        }
    }
}

/// Whether there are to be no extensions and no nesting. What may have meant yes is yes.
fn is_isolated(fields: &Fields, draft: &mut Draft<'_>) -> bool {
    let Some(node) = fields.get("isolated") else { return false };
    match &node.value {
        Value::Bool(said) => *said,
        Value::Null => {
            let message = "`isolated` is empty, which means false; write `true` or `false`".to_owned();
            draft.note(node.place.warning("value_empty", message).suggest("isolated: true"));
            false
        }
        other => {
            let no = matches!(other, Value::Text(text) if is_no(text));
            let meant = if no { "false" } else { "true" };
            let shown = if let Value::Text(text) = other { named(text) } else { other.kind().to_owned() };
            let message =
                format!("`isolated` is {shown}, which is neither `true` nor `false` in YAML; it is read as `{meant}`");
            draft.note(node.place.warning("value_ambiguous", message).suggest(format!("isolated: {meant}")));
            !no
        }
    }
}

fn spawns(fields: &Fields, isolated: bool, draft: &mut Draft<'_>) {
    const KEY: &str = "allowed_subagents";
    let given = fields.get(KEY).map(|node| list::read(KEY, node, Within::Nothing, draft));
    draft.spawns = match given {
        _ if isolated => Some(Spawns::Only(Vec::new())),
        None => None,
        Some(List { items, broken: false, .. }) if items.iter().any(|item| item.text == "*" || item.text == "all") => {
            Some(Spawns::All)
        }
        Some(List { items, .. }) => {
            Some(Spawns::Only(items.into_iter().map(|item| item.text).filter(|name| name != "none").collect()))
        }
    };
}

/// The selectors of extensions' and servers' tools.
fn extension_tools(tools: &Tools, loaded: &Loaded, draft: &mut Draft<'_>) -> Vec<String> {
    let mut allow = Vec::new();
    let ineffective = |place: Place, text: &str, draft: &mut Draft<'_>| {
        let message =
            format!("{} in `tools` selects from an extension that is not loaded; selectors load none", named(text));
        draft.note(place.warning("selector_ineffective", message));
    };
    if tools.by_name_alone {
        for selected in &tools.selected {
            let Selected { extension: name, tool, item } = selected;
            if !loaded.has(name) {
                ineffective(item.place, &item.text, draft);
                continue;
            }
            // `ext:foo` beside `ext:foo/bar` means the latter alone.
            let narrowed = tools.selected.iter().any(|other| other.tool.is_some() && same(&other.extension, name));
            match tool {
                None if narrowed => {}
                None => {
                    allow.push(extension(name, None));
                    if same(name, MCP) {
                        allow.push("mcp:*".to_owned());
                    }
                }
                Some(tool) => {
                    allow.push(extension(name, Some(tool)));
                    if same(name, MCP) && tool.starts_with("mcp__") && !tool.contains(['"', '@']) {
                        allow.push(tool.clone());
                    }
                }
            }
        }
    } else {
        match loaded {
            Loaded::All => allow.push("ext:*".to_owned()),
            Loaded::Only(names) => allow.extend(names.iter().map(|name| extension(name, None))),
        }
        if loaded.has(MCP) && tools.servers.is_empty() {
            allow.push("mcp:*".to_owned());
        }
    }
    for item in &tools.servers {
        if loaded.has(MCP) && nameable(&item.text) {
            allow.push(item.text.clone());
        } else {
            ineffective(item.place, &item.text, draft);
        }
    }
    allow
}
