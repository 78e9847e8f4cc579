//! The one error type of the core: a stable code and a message that names the offending value and the fix.

use std::{error, fmt};

/// What went wrong, each with a code that is never renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Occurs when an argument has a wrong type or a value outside its range.
    InvalidArgument,
    /// Occurs when a source's name cannot be one.
    SourceInvalid,
    /// Occurs when a source's id, in any case, is taken.
    SourceDuplicate,
    /// Occurs when a closed source is changed.
    SourceClosed,
    /// Occurs in strict mode when a selector does not parse.
    SelectorInvalid,
    /// Occurs when a tool to be declared or undeclared is not known, or not in scope.
    ToolUnknown,
    /// Occurs when a tool to be declared is one whose exposure keeps it from being declared.
    ToolNotDeclarable,
    /// Occurs when a method is called after `dispose`.
    SessionDisposed,
    /// Occurs when a child would be deeper, or one more, than the limits of the tree allow.
    TreeLimit,
    /// Occurs when a catalog option is invalid; the message names the field.
    CatalogInvalid,
    /// Occurs when a file of uses cannot be read or written.
    UsageFile,
    /// Occurs when a text is not that of a usage log.
    UsageInvalid,
    /// Occurs when something that cannot happen did; please report it.
    Internal,
}

impl ErrorKind {
    /// Every kind, for the table in the README and the test that holds it.
    pub const ALL: &'static [Self] = &[
        Self::InvalidArgument,
        Self::SourceInvalid,
        Self::SourceDuplicate,
        Self::SourceClosed,
        Self::SelectorInvalid,
        Self::ToolUnknown,
        Self::ToolNotDeclarable,
        Self::SessionDisposed,
        Self::TreeLimit,
        Self::CatalogInvalid,
        Self::UsageFile,
        Self::UsageInvalid,
        Self::Internal,
    ];

    /// The stable code, as JavaScript sees it.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidArgument => "ERR_TOOLSCOPE_INVALID_ARGUMENT",
            Self::SourceInvalid => "ERR_TOOLSCOPE_SOURCE_INVALID",
            Self::SourceDuplicate => "ERR_TOOLSCOPE_SOURCE_DUPLICATE",
            Self::SourceClosed => "ERR_TOOLSCOPE_SOURCE_CLOSED",
            Self::SelectorInvalid => "ERR_TOOLSCOPE_SELECTOR_INVALID",
            Self::ToolUnknown => "ERR_TOOLSCOPE_TOOL_UNKNOWN",
            Self::ToolNotDeclarable => "ERR_TOOLSCOPE_TOOL_NOT_DECLARABLE",
            Self::SessionDisposed => "ERR_TOOLSCOPE_SESSION_DISPOSED",
            Self::TreeLimit => "ERR_TOOLSCOPE_TREE_LIMIT",
            Self::CatalogInvalid => "ERR_TOOLSCOPE_CATALOG_INVALID",
            Self::UsageFile => "ERR_TOOLSCOPE_USAGE_FILE",
            Self::UsageInvalid => "ERR_TOOLSCOPE_USAGE_INVALID",
            Self::Internal => "ERR_TOOLSCOPE_INTERNAL",
        }
    }
}

/// A failure with its kind and a message in lower case: the offending value in backticks, then the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    /// Makes an error of `kind`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What went wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message without the code.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl error::Error for Error {}

/// The result of a fallible operation of the core.
pub type Result<T, E = Error> = std::result::Result<T, E>;
