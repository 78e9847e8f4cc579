//! How a session's verdicts follow the registry, its scope and its ancestors.
//!
//! Each session reads the registry's log from where it stopped. A session with children writes the verdicts of its own
//! that changed to the same log, so that a change anywhere costs each descendant just the tools it concerns, and costs
//! nothing until somebody asks.

use super::{Changes, Session, SessionIndex, SessionState, Tree};
use crate::{
    diagnostic::Diagnostic,
    error::Result,
    registry::{Slot, Status},
    scope::{
        Scope, ScopeSpec,
        narrow::Answer,
        plan::{Plan, Side},
        verdict::{Bench, By, Outcome, Rule, Verdict},
    },
    source::SourceIndex,
    text::shown,
};

/// A source as the predicate is shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarrowQuestion {
    /// The source.
    pub source: SourceIndex,
    /// The version of its map that the answer will be about.
    pub version: u32,
    /// Raw names of its tools that `exclude` does not match.
    pub tools: Vec<String>,
}

impl Tree {
    /// Brings a session's verdicts up to date, its ancestors' first.
    pub(crate) fn sync(&mut self, index: SessionIndex) {
        let Some(session) = self.session(index) else { return };
        if let Some(parent) = session.parent {
            self.sync(parent);
        }
        // Taken out while it is judged, since its ancestors are read meanwhile.
        let Some(mut session) = self.sessions[index.at()].take() else { return };
        let mut slots = std::mem::take(&mut session.due);
        let sticky = session.active.presented();
        let mut everything = session.stale || session.verdicts.is_empty();
        if session.stale || session.planned_for != self.registry.sources_version {
            session.replan(self, sticky);
            everything = true;
        }
        session.stale = false;
        match self.registry.log.since(session.cursor) {
            Some(logged) if !everything => slots.extend_from_slice(logged),
            _ => everything = true,
        }
        if everything {
            slots = self.registry.slots().collect();
        } else {
            let mut moved = Vec::new();
            for &slot in &slots {
                session.allow.rebind(slot, &self.registry, sticky, &mut moved);
                session.required.rebind(slot, &self.registry, sticky, &mut moved);
            }
            slots.append(&mut moved);
        }
        session.verdicts.resize(self.registry.tools.len(), Verdict::default());
        for &slot in &slots {
            session.pins.meet(&self.registry, slot);
        }
        let redefined = |slot: Slot| session.pins.is_redefined(&self.registry, slot);
        let judged: Vec<(Slot, Verdict)> = {
            let bench = self.bench(&session, &redefined);
            slots.into_iter().map(|slot| (slot, bench.judge(slot, |_, _, _| {}))).collect()
        };
        let has_children = session.children > 0;
        let mut changed = Vec::new();
        for (slot, verdict) in judged {
            // Its definition or exposure may have changed where its verdict did not.
            session.active.note(slot);
            session.news.push(slot);
            if std::mem::replace(&mut session.verdicts[slot.at()], verdict) != verdict {
                changed.push(slot);
            }
        }
        if has_children {
            for slot in changed {
                self.registry.log.push(slot);
            }
        }
        session.cursor = self.registry.log.end();
        self.sessions[index.at()] = Some(session);
    }

    /// The verdict on one tool, with every rule asked.
    pub(crate) fn judge(&self, session: &Session, slot: Slot, note: impl FnMut(Rule, By, Outcome)) -> Verdict {
        let redefined = |slot: Slot| session.pins.is_redefined(&self.registry, slot);
        self.bench(session, &redefined).judge(slot, note)
    }

    fn bench<'a>(&'a self, session: &'a Session, redefined: &'a dyn Fn(Slot) -> bool) -> Bench<'a> {
        Bench {
            registry: &self.registry,
            scope: &session.scope,
            allow: &session.allow,
            exclude: &session.exclude,
            required: &session.required,
            narrow: &session.narrow,
            ceiling: session.ceiling.as_ref(),
            parent: session.parent.and_then(|parent| self.session(parent)).map(|parent| &parent.verdicts[..]),
            missing_guard: self.missing_guard(session),
            redefined,
        }
    }

    /// Replaces a session's scope. In strict mode a selector that does not parse throws, and the old scope stands.
    pub fn set_scope(&mut self, index: SessionIndex, spec: ScopeSpec) -> Result<()> {
        let session = self.live_mut(index)?;
        session.scope = Scope::read(spec, session.strict)?;
        session.narrow.forget();
        // A plain name is bound anew; what it was bound to was the old scope's.
        session.allow = Plan::empty(Side::Grant);
        session.required = Plan::empty(Side::Grant);
        session.stale = true;
        let started = session.state == SessionState::Started;
        session.seal_due = started && session.scope.sealed;
        let narrow = session.scope.narrow;
        self.registry.touch();
        if started && !narrow {
            self.seal(index);
        }
        if started {
            self.report_unmatched(index);
        }
        Ok(())
    }

    /// The ids in scope become the ceiling, for good: a later seal only lowers it.
    pub(super) fn seal(&mut self, index: SessionIndex) {
        self.sync(index);
        let Some(session) = self.session_mut(index).filter(|session| session.seal_due) else {
            return;
        };
        let in_reach = (0..).map(Slot).zip(&session.verdicts).filter(|(_, verdict)| verdict.in_reach());
        session.ceiling = Some(in_reach.map(|(slot, _)| slot).collect());
        session.seal_due = false;
        session.stale = true;
        self.registry.touch();
    }

    /// What the predicate of a session must be asked now: each source whose map it has not seen. The host asks until
    /// there is nothing left; a seal that waited for the answers falls then.
    pub fn narrow_questions(&mut self, index: SessionIndex) -> Vec<NarrowQuestion> {
        if !self.session(index).is_some_and(|session| session.scope.narrow) {
            return Vec::new();
        }
        self.sync(index);
        let Some(session) = self.session(index) else { return Vec::new() };
        let questions: Vec<NarrowQuestion> = self
            .registry
            .open_sources()
            .filter(|(index, source)| session.narrow.answer(*index, source.version).is_none())
            .map(|(index, source)| NarrowQuestion {
                source: index,
                version: source.version,
                tools: source
                    .tools
                    .iter()
                    .filter(|&&slot| self.registry.tool(slot).status == Status::Here)
                    .filter(|&&slot| session.exclude.matching(&self.registry, slot).is_none())
                    .map(|&slot| self.registry.tool(slot).raw.to_string())
                    .collect(),
            })
            .collect();
        if questions.is_empty() {
            self.seal(index);
        }
        questions
    }

    /// What the predicate said. An answer about an older map than the present one is not kept.
    pub fn narrow_answered(&mut self, index: SessionIndex, source: SourceIndex, version: u32, answer: Answer) {
        if self.registry.source(source).version != version {
            return;
        }
        let slots = self.registry.source(source).tools.clone();
        let id = self.registry.source_id(source).to_owned();
        if let Answer::Failed(reason) = &answer {
            let message = format!(
                "`narrow` failed for `{}`, so its tools are refused until it is asked again: {}",
                shown(&id),
                shown(reason)
            );
            self.diagnostics.push(Diagnostic::error("narrow_failed", message).of_source(&id));
        }
        let Some(session) = self.session_mut(index) else { return };
        session.narrow.keep(source, version, answer);
        session.due.extend(slots);
        self.registry.touch();
    }

    /// Forgets what the predicate said, so that it is asked about every source.
    pub fn refresh(&mut self, index: SessionIndex) -> Result<()> {
        let session = self.live_mut(index)?;
        if session.scope.narrow {
            session.narrow.forget();
            session.stale = true;
            self.registry.touch();
        }
        Ok(())
    }
}

impl Session {
    fn replan(&mut self, tree: &Tree, sticky: bool) {
        let registry = &tree.registry;
        let kept = |plan: &Plan| sticky.then(|| plan.bindings());
        let allow = self.scope.allow.as_deref().unwrap_or_default();
        self.allow = Plan::new(Side::Grant, allow, registry, kept(&self.allow));
        self.required = Plan::new(Side::Grant, &self.scope.required, registry, kept(&self.required));
        self.exclude = Plan::new(Side::Exclude, &self.scope.exclude, registry, None);
        self.planned_for = registry.sources_version;
    }
}

impl Tree {
    /// Verdicts that changed since the host's copy was brought up to date; `None` where that may be all of them.
    pub fn take_news(&mut self, index: SessionIndex) -> Option<Vec<Slot>> {
        self.sync(index);
        match std::mem::take(&mut self.session_mut(index)?.news) {
            Changes::All => None,
            Changes::Slots(slots) => Some(slots),
        }
    }
}
