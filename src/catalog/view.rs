//! The tools one catalog covers: those its caller can see, by source.

use std::sync::Arc;

use super::index::{CatalogIndex, Origin};
use super::text;

/// What the asker may see of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Nothing.
    Hidden,
    /// All of it.
    Open,
    /// That it is there, and all of it once it is pinned: a deferred tool.
    Deferred,
}

/// A source with its visible tools, by name.
#[derive(Debug)]
pub(super) struct SourceView {
    pub origin: Arc<Origin>,
    /// Characters of the namespace as a member's name.
    pub key_length: usize,
    pub tools: Vec<(u32, Listing)>,
}

impl SourceView {
    pub(super) fn namespace(&self) -> &str {
        &self.origin.namespace
    }

    /// What the source says of itself: a matter of the tools that are seen alone, so that no word outlives its tools or
    /// comes from where the asker may not look.
    pub(super) fn description<'i>(&self, index: &'i CatalogIndex) -> Option<&'i str> {
        self.tools.iter().find_map(|(slot, _)| index.entry(*slot).tool.origin.description.as_deref())
    }
}

/// All of them, sources in alphabetical order.
#[derive(Debug)]
pub(super) struct View {
    pub sources: Vec<SourceView>,
    pub total: usize,
}

impl View {
    pub(super) fn of(index: &CatalogIndex, sees: &dyn Fn(u32) -> Listing) -> Self {
        let mut sources = Vec::with_capacity(index.alphabetical.len());
        let mut total = 0;
        for source in &index.alphabetical {
            let source = &index.sources[*source as usize];
            let tools: Vec<_> = source
                .tools
                .iter()
                .map(|slot| (*slot, sees(*slot)))
                .filter(|(_, listing)| *listing != Listing::Hidden)
                .collect();
            if tools.is_empty() {
                continue;
            }
            total += tools.len();
            sources.push(SourceView {
                origin: Arc::clone(&source.origin),
                key_length: text::key_length(&source.origin.namespace),
                tools,
            });
        }
        Self { sources, total }
    }
}
