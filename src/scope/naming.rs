//! Which sources a pattern names, and what a server's tool is called elsewhere.

use crate::{
    registry::{Registry, Tool, name::sanitised},
    selector::Pattern,
    source::{Source, SourceIndex, SourceKind, identity},
};

/// The open sources of a kind that a grant may mean by a pattern: one by its name, before others by an alias.
pub(super) fn answering(registry: &Registry, kind: SourceKind, pattern: &Pattern) -> Vec<SourceIndex> {
    let fits = named(registry, kind, pattern, false);
    let Some(name) = pattern.literal().filter(|_| fits.len() > 1) else { return fits };
    let own = fits.iter().find(|&&index| identity::same(&registry.source(index).name, name));
    own.map_or_else(|| fits.clone(), |&own| vec![own])
}

/// The open sources of a kind that answer to a pattern; where `spelled`, to their sanitised name, too.
pub(crate) fn named(registry: &Registry, kind: SourceKind, pattern: &Pattern, spelled: bool) -> Vec<SourceIndex> {
    let answers = |source: &Source| {
        kind == SourceKind::Builtin
            || source
                .names()
                .any(|name| pattern.matches_folded(name) || (spelled && pattern.matches_folded(&sanitised(name))))
    };
    registry
        .open_sources()
        .filter(|(_, source)| source.kind == kind && answers(source))
        .map(|(index, _)| index)
        .collect()
}

/// What a server's tool is called by whoever joins names without looking whether the parts can be told apart: a glob is
/// written with these in mind, and what a tool is called here may carry a hash instead.
pub(super) fn joined_names(source: &Source, tool: &Tool) -> Vec<String> {
    if source.kind != SourceKind::Mcp {
        return Vec::new();
    }
    let spellings = |name: &str| [name.to_owned(), sanitised(name)];
    let raws = spellings(&tool.raw);
    let join = |server: String| raws.each_ref().map(|raw| format!("mcp__{server}__{raw}"));
    source.names().flat_map(spellings).flat_map(join).collect()
}
