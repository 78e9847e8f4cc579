//! What a running program and the pool share: the calls it has asked for, what it has logged, and what it has used.

use std::{
    collections::{BTreeMap, VecDeque},
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

/// A call that was made and is not handed over.
struct Call {
    /// Its number, kind and target, as the beginning of a JSON array.
    head: String,
    input: Option<String>,
}

/// A call that the host has not answered.
pub(crate) struct Open {
    /// As a program writes it.
    pub(crate) written: String,
    bytes: usize,
    is_handed: bool,
}

/// Why a call is none: a message, and its code.
pub(crate) type Refused = [String; 2];

/// What the program has asked for and said.
#[derive(Default)]
pub(crate) struct Bridge {
    limits: Limits,
    listing: LiveListing,
    control: Arc<Control>,
    /// The calls not yet handed over, oldest first.
    calls: VecDeque<(u32, Call)>,
    tool_calls: u32,
    lookups: u32,
    /// Calls that the host has not answered, by number, so oldest first.
    pub(crate) open: BTreeMap<u32, Open>,
    /// Bytes of the open calls, and of those of them that the host has.
    open_bytes: usize,
    handed_bytes: usize,
    /// Bytes of the answers read that the host has not been told of.
    read_bytes: usize,
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
    pub(crate) fn call(&mut self, id: u32, kind: &str, path: &[String], input: Option<String>) -> Option<Refused> {
        // The interpreter looks at the clock between its own steps alone, and what follows may take milliseconds.
        if self.control.reason() != Stop::None {
            return None;
        }
        let used = if kind == "tool" { &mut self.tool_calls } else { &mut self.lookups };
        *used += 1;
        if *used > self.limits.tool_calls {
            self.control.stop(Stop::Calls);
            return None;
        }
        let refused = |message| Some([message, String::from("input_invalid")]);
        // What the host is handed is bounded, since it reads it on its own thread.
        let (size, most) = (input.as_ref().map_or(0, String::len), self.limits.output_bytes);
        if size > most {
            return refused(format!("the input is {size} bytes as JSON, more than the limit of {most}"));
        }
        if input.as_deref().is_some_and(limits::too_deep) {
            return refused(format!("the input is nested more than {} levels deep", limits::DEPTH));
        }
        if self.open_bytes + size > self.limits.call_bytes {
            return Some(self.too_large());
        }
        let (kind, target, written) = match kind {
            "tool" => {
                let name = cut_name(path);
                (0, self.target(path, &name), format!("tools.{name}"))
            }
            "search" => (1, json!({}), "search".to_owned()),
            _ => {
                let path = described(path);
                (2, self.target(&path, &cut_name(&path)), "describe".to_owned())
            }
        };
        let head = format!("[{id},{kind},{target}");
        let bytes = head.len() + size;
        if self.open_bytes + bytes > self.limits.call_bytes {
            return Some(self.too_large());
        }
        self.open_bytes += bytes;
        self.open.insert(id, Open { written, bytes, is_handed: false });
        self.calls.push_back((id, Call { head, input }));
        None
    }

    fn too_large(&self) -> Refused {
        let (open, most) = (self.open.len(), self.limits.call_bytes);
        let message = format!(
            "the {open} calls under way and this one are more than {most} bytes as JSON: `await` some of them first"
        );
        [message, String::from("calls_too_large")]
    }

    fn target(&self, path: &[String], name: &str) -> serde_json::Value {
        if path.iter().map(String::len).sum::<usize>() > NAME_BYTES {
            // No tool is called that, and nobody reads it to the end.
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

    /// A message of the calls that are to be handed over and of what the program has read, until there is none.
    pub(crate) fn take_message(&mut self, id: u64) -> Option<String> {
        let mut calls = String::new();
        while calls.len() < limits::MESSAGE_BYTES
            && let Some((number, _)) = self.calls.front()
            && let Some(open) = self.open.get_mut(number)
            && (self.handed_bytes == 0 || self.handed_bytes + open.bytes <= limits::HANDED_BYTES)
            && let Some((_, Call { head, input })) = self.calls.pop_front()
        {
            open.is_handed = true;
            self.handed_bytes += open.bytes;
            calls.push(if calls.is_empty() { '[' } else { ',' });
            calls.push_str(&head);
            if let Some(input) = input {
                calls.push(',');
                calls.push_str(&input);
            }
            calls.push(']');
        }
        let mut message = format!("{{\"id\":{id}");
        if self.read_bytes >= limits::UNTOLD_BYTES {
            let _ = write!(message, ",\"read\":{}", std::mem::take(&mut self.read_bytes));
        } else if calls.is_empty() {
            return None;
        }
        if !calls.is_empty() {
            let _ = write!(message, ",\"calls\":{calls}]");
        }
        message.push('}');
        Some(message)
    }

    /// The calls that were made and never handed over, as a JSON array, without their inputs.
    pub(crate) fn take_unbegun(&mut self) -> Option<String> {
        let heads: Vec<String> = self.calls.drain(..).map(|(_, call)| call.head + "]").collect();
        (!heads.is_empty()).then(|| format!("[{}]", heads.join(",")))
    }

    /// The program gets an answer of so many bytes; whether it waits for one to that call.
    pub(crate) fn answered(&mut self, call: u32, bytes: usize) -> bool {
        self.read_bytes += bytes;
        let Some(open) = self.open.remove(&call) else { return false };
        self.open_bytes -= open.bytes;
        if open.is_handed {
            self.handed_bytes -= open.bytes;
        }
        true
    }

    /// Whether nothing more will be logged.
    pub(crate) const fn full(&self) -> bool {
        self.truncated
    }

    pub(crate) fn log(&mut self, mut line: String) {
        // Its quotes and the comma behind it count, so that empty lines are bounded too; and a bracket of the list's, the
        // other one being the comma that the last line has not.
        let room = self.limits.output_bytes.saturating_sub(self.output).checked_sub(3 + 1);
        let Some(room) = room else {
            self.truncated = true;
            return;
        };
        let mut size = 0;
        let cut = line.char_indices().find_map(|(at, character)| {
            size += json_bytes(character);
            (size > room).then_some((at, size - json_bytes(character)))
        });
        if let Some((at, kept)) = cut {
            self.truncated = true;
            line.truncate(at);
            size = kept;
            if line.is_empty() {
                return;
            }
        }
        self.output += size + 3;
        self.logs.push(line);
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// Bytes of a character in a JSON string.
const fn json_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

/// A tool as a program writes it, cut where it is longer than anybody reads.
fn cut_name(path: &[String]) -> String {
    let mut name = String::new();
    for (index, segment) in path.iter().enumerate() {
        if index > 0 {
            name.push('.');
        }
        name.push_str(segment);
        if limits::cut(&mut name, NAME_BYTES) {
            break;
        }
    }
    name
}

/// `describe` takes a tool, or its name in any spelling: `github.search`, `tools.github["get-page"]`, an exposed name, an id.
fn described(path: &[String]) -> Vec<String> {
    let [text] = path else { return path.to_vec() };
    if text.len() > NAME_BYTES {
        return path.to_vec();
    }
    if let Some(steps) = steps(text) {
        return steps;
    }
    // A tool's own name may hold a dot.
    let bare = text.strip_prefix("tools.").unwrap_or(text);
    match bare.split_once('.') {
        Some((source, tool)) if !bare.contains(['/', ':', '[']) => vec![source.into(), tool.into()],
        _ => vec![bare.into()],
    }
}

/// The steps of a path as a program writes it: `tools.a.b`, `a.b`, `tools["a"]['b']`.
fn steps(text: &str) -> Option<Vec<String>> {
    let bare = text.strip_prefix("tools").filter(|rest| rest.starts_with(['.', '[']));
    let mut rest = bare.unwrap_or(text);
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (step, after) = quoted(inside)?;
            steps.push(step);
            rest = after.strip_prefix(']')?;
        } else {
            let inside = match rest.strip_prefix('.') {
                Some(inside) => inside,
                None if steps.is_empty() => rest,
                None => return None,
            };
            let end = inside.find(['.', '[']).unwrap_or(inside.len());
            let (step, after) = inside.split_at(end);
            // An id, such as `mcp:docs/get.page`.
            if step.is_empty() || step.contains(['/', ':']) {
                return None;
            }
            steps.push(step.to_owned());
            rest = after;
        }
    }
    (steps.len() <= 2).then_some(steps)
}

/// The string literal that a text begins with, and what comes after it.
fn quoted(text: &str) -> Option<(String, &str)> {
    if let Some(inside) = text.strip_prefix('\'') {
        let end = inside.find('\'').filter(|&end| !inside[..end].contains('\\'))?;
        return Some((inside[..end].to_owned(), &inside[end + 1..]));
    }
    let mut literals = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let step = literals.next()?.ok()?;
    Some((step, &text[literals.byte_offset()..]))
}
