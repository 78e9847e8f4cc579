//! Categories: a host's words for a part of a source, shown while something of that part is not.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};

/// Compiled size that a pattern may have; the crate matches in linear time whatever the pattern.
const LARGEST: usize = 1 << 20;

/// A named part of a source: its tools whose raw name `matcher` matches.
#[derive(Clone, Debug)]
pub struct Category {
    /// The source: its name or its id, whatever its tools are printed under.
    pub namespace: Arc<str>,
    /// The category's name.
    pub name: Arc<str>,
    /// What the category's line says of it.
    pub description: Arc<str>,
    matcher: Regex,
}

impl Category {
    /// Compiles a category. The error is the reason why `pattern` is no regular expression.
    pub fn new(namespace: &str, name: &str, pattern: &str, description: &str) -> Result<Self, String> {
        let matcher = RegexBuilder::new(pattern).size_limit(LARGEST).build().map_err(|error| match error {
            regex::Error::Syntax(text) => {
                // The crate draws the pattern over several lines; its last line is the reason.
                text.lines().last().unwrap_or("").trim_start_matches("error: ").to_owned()
            }
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            _ => "it cannot be compiled".to_owned(),
        })?;
        Ok(Self { namespace: namespace.into(), name: name.into(), description: description.into(), matcher })
    }

    /// Whether a tool of the category's source is in it, by its raw name.
    #[must_use]
    pub fn holds(&self, raw_name: &str) -> bool {
        self.matcher.is_match(raw_name)
    }

    /// The pattern as it was given.
    #[must_use]
    pub fn pattern(&self) -> &str {
        self.matcher.as_str()
    }
}

impl PartialEq for Category {
    fn eq(&self, other: &Self) -> bool {
        (&self.namespace, &self.name, &self.description, self.pattern())
            == (&other.namespace, &other.name, &other.description, other.pattern())
    }
}

impl Eq for Category {}
