//! The keys of a front matter. A key that was surely meant to restrict, and is none of the dialect's, closes the file:
//! to pass over it would open what its author closed.

use super::{
    Dialect,
    draft::Draft,
    remark::{Place, Remark},
    yaml::{Node, Value},
};
use crate::text::shown;
use hashbrown::HashMap;
use rapidfuzz::distance::osa;

/// The fields of a file, by key.
pub(super) struct Fields {
    by_key: HashMap<String, (Place, Node)>,
}

impl Fields {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.by_key.get(key).map(|(_, node)| node)
    }

    /// The value of the one key of several that mean the same; two of them close the file.
    pub(super) fn one_of(&self, keys: &[&'static str], draft: &mut Draft<'_>) -> Option<(&'static str, &Node)> {
        let mut given = keys.iter().filter_map(|&key| self.by_key.get(key).map(|(place, node)| (key, *place, node)));
        let first = given.next()?;
        if let Some((key, place, _)) = given.next() {
            let message = format!("`{key}` and `{}` mean the same, so nothing is granted; keep one of them", first.0);
            draft.close(place.error("key_duplicate", message));
        }
        Some((first.0, first.2))
    }

    /// The agent's name.
    pub(super) fn name(&self, draft: &mut Draft<'_>) -> Option<String> {
        let node = self.get("name")?;
        match &node.value {
            Value::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::Number(text) => Some(text.clone()),
            other => {
                let message = format!("`name` is {}; give a text", other.kind());
                draft.note(node.place.warning("value_type", message));
                None
            }
        }
    }
}

/// Keys of a dialect that decide what the agent may reach.
const fn scoping(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Pi => &[
            "tools",
            "disallowed_tools",
            "extensions",
            "exclude_extensions",
            "isolated",
            "memory",
            "allowed_subagents",
        ],
        Dialect::Claude => &["tools", "disallowedTools", "mcpServers", "memory", "permissionMode"],
        Dialect::Toolscope => &[
            "allow",
            "tools",
            "exclude",
            "disallowedTools",
            "disallowed_tools",
            "required",
            "sealed",
            "requireGuards",
            "require_guards",
            "spawns",
            "allowed_subagents",
        ],
    }
}

/// Keys that have nothing to do with tools.
const PLAIN: &[&str] = &[
    "name",
    "display_name",
    "description",
    "model",
    "color",
    "effort",
    "thinking",
    "skills",
    "skill",
    "hooks",
    "background",
    "run_in_background",
    "isolation",
    "initialPrompt",
    "maxTurns",
    "max_turns",
    "prompt_mode",
    "inherit_context",
    "inherit_skills",
    "enabled",
    "experimental",
    "omitClaudeMd",
    "version",
    "tags",
    "output",
];

/// Words by which agents, ours and others, restrict what may be reached; letters and digits alone, in lower case.
const RESTRICTING: &[&str] = &[
    "tool",
    "tools",
    "toolset",
    "toolsets",
    "allow",
    "allowed",
    "allowtools",
    "allowedtools",
    "allowlist",
    "whitelist",
    "disallow",
    "disallowed",
    "disallowtools",
    "disallowedtools",
    "deny",
    "denied",
    "denytools",
    "deniedtools",
    "denylist",
    "blacklist",
    "block",
    "blocked",
    "blockedtools",
    "forbiddentools",
    "exclude",
    "excluded",
    "excludetools",
    "excludedtools",
    "extension",
    "extensions",
    "allowedextensions",
    "inheritextensions",
    "excludeextension",
    "excludeextensions",
    "excludedextensions",
    "disallowedextensions",
    "isolated",
    "isolate",
    "permission",
    "permissions",
    "readonly",
    "sandbox",
    "restrict",
    "restricted",
    "scope",
    "narrow",
    "required",
    "seal",
    "seals",
    "sealed",
    "locked",
    "frozen",
    "requireguards",
    "guards",
    "spawn",
    "spawns",
    "subagents",
    "allowedsubagents",
    "allowedagents",
    "mcp",
    "mcptools",
];

/// Parts of words that speak of what may be reached, whatever stands around them: `banned_tools`, `toolsAvailable`.
const RESTRICTING_PARTS: &[&str] =
    &["tool", "allow", "deny", "denied", "forbid", "restrict", "exclud", "readonly", "permission", "cannot"];

/// The fields of the root mapping. Where two readers could differ on what the mapping says, there are none.
pub(super) fn fields(root: Node, dialect: Dialect, draft: &mut Draft<'_>) -> Result<Fields, Remark> {
    let pairs = match root.value {
        Value::Null => Vec::new(),
        Value::Map(pairs) => pairs,
        other => {
            let message =
                format!("the front matter is {}, so nothing is granted; write `key: value` lines", other.kind());
            return Err(root.place.error("front_matter_invalid", message));
        }
    };
    let mut by_key: HashMap<String, (Place, Node)> = HashMap::with_capacity(pairs.len());
    for (key, node) in pairs {
        let place = key.place;
        let key = match key.value {
            Value::Text(text) | Value::Number(text) => text,
            other => {
                let message = format!("a key is {}, so nothing is granted; write a plain word", other.kind());
                return Err(place.error("key_invalid", message));
            }
        };
        if key == "<<" {
            let message = "`<<` merges other mappings in, which not every reader does, so nothing is granted; write the fields out";
            return Err(place.error("key_merge", message.to_owned()));
        }
        if by_key.contains_key(&key) {
            let message = format!("`{}` is there twice, so nothing is granted; keep one", shown(&key));
            return Err(place.error("key_duplicate", message));
        }
        judge(&key, place, dialect, draft);
        by_key.insert(key, (place, node));
    }
    Ok(Fields { by_key })
}

/// Closes the file for a key that was meant to restrict; tells of one that means nothing.
fn judge(key: &str, place: Place, dialect: Dialect, draft: &mut Draft<'_>) {
    let known = scoping(dialect);
    if known.contains(&key) || PLAIN.contains(&key) {
        return;
    }
    let folded = folded(key);
    let nearest = known.iter().find(|&&word| near(&self::folded(word), &folded));
    let restricting = RESTRICTING_PARTS.iter().any(|part| folded.contains(part))
        || RESTRICTING.iter().any(|word| near(word, &folded));
    if nearest.is_none() && !restricting {
        let message = format!("`{}` is no field of the dialect `{}`; it means nothing", shown(key), dialect.as_str());
        draft.note(place.info("key_unknown", message));
        return;
    }
    let message = format!(
        "`{}` is no field of the dialect `{}` and looks like a restriction, so nothing is granted; use one of `{}`",
        shown(key),
        dialect.as_str(),
        known.join("`, `")
    );
    let remark = place.error("key_misspelt", message);
    let denies = ["dis", "deny", "denied", "excl", "block", "forbid"].iter().any(|part| folded.contains(part));
    let likely = known.iter().find(|word| denies == (word.starts_with("dis") || word.starts_with("excl")));
    // Another form of a word, as `seal` is of `sealed`.
    let form = known.iter().find(|word| {
        let word = self::folded(word);
        folded.get(..4).is_some_and(|stem| word.starts_with(stem)) && osa::distance(word.chars(), folded.chars()) < 3
    });
    draft.close(remark.suggest(*nearest.or(form).or(likely).unwrap_or(&"tools")));
}

fn folded(key: &str) -> String {
    key.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The same word, or one slip away from it.
fn near(word: &str, key: &str) -> bool {
    if word == key {
        return true;
    }
    // A slip in a short word makes another word.
    let slips = if word.len() < 5 {
        0
    } else if word.len() < 12 {
        1
    } else {
        2
    };
    slips > 0
        && word.len().abs_diff(key.len()) <= slips
        && osa::distance_with_args(word.chars(), key.chars(), &osa::Args::default().score_cutoff(slips)).is_some()
}
