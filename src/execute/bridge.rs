//! What a running program and the pool share: the calls it has asked for, what it has logged, and what it has used.

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Instant,
};

use serde_json::json;

use super::{
    limits::{self, Limits},
    listing::{LiveListing, Resolved},
};

/// Bytes of a tool's name as a program writes it, past which it is cut and not looked up.
const NAME_BYTES: usize = 1_024;

/// Why a program must stop; the first reason stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Stop {
    None,
    /// Its time is up.
    Time,
    /// It made more calls than it may.
    Calls,
    /// The host ended it and wants no outcome.
    Ended,
}

/// Read by the interpreter while the program runs, written from anywhere.
#[derive(Debug)]
pub(crate) struct Control {
    stop: AtomicU8,
    deadline: Instant,
}

/// Of a program that has not come yet: it stops at once.
impl Default for Control {
    fn default() -> Self {
        Self::new(Instant::now())
    }
}

impl Control {
    pub(crate) const fn new(deadline: Instant) -> Self {
        Self { stop: AtomicU8::new(Stop::None as u8), deadline }
    }

    pub(crate) fn stop(&self, reason: Stop) {
        // Ended outranks the others: nobody waits for the outcome any more.
        if reason == Stop::Ended {
            self.stop.store(reason as u8, Ordering::Relaxed);
        } else {
            let _ = self.stop.compare_exchange(Stop::None as u8, reason as u8, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// The reason to stop now; looks at the clock.
    pub(crate) fn reason(&self) -> Stop {
        match self.stop.load(Ordering::Relaxed) {
            0 if Instant::now() < self.deadline => Stop::None,
            0 => {
                self.stop(Stop::Time);
                Stop::Time
            }
            1 => Stop::Time,
            2 => Stop::Calls,
            _ => Stop::Ended,
        }
    }
}

/// The host's answer to one call.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) call: u32,
    /// 0 an error, 1 a value, 2 `undefined`.
    pub(crate) kind: u8,
    /// The error or the value as JSON.
    pub(crate) text: String,
}

/// What the program has asked for and said.
#[derive(Default)]
pub(crate) struct Bridge {
    limits: Limits,
    listing: LiveListing,
    control: Arc<Control>,
    /// The calls not yet handed over, each as a JSON array, joined by commas.
    calls: String,
    tool_calls: u32,
    lookups: u32,
    /// Calls that the host has not answered, oldest first, as a program writes them.
    pub(crate) open: Vec<(u32, String)>,
    pub(crate) logs: Vec<String>,
    output: usize,
    pub(crate) truncated: bool,
    /// The program's value is a function.
    pub(crate) returned_function: bool,
}

impl Bridge {
    pub(crate) fn new(limits: Limits, listing: LiveListing, control: Arc<Control>) -> Self {
        Self { limits, listing, control, ..Self::default() }
    }

    pub(crate) fn listing(&self) -> Arc<super::listing::Listing> {
        Arc::clone(&self.listing.read())
    }

    /// Notes a call. Over the limit of calls it stops the program; an input that cannot be handed over is told back.
    pub(crate) fn call(&mut self, id: u32, kind: &str, path: &[String], input: Option<&str>) -> Option<String> {
        let used = if kind == "tool" { &mut self.tool_calls } else { &mut self.lookups };
        *used += 1;
        if *used > self.limits.tool_calls {
            self.control.stop(Stop::Calls);
            return None;
        }
        // What the host is handed is bounded, since it reads it on its own thread.
        let (size, most) = (input.map_or(0, str::len), self.limits.output_bytes);
        if size > most {
            return Some(format!("the input is {size} bytes as JSON, more than the limit of {most}"));
        }
        if input.is_some_and(limits::too_deep) {
            return Some(format!("the input is nested more than {} levels deep", limits::DEPTH));
        }
        let (kind, target, written) = match kind {
            "tool" => (0, self.target(path), format!("tools.{}", path.join("."))),
            "search" => (1, json!({}), "search".to_owned()),
            _ => (2, self.target(&described(path)), "describe".to_owned()),
        };
        if !self.calls.is_empty() {
            self.calls.push(',');
        }
        let _ = match input {
            Some(input) => write!(self.calls, "[{id},{kind},{target},{input}]"),
            None => write!(self.calls, "[{id},{kind},{target}]"),
        };
        self.open.push((id, written));
        None
    }

    fn target(&self, path: &[String]) -> serde_json::Value {
        let mut name = path.join(".");
        if name.len() > NAME_BYTES {
            // No tool is called that, and nobody reads it to the end.
            let end = (0..=NAME_BYTES).rev().find(|&end| name.is_char_boundary(end));
            name.truncate(end.unwrap_or_default());
            return json!({ "name": name });
        }
        let listing = self.listing.read();
        match listing.resolve(path) {
            Resolved::Tool(id) => json!({ "name": name, "id": id }),
            Resolved::Unknown { suggestions, hint } => {
                json!({ "name": name, "suggestions": suggestions, "hint": hint })
            }
        }
    }

    /// The calls since the last time, as a JSON array.
    pub(crate) fn take_calls(&mut self) -> Option<String> {
        if self.calls.is_empty() {
            return None;
        }
        Some(format!("[{}]", std::mem::take(&mut self.calls)))
    }

    pub(crate) fn answered(&mut self, call: u32) -> bool {
        match self.open.iter().position(|(id, _)| *id == call) {
            Some(index) => {
                self.open.remove(index);
                true
            }
            None => false,
        }
    }

    /// Whether nothing more will be logged.
    pub(crate) const fn full(&self) -> bool {
        self.truncated
    }

    pub(crate) fn log(&mut self, mut line: String) {
        let room = self.limits.output_bytes.saturating_sub(self.output);
        if line.len() >= room {
            self.truncated = true;
            let mut end = room.min(line.len());
            while !line.is_char_boundary(end) {
                end -= 1;
            }
            line.truncate(end);
            if line.is_empty() {
                return;
            }
        }
        // The line's end counts, so that empty lines are bounded too.
        self.output += line.len() + 1;
        self.logs.push(line);
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// `describe` takes a tool, or its name in any spelling: `github.search`, `tools.github.search`, an exposed name, an id.
fn described(path: &[String]) -> Vec<String> {
    match path {
        [text] => {
            let text = text.strip_prefix("tools.").unwrap_or(text);
            match text.split_once('.') {
                Some((source, tool)) if !text.contains(['/', ':']) => {
                    vec![source.into(), tool.into()]
                }
                _ => vec![text.into()],
            }
        }
        path => path.to_vec(),
    }
}
