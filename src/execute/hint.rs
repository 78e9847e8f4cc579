//! What to write instead, for the slips that models make.

use super::bridge::Bridge;

/// For a program that does not parse.
pub(crate) fn of_syntax(source: &str) -> Option<String> {
    let text = source.trim_start();
    if text.starts_with("```") {
        return Some("leave out the code fence: the program alone is run".into());
    }
    if text.starts_with("{\"") || text.starts_with('<') {
        return Some("write JavaScript: the input is a program, not data".into());
    }
    None
}

/// For an error that nothing in the program caught.
pub(crate) fn of_error(name: Option<&str>, message: &str, bridge: &Bridge) -> Option<String> {
    match name {
        Some("ReferenceError") => absent(message.split([' ', '\'']).find(|word| !word.is_empty()).unwrap_or_default()),
        // A promise has no such property; what it will hold may.
        Some("TypeError") => bridge
            .open
            .first_key_value()
            .map(|(_, call)| format!("`{}(…)` returns a promise: put `await` before it", call.written)),
        _ => None,
    }
}

/// What a program looks for that is not there.
fn absent(name: &str) -> Option<String> {
    let instead = match name {
        "setTimeout" | "setInterval" | "setImmediate" | "clearTimeout" => {
            "there are no timers: `await` the calls themselves"
        }
        "fetch" | "XMLHttpRequest" | "WebSocket" => {
            "there is no network: call a tool that fetches; `search(query)` finds one"
        }
        "require" | "module" | "exports" | "__dirname" | "__filename" => {
            "there are no modules: call `tools.<source>.<tool>(input)`"
        }
        "process" | "Deno" | "Bun" | "Buffer" | "fs" | "os" | "path" => {
            "there is no host to reach: call `tools.<source>.<tool>(input)`"
        }
        "window" | "document" | "localStorage" => "there is no page",
        "print" | "text" => "use `console.log(…)`, or `return` the value",
        "mcp" | "functions" | "codemode" | "api" | "tool" => "tools are called as `tools.<source>.<tool>(input)`",
        _ => return None,
    };
    Some(instead.into())
}
