//! Selectors: one grammar for allow, exclude, required, child lists and searches.
//!
//! ```text
//! selector := "*" | "none" | name | "builtin:" tool [ "@" hint ]
//!           | kind ":" source [ "/" tool ] [ "@" hint ] | "mcp__" server [ "__" tool ]
//! ```
//!
//! A selector carries identity, never a joined or sanitised string: what a text means is settled by matching its parts
//! against sources and tools. This module reads and compares texts; what they bind to is the scope's business.

mod glob;
mod parse;

pub use glob::Pattern;
pub use parse::{Invalid, parse};

use crate::source::{Hint, SourceKind};

/// What a selector says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// `*`: every tool.
    Everything,
    /// `none`: no tool.
    Nothing,
    /// A plain name, or a glob over names.
    Name(Pattern),
    /// Kind, source and tool.
    Path(Path),
    /// `mcp__server__tool`, as other agents write it: every way to split it.
    Joined(Joined),
}

/// `kind:source/tool@hint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The kind.
    pub kind: SourceKind,
    /// The source; for the builtin kind, any.
    pub source: Pattern,
    /// The tool; `None` is all of them.
    pub tool: Option<Pattern>,
    /// The hint it must bear.
    pub hint: Option<Hint>,
}

impl Path {
    /// Whether it says which source it is about. Of the builtin kind there is one, which a selector does not name.
    #[must_use]
    pub fn names_a_source(&self) -> bool {
        self.source.literal().is_some() || self.kind == SourceKind::Builtin
    }
}

/// `mcp__…`, with every reading of where the server ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joined {
    /// The whole text, which may be an exposed name.
    pub text: String,
    /// (server, tool), the shortest server first; the last reading has no tool.
    pub readings: Vec<(Pattern, Option<Pattern>)>,
}

impl Joined {
    /// Readings in which a `*` stands for what is between server and tool, or for a part of it. A grant does not read
    /// it so, since `*` does not cross that boundary; a denial does, since whoever wrote it may have meant that.
    pub(crate) fn across(&self) -> impl Iterator<Item = (Pattern, Pattern)> {
        let mut rest = self.text.strip_prefix("mcp__").unwrap_or_default().to_owned();
        while rest.contains("**") {
            rest = rest.replace("**", "*");
        }
        let stars: Vec<usize> = rest.match_indices('*').map(|(at, _)| at).collect();
        stars.into_iter().flat_map(move |at| {
            let (before, after) = (&rest[..at], &rest[at + 1..]);
            // With the first underscore written out before the `*`, with the second one after it, with both, or neither.
            let first = before.strip_suffix('_');
            let second = after.strip_prefix('_');
            let readings = [
                Some((format!("{before}*"), format!("*{after}"))),
                first.map(|before| (before.to_owned(), format!("*{after}"))),
                second.map(|after| (format!("{before}*"), after.to_owned())),
                first.zip(second).map(|(before, after)| (before.to_owned(), after.to_owned())),
            ];
            readings.into_iter().flatten().map(|(server, tool)| (Pattern::new(server), Pattern::new(tool)))
        })
    }
}
