//! The verdict: what a scope says of one tool, and the order in which its rules are asked.

use super::{layer::Layer, plan::Plan};
use crate::{
    registry::{Registry, Slot, Status},
    source::SourceState,
};
use hashbrown::HashSet;

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
    /// `allow` as a whole, or its absence.
    AllowList,
    /// An entry of a layer's `allow`.
    Allow(u8, u32),
    /// An entry of a layer's `exclude`.
    Exclude(u8, u32),
    /// An entry of a layer's `required`.
    Required(u8, u32),
    /// The predicate.
    Narrow,
    /// The seal.
    Sealed,
    /// An ancestor, by how many levels up it is.
    Ancestor(u32),
    /// A guard that a layer requires, by its place in the list.
    Guard(u8, u32),
    /// It spawns agents, and no entry of a child's scope names it.
    Spawning,
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

    /// Whether the scope has the tool, here or not. A guard that is missing refuses calls and takes nothing out.
    pub(crate) const fn in_reach(self) -> bool {
        matches!(self.code, Code::Allowed | Code::Pending | Code::Quarantined | Code::Changed)
            || matches!((self.code, self.by), (Code::GuardError, By::Guard(..)))
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
    /// Does it spawn agents, and is it named?
    Spawning,
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
            Self::Spawning => "spawning",
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
    pub layers: &'a [Layer],
    pub ceiling: Option<&'a HashSet<Slot>>,
    /// The verdicts of the ancestors, by slot, the parent's first.
    pub ancestors: Vec<&'a [Verdict]>,
    /// The tools that spawn agents.
    pub spawning: &'a Plan,
    /// The first required guard that is missing.
    pub missing_guard: Option<(u8, u32)>,
    /// Whether the definition is another one than was approved.
    pub redefined: &'a dyn Fn(Slot) -> bool,
}

impl Bench<'_> {
    /// The verdict on a tool; each rule asked is told to `note`. First what the session's own scope says, then its
    /// ancestors', then whether the tool is there and as it was approved.
    pub(crate) fn judge(&self, slot: Slot, mut note: impl FnMut(Rule, By, Outcome)) -> Verdict {
        if self.registry.tool(slot).status == Status::Gone {
            return refuse(Rule::Lookup, Code::Unknown, By::Nobody, &mut note);
        }
        self.of_scope(slot, &mut note)
            .or_else(|| self.of_ancestors(slot, &mut note))
            .or_else(|| self.of_presence(slot, &mut note))
            .unwrap_or(Verdict { code: Code::Allowed, by: By::Nobody })
    }

    fn of_scope(&self, slot: Slot, note: &mut impl FnMut(Rule, By, Outcome)) -> Option<Verdict> {
        for (at, layer) in (0..).zip(self.layers) {
            if let Some(entry) = layer.excluding(self.registry, slot) {
                return Some(refuse(Rule::Exclude, Code::Excluded, By::Exclude(at, entry), note));
            }
        }
        note(Rule::Exclude, By::Nobody, Outcome::Pass);
        if let Some(owner) = self.registry.shadowed_by(slot) {
            return Some(refuse(Rule::Owner, Code::Shadowed, By::Owner(owner), note));
        }
        note(Rule::Owner, By::Nobody, Outcome::Pass);
        for (at, layer) in (0..).zip(self.layers) {
            let unseen = layer.scope.narrow && self.is_excluded_above(slot);
            let left_out = layer.granted(at, self.registry, slot, unseen, note);
            if left_out.is_some() {
                return left_out;
            }
        }
        if let Some(ceiling) = self.ceiling {
            if !ceiling.contains(&slot) {
                return Some(refuse(Rule::Sealed, Code::OutOfScope, By::Sealed, note));
            }
            note(Rule::Sealed, By::Sealed, Outcome::Pass);
        }
        None
    }

    /// Whether an ancestor's `exclude` matches a tool, so that no predicate below was shown it.
    fn is_excluded_above(&self, slot: Slot) -> bool {
        let excludes = |verdicts: &&[Verdict]| verdicts.get(slot.at()).is_some_and(|told| told.code == Code::Excluded);
        self.ancestors.iter().any(excludes)
    }

    fn of_ancestors(&self, slot: Slot, note: &mut impl FnMut(Rule, By, Outcome)) -> Option<Verdict> {
        if let Some(parents) = self.ancestors.first() {
            let spawns = self.spawning.matching(self.registry, slot).is_some();
            if spawns && !self.layers.iter().all(|layer| layer.names(self.registry, slot)) {
                return Some(refuse(Rule::Spawning, Code::OutOfScope, By::Spawning, note));
            }
            let verdict = parents.get(slot.at()).copied().unwrap_or_default();
            let up = match verdict.by {
                By::Ancestor(up) => By::Ancestor(up + 1),
                _ => By::Ancestor(1),
            };
            match verdict.code {
                Code::Excluded | Code::OutOfScope | Code::Parent => {
                    return Some(refuse(Rule::Parent, Code::Parent, up, note));
                }
                Code::GuardError | Code::Changed => return Some(refuse(Rule::Parent, verdict.code, up, note)),
                _ => note(Rule::Parent, By::Nobody, Outcome::Pass),
            }
        }
        if let Some((layer, at)) = self.missing_guard {
            return Some(refuse(Rule::Guards, Code::GuardError, By::Guard(layer, at), note));
        }
        if self.layers.iter().any(|layer| !layer.scope.require_guards.is_empty()) {
            note(Rule::Guards, By::Nobody, Outcome::Pass);
        }
        None
    }

    fn of_presence(&self, slot: Slot, note: &mut impl FnMut(Rule, By, Outcome)) -> Option<Verdict> {
        let tool = self.registry.tool(slot);
        let away = match tool.status {
            Status::Quarantined | Status::Withdrawn => Some(Code::Quarantined),
            Status::Announced => Some(Code::Pending),
            _ if self.registry.source(tool.source).state != SourceState::Ready => Some(Code::Pending),
            _ => None,
        };
        if let Some(code) = away {
            return Some(refuse(Rule::Source, code, By::Source, note));
        }
        note(Rule::Source, By::Nobody, Outcome::Pass);
        (self.redefined)(slot).then(|| refuse(Rule::Definition, Code::Changed, By::Definition, note))
    }
}

fn refuse(rule: Rule, code: Code, by: By, note: &mut impl FnMut(Rule, By, Outcome)) -> Verdict {
    note(rule, by, Outcome::Refuse);
    Verdict { code, by }
}
