//! A name with `*` for any characters, within one part of a selector.

/// A literal or a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    glob: bool,
}

impl Pattern {
    /// A pattern in which `*` stands for any characters.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { glob: text.contains('*'), text }
    }

    /// A quoted pattern, in which `*` stands for itself.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self { text: text.into(), glob: false }
    }

    /// Matches anything.
    #[must_use]
    pub fn any() -> Self {
        Self::new("*")
    }

    /// The name it names, where it names one.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        (!self.glob).then_some(&self.text)
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it matches everything.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.glob && self.text.bytes().all(|byte| byte == b'*')
    }

    /// Whether a name matches; with case. In time linear in the name for each `*`.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        if self.glob { matches_glob(&self.text, name) } else { self.text == name }
    }

    /// Whether a name matches, without case.
    #[must_use]
    pub fn matches_folded(&self, name: &str) -> bool {
        if self.glob {
            matches_glob(&crate::source::identity::folded(&self.text), &crate::source::identity::folded(name))
        } else {
            crate::source::identity::same(&self.text, name)
        }
    }
}

/// The pieces between stars must follow each other; taking each as early as it comes is enough.
fn matches_glob(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(pieces.next().unwrap_or_default()) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("a*", "a", true),
            ("a*b", "ab", true),
            ("a*b", "a/x/b", true),
            ("a*b", "abx", false),
            ("*a*b*", "xaybz", true),
            ("a*a", "a", false),
            ("ab", "ab", true),
            ("a**b", "ab", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), expected, "{pattern} {name}");
        }
        assert!(!Pattern::quoted("a*").matches("ab"));
    }
}
