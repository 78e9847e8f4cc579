//! An agent file while it is read.

use super::{AgentFile, Spawns, remark::Remark};
use crate::scope::ScopeSpec;

/// What is known of a file so far.
pub(super) struct Draft<'a> {
    pub scope: ScopeSpec,
    pub name: Option<String>,
    pub spawns: Option<Spawns>,
    /// The front matter's lines, to find an item's column in.
    pub lines: Vec<&'a str>,
    remarks: Vec<Remark>,
    closed: bool,
}

impl<'a> Draft<'a> {
    pub(super) fn new() -> Self {
        Self {
            scope: ScopeSpec::default(),
            name: None,
            spawns: None,
            lines: Vec::new(),
            remarks: Vec::new(),
            closed: false,
        }
    }

    pub(super) fn note(&mut self, remark: Remark) {
        self.remarks.push(remark);
    }

    /// Grants nothing, whatever else the file says.
    pub(super) fn close(&mut self, remark: Remark) {
        self.closed = true;
        self.note(remark);
    }

    /// Denies a selector, once.
    pub(super) fn exclude(&mut self, selector: impl Into<String>) {
        let selector = selector.into();
        if !self.scope.exclude.contains(&selector) {
            self.scope.exclude.push(selector);
        }
    }

    /// The file of which nothing can be read.
    pub(super) fn closed(mut self, remark: Remark) -> AgentFile {
        self.close(remark);
        self.finish()
    }

    pub(super) fn finish(mut self) -> AgentFile {
        if self.closed {
            self.scope.allow = Some(Vec::new());
            self.scope.required.clear();
            self.spawns = Some(Spawns::Only(Vec::new()));
        }
        self.remarks.sort_by_key(|remark| (remark.line, remark.column));
        AgentFile { scope: self.scope, name: self.name, spawns: self.spawns, diagnostics: self.remarks }
    }
}
