//! Looking within selectors, outside a session: which tools of a list they name.
//!
//! The grammar is the one of scopes. A source whose id says no kind answers to every kind, and since nobody vouches
//! for annotations here, a selector with a hint names nothing.

use crate::{
    error::{Error, ErrorKind, Result},
    registry::name::exposed,
    selector::{Selector, parse},
    source::{SourceKind, identity::same},
    text::shown,
};

use super::lookup::source_name;

/// Selectors to look within.
#[derive(Clone, Debug)]
pub struct Within(Vec<Selector>);

impl Within {
    /// Reads selectors.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::SelectorInvalid`] for the first that does not parse.
    pub fn parse<T: AsRef<str>>(selectors: &[T]) -> Result<Self> {
        let read = |text: &T| {
            parse(text.as_ref()).map_err(|invalid| {
                let message =
                    format!("selector `{}`, column {}: {}", shown(text.as_ref()), invalid.column, invalid.message);
                Error::new(ErrorKind::SelectorInvalid, message)
            })
        };
        Ok(Self(selectors.iter().map(read).collect::<Result<_>>()?))
    }

    /// Whether one of them names the tool `name` of a source; `id` is the tool's.
    #[must_use]
    pub fn admits(&self, source: &str, name: &str, id: &str) -> bool {
        let kind = kind_of(source);
        let of = source_name(source);
        let shown = || kind.map_or_else(|| name.to_owned(), |kind| exposed(kind, of, name, id));
        self.0.iter().any(|selector| match selector {
            Selector::Everything => true,
            Selector::Nothing => false,
            Selector::Name(pattern) => pattern.matches(name) || pattern.matches(&shown()),
            Selector::Path(path) => {
                kind.is_none_or(|kind| kind == path.kind)
                    && path.hint.is_none()
                    && (path.kind == SourceKind::Builtin || path.source.matches_folded(of))
                    && path.tool.as_ref().is_none_or(|tool| tool.matches(name))
            }
            Selector::Joined(joined) => {
                kind.is_none_or(|kind| kind == SourceKind::Mcp)
                    && (joined.text == shown()
                        || joined.readings.iter().any(|(server, tool)| {
                            server.matches_folded(of) && tool.as_ref().is_none_or(|tool| tool.matches(name))
                        }))
            }
        })
    }
}

/// The kind that a source's id says.
fn kind_of(source: &str) -> Option<SourceKind> {
    if same(source, SourceKind::Builtin.as_str()) {
        return Some(SourceKind::Builtin);
    }
    source.split_once(':').and_then(|(kind, _)| SourceKind::parse(kind))
}

#[cfg(test)]
mod tests {
    use super::Within;

    fn admits(selector: &str, source: &str, name: &str) -> bool {
        Within::parse(&[selector]).unwrap().admits(source, name, &format!("{source}/{name}"))
    }

    #[test]
    fn selectors_name_tools_of_a_list() {
        assert!(admits("mcp:github", "mcp:github", "create_issue"));
        assert!(admits("mcp:git*/create_*", "github", "create_issue"));
        assert!(admits("create_issue", "mcp:github", "create_issue"));
        assert!(admits("mcp__github__create_issue", "mcp:github", "create_issue"));
        assert!(admits("mcp:\"@acme/kb\"", "mcp:\"@acme/kb\"", "find"));
        assert!(!admits("ext:github", "mcp:github", "create_issue"));
        assert!(!admits("mcp:github/list", "mcp:github", "create_issue"));
        assert!(!admits("mcp:github@readOnly", "mcp:github", "create_issue"));
        assert!(!admits("none", "mcp:github", "create_issue"));
        assert!(Within::parse(&["nope:x"]).is_err());
    }
}
