//! Which tool a call means: looked up over every known tool, never decoded.

use super::{Registry, Slot, name::sanitised};
use crate::source::{Source, SourceIndex, SourceKind, identity};

/// What a spelling was found to mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// It is the exposed name or the id of this tool.
    Named(Slot),
    /// No tool bears it, and it fits this one alone.
    Alias(Slot),
    /// No tool bears it, and it fits several.
    Ambiguous(Vec<Slot>),
    /// It fits none.
    Unknown,
}

impl Registry {
    /// The known tool with this id.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<Slot> {
        let (source, raw) = identity::split_tool_id(id)?;
        self.find(self.source_by_id(source)?, raw)
    }

    /// The known tool that bears this exposed name or id.
    #[must_use]
    pub fn named(&self, spelling: &str) -> Option<Slot> {
        self.owner(spelling).or_else(|| self.by_id(spelling))
    }

    /// What a call's name means. Only a spelling that no known tool bears is tried as an alias.
    #[must_use]
    pub fn lookup(&self, spelling: &str) -> Match {
        if let Some(slot) = self.named(spelling) {
            return Match::Named(slot);
        }
        let mut fits: Vec<Slot> =
            self.open_sources().flat_map(|(index, source)| self.aliases(index, source, spelling)).collect();
        fits.sort_unstable();
        fits.dedup();
        match fits[..] {
            [] => Match::Unknown,
            [slot] => Match::Alias(slot),
            _ => Match::Ambiguous(fits),
        }
    }

    /// The tools of one source that a spelling fits: by raw name, and by raw name behind the source's own, joined as
    /// other agents join them (`server_tool`, `server.tool`, `mcp__server__tool`, …).
    fn aliases<'a>(
        &'a self,
        index: SourceIndex,
        source: &'a Source,
        spelling: &'a str,
    ) -> impl Iterator<Item = Slot> + 'a {
        let plain = self.raw_or_spelling(index, spelling);
        let prefixes = source.names().flat_map(|name| {
            let clean = sanitised(name);
            let clean = (clean != name).then_some(clean);
            [Some(name.to_owned()), clean].into_iter().flatten()
        });
        let bare = match source.kind {
            SourceKind::Mcp => spelling.strip_prefix("mcp__"),
            _ => None,
        };
        let joined = prefixes.flat_map(move |prefix| {
            [Some(spelling), bare].into_iter().flatten().flat_map(move |spelling| {
                let rest = spelling
                    .get(..prefix.len())
                    .filter(|start| identity::same(start, &prefix))
                    .map(|start| &spelling[start.len()..]);
                ["__", "_", ".", "/", "-", ":"]
                    .into_iter()
                    .filter_map(move |separator| rest?.strip_prefix(separator))
                    .filter_map(move |raw| self.raw_or_spelling(index, raw))
            })
        });
        plain.into_iter().chain(joined)
    }

    fn raw_or_spelling(&self, index: SourceIndex, raw: &str) -> Option<Slot> {
        self.find(index, raw).or_else(|| self.by_spelling(index, raw))
    }
}
