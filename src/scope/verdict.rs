//! The verdict: what a scope says of one tool, and the order in which its rules are asked.

use super::{
    Scope,
    narrow::{Answer, Narrow},
    plan::Plan,
};
use crate::{
    registry::{Registry, Slot, Status},
    source::SourceState,
};
use std::collections::HashSet;

/// Why a call is refused. The texts are the contract's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Code {
    /// Not refused.
    Allowed,
    /// No source has or announces it.
    #[default]
    Unknown,
    /// Announced, or its source is down.
    Pending,
    /// Its declaration was malformed.
    Quarantined,
    /// `exclude` matches.
    Excluded,
    /// `allow`, `narrow` or the seal leaves it out.
    OutOfScope,
    /// An ancestor leaves it out.
    Parent,
    /// Another source owns its name.
    Shadowed,
    /// Its exposure does not permit this way of calling.
    NotExposed,
    /// Deferred, and called before it was loaded.
    NotLoaded,
    /// A listener said no.
    Vetoed,
    /// A listener or predicate failed, or a required guard is missing.
    GuardError,
    /// Not the definition that was approved.
    Changed,
    /// The session is over.
    Disposed,
}

impl Code {
    /// All refusals, in the order of the contract.
    pub const REFUSALS: [Self; 13] = [
        Self::Unknown,
        Self::Pending,
        Self::Quarantined,
        Self::Excluded,
        Self::OutOfScope,
        Self::Parent,
        Self::Shadowed,
        Self::NotExposed,
        Self::NotLoaded,
        Self::Vetoed,
        Self::GuardError,
        Self::Changed,
        Self::Disposed,
    ];

    /// The word JavaScript sees.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Unknown => "unknown",
            Self::Pending => "pending",
            Self::Quarantined => "quarantined",
            Self::Excluded => "excluded",
            Self::OutOfScope => "out_of_scope",
            Self::Parent => "parent",
            Self::Shadowed => "shadowed",
            Self::NotExposed => "not_exposed",
            Self::NotLoaded => "not_loaded",
            Self::Vetoed => "vetoed",
            Self::GuardError => "guard_error",
            Self::Changed => "changed",
            Self::Disposed => "disposed",
        }
    }
}

/// What decided: kept small, and put into words only when somebody asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Nothing in particular.
    #[default]
    Nobody,
    /// An entry of `allow`; `None` is the list as a whole, or its absence.
    Allow(Option<u32>),
    /// An entry of `exclude`.
    Exclude(u32),
    /// An entry of `required`.
    Required(u32),
    /// The predicate.
    Narrow,
    /// The seal.
    Sealed,
    /// An ancestor, by how many levels up it is.
    Ancestor(u32),
    /// A required guard, by its place in the list.
    Guard(u32),
    /// The tool that owns the name.
    Owner(Slot),
    /// The tool's source, or its declaration.
    Source,
    /// The approved definition.
    Definition,
}

/// What a scope says of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Allowed, or why not.
    pub code: Code,
    /// What decided.
    pub by: By,
}

impl Verdict {
    pub(crate) const fn allowed(self) -> bool {
        matches!(self.code, Code::Allowed)
    }

    /// Whether the scope has the tool, here or not.
    pub(crate) const fn in_reach(self) -> bool {
        matches!(self.code, Code::Allowed | Code::Pending | Code::Quarantined | Code::Changed)
    }
}

/// A rule, as `explain` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Is there such a tool?
    Lookup,
    /// Does `exclude` match?
    Exclude,
    /// Does another source own its name?
    Owner,
    /// Does `required` keep it?
    Required,
    /// Does `allow` have it?
    Allow,
    /// Does the predicate have it?
    Narrow,
    /// Is it under the seal?
    Sealed,
    /// Do the ancestors have it?
    Parent,
    /// Are the required guards there?
    Guards,
    /// Is its declaration good, and its source up?
    Source,
    /// Is its definition the approved one?
    Definition,
    /// Does its exposure permit the way it is called?
    Exposure,
}

impl Rule {
    /// The word JavaScript sees.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Exclude => "exclude",
            Self::Owner => "owner",
            Self::Required => "required",
            Self::Allow => "allow",
            Self::Narrow => "narrow",
            Self::Sealed => "sealed",
            Self::Parent => "parent",
            Self::Guards => "guards",
            Self::Source => "source",
            Self::Definition => "definition",
            Self::Exposure => "exposure",
        }
    }
}

/// How a rule answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It lets the tool by.
    Pass,
    /// It refuses.
    Refuse,
    /// It had nothing to say.
    Skip,
}

/// Everything a verdict is made from.
pub(crate) struct Bench<'a> {
    pub registry: &'a Registry,
    pub scope: &'a Scope,
    pub allow: &'a Plan,
    pub exclude: &'a Plan,
    pub required: &'a Plan,
    pub narrow: &'a Narrow,
    pub ceiling: Option<&'a HashSet<Slot>>,
    /// The parent's verdicts, by slot.
    pub parent: Option<&'a [Verdict]>,
    /// The first required guard that is missing.
    pub missing_guard: Option<u32>,
    /// Whether the definition is another one than was approved.
    pub redefined: &'a dyn Fn(Slot) -> bool,
}

impl Bench<'_> {
    /// The verdict on a tool; each rule asked is told to `note`.
    pub(crate) fn judge(&self, slot: Slot, mut note: impl FnMut(Rule, By, Outcome)) -> Verdict {
        let mut refuse = |rule: Rule, code: Code, by: By| {
            note(rule, by, Outcome::Refuse);
            Verdict { code, by }
        };
        let tool = self.registry.tool(slot);
        if tool.status == Status::Gone {
            return refuse(Rule::Lookup, Code::Unknown, By::Nobody);
        }
        if let Some(at) = self.exclude.matching(self.registry, slot) {
            return refuse(Rule::Exclude, Code::Excluded, By::Exclude(at));
        }
        note(Rule::Exclude, By::Nobody, Outcome::Pass);
        if let Some(owner) = self.registry.shadowed_by(slot) {
            note(Rule::Owner, By::Owner(owner), Outcome::Refuse);
            return Verdict { code: Code::Shadowed, by: By::Owner(owner) };
        }
        note(Rule::Owner, By::Nobody, Outcome::Pass);
        if let Some(verdict) = self.granted(slot, &mut note) {
            return verdict;
        }
        let mut refuse = |rule: Rule, code: Code, by: By| {
            note(rule, by, Outcome::Refuse);
            Verdict { code, by }
        };
        if let Some(parents) = self.parent {
            let verdict = parents.get(slot.at()).copied().unwrap_or_default();
            let up = match verdict.by {
                By::Ancestor(up) => By::Ancestor(up + 1),
                _ => By::Ancestor(1),
            };
            match verdict.code {
                Code::Excluded | Code::OutOfScope | Code::Parent => {
                    return refuse(Rule::Parent, Code::Parent, up);
                }
                Code::GuardError => return refuse(Rule::Parent, Code::GuardError, up),
                Code::Changed => return refuse(Rule::Parent, Code::Changed, up),
                _ => note(Rule::Parent, By::Nobody, Outcome::Pass),
            }
        }
        if let Some(at) = self.missing_guard {
            note(Rule::Guards, By::Guard(at), Outcome::Refuse);
            return Verdict { code: Code::GuardError, by: By::Guard(at) };
        }
        if !self.scope.require_guards.is_empty() {
            note(Rule::Guards, By::Nobody, Outcome::Pass);
        }
        let mut refuse = |rule: Rule, code: Code, by: By| {
            note(rule, by, Outcome::Refuse);
            Verdict { code, by }
        };
        match tool.status {
            Status::Quarantined | Status::Withdrawn => {
                return refuse(Rule::Source, Code::Quarantined, By::Source);
            }
            Status::Announced => return refuse(Rule::Source, Code::Pending, By::Source),
            _ if self.registry.source(tool.source).state != SourceState::Ready => {
                return refuse(Rule::Source, Code::Pending, By::Source);
            }
            _ => {}
        }
        note(Rule::Source, By::Nobody, Outcome::Pass);
        if (self.redefined)(slot) {
            note(Rule::Definition, By::Definition, Outcome::Refuse);
            return Verdict { code: Code::Changed, by: By::Definition };
        }
        Verdict { code: Code::Allowed, by: By::Nobody }
    }

    /// (`allow` ∩ `narrow`) ∪ `required`, under the seal; a verdict where that leaves the tool out.
    fn granted(&self, slot: Slot, note: &mut impl FnMut(Rule, By, Outcome)) -> Option<Verdict> {
        let required = self.required.matching(self.registry, slot);
        if let Some(at) = required {
            note(Rule::Required, By::Required(at), Outcome::Pass);
        } else {
            if self.scope.allow.is_none() {
                note(Rule::Allow, By::Allow(None), Outcome::Skip);
            } else if let Some(at) = self.allow.matching(self.registry, slot) {
                note(Rule::Allow, By::Allow(Some(at)), Outcome::Pass);
            } else {
                note(Rule::Allow, By::Allow(None), Outcome::Refuse);
                return Some(Verdict { code: Code::OutOfScope, by: By::Allow(None) });
            }
            if self.scope.narrow
                && let Some(code) = self.narrowed(slot)
            {
                note(Rule::Narrow, By::Narrow, Outcome::Refuse);
                return Some(Verdict { code, by: By::Narrow });
            }
            if self.scope.narrow {
                note(Rule::Narrow, By::Narrow, Outcome::Pass);
            }
        }
        if let Some(ceiling) = self.ceiling {
            if !ceiling.contains(&slot) {
                note(Rule::Sealed, By::Sealed, Outcome::Refuse);
                return Some(Verdict { code: Code::OutOfScope, by: By::Sealed });
            }
            note(Rule::Sealed, By::Sealed, Outcome::Pass);
        }
        None
    }

    /// How the predicate refuses the tool, where it does. An announced tool is in no live map yet, so the predicate
    /// was not asked about it; it is pending whatever it will say.
    fn narrowed(&self, slot: Slot) -> Option<Code> {
        let tool = self.registry.tool(slot);
        if tool.status == Status::Announced {
            return None;
        }
        match self.narrow.answer(tool.source, self.registry.source(tool.source).version) {
            Some(Answer::Everything) => None,
            Some(Answer::Nothing) => Some(Code::OutOfScope),
            Some(Answer::Only(names)) => (!names.contains(&*tool.raw)).then_some(Code::OutOfScope),
            Some(Answer::Failed(_)) | None => Some(Code::GuardError),
        }
    }
}
