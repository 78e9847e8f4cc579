//! How a program writes a tool: `tools.github.create_issue`, `tools["my-server"]["get.it"]`.

use std::fmt::Write;

/// The path of a tool, given what programs call its source and its raw name.
#[must_use]
pub fn program_path(label: &str, name: &str) -> String {
    let mut path = String::from("tools");
    member(&mut path, label);
    member(&mut path, name);
    path
}

fn member(path: &mut String, name: &str) {
    let starts = |first: char| first.is_ascii_alphabetic() || first == '_' || first == '$';
    let goes_on = |next: char| starts(next) || next.is_ascii_digit();
    if name.chars().next().is_some_and(starts) && name.chars().all(goes_on) {
        path.push('.');
        path.push_str(name);
    } else {
        // A JSON string is a JavaScript one.
        let quoted = serde_json::to_string(name).unwrap_or_default();
        let _ = write!(path, "[{quoted}]");
    }
}

#[cfg(test)]
mod tests {
    use super::program_path;

    #[test]
    fn what_is_no_identifier_is_quoted() {
        assert_eq!(program_path("github", "create_issue"), "tools.github.create_issue");
        assert_eq!(program_path("@acme/kb", "get.it"), "tools[\"@acme/kb\"][\"get.it\"]");
        assert_eq!(program_path("builtin", "read"), "tools.builtin.read");
    }
}
