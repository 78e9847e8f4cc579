//! Sessions: who may call what now, and what each one's model is shown.

pub mod active;
pub mod decision;
pub mod delta;
pub mod explain;
pub mod finding;
pub mod listing;
pub mod pin;
pub mod scoping;
mod tree;

pub use tree::{Limits, SessionIndex, SessionSpec, Tree};

use crate::{
    registry::Slot,
    scope::{layer::Layer, verdict::Verdict},
};
use hashbrown::{HashMap, HashSet};

/// Where a session is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// Made, not started.
    Created,
    /// Its active set is live.
    Started,
    /// Over.
    Disposed,
}

impl SessionState {
    /// The word JavaScript sees.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Started => "started",
            Self::Disposed => "disposed",
        }
    }
}

/// Slots that changed; past a bound, simply all.
#[derive(Debug)]
pub(crate) enum Changes {
    All,
    Slots(Vec<Slot>),
}

impl Default for Changes {
    fn default() -> Self {
        Self::Slots(Vec::new())
    }
}

impl Changes {
    const MAX: usize = 1 << 16;

    pub(crate) fn push(&mut self, slot: Slot) {
        match self {
            Self::Slots(slots) if slots.len() < Self::MAX => slots.push(slot),
            Self::Slots(_) => *self = Self::All,
            Self::All => {}
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Slots(slots) if slots.is_empty())
    }
}

impl Session {
    /// The scope that was set last.
    pub(crate) fn top(&self) -> &Layer {
        &self.layers[self.layers.len() - 1]
    }
}

/// A session as the tree keeps it.
#[derive(Debug)]
pub struct Session {
    pub(crate) parent: Option<SessionIndex>,
    /// Session ids from the root to this one.
    pub(crate) path: Vec<String>,
    pub(crate) state: SessionState,
    pub(crate) strict: bool,
    pub(crate) children: u32,
    /// The scope it was made with and, in a child, the one it set itself.
    pub(crate) layers: Vec<Layer>,
    /// The ids in scope when the session was sealed.
    pub(crate) ceiling: Option<HashSet<Slot>>,
    /// Whether a seal falls as soon as the predicate has been asked.
    pub(crate) seal_due: bool,
    pub(crate) pins: pin::Pins,
    /// Names of the listeners that guard calls, with how many bear each.
    pub(crate) guards: HashMap<String, u32>,
    /// By slot; as of `cursor`.
    pub(crate) verdicts: Vec<Verdict>,
    /// How far it has read the registry's log.
    pub(crate) cursor: u64,
    /// The set of sources its plans were made for.
    pub(crate) planned_for: u32,
    /// Whether everything must be judged anew.
    pub(crate) stale: bool,
    /// Slots to judge anew that the registry's log does not tell of.
    pub(crate) due: Vec<Slot>,
    /// Verdicts that changed since the host's copy was brought up to date.
    pub(crate) news: Changes,
    /// Deferred tools that were loaded, by name.
    pub(crate) loaded: HashSet<Slot>,
    pub(crate) active: active::ActiveSet,
    /// The use that catalogs are ranked by, as of the first one since the last `compact`.
    pub(crate) ranking: Option<crate::catalog::Weights>,
}
