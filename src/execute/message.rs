//! The messages a pool takes, one JSON text each; what it gives is written where it arises.

use std::{borrow::Cow, time::Duration};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{bridge::Reply, limits::Limits, listing::ListedTool};
use crate::error::{Error, ErrorKind, Result};

/// What the host asks of a pool.
pub(crate) enum Message {
    /// Replaces the listing that programs started with this number see.
    List {
        list: u64,
        tools: Vec<ListedTool>,
    },
    /// Forgets a listing; programs under way keep it.
    Unlist {
        list: u64,
    },
    Run {
        id: u64,
        list: u64,
        code: String,
        limits: Limits,
    },
    Settle {
        id: u64,
        replies: Vec<Reply>,
    },
    /// The program's time is up; one that waits says so at once, one that runs is interrupted.
    Expire {
        id: u64,
    },
    /// The program is over, whatever it does; it gives no outcome.
    End {
        id: u64,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    op: &'a str,
    #[serde(default)]
    id: u64,
    #[serde(default)]
    list: u64,
    #[serde(borrow, default)]
    code: Cow<'a, str>,
    timeout_ms: Option<f64>,
    memory_bytes: Option<usize>,
    tool_calls: Option<u32>,
    output_bytes: Option<usize>,
    call_bytes: Option<usize>,
    #[serde(default)]
    tools: Vec<ListedTool>,
    #[serde(borrow, default)]
    results: Vec<(u32, u8, &'a RawValue)>,
}

pub(crate) fn parse(text: &str) -> Result<Message> {
    let wire: Wire<'_> = serde_json::from_str(text).map_err(|error| {
        Error::new(ErrorKind::Internal, format!("a message to the sandbox is malformed: {error}; please report it"))
    })?;
    let Wire { id, list, .. } = wire;
    Ok(match wire.op {
        "list" => Message::List { list, tools: wire.tools },
        "unlist" => Message::Unlist { list },
        "settle" => {
            let reply = |(call, kind, text): (u32, u8, &RawValue)| Reply { call, kind, text: text.get().to_owned() };
            Message::Settle { id, replies: wire.results.into_iter().map(reply).collect() }
        }
        "expire" => Message::Expire { id },
        "end" => Message::End { id },
        "run" => {
            let defaults = Limits::default();
            let limits = Limits {
                time: wire
                    .timeout_ms
                    .map_or(defaults.time, |ms| Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 1e9))),
                memory_bytes: wire.memory_bytes.unwrap_or(defaults.memory_bytes),
                tool_calls: wire.tool_calls.unwrap_or(defaults.tool_calls),
                output_bytes: wire.output_bytes.unwrap_or(defaults.output_bytes),
                call_bytes: wire.call_bytes.unwrap_or(defaults.call_bytes),
            };
            Message::Run { id, list, code: wire.code.into_owned(), limits }
        }
        other => {
            let message = format!("a message to the sandbox asks for `{other}`, which there is not; please report it");
            return Err(Error::new(ErrorKind::Internal, message));
        }
    })
}
