//! What is used: successful calls per tool and session, kept so that copies can be merged in any order, twice.
//!
//! Every log counts under a mark of its own (a replica), and only grows its own counts; a merge takes the larger count
//! and the later time of each replica. So merging is commutative, associative and idempotent, and no copy can take
//! another one's counts away. A tool's weight is what is read out of the counts, see [`UsageLog::rank`]; usage never
//! alters what is allowed.

mod json;
mod store;
mod weight;

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use sha2::{Digest, Sha256};

pub use store::{Damaged, UsageFile};
pub use weight::MOST_PER_SESSION;

use crate::error::{Error, ErrorKind, Result};

/// Days after which a use weighs half, where nothing is said.
pub const DEFAULT_HALF_LIFE_DAYS: f64 = 30.0;

/// What one log counted of one tool in one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    count: u32,
    /// Milliseconds since 1970 of the last use.
    last: i64,
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

type Sessions = BTreeMap<Session, BTreeMap<Replica, Cell>>;

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
    tools: BTreeMap<Arc<str>, Sessions>,
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
        let session = mark(session);
        let sessions = match self.tools.get_mut(id) {
            Some(sessions) => sessions,
            None => self.tools.entry(id.into()).or_default(),
        };
        let cell = sessions.entry(session).or_default().entry(self.replica).or_insert(Cell { count: 0, last: at });
        cell.count = cell.count.saturating_add(1);
        cell.last = cell.last.max(at);
        self.version += 1;
    }

    /// Takes in everything another log counted. The half-life stays this one's.
    pub fn merge(&mut self, other: &Self) {
        for (id, sessions) in &other.tools {
            let own = self.tools.entry(Arc::clone(id)).or_default();
            for (session, replicas) in sessions {
                let own = own.entry(*session).or_default();
                for (replica, cell) in replicas {
                    let own = own.entry(*replica).or_insert(*cell);
                    own.count = own.count.max(cell.count);
                    own.last = own.last.max(cell.last);
                }
            }
        }
        self.version += 1;
    }

    /// Whether this log holds everything that another one does.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        other.tools.iter().all(|(id, sessions)| {
            sessions.iter().all(|(session, replicas)| {
                replicas.iter().all(|(replica, cell)| {
                    let own = self.tools.get(id).and_then(|own| own.get(session)?.get(replica));
                    own.is_some_and(|own| own.count >= cell.count && own.last >= cell.last)
                })
            })
        })
    }

    /// Days after which a use weighs half.
    #[must_use]
    pub fn half_life_days(&self) -> f64 {
        self.half_life_days
    }

    /// Changes with every record and merge.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }
}

fn mark(session: &str) -> Session {
    let digest = Sha256::digest(session.as_bytes());
    digest[..8].iter().fold(0, |mark, byte| mark << 8 | u64::from(*byte))
}
