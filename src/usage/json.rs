//! A log as JSON: `{ "format": "toolscope-usage", "version": 1, "halfLifeDays": 30, "tools": { id: { session: {
//! replica: [count, last] } } } }`, marks in hexadecimal, times in milliseconds since 1970, everything in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Cell, Sessions, UsageLog};
use crate::error::{Error, ErrorKind, Result};
use crate::text::shown;

const FORMAT: &str = "toolscope-usage";
const VERSION: u32 = 1;

type By<T> = BTreeMap<String, T>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    format: String,
    version: u32,
    half_life_days: f64,
    tools: By<By<By<(u32, i64)>>>,
}

/// Why a text is no log that this release reads.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is one of a newer release, of this version.
    Newer(u64),
    /// It is no log at all.
    Invalid(String),
}

impl Unread {
    /// What is wrong, and what to do about it where that is known.
    pub(super) fn reason(&self) -> String {
        match self {
            Self::Newer(version) => {
                format!("it was written by a newer release (version {version}, and this one reads {VERSION})")
            }
            Self::Invalid(reason) => reason.clone(),
        }
    }
}

impl From<Unread> for Error {
    fn from(unread: Unread) -> Self {
        let fix = match unread {
            Unread::Newer(_) => "upgrade toolscope",
            Unread::Invalid(_) => "give what `toJSON()` gave, unchanged",
        };
        Self::new(ErrorKind::UsageInvalid, format!("the text is not that of a usage log: {}; {fix}", unread.reason()))
    }
}

/// What every version has, whatever else it has.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

/// Whether a text that cannot be read is a log of a newer release.
fn unread(text: &str, reason: String) -> Unread {
    match crate::object::read::<Head>(text) {
        Ok(head) if head.format == FORMAT && head.version > u64::from(VERSION) => Unread::Newer(head.version),
        _ => Unread::Invalid(reason),
    }
}

fn unmarked(mark: &str) -> std::result::Result<u64, Unread> {
    u64::from_str_radix(mark, 16)
        .ok()
        .filter(|_| mark.len() == 16)
        .ok_or_else(|| Unread::Invalid(format!("`{mark}` is no mark")))
}

impl UsageLog {
    /// The log as JSON text; equal counts give equal bytes.
    #[must_use]
    pub fn to_json(&self) -> String {
        let marked = |sessions: &Sessions| {
            let of = |replicas: &BTreeMap<u64, Cell>| {
                replicas.iter().map(|(replica, cell)| (format!("{replica:016x}"), (cell.count, cell.last))).collect()
            };
            sessions.iter().map(|(session, replicas)| (format!("{session:016x}"), of(replicas))).collect()
        };
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            half_life_days: self.half_life_days,
            tools: self.tools.iter().map(|(id, sessions)| (id.to_string(), marked(sessions))).collect(),
        };
        // Strings and finite numbers can always be written.
        serde_json::to_string(&document).unwrap_or_default()
    }

    /// Reads a log; what it counts from now on is counted apart from the original.
    ///
    /// Fails with `ERR_TOOLSCOPE_USAGE_INVALID` where the text is anything else than [`UsageLog::to_json`] gives.
    pub fn from_json(text: &str) -> Result<Self> {
        Ok(Self::read(text)?)
    }

    pub(super) fn read(text: &str) -> std::result::Result<Self, Unread> {
        let document: Document = crate::object::read(text).map_err(|error| unread(text, error.to_string()))?;
        if document.format != FORMAT {
            return Err(Unread::Invalid(format!("its format is `{}`", shown(&document.format))));
        }
        if document.version != VERSION {
            let reason = format!("its version is `{}` and this release reads {VERSION}", document.version);
            return Err(unread(text, reason));
        }
        let mut log =
            Self::new(document.half_life_days).map_err(|error| Unread::Invalid(error.message().to_owned()))?;
        for (id, sessions) in document.tools {
            let own = log.tools.entry(Arc::from(id)).or_default();
            for (session, replicas) in sessions {
                let own = own.entry(unmarked(&session)?).or_default();
                for (replica, (count, last)) in replicas {
                    own.insert(unmarked(&replica)?, Cell { count, last });
                }
            }
        }
        Ok(log)
    }
}
