//! How a program ended, and how that is told.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{
    bridge::Bridge,
    hint,
    limits::{self, Limits},
    strip::{Script, SyntaxFault},
};

/// The name under which the interpreter knows a program; its errors' stacks carry it.
pub(crate) const FILE: &str = "program.js";

/// How many suggestions are told; a program may throw an error with any number.
const SUGGESTIONS: usize = 8;

/// The kinds of the contract that arise here; `aborted` is the host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailureKind {
    Syntax,
    Program,
    Timeout,
    Memory,
    Limit,
    Busy,
    Internal,
}

/// Why there is no value.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    kind: FailureKind,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<String>,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), line: None, column: None, suggestions: Vec::new() }
    }

    pub(crate) fn suggesting(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestions.push(suggestion.into());
        self
    }

    /// What a program throws may be as large as its memory, and is read by a host and a model.
    fn cut(mut self) -> Self {
        for text in std::iter::once(&mut self.message).chain(&mut self.suggestions) {
            if limits::cut(text, limits::FAULT_BYTES - '…'.len_utf8()) {
                text.push('…');
            }
        }
        self.suggestions.truncate(SUGGESTIONS);
        self
    }

    pub(crate) fn memory(limits: &Limits) -> Self {
        Self::new(
            FailureKind::Memory,
            format!("the program needs more than its {} bytes of memory", limits.memory_bytes),
        )
    }

    pub(crate) fn syntax(fault: SyntaxFault, source: &str) -> Self {
        let mut failure = Self::new(FailureKind::Syntax, fault.message);
        (failure.line, failure.column) = (Some(fault.line), Some(fault.column));
        failure.suggestions = hint::of_syntax(source).or(fault.suggestion).into_iter().collect();
        failure
    }

    /// From what the prelude says of a thrown value; `exhausted` where it came of a full heap.
    pub(crate) fn thrown(thrown: Thrown, exhausted: bool, script: &Script, bridge: &Bridge) -> Self {
        let message = match thrown.name.as_deref() {
            None | Some("Error" | "") => thrown.message.clone(),
            Some(name) => format!("{name}: {}", thrown.message),
        };
        let mut failure =
            if exhausted { Self::memory(bridge.limits()) } else { Self::new(FailureKind::Program, message) };
        if let Some((line, column)) = thrown.stack.as_deref().and_then(place) {
            let (line, column) = script.position(line, column);
            (failure.line, failure.column) = (Some(line), Some(column));
        }
        failure.suggestions = thrown.suggestions.unwrap_or_default();
        failure.suggestions.extend(hint::of_error(thrown.name.as_deref(), &thrown.message, bridge));
        failure
    }
}

/// A thrown value as the prelude tells it.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Thrown {
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) message: String,
    pub(crate) stack: Option<String>,
    pub(crate) suggestions: Option<Vec<String>>,
}

/// The innermost place of the program in a stack: `… (program.js:3:14)`.
pub(crate) fn place(stack: &str) -> Option<(u32, u32)> {
    stack.match_indices(FILE).find_map(|(at, _)| {
        let mut numbers = stack[at + FILE.len()..].strip_prefix(':')?.splitn(2, ':');
        let line = numbers.next()?.parse().ok()?;
        let rest = numbers.next()?;
        let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        Some((line, rest[..digits].parse().ok()?))
    })
}

#[derive(Serialize)]
struct Done<'a> {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
    logs: &'a [String],
    truncated: bool,
}

/// The message of program `id` that tells its end. The value is JSON text, absent for `undefined`.
pub(crate) fn told(id: u64, ended: Result<Option<String>, Failure>, bridge: &mut Bridge) -> String {
    let ended = ended.and_then(|value| match value {
        Some(text) if text.len() > bridge.limits().output_bytes => {
            bridge.truncated = true;
            let (size, limit) = (text.len(), bridge.limits().output_bytes);
            Err(Failure::new(
                FailureKind::Limit,
                format!("the value is {size} bytes as JSON, more than the limit of {limit}"),
            )
            .suggesting("return what you need of it: a part, a count or a summary"))
        }
        Some(text) if limits::too_deep(&text) => Err(Failure::new(
            FailureKind::Limit,
            format!("the value is nested more than {} levels deep", limits::DEPTH),
        )),
        value => Ok(value),
    });
    let (text, mut error) = match ended {
        Ok(text) => (text, None),
        Err(failure) => (None, Some(failure.cut())),
    };
    let value = text.as_deref().map(serde_json::from_str::<&RawValue>).transpose().unwrap_or_else(|fault| {
        error = Some(Failure::new(FailureKind::Internal, format!("the value is no JSON: {fault}; please report it")));
        None
    });
    let done = Done { ok: error.is_none(), value, error, logs: &bridge.logs, truncated: bridge.truncated };
    let text = serde_json::to_string(&done).unwrap_or_else(|_| String::from("{}"));
    // Calls it made and did not wait for: the host accounts for them and runs none.
    let calls = bridge.take_unbegun().map(|calls| format!("\"calls\":{calls},")).unwrap_or_default();
    format!("{{\"id\":{id},{calls}\"done\":{text}}}")
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn finds_the_innermost_place_of_the_program() {
        assert_eq!(
            place("    at call (prelude:3:1)\n    at f (program.js:12:34)\n    at program.js:1:1"),
            Some((12, 34))
        );
        assert_eq!(place("    at program.js:2:5\n"), Some((2, 5)));
        assert_eq!(place("at native"), None);
    }
}
