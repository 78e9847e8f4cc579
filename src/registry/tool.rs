//! One tool as the registry keeps it.

use crate::{
    catalog::Outline,
    source::{
        SourceIndex,
        declaration::{Declaration, Exposure, Hints},
        fingerprint::fingerprint,
    },
};
use std::{cell::OnceCell, sync::Arc};

/// A tool's place in the registry's memory, for life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a tool. Whether its source is up is the source's to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not known, or no longer.
    Gone,
    /// In an inventory, never here yet.
    Announced,
    /// Registered.
    Here,
    /// Malformed from the start: it owns nothing.
    Quarantined,
    /// Registered, then redefined malformed: withdrawn, and still the owner of its name.
    Withdrawn,
}

/// One tool.
#[derive(Debug)]
pub struct Tool {
    pub(crate) source: SourceIndex,
    pub(crate) raw: Arc<str>,
    pub(crate) exposed: Arc<str>,
    pub(crate) status: Status,
    pub(crate) exposure: Exposure,
    pub(crate) hints: Hints,
    /// Whether another, registered tool owns its name.
    pub(crate) shadowed: bool,
    /// Its place in its source's map.
    pub(crate) place: u32,
    /// Counts redefinitions.
    pub(crate) revision: u32,
    /// Counts declarations, and what its source said of itself: what is made from one is made anew from the next.
    pub(crate) edition: u32,
    /// Counts how often it left.
    pub(crate) incarnation: u32,
    /// Its declaration as JSON; empty unless it is here.
    pub(crate) text: Arc<str>,
    /// Of that text, where a catalog may list the tool.
    pub(crate) outline: Option<Outline>,
    /// Why it is quarantined.
    pub(crate) reason: Option<Box<str>>,
    fingerprint: OnceCell<Box<str>>,
}

impl Tool {
    pub(super) fn new(source: SourceIndex, raw: &str, exposed: &str) -> Self {
        Self {
            source,
            raw: raw.into(),
            exposed: exposed.into(),
            status: Status::Gone,
            exposure: Exposure::default(),
            hints: Hints::default(),
            shadowed: false,
            place: 0,
            revision: 0,
            edition: 0,
            incarnation: 0,
            text: Arc::default(),
            outline: None,
            reason: None,
            fingerprint: OnceCell::new(),
        }
    }

    /// Whether it takes part in who owns its name.
    pub(crate) const fn registered(&self) -> bool {
        matches!(self.status, Status::Here | Status::Withdrawn)
    }

    /// Takes a new declaration; whether the definition became another one. Asked only where the texts differ, since
    /// it hashes both.
    pub(super) fn redefine(&mut self, declaration: Declaration) -> bool {
        let Declaration { text, exposure, hints, outline, .. } = declaration;
        let before = (!self.text.is_empty()).then(|| self.fingerprint().to_owned());
        self.edition += 1;
        self.text = text;
        self.outline = outline;
        self.exposure = exposure;
        self.hints = hints;
        self.reason = None;
        self.fingerprint = OnceCell::new();
        before.is_none_or(|before| before != self.fingerprint())
    }

    /// Nothing that was declared of it stands any longer.
    pub(super) fn forget(&mut self) {
        self.text = Arc::default();
        self.outline = None;
        self.exposure = Exposure::default();
        self.hints = Hints::default();
        self.reason = None;
        self.fingerprint = OnceCell::new();
    }

    /// The fingerprint of its definition; hashed when first asked for.
    pub(crate) fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| fingerprint(&self.text).into())
    }
}
