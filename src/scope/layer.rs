//! One scope with all it resolved to: its lists, and what its predicate answered.
//!
//! A root session has one layer. A child has the scope it was spawned with, for good, and over it the one it set
//! itself: a tool must pass both, so that setting a scope can only narrow.

use super::{
    Scope,
    narrow::{Answer, Narrow},
    plan::{Plan, Side},
    verdict::{By, Code, Outcome, Rule, Verdict},
};
use crate::registry::{Registry, Slot, Status};

/// A scope, resolved.
#[derive(Debug)]
pub(crate) struct Layer {
    pub scope: Scope,
    pub allow: Plan,
    pub exclude: Plan,
    pub required: Plan,
    pub narrow: Narrow,
}

impl Layer {
    /// A scope that has yet to be resolved.
    pub(crate) fn new(scope: Scope) -> Self {
        Self {
            scope,
            allow: Plan::empty(Side::Grant),
            exclude: Plan::empty(Side::Exclude),
            required: Plan::empty(Side::Grant),
            narrow: Narrow::default(),
        }
    }

    /// Resolves the lists against the sources there are. `sticky` keeps what plain names are bound to.
    pub(crate) fn resolve(&mut self, registry: &Registry, sticky: bool) {
        let kept = |plan: &Plan| sticky.then(|| plan.bindings());
        let allow = self.scope.allow.as_deref().unwrap_or_default();
        self.allow = Plan::new(Side::Grant, allow, registry, kept(&self.allow));
        self.required = Plan::new(Side::Grant, &self.scope.required, registry, kept(&self.required));
        self.exclude = Plan::new(Side::Exclude, &self.scope.exclude, registry, None);
    }

    /// A tool came, went or was renamed: adds to `changed` the tools that a plain name means now, or no longer.
    pub(crate) fn rebind(&mut self, slot: Slot, registry: &Registry, sticky: bool, changed: &mut Vec<Slot>) {
        self.allow.rebind(slot, registry, sticky, changed);
        self.required.rebind(slot, registry, sticky, changed);
    }

    /// Whether a plain name is not bound yet.
    pub(crate) fn is_open(&self) -> bool {
        self.allow.is_open() || self.required.is_open()
    }

    /// The entry of `exclude` that matches a tool.
    pub(crate) fn excluding(&self, registry: &Registry, slot: Slot) -> Option<u32> {
        self.exclude.matching(registry, slot)
    }

    /// (`allow` ∩ `narrow`) ∪ `required`; a verdict where that leaves the tool out. `layer` is this one's place; a tool
    /// that is `unseen` the predicate was not shown, and the rule that keeps it from being shown refuses it.
    pub(crate) fn granted(
        &self,
        layer: u8,
        registry: &Registry,
        slot: Slot,
        unseen: bool,
        note: &mut impl FnMut(Rule, By, Outcome),
    ) -> Option<Verdict> {
        if let Some(at) = self.required.matching(registry, slot) {
            note(Rule::Required, By::Required(layer, at), Outcome::Pass);
            return None;
        }
        if self.scope.allow.is_none() {
            note(Rule::Allow, By::AllowList, Outcome::Skip);
        } else if let Some(at) = self.allow.matching(registry, slot) {
            note(Rule::Allow, By::Allow(layer, at), Outcome::Pass);
        } else {
            note(Rule::Allow, By::AllowList, Outcome::Refuse);
            return Some(Verdict { code: Code::OutOfScope, by: By::AllowList });
        }
        if !self.scope.narrow || unseen {
            return None;
        }
        let Some(code) = self.narrowed(registry, slot) else {
            note(Rule::Narrow, By::Narrow, Outcome::Pass);
            return None;
        };
        note(Rule::Narrow, By::Narrow, Outcome::Refuse);
        Some(Verdict { code, by: By::Narrow })
    }

    /// How the predicate refuses the tool, where it does. A tool that is announced or quarantined is in no live map, so
    /// the predicate was not asked about it; it is refused as what it is, whatever it will say.
    fn narrowed(&self, registry: &Registry, slot: Slot) -> Option<Code> {
        let tool = registry.tool(slot);
        if tool.status != Status::Here {
            return None;
        }
        match self.narrow.answer(tool.source, registry.source(tool.source).version) {
            Some(Answer::Everything) => None,
            Some(Answer::Nothing) => Some(Code::OutOfScope),
            Some(Answer::Only(names)) => (!names.contains(&*tool.raw)).then_some(Code::OutOfScope),
            Some(Answer::Failed(_)) | None => Some(Code::GuardError),
        }
    }

    /// Whether an entry that names this one tool, and no glob or whole source, grants it.
    pub(crate) fn names(&self, registry: &Registry, slot: Slot) -> bool {
        self.allow.names(registry, slot) || self.required.names(registry, slot)
    }
}
