//! Sources: where tools come from, what the host says of each, and the state each is in.
//!
//! A source owns its live map (raw name → tool, in declaration order) and its inventory. It decides nothing: which of
//! its tools an agent sees is the scope's business.

pub mod declaration;
pub mod fingerprint;
pub mod identity;
mod shape;

pub use declaration::{Declaration, Exposure, Hint, Hints};
pub use identity::{SourceKind, quote};

use crate::registry::Slot;
use hashbrown::HashMap;

/// Index of a source: an id has one for life, however often the source is closed and added again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceIndex(pub u32);

impl SourceIndex {
    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// Whether a source's tools are here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// Added, and not loaded or connected yet.
    Pending,
    /// Its map is live.
    Ready,
    /// Down: its tools are pending and keep their names.
    Failed,
    /// Gone for good.
    Closed,
}

impl SourceState {
    /// The word JavaScript sees.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Closed => "closed",
        }
    }
}

/// What the host says of a source; the host is trusted.
#[derive(Clone, Debug)]
pub struct SourceSpec {
    /// Its kind.
    pub kind: SourceKind,
    /// Its name; a label only for the builtin source.
    pub name: String,
    /// Other names it answers to in selectors.
    pub aliases: Vec<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Ownership of a name that several sources register; default [`SourceKind::precedence`].
    pub precedence: Option<i32>,
    /// Whether its annotation hints count in selectors; default true for builtin and host.
    pub trust_hints: Option<bool>,
    /// Raw names it will have.
    pub declares: Vec<Announcement>,
    /// Whether the host can load it on demand.
    pub lazy: bool,
}

impl SourceSpec {
    /// A spec with every default.
    pub fn new(kind: SourceKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            aliases: Vec::new(),
            description: None,
            precedence: None,
            trust_hints: None,
            declares: Vec::new(),
            lazy: false,
        }
    }
}

/// A raw name of an inventory, with the host's own exposed name for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The raw name.
    pub name: String,
    /// The host's name for the model, where it has its own.
    pub exposed: Option<String>,
}

impl<T: Into<String>> From<T> for Announcement {
    fn from(name: T) -> Self {
        Self { name: name.into(), exposed: None }
    }
}

/// A source as the registry keeps it.
#[derive(Debug)]
pub struct Source {
    pub(crate) kind: SourceKind,
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) description: Option<String>,
    /// Its place in the order of `addSource`.
    pub(crate) order: u32,
    pub(crate) precedence: i32,
    pub(crate) trust_hints: bool,
    pub(crate) state: SourceState,
    pub(crate) lazy: bool,
    /// Why it is down.
    pub(crate) failure: Option<String>,
    /// Every known tool of it (here, announced or quarantined), in declaration order.
    pub(crate) tools: Vec<Slot>,
    /// Known tools whose raw name is not legal for a model, by their sanitised spelling.
    pub(crate) spellings: HashMap<String, Vec<Slot>>,
    /// The place the next added tool takes.
    pub(crate) next_place: u32,
    /// Counts changes of its map, so that an answer about an older one can be told apart.
    pub(crate) version: u32,
}

impl Source {
    /// What the host says it is for.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Every name it answers to.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }
}
