//! Scope: what a session may reach, as ((`allow` ∩ `narrow`) ∪ `required`) ∩ the parent's scope, minus `exclude`.
//!
//! A scope is configuration ([`Scope`]), resolved against the sources there are ([`plan`]), and asked tool by tool
//! ([`verdict`]). Resolving is done anew only where the set of sources or the scope itself changes; a tool that comes
//! or goes costs its own verdict and the plain names that could mean it.

pub mod binding;
pub(crate) mod layer;
pub(crate) mod naming;
pub mod narrow;
pub mod plan;
pub mod report;
pub mod verdict;

use crate::{
    error::{Error, ErrorKind, Result},
    selector::{self, Invalid, Selector},
    text::shown,
};

/// A scope as the host gives it.
#[derive(Clone, Debug, Default)]
pub struct ScopeSpec {
    /// Selectors; absent means everything, empty means nothing.
    pub allow: Option<Vec<String>>,
    /// Selectors; always wins.
    pub exclude: Vec<String>,
    /// Selectors of tools that `allow` and `narrow` cannot take away.
    pub required: Vec<String>,
    /// Whether there is a predicate.
    pub narrow: bool,
    /// At start the ids in scope become the ceiling for good.
    pub sealed: bool,
    /// Names of listeners that must be present.
    pub require_guards: Vec<String>,
}

/// One selector of a list, read.
#[derive(Clone, Debug)]
pub struct Entry {
    /// As it was written.
    pub text: String,
    /// What it says.
    pub parsed: std::result::Result<Selector, Invalid>,
}

/// A scope, read.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// `None`: everything.
    pub(crate) allow: Option<Vec<Entry>>,
    pub(crate) exclude: Vec<Entry>,
    pub(crate) required: Vec<Entry>,
    pub(crate) narrow: bool,
    pub(crate) sealed: bool,
    pub(crate) require_guards: Vec<String>,
}

impl Scope {
    /// Reads every selector. Where `strict`, the first that does not parse is an error; else it is an entry that
    /// grants nothing and, on the exclude side, denies what it could have meant.
    pub fn read(spec: ScopeSpec, strict: bool) -> Result<Self> {
        let read = |texts: Vec<String>| -> Result<Vec<Entry>> {
            texts
                .into_iter()
                .map(|text| {
                    let parsed = selector::parse(&text);
                    match &parsed {
                        Err(invalid) if strict => Err(Error::new(
                            ErrorKind::SelectorInvalid,
                            format!("selector `{}`, column {}: {}", shown(&text), invalid.column, invalid.message),
                        )),
                        _ => Ok(Entry { text, parsed }),
                    }
                })
                .collect()
        };
        Ok(Self {
            allow: spec.allow.map(read).transpose()?,
            exclude: read(spec.exclude)?,
            required: read(spec.required)?,
            narrow: spec.narrow,
            sealed: spec.sealed,
            require_guards: spec.require_guards,
        })
    }
}
