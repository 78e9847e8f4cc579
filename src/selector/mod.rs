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

impl Selector {
    /// Whether it names one tool, in full.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        match self {
            Self::Everything | Self::Nothing => false,
            Self::Name(pattern) => pattern.literal().is_some(),
            Self::Path(Path { kind, source, tool, .. }) => {
                let tool = tool.as_ref().is_some_and(|tool| tool.literal().is_some());
                // Of the builtin kind there is one source, which a selector does not name.
                tool && (source.literal().is_some() || *kind == SourceKind::Builtin)
            }
            Self::Joined(joined) => !joined.text.contains('*') && joined.readings.len() > 1,
        }
    }
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
    /// Whether it names a source and nothing more, so that a finer entry beside it narrows it.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.hint.is_none() && self.tool.is_none() && self.source.literal().is_some()
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
