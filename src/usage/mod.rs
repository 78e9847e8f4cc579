//! What is used: successful calls per tool and session, kept so that copies can be merged in any order, twice.
//!
//! Every log counts under a mark of its own (a replica), and only grows its own counts; a merge takes the later state of
//! each replica's count. So merging is commutative, associative and idempotent, and no copy can take another one's
//! counts away. A tool's weight is what is read out of the counts, see [`UsageLog::rank`]; usage never alters what is
//! allowed.

mod forget;
mod json;
mod store;
mod weight;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

pub use forget::{ALWAYS_KEPT, FORGOTTEN_AFTER_HALF_LIVES};
pub use store::{Damaged, UsageFile};
pub use weight::MOST_PER_SESSION;
use weight::Sum;

use crate::error::{Error, ErrorKind, Result};

/// Days after which a use weighs half, where nothing is said.
pub const DEFAULT_HALF_LIFE_DAYS: f64 = 30.0;

/// What one log counted of one tool in one session. A later state of it is a greater one: neither field ever sinks, but
/// where a log forgot and counts anew; then the new count is the later one, and the greater one, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cell {
    /// Milliseconds since 1970 of the last use.
    last: i64,
    count: u32,
}

/// A mark that nothing else has, in this process or another: it is keyed by the system's randomness.
#[must_use]
pub fn fresh_mark() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The mark of a session: its name itself is nobody's business, and could be of any length.
type Session = u64;
/// The mark of a log that counts.
type Replica = u64;

/// Of one tool, in the order of sessions.
type Uses = BTreeMap<(Session, Replica), Cell>;

/// What was counted of one tool.
#[derive(Clone, Debug)]
struct Tool {
    /// Shared with copies until either changes, so that a copy is made at once.
    uses: Arc<Uses>,
    latest: i64,
    sum: Sum,
}

impl Tool {
    fn new(uses: Arc<Uses>) -> Self {
        let latest = uses.values().map(|cell| cell.last).max().unwrap_or(i64::MIN);
        Self { uses, latest, sum: Sum::default() }
    }

    fn covers(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.uses, &other.uses)
            || other.uses.iter().all(|(key, cell)| self.uses.get(key).is_some_and(|own| own >= cell))
    }

    /// What was counted, to be changed.
    fn uses_mut(&mut self) -> &mut Uses {
        self.sum = Sum::default();
        Arc::make_mut(&mut self.uses)
    }
}

/// The time, in milliseconds since 1970.
#[must_use]
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Counts of successful uses.
///
/// # Examples
///
/// ```
/// use toolscope::usage::UsageLog;
///
/// let mut log = UsageLog::new(30.0).unwrap();
/// log.record("mcp:kb/find", "monday", 0);
/// let mut copy = UsageLog::from_json(&log.to_json()).unwrap();
/// copy.merge(&log);
/// assert_eq!(copy.to_json(), log.to_json());
/// assert_eq!(copy.rank(None, 0)[0].0.as_ref(), "mcp:kb/find");
/// ```
#[derive(Clone, Debug)]
pub struct UsageLog {
    half_life_days: f64,
    /// None without a use.
    tools: BTreeMap<Arc<str>, Tool>,
    replica: Replica,
    version: u64,
}

impl UsageLog {
    /// An empty log in which a use weighs half after so many days.
    ///
    /// Fails with `ERR_TOOLSCOPE_INVALID_ARGUMENT` unless that is a finite number above 0.
    pub fn new(half_life_days: f64) -> Result<Self> {
        if !(half_life_days.is_finite() && half_life_days > 0.0) {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                format!("halfLifeDays is `{half_life_days}`; give a finite number above 0"),
            ));
        }
        Ok(Self { half_life_days, tools: BTreeMap::new(), replica: fresh_mark(), version: 0 })
    }

    /// Counts one successful use of a tool in a session, at `at` milliseconds since 1970.
    pub fn record(&mut self, id: &str, session: &str, at: i64) {
        let key = (mark(session), self.replica);
        if !self.tools.contains_key(id) {
            self.tools.insert(id.into(), Tool::new(Arc::default()));
        }
        if let Some(tool) = self.tools.get_mut(id) {
            let cell = tool.uses_mut().entry(key).or_insert(Cell { last: at, count: 0 });
            cell.count = cell.count.saturating_add(1);
            cell.last = cell.last.max(at);
            tool.latest = tool.latest.max(at);
        }
        self.version += 1;
    }

    /// Takes in everything another log counted. The half-life stays this one's.
    pub fn merge(&mut self, other: &Self) {
        let mut changed = false;
        for (id, theirs) in &other.tools {
            let Some(own) = self.tools.get_mut(id) else {
                self.tools.insert(Arc::clone(id), Tool::new(Arc::clone(&theirs.uses)));
                changed = true;
                continue;
            };
            if own.covers(theirs) {
                continue;
            }
            let uses = own.uses_mut();
            for (key, cell) in theirs.uses.iter() {
                let own = uses.entry(*key).or_insert(*cell);
                *own = (*own).max(*cell);
            }
            own.latest = own.latest.max(theirs.latest);
            changed = true;
        }
        self.version += u64::from(changed);
    }

    /// Whether this log holds everything that another one does.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other.tools.iter().all(|(id, tool)| self.tools.get(id).is_some_and(|own| own.covers(tool)))
    }

    /// Days after which a use weighs half.
    #[must_use]
    pub fn half_life_days(&self) -> f64 {
        self.half_life_days
    }

    /// Changes whenever what is counted does.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }
}

fn mark(session: &str) -> Session {
    let digest = Sha256::digest(session.as_bytes());
    digest[..8].iter().fold(0, |mark, byte| mark << 8 | u64::from(*byte))
}
