//! Selectors as trees, so that the model reads no text: the crate is given what each prints.

use toolscope::source::{Hint, SourceKind};

/// DESIGN §4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    Everything,
    Nothing,
    /// A plain name, or a glob over names.
    Name(String),
    Path {
        kind: SourceKind,
        source: String,
        tool: Option<String>,
        hint: Option<Hint>,
    },
    /// What follows `mcp__`.
    Joined(String),
    /// A text that does not parse, and what its widest prefix that does parse says.
    Invalid {
        text: String,
        prefix: Option<Box<Selector>>,
    },
}

impl Selector {
    pub fn text(&self) -> String {
        match self {
            Self::Everything => "*".to_owned(),
            Self::Nothing => "none".to_owned(),
            Self::Name(name) => name.clone(),
            Self::Joined(rest) => format!("mcp__{rest}"),
            Self::Invalid { text, .. } => text.clone(),
            Self::Path { kind, source, tool, hint } => {
                let source = if source.contains(['/', '@']) { format!("\"{source}\"") } else { source.clone() };
                let mut text = match (kind, tool) {
                    (SourceKind::Builtin, tool) => format!("builtin:{}", tool.as_deref().unwrap_or("*")),
                    (kind, None) => format!("{}:{source}", kind.as_str()),
                    (kind, Some(tool)) => format!("{}:{source}/{tool}", kind.as_str()),
                };
                if let Some(hint) = hint {
                    text = format!("{text}@{}", hint.as_str());
                }
                text
            }
        }
    }

    /// The word that a grant binds to one tool, where it is one.
    pub fn word(&self) -> Option<String> {
        match self {
            Self::Name(name) if !name.contains('*') => Some(name.clone()),
            Self::Joined(_) => Some(self.text()).filter(|text| !text.contains('*')),
            _ => None,
        }
    }
}

/// Whether a pattern, in which `*` is any characters, fits a name: by trying everything.
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some(first) = pattern.chars().next() else { return name.is_empty() };
    let rest = &pattern[first.len_utf8()..];
    if first == '*' {
        return (0..=name.len()).filter(|&at| name.is_char_boundary(at)).any(|at| fits(rest, &name[at..]));
    }
    name.strip_prefix(first).is_some_and(|name| fits(rest, name))
}

/// The same without case.
pub fn fits_folded(pattern: &str, name: &str) -> bool {
    fits(&pattern.to_lowercase(), &name.to_lowercase())
}

/// Whether what follows `mcp__` fits a server, without case, and its tool, with case, joined by `__`.
pub fn fits_joined(pattern: &str, server: &str, tool: &str) -> bool {
    fn tries(pattern: &[char], name: &[(char, bool)]) -> bool {
        match (pattern, name) {
            ([], name) => name.is_empty(),
            (['*', rest @ ..], name) => (0..=name.len()).any(|at| tries(rest, &name[at..])),
            ([wanted, pattern @ ..], [(letter, folded), name @ ..]) => {
                (wanted == letter || (*folded && wanted.to_lowercase().eq(letter.to_lowercase())))
                    && tries(pattern, name)
            }
            (_, []) => false,
        }
    }
    let server = server.chars().map(|letter| (letter, true));
    let rest = "__".chars().chain(tool.chars()).map(|letter| (letter, false));
    tries(&pattern.chars().collect::<Vec<_>>(), &server.chain(rest).collect::<Vec<_>>())
}

/// Every split of what follows `mcp__` into server and tool; the last has no tool.
pub fn splits(rest: &str) -> Vec<(&str, Option<&str>)> {
    let mut splits: Vec<_> = (1..rest.len())
        .filter(|&at| rest.is_char_boundary(at) && rest[at..].starts_with("__") && at + 2 < rest.len())
        .map(|at| (&rest[..at], Some(&rest[at + 2..]).filter(|&tool| tool != "*")))
        .collect();
    splits.push((rest, None));
    splits
}
