//! Decisions on calls, as DESIGN §5 says them.

use super::{Code, Exposure, Model, Source, SourceKind, Tool, name::sanitised, scope::is_spelled};

/// What a spelling means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    Named(String),
    Alias(String),
    Nothing,
}

impl Model {
    /// The decision on a call, and the tool that was decided. `id` is the tool the host is about to run.
    pub fn decide(&self, name: &str, id: Option<&str>, from_code: bool) -> (Code, Option<String>) {
        if self.disposed {
            return (Code::Disposed, None);
        }
        let meant = self.lookup(name);
        match (meant, id) {
            (Meant::Named(tool) | Meant::Alias(tool), None) => (self.decide_tool(&tool, from_code), Some(tool)),
            (Meant::Named(tool), Some(id)) if self.tool(id).is_some() => match self.decide_tool(id, from_code) {
                Code::Allowed if tool != id => (Code::Unknown, Some(id.to_owned())),
                code => (code, Some(id.to_owned())),
            },
            _ => (Code::Unknown, None),
        }
    }

    pub fn decide_tool(&self, id: &str, from_code: bool) -> Code {
        let Some((source, tool)) = self.tool(id) else { return Code::Unknown };
        match self.verdict(source, tool) {
            Code::Allowed => {}
            refusal => return refusal,
        }
        match (tool.exposure(), from_code) {
            (Exposure::Direct, _) | (Exposure::ModelOnly, false) | (Exposure::Code | Exposure::Deferred, true) => {
                Code::Allowed
            }
            (Exposure::Deferred, false) if self.loaded.contains(id) => Code::Allowed,
            (Exposure::Deferred, false) => Code::NotLoaded,
            _ => Code::NotExposed,
        }
    }

    /// By exposed name or id over every known tool; only what none bears is tried as an alias, and only where it fits
    /// one tool of the whole registry.
    pub fn lookup(&self, name: &str) -> Meant {
        if let Some(tool) = self.owner(name).or_else(|| self.tool(name).map(|(_, tool)| tool)) {
            return Meant::Named(tool.id.clone());
        }
        let fits: Vec<&Tool> = self
            .tools()
            .into_iter()
            .filter(|(source, tool)| is_alias(name, source, tool))
            .map(|(_, tool)| tool)
            .collect();
        if let [tool] = fits[..] { Meant::Alias(tool.id.clone()) } else { Meant::Nothing }
    }
}

/// Whether a spelling is another one for a tool: its raw name, alone or behind its source's.
fn is_alias(name: &str, source: &Source, tool: &Tool) -> bool {
    let is_raw = |name: &str| name == tool.raw || is_spelled(name, source, tool);
    let prefixes: Vec<String> = std::iter::once(&source.spec.name)
        .chain(&source.spec.aliases)
        .flat_map(|name| [name.to_lowercase(), sanitised(name).to_lowercase()])
        .collect();
    let bare = name.strip_prefix("mcp__").filter(|_| source.spec.kind == SourceKind::Mcp);
    is_raw(name)
        || [Some(name), bare].into_iter().flatten().any(|name| {
            (0..name.len()).filter(|&at| name.is_char_boundary(at)).any(|at| {
                let (start, rest) = name.split_at(at);
                prefixes.contains(&start.to_lowercase())
                    && ["__", "_", ".", "/", "-", ":"]
                        .iter()
                        .any(|separator| rest.strip_prefix(separator).is_some_and(is_raw))
            })
        })
}
