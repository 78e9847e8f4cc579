//! A diagnostic about a place in a file.

use crate::diagnostic::Level;

/// What could not be taken as it stands, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// How much it matters: an error closed something.
    pub level: Level,
    /// Stable, for example `front_matter_invalid`.
    pub code: &'static str,
    /// One line.
    pub message: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What to write there instead, where that is known.
    pub suggestion: Option<String>,
}

/// A place in a file; lines and columns from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    pub(super) const START: Self = Self { line: 1, column: 1 };

    const fn remark(self, level: Level, code: &'static str, message: String) -> Remark {
        Remark { level, code, message, line: self.line, column: self.column, suggestion: None }
    }

    /// Something was closed for it.
    pub(super) const fn error(self, code: &'static str, message: String) -> Remark {
        self.remark(Level::Error, code, message)
    }

    /// Probably not what was meant.
    pub(super) const fn warning(self, code: &'static str, message: String) -> Remark {
        self.remark(Level::Warning, code, message)
    }

    /// Good to know.
    pub(super) const fn info(self, code: &'static str, message: String) -> Remark {
        self.remark(Level::Info, code, message)
    }
}

impl Remark {
    /// Says what to write instead.
    pub(super) fn suggest(mut self, text: impl Into<String>) -> Self {
        self.suggestion = Some(text.into());
        self
    }
}
