//! Claude Code's subagent files: `tools` is a list of exact names and whole MCP servers, `disallowedTools` is taken away
//! from it first, and absent `tools` inherit all.
//!
//! Two of its entries say less than a tool's name, and only a host can hold them: a specifier such as `Bash(git:*)` and
//! the types in `Agent(worker)`. The first grants nothing here, since the whole tool would be more than the file says;
//! the second is told as what the agent may spawn.

use super::{
    Spawns, denial,
    draft::Draft,
    key::Fields,
    list::{self, Item, Within},
    reading,
    selector_text::{nameable, named},
    yaml::Value,
};

/// Claude Code's tools, for telling a slip in their case.
const KNOWN: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "CronCreate",
    "CronDelete",
    "CronList",
    "Edit",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "Glob",
    "Grep",
    "KillShell",
    "LSP",
    "ListMcpResourcesTool",
    "Monitor",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "PowerShell",
    "Read",
    "ReadMcpResourceTool",
    "ScheduleWakeup",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WaitForMcpServers",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// The tool that spawns agents, and its name before version 2.1.63.
const SPAWNING: [&str; 2] = ["Agent", "Task"];

/// Tools that depend on the main conversation; no subagent has them, whatever it lists.
const MAIN_ALONE: &[&str] =
    &["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "WaitForMcpServers"];

/// What `memory` brings along.
const REMEMBERING: [&str; 3] = ["Read", "Write", "Edit"];

pub(super) fn read(fields: &Fields, draft: &mut Draft<'_>) {
    let mut allow = read_tools(fields, draft);
    deny(fields, draft);
    if let Some(allow) = &mut allow
        && remembers(fields, draft)
    {
        for name in REMEMBERING {
            add(allow, name);
        }
    }
    draft.scope.allow = allow;
    servers(fields, draft);
    if let Some(node) = fields.get("permissionMode")
        && !matches!(&node.value, Value::Text(mode) if matches!(&**mode, "default" | "inherit"))
    {
        let message = "`permissionMode` is no matter of scope; hold it by a listener of `before_tool_call`".to_owned();
        draft.note(node.place.info("field_not_held", message));
    }
}

fn add(list: &mut Vec<String>, text: &str) {
    if !list.iter().any(|has| has == text) {
        list.push(text.to_owned());
    }
}

fn read_tools(fields: &Fields, draft: &mut Draft<'_>) -> Option<Vec<String>> {
    const KEY: &str = "tools";
    let node = fields.get(KEY)?;
    let list = list::read(KEY, node, Within::Parentheses, draft);
    if list.empty {
        let message =
            "`tools` is empty, so nothing is granted; name tools, or leave `tools` out to inherit all".to_owned();
        draft.note(node.place.warning("value_empty", message));
    }
    draft.spawns = Some(Spawns::Only(Vec::new()));
    let plan_mode = matches!(fields.get("permissionMode"), Some(node) if matches!(&node.value, Value::Text(mode) if mode == "plan"));
    let mut allow = Vec::new();
    let mut everything = false;
    for item in &list.items {
        if item.text == "*" {
            let message = "`*` in `tools` is the same as leaving `tools` out".to_owned();
            draft.note(item.place.info("value_ambiguous", message));
            everything = true;
        } else if denial::of_negated(KEY, item, KNOWN, draft) {
            // It grants nothing.
        } else if let Some(selectors) = granted(item, plan_mode, draft) {
            for selector in selectors {
                add(&mut allow, &selector);
            }
        }
    }
    if everything {
        draft.spawns = None;
        return None;
    }
    // A whole server holds each tool of it; as a selector, the finer entry would narrow it.
    let whole: Vec<String> =
        allow.iter().filter_map(|entry| server_of(entry).map(|server| format!("mcp__{server}__"))).collect();
    allow.retain(|entry| server_of(entry).is_some() || !whole.iter().any(|prefix| entry.starts_with(prefix.as_str())));
    Some(allow)
}

/// The server that an entry names as a whole.
fn server_of(entry: &str) -> Option<&str> {
    let rest = entry.strip_prefix("mcp__")?;
    let server = rest.strip_suffix("__*").unwrap_or(rest);
    (!server.is_empty() && !server.contains("__")).then_some(server)
}

/// The selectors of one entry; nothing where the entry says less than a selector can.
fn granted(item: &Item, plan_mode: bool, draft: &mut Draft<'_>) -> Option<Vec<String>> {
    let text = &*item.text;
    let whole = named(text);
    if let Some((name, types)) = text.split_once('(') {
        return if SPAWNING.contains(&name.trim()) {
            spawning(types, item, draft)
        } else {
            specified(name, item, draft)
        };
    }
    if SPAWNING.contains(&text) {
        draft.spawns = Some(Spawns::All);
        return Some(SPAWNING.map(str::to_owned).to_vec());
    }
    let (code, message, suggestion) = if let Some(rest) = text.strip_prefix("mcp__") {
        let tool = rest.strip_suffix("__*").unwrap_or(rest);
        if nameable(rest) && !tool.is_empty() && !tool.contains(['*', ':', '"']) && !text.contains(char::is_whitespace)
        {
            return Some(vec![text.to_owned()]);
        }
        let message = format!("{whole} in `tools` names no server; write `mcp__server` or `mcp__server__tool`");
        ("selector_invalid", message, None)
    } else if MAIN_ALONE.contains(&text) && !(plan_mode && text == "ExitPlanMode") {
        ("name_unavailable", format!("{whole} is for the main conversation alone; no subagent has it"), None)
    } else if !nameable(text)
        || !text.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.'))
    {
        let words = reading::words(text);
        let suggestion = (words.len() > 1).then(|| words.join(", "));
        let message = format!(
            "{whole} in `tools` is no tool's name in this dialect, and grants nothing; write exact names, divided by commas"
        );
        ("name_invalid", message, suggestion)
    } else {
        if !KNOWN.contains(&text)
            && let Some(&meant) = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(text))
        {
            let message =
                format!("{whole} in `tools` has the wrong case for Claude Code's `{meant}`, and does not grant it");
            draft.note(item.place.warning("name_case", message).suggest(meant));
        }
        return Some(vec![text.to_owned()]);
    };
    let remark = item.place.warning(code, message);
    draft.note(match suggestion {
        Some(text) => remark.suggest(text),
        None => remark,
    });
    None
}

/// `Agent(worker, researcher)`: which agents may be spawned.
fn spawning(types: &str, item: &Item, draft: &mut Draft<'_>) -> Option<Vec<String>> {
    let Some(types) = types.trim_end().strip_suffix(')') else {
        let message = format!("{} in `tools` is not closed, and grants nothing; add `)`", named(&item.text));
        draft.note(item.place.warning("name_invalid", message).suggest(format!("{})", item.text)));
        return None;
    };
    let names: Vec<String> =
        types.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if names.is_empty() {
        let message =
            format!("{} in `tools` names no agent, so none may be spawned; write `Agent` for any", named(&item.text));
        draft.note(item.place.warning("spawns_empty", message).suggest("Agent"));
        return None;
    }
    match &mut draft.spawns {
        Some(Spawns::All) => {}
        Some(Spawns::Only(list)) => {
            for name in names {
                add(list, &name);
            }
        }
        None => draft.spawns = Some(Spawns::Only(names)),
    }
    Some(SPAWNING.map(str::to_owned).to_vec())
}

/// `Bash(git:*)`: some calls of a tool. A scope has tools or has them not.
fn specified(name: &str, item: &Item, draft: &mut Draft<'_>) -> Option<Vec<String>> {
    let name = name.trim();
    let message = format!(
        "{} in `tools` is for some calls alone, which a scope cannot hold, so it grants nothing; name the tool, and refuse the other calls in a listener of `before_tool_call`",
        named(&item.text)
    );
    draft.note(item.place.warning("tool_specifier", message).suggest(name));
    None
}

fn deny(fields: &Fields, draft: &mut Draft<'_>) {
    const KEY: &str = "disallowedTools";
    let Some(node) = fields.get(KEY) else { return };
    let list = list::read(KEY, node, Within::Parentheses, draft);
    denial::of_broken(KEY, &list, draft);
    for item in &list.items {
        for word in reading::words(&item.text) {
            if matches!(&*word, "mcp__*" | "mcp__" | "mcp__*__*") {
                draft.exclude("mcp:*");
            }
        }
        denial::of_item(KEY, item, KNOWN, true, draft);
    }
    if draft.scope.exclude.iter().any(|denied| SPAWNING.contains(&&**denied) || denied == "*") {
        for name in SPAWNING {
            draft.exclude(name);
        }
        draft.spawns = Some(Spawns::Only(Vec::new()));
    }
}

fn remembers(fields: &Fields, draft: &mut Draft<'_>) -> bool {
    let Some(node) = fields.get("memory") else { return false };
    match &node.value {
        Value::Text(text) if matches!(&**text, "user" | "project" | "local") => true,
        Value::Null | Value::Bool(false) => false,
        _ => {
            let message = "`memory` adds no tool as it stands; use `user`, `project` or `local`".to_owned();
            draft.note(node.place.warning("value_unknown", message).suggest("memory: project"));
            false
        }
    }
}

/// `mcpServers` neither grants nor denies: its servers are sources of the host's, and a child is never wider.
fn servers(fields: &Fields, draft: &mut Draft<'_>) {
    let Some(node) = fields.get("mcpServers") else { return };
    let inline = match &node.value {
        Value::List(nodes) => nodes.iter().any(|node| matches!(node.value, Value::Map(_))),
        Value::Map(pairs) => !pairs.is_empty(),
        Value::Null => false,
        Value::Text(_) => {
            draft.note(node.place.warning("value_type", "`mcpServers` is a text; write a list of names".to_owned()));
            false
        }
        other => {
            let message = format!("`mcpServers` is {}; write a list of names", other.kind());
            draft.note(node.place.warning("value_type", message));
            false
        }
    };
    if inline {
        let message =
            "a server that is defined here is in no scope until the host adds it as a source of the root session"
                .to_owned();
        draft.note(node.place.info("server_inline", message));
    }
}
