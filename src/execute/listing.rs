//! The tools a program can see: for `Object.keys(tools)`, for resolving a path to an id, and for saying what was
//! likely meant. It grants nothing: every call is decided by the host, whatever this says.

use std::{collections::HashMap, sync::Arc};

use parking_lot::RwLock;
use rapidfuzz::distance::osa;
use serde::Deserialize;

/// One tool in sight.
#[derive(Clone, Debug, Deserialize)]
pub struct ListedTool {
    /// Its tool id, such as `mcp:github/search`.
    pub id: String,
    /// Its exposed name: `tools.<name>`.
    pub name: String,
    /// Its source's id, such as `mcp:github`.
    pub source: String,
    /// The source's name: `tools.<label>`.
    pub label: String,
    /// Its raw name: `tools.<label>.<tool>`.
    pub tool: String,
}

/// How alike a name must be to be suggested, from 0 to 1.
const ALIKE: f64 = 0.55;

/// Bytes of an unknown name past which nothing near it is looked for; exposed names have at most 64.
const NEAREST_BYTES: usize = 256;

/// A tool's spellings, as they are compared.
#[derive(Debug)]
struct Lowered {
    dotted: String,
    name: String,
    tool: String,
}

/// A listing that the host may replace while programs run.
pub type LiveListing = Arc<RwLock<Arc<Listing>>>;

/// What a path in a program leads to.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolved<'a> {
    /// The id of the one tool it means.
    Tool(&'a str),
    /// Nothing in sight: the nearest paths, best first, and what slip it looks like.
    Unknown {
        /// Up to three, as they are written in a program.
        suggestions: Vec<String>,
        /// What to write instead, where the slip is a known one.
        hint: Option<String>,
    },
}

/// The tools in sight, by every spelling a program may use.
#[derive(Debug, Default)]
pub struct Listing {
    tools: Vec<ListedTool>,
    lowered: Vec<Lowered>,
    names: HashMap<String, usize>,
    labels: Vec<String>,
    sources: HashMap<String, Vec<usize>>,
}

impl Listing {
    /// Indexes `tools`, in the order in which they are listed.
    #[must_use]
    pub fn new(tools: Vec<ListedTool>) -> Self {
        let mut listing = Self::default();
        for (index, tool) in tools.iter().enumerate() {
            listing.names.entry(tool.name.clone()).or_insert(index);
            listing.names.entry(tool.id.clone()).or_insert(index);
            for label in [&tool.label, &tool.source] {
                let members = listing.sources.entry(label.clone()).or_default();
                if members.last() != Some(&index) {
                    members.push(index);
                }
            }
            if !listing.labels.contains(&tool.label) {
                listing.labels.push(tool.label.clone());
            }
        }
        let lowered = |tool: &ListedTool| Lowered {
            dotted: format!("{}.{}", tool.label, tool.tool).to_lowercase(),
            name: tool.name.to_lowercase(),
            tool: tool.tool.to_lowercase(),
        };
        listing.lowered = tools.iter().map(lowered).collect();
        listing.tools = tools;
        listing
    }

    /// The keys of `tools` (source names, then exposed names), or of one source (raw names).
    #[must_use]
    pub fn keys(&self, path: &[String]) -> Vec<&str> {
        let mut keys: Vec<&str> = match path {
            [] => self.labels.iter().chain(self.tools.iter().map(|tool| &tool.name)).map(String::as_str).collect(),
            [source] => self.members(source).map(|tool| tool.tool.as_str()).collect(),
            _ => Vec::new(),
        };
        let mut seen = std::collections::HashSet::new();
        keys.retain(|key| seen.insert(*key));
        keys
    }

    /// Whether `key` leads anywhere from `path`.
    #[must_use]
    pub fn has(&self, path: &[String], key: &str) -> bool {
        match path {
            [] => self.names.contains_key(key) || self.sources.contains_key(key),
            [source] => self.member(source, key).is_some(),
            _ => false,
        }
    }

    /// What `tools.<path…>(…)` means.
    #[must_use]
    pub fn resolve(&self, path: &[String]) -> Resolved<'_> {
        let found = match path {
            [name] => self.names.get(name).map(|&index| &self.tools[index]),
            [source, tool] => self.member(source, tool),
            _ => None,
        };
        if let Some(tool) = found {
            return Resolved::Tool(&tool.id);
        }
        let meant = self.meant(path);
        let hint = meant.map(|tool| {
            let repeated = path.len() > 2 || (path.len() == 2 && path[1].starts_with(path[0].as_str()));
            let slip = if repeated { "the namespace is repeated" } else { "the separator is another" };
            format!("{slip}: write `{}`", written(tool))
        });
        let suggestions = meant.map_or_else(|| self.nearest(path), |tool| vec![written(tool)]);
        Resolved::Unknown { suggestions, hint }
    }

    fn members(&self, source: &str) -> impl Iterator<Item = &ListedTool> {
        self.sources.get(source).into_iter().flatten().map(|&index| &self.tools[index])
    }

    /// The tool of `source` with this raw name, or the only one whose identifier spelling it is.
    fn member(&self, source: &str, name: &str) -> Option<&ListedTool> {
        let exact: Vec<_> = self.members(source).filter(|tool| tool.tool == name).collect();
        match exact[..] {
            [tool] => return Some(tool),
            [] => {}
            _ => return None,
        }
        let mut spelled = self.members(source).filter(|tool| identifier(&tool.tool) == name);
        spelled.next().filter(|_| spelled.next().is_none())
    }

    /// The tool that the words of a path name once separators and repeated namespaces are set aside.
    fn meant(&self, path: &[String]) -> Option<&ListedTool> {
        let words: Vec<&str> = path
            .iter()
            .flat_map(|segment| segment.split(['.', '/', ':']))
            .flat_map(|part| part.split("__"))
            .filter(|word| !word.is_empty() && !matches!(*word, "tools" | "mcp" | "ext" | "host" | "execute" | "call"))
            .collect();
        let mut distinct: Vec<&str> = Vec::new();
        for word in words {
            if distinct.last() != Some(&word) {
                distinct.push(word);
            }
        }
        match distinct[..] {
            [name] => self.names.get(name).map(|&index| &self.tools[index]),
            [source, tool] => {
                let stripped = tool.strip_prefix(source).map(|rest| rest.trim_start_matches(['_', '-']));
                self.member(source, tool).or_else(|| stripped.and_then(|rest| self.member(source, rest)))
            }
            _ => None,
        }
    }

    fn nearest(&self, path: &[String]) -> Vec<String> {
        // Nobody slips in a name like this, and comparing it with every tool would take longer than it is worth.
        if path.iter().map(String::len).sum::<usize>() > NEAREST_BYTES {
            return Vec::new();
        }
        let wanted = path.join(".").to_lowercase();
        let last = path.last().map(|segment| segment.to_lowercase()).unwrap_or_default();
        let alike = osa::Args::default().score_cutoff(ALIKE);
        let near = |spelling: &str, wanted: &str| {
            // Lengths alone rule most of them out.
            let (short, long) = (spelling.len().min(wanted.len()), spelling.len().max(wanted.len()));
            if short * 4 < long {
                return None;
            }
            osa::normalized_similarity_with_args(spelling.chars(), wanted.chars(), &alike)
        };
        let mut scored: Vec<(f64, usize)> = (0..self.tools.len())
            .filter_map(|index| {
                let Lowered { dotted, name, tool } = &self.lowered[index];
                let scores = [near(dotted, &wanted), near(name, &wanted), near(tool, &last)];
                Some((scores.into_iter().flatten().reduce(f64::max)?, index))
            })
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| self.tools[a.1].id.cmp(&self.tools[b.1].id)));
        scored.into_iter().take(3).map(|(_, index)| written(&self.tools[index])).collect()
    }
}

/// A tool as a program writes it.
fn written(tool: &ListedTool) -> String {
    let step = |key: &str| {
        if !key.is_empty() && identifier(key) == key {
            format!(".{key}")
        } else {
            format!("[{}]", serde_json::json!(key))
        }
    };
    format!("tools{}{}", step(&tool.label), step(&tool.tool))
}

/// A name with what an identifier cannot hold replaced by `_`.
fn identifier(name: &str) -> String {
    let mut made: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if made.starts_with(|c: char| c.is_ascii_digit()) {
        made.insert(0, '_');
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Listing {
        let tool = |source: &str, label: &str, tool: &str, name: &str| ListedTool {
            id: format!("{source}/{tool}"),
            name: name.into(),
            source: source.into(),
            label: label.into(),
            tool: tool.into(),
        };
        Listing::new(vec![
            tool("builtin", "builtin", "read", "read"),
            tool("mcp:github", "github", "search-code", "mcp__github__search-code"),
            tool("mcp:github", "github", "list", "mcp__github__list"),
            tool("ext:notes", "notes", "list", "list"),
        ])
    }
    fn path(segments: &[&str]) -> Vec<String> {
        segments.iter().map(ToString::to_string).collect()
    }
    fn unknown(segments: &[&str]) -> (Vec<String>, Option<String>) {
        match listing().resolve(&path(segments)) {
            Resolved::Unknown { suggestions, hint } => (suggestions, hint),
            Resolved::Tool(id) => panic!("resolved to {id}"),
        }
    }

    #[test]
    fn resolves_by_source_name_and_id() {
        let listing = listing();
        for segments in [
            &["github", "search-code"][..],
            &["github", "search_code"],
            &["mcp:github", "search-code"],
            &["mcp__github__search-code"],
            &["mcp:github/search-code"],
        ] {
            assert_eq!(listing.resolve(&path(segments)), Resolved::Tool("mcp:github/search-code"), "{segments:?}");
        }
        assert_eq!(listing.resolve(&path(&["list"])), Resolved::Tool("ext:notes/list"));
    }

    #[test]
    fn lists_sources_then_names() {
        let listing = listing();
        assert_eq!(listing.keys(&[])[..3], ["builtin", "github", "notes"]);
        assert_eq!(listing.keys(&path(&["github"])), ["search-code", "list"]);
        assert!(listing.has(&[], "list") && listing.has(&path(&["github"]), "list"));
        assert!(!listing.has(&[], "nothing"));
    }

    #[test]
    fn says_what_was_likely_meant() {
        assert_eq!(unknown(&["github", "serch_code"]).0, [r#"tools.github["search-code"]"#]);
        assert!(unknown(&["github", "github", "list"]).1.unwrap().contains("repeated"));
        assert!(unknown(&["github", "github_list"]).1.unwrap().contains("repeated"));
        assert!(unknown(&["github.list"]).1.unwrap().contains("separator"));
        assert!(unknown(&["github__list"]).1.unwrap().contains("tools.github.list"));
        assert_eq!(unknown(&["zzz", "qqq"]), (vec![], None));
    }
}
