//! Diagnostics: what a host should know that is no error of its own.

/// How much it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Info,
    /// Probably not what was meant.
    Warning,
    /// Something was refused.
    Error,
}

impl Level {
    /// The word JavaScript sees.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing to know, with a stable code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub level: Level,
    /// Stable, for example `tool_quarantined`.
    pub code: &'static str,
    /// One line.
    pub message: String,
    /// The source's id.
    pub source: Option<String>,
    /// The tool's id.
    pub id: Option<String>,
}

impl Diagnostic {
    fn new(level: Level, code: &'static str, message: String) -> Self {
        Self { level, code, message, source: None, id: None }
    }

    /// Good to know.
    #[must_use]
    pub fn info(code: &'static str, message: String) -> Self {
        Self::new(Level::Info, code, message)
    }

    /// Probably not what was meant.
    #[must_use]
    pub fn warning(code: &'static str, message: String) -> Self {
        Self::new(Level::Warning, code, message)
    }

    /// Something was refused.
    #[must_use]
    pub fn error(code: &'static str, message: String) -> Self {
        Self::new(Level::Error, code, message)
    }

    /// Names the source it is about.
    #[must_use]
    pub fn of_source(mut self, id: &str) -> Self {
        self.source = Some(id.to_owned());
        self
    }

    /// Names the tool it is about.
    #[must_use]
    pub fn of_tool(mut self, id: String) -> Self {
        self.id = Some(id);
        self
    }
}
