//! What a plain name means: one tool, that of the source which was surely meant.

use crate::{
    registry::{Registry, Slot},
    source::SourceKind,
};
use std::cmp::Reverse;

/// What a plain name was bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Nothing yet.
    Free,
    /// One tool; by its sanitised spelling where `alias`.
    Bound {
        /// The tool.
        slot: Slot,
        /// Whether by its sanitised spelling.
        alias: bool,
    },
    /// It fits several, so it grants none.
    Ambiguous(Vec<String>),
}

/// The one tool a plain name means: of a builtin source, else host, else ext, and never by an mcp server's raw name,
/// since a server nobody vetted must not take a plain name for itself. By its own spelling first, then by a sanitised
/// one.
pub(super) fn meaning(registry: &Registry, word: &str) -> Binding {
    if word.starts_with("mcp__") {
        // As other agents write a server's tool: it is that, and never a tool of another kind that calls itself so.
        let is_mcp = |slot: Slot| registry.source(registry.tool(slot).source).kind == SourceKind::Mcp;
        return match registry.contenders(word).iter().copied().find(|&slot| is_mcp(slot)) {
            Some(slot) => Binding::Bound { slot, alias: false },
            None => Binding::Free,
        };
    }
    let mut exact: Vec<Slot> = registry
        .open_sources()
        .filter(|(_, source)| source.kind != SourceKind::Mcp)
        .filter_map(|(index, _)| registry.find(index, word))
        .chain(registry.contenders(word).iter().copied())
        .collect();
    let rank = |slot: Slot| {
        let source = registry.source(registry.tool(slot).source);
        (source.kind, Reverse(source.precedence), source.order)
    };
    // Of one source: its raw name first, then who owns the exposed one.
    exact.sort_by_key(|&slot| rank(slot));
    if let Some(&slot) = exact.first() {
        return Binding::Bound { slot, alias: false };
    }
    let mut spelled: Vec<Slot> = registry
        .open_sources()
        .filter(|(_, source)| source.kind != SourceKind::Mcp)
        .filter_map(|(index, _)| registry.by_spelling(index, word))
        .collect();
    spelled.sort_unstable_by_key(|&slot| rank(slot).0);
    let first = spelled.first().map(|&slot| rank(slot).0);
    spelled.retain(|&slot| Some(rank(slot).0) == first);
    match spelled[..] {
        [] => Binding::Free,
        [slot] => Binding::Bound { slot, alias: true },
        _ => Binding::Ambiguous(in_order(spelled.into_iter().map(|slot| registry.tool_id(slot)))),
    }
}

/// Ids as a report says them: which source came first is no matter of it.
pub(super) fn in_order(ids: impl Iterator<Item = String>) -> Vec<String> {
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids
}
