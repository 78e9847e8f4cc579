//! A log as JSON: `{ "format": "toolscope-usage", "version": 1, "halfLifeDays": 30, "tools": { id: { session: {
//! replica: [count, last] } } } }`, marks in hexadecimal, times in milliseconds since 1970, everything in order.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Cell, Replica, Session, Tool, UsageLog, Uses};
use crate::error::{Error, ErrorKind, Result};
use crate::text::shown;

const FORMAT: &str = "toolscope-usage";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<T> {
    format: String,
    version: u32,
    #[serde(deserialize_with = "exact")]
    half_life_days: f64,
    tools: T,
}

/// Reads a number to the last bit, which the parser does not promise: a copy is to have the weights of its original.
fn exact<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<f64, D::Error> {
    let text = <&RawValue>::deserialize(deserializer)?.get();
    text.parse().map_err(|_| D::Error::custom(format_args!("halfLifeDays is `{}`, which is no number", shown(text))))
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

/// A session or a replica, as a key.
#[derive(Clone, Copy)]
struct Mark(u64);

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Mark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Mark;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a mark")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<Mark, E> {
                let read = u64::from_str_radix(text, 16).ok().filter(|_| text.len() == 16);
                read.map(Mark).ok_or_else(|| E::custom(format_args!("`{}` is no mark", shown(text))))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// The tools of a log, to be written.
struct Written<'a>(&'a BTreeMap<Arc<str>, Tool>);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(id, tool)| (id.as_ref(), WrittenUses(&tool.uses))))
    }
}

struct WrittenUses<'a>(&'a Uses);

impl Serialize for WrittenUses<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut sessions = serializer.serialize_map(None)?;
        let mut rest = self.0.iter().peekable();
        while let Some((&(session, replica), &cell)) = rest.next() {
            let mut replicas = vec![(replica, cell)];
            while let Some((key, cell)) = rest.next_if(|(key, _)| key.0 == session) {
                replicas.push((key.1, *cell));
            }
            sessions.serialize_entry(&Mark(session), &WrittenReplicas(&replicas))?;
        }
        sessions.end()
    }
}

struct WrittenReplicas<'a>(&'a [(Replica, Cell)]);

impl Serialize for WrittenReplicas<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(replica, cell)| (Mark(*replica), (cell.count, cell.last))))
    }
}

/// The uses of a tool, as they are read.
struct ReadUses(Uses);

impl<'de> Deserialize<'de> for ReadUses {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Sessions;
        impl<'de> Visitor<'de> for Sessions {
            type Value = Vec<((Session, Replica), Cell)>;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("sessions")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
                let mut uses = Vec::new();
                while let Some(Mark(session)) = map.next_key()? {
                    map.next_value_seed(Replicas { session, uses: &mut uses })?;
                }
                Ok(uses)
            }
        }
        // One list in the order of the text, which is that of the map: it is built at once.
        deserializer.deserialize_map(Sessions).map(|uses| Self(uses.into_iter().collect()))
    }
}

struct Replicas<'a> {
    session: Session,
    uses: &'a mut Vec<((Session, Replica), Cell)>,
}

impl<'de> DeserializeSeed<'de> for Replicas<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Replicas<'_> {
    type Value = ();
    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("replicas")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some((Mark(replica), (count, last))) = map.next_entry()? {
            self.uses.push(((self.session, replica), Cell { last, count }));
        }
        Ok(())
    }
}

impl UsageLog {
    /// The log as JSON text; equal counts give equal bytes.
    #[must_use]
    pub fn to_json(&self) -> String {
        let document = Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            half_life_days: self.half_life_days,
            tools: Written(&self.tools),
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
        let document: Document<BTreeMap<String, ReadUses>> =
            crate::object::read(text).map_err(|error| unread(text, error.to_string()))?;
        if document.format != FORMAT {
            return Err(Unread::Invalid(format!("its format is `{}`", shown(&document.format))));
        }
        if document.version != VERSION {
            let reason = format!("its version is `{}` and this release reads {VERSION}", document.version);
            return Err(unread(text, reason));
        }
        let mut log =
            Self::new(document.half_life_days).map_err(|error| Unread::Invalid(error.message().to_owned()))?;
        let used = document.tools.into_iter().filter(|(_, ReadUses(uses))| !uses.is_empty());
        log.tools = used.map(|(id, ReadUses(uses))| (Arc::from(id), Tool::new(Arc::new(uses)))).collect();
        Ok(log)
    }
}
