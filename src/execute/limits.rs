//! What one program may use. Every limit is enforced on programs that fight it; where, is said beside each.

use std::time::Duration;

/// The limits of one program; the defaults are those of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time from the moment the program is handed over, waiting for tools included. The interpreter polls it;
    /// the host ends what does not poll. Default 30 s.
    pub time: Duration,
    /// Bytes of the program's heap, by the allocator's count. Default 64 MiB.
    pub memory_bytes: usize,
    /// Calls of tools, and as many again of `search` and `describe`. Default 1,000.
    pub tool_calls: u32,
    /// Bytes of the logs, of the value, and of each call's input, as JSON. Default 1 MiB.
    pub output_bytes: usize,
    /// Bytes, as JSON, of the calls under way together that nobody has answered. The host holds the answers that the
    /// program has not read to the same. A call past it is refused in the program. Default 64 MiB.
    pub call_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            memory_bytes: 64 << 20,
            tool_calls: 1_000,
            output_bytes: 1 << 20,
            call_bytes: 64 << 20,
        }
    }
}

/// Bytes of source a program may have; a model's programs are a thousandth of it.
pub const SOURCE_BYTES: usize = 1 << 20;

/// Bytes of the interpreter's stack. About 2,000 nested calls of a program's functions.
pub const STACK_BYTES: usize = 1 << 20;

/// Bytes of stack of a pool's thread: the interpreter's, and what parsing a program of ordinary length may take.
/// Address space alone, until it is used.
pub const THREAD_STACK_BYTES: usize = STACK_BYTES + PARSE_STACK_BYTES + (1 << 20);

/// Bytes of a thread's stack that parsing TypeScript may use; a longer program gets a stack of its own.
pub const PARSE_STACK_BYTES: usize = 8 << 20;

/// Bytes of unanswered calls that the host has at a time: it parses them on its own thread, to many times their size.
/// The others wait here as the text they are.
pub const HANDED_BYTES: usize = 8 << 20;

/// Bytes of calls past which they go in another message, so that the host has its turns between them.
pub const MESSAGE_BYTES: usize = 1 << 20;

/// Bytes of answers that a program has read without the host being told.
pub const UNTOLD_BYTES: usize = 64 << 10;

/// Bytes of what is told of an error, by its parts: its message, and each of its suggestions.
pub const FAULT_BYTES: usize = 4 << 10;

/// Cuts a text to at most so many bytes, between two characters; whether there was more.
pub fn cut(text: &mut String, most: usize) -> bool {
    if text.len() <= most {
        return false;
    }
    let end = (0..=most).rev().find(|&end| text.is_char_boundary(end));
    text.truncate(end.unwrap_or_default());
    true
}

/// Levels of nesting of a value that crosses the boundary; what reads it on the other side may recurse.
pub const DEPTH: usize = 1_000;

/// Whether JSON text nests deeper than [`DEPTH`]; one pass over its bytes.
pub fn too_deep(json: &str) -> bool {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for byte in json.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > DEPTH {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings() {
        assert!(!too_deep(&format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH))));
        assert!(too_deep(&"[".repeat(DEPTH + 1)));
        assert!(!too_deep(&format!("\"{}\\\"\"", "[".repeat(DEPTH + 1))));
    }
}
