//! How a source and a tool are written: kinds, quoting, and comparison without case.

use std::borrow::Cow;

/// What kind of thing a source is. The order is the canonical order of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceKind {
    /// The host's own tools; there is one such source.
    Builtin,
    /// Tools an embedder adds.
    Host,
    /// An extension.
    Ext,
    /// An MCP server.
    Mcp,
}

impl SourceKind {
    /// All kinds, in canonical order.
    pub const ALL: [Self; 4] = [Self::Builtin, Self::Host, Self::Ext, Self::Mcp];

    /// The word in ids and selectors.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Host => "host",
            Self::Ext => "ext",
            Self::Mcp => "mcp",
        }
    }

    /// Reads the word, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str().eq_ignore_ascii_case(text))
    }

    /// Who owns a name that several sources register, unless the host says otherwise: the highest. An mcp name holds
    /// its server's, so it meets another one only where the host names it.
    #[must_use]
    pub const fn precedence(self) -> i32 {
        match self {
            Self::Host => 300,
            Self::Ext => 200,
            Self::Builtin => 100,
            Self::Mcp => 0,
        }
    }
}

/// Whether two kinds, source names or aliases are the same: compared without case.
#[must_use]
pub fn same(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right) || (!(left.is_ascii() && right.is_ascii()) && folded(left) == folded(right))
}

/// The form in which names that differ only in case are equal.
#[must_use]
pub fn folded(name: &str) -> String {
    name.to_lowercase()
}

/// A name as it is written in ids and selectors: quoted where it holds a character of the grammar.
///
/// ```
/// use toolscope::source::quote;
/// assert_eq!(quote("foo"), "foo");
/// assert_eq!(quote("@acme/kb"), "\"@acme/kb\"");
/// ```
#[must_use]
pub fn quote(name: &str) -> Cow<'_, str> {
    if !name.is_empty() && !name.contains(['/', '*', '@', ':', '"', ' ']) {
        return Cow::Borrowed(name);
    }
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push('"');
    for character in name.chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

/// The id of a source: `builtin`, `ext:foo`, `mcp:"@acme/kb"`.
#[must_use]
pub fn source_id(kind: SourceKind, name: &str) -> String {
    match kind {
        SourceKind::Builtin => kind.as_str().to_owned(),
        _ => format!("{}:{}", kind.as_str(), quote(name)),
    }
}

/// What stands before a raw name in the ids of a source's tools: `builtin:`, `ext:foo/`.
#[must_use]
pub fn tool_prefix(kind: SourceKind, source_id: &str) -> String {
    let separator = if kind == SourceKind::Builtin { ':' } else { '/' };
    format!("{source_id}{separator}")
}

/// Splits a tool id into its source's id and the raw name; `None` where the text is no tool id.
#[must_use]
pub fn split_tool_id(id: &str) -> Option<(&str, &str)> {
    let colon = id.find(':')?;
    let kind = SourceKind::parse(&id[..colon])?;
    if kind == SourceKind::Builtin {
        return Some((&id[..colon], &id[colon + 1..]));
    }
    let bytes = id.as_bytes();
    let mut at = colon + 1;
    if bytes.get(at) == Some(&b'"') {
        at += 1;
        while *bytes.get(at)? != b'"' {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        at += 1;
    } else {
        at += id[at..].find('/')?;
    }
    (bytes.get(at) == Some(&b'/')).then(|| (&id[..at], &id[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_split_where_they_were_joined() {
        for (kind, name) in [
            (SourceKind::Ext, "foo"),
            (SourceKind::Mcp, "@acme/kb"),
            (SourceKind::Mcp, "a\"b\\c d"),
            (SourceKind::Builtin, "x"),
        ] {
            for raw in ["bar", "a/b", "a:b", "", "\"q\""] {
                let source = source_id(kind, name);
                let id = format!("{}{raw}", tool_prefix(kind, &source));
                assert_eq!(split_tool_id(&id), Some((source.as_str(), raw)), "{id}");
            }
        }
        for text in ["read", "foo:bar/x", "ext:foo", "ext:\"foo", "mcp__a__b", ":"] {
            assert_eq!(split_tool_id(text), None, "{text}");
        }
    }
}
