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
        layer::Layer,
        narrow::Answer,
        verdict::{Bench, By, Outcome, Rule, Verdict},
    },
    source::SourceIndex,
    text::shown,
};

/// A source as the predicate is shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NarrowQuestion {
    /// Which of the session's scopes asks.
    pub layer: u8,
    /// The source.
    pub source: SourceIndex,
    /// The version of its map that the answer will be about.
    pub version: u32,
    /// Raw names of its tools that `exclude`, the session's or an ancestor's, does not match.
    pub tools: Vec<String>,
}

/// Which question an answer is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NarrowAsked {
    /// Which of the session's scopes asked.
    pub layer: u8,
    /// The source.
    pub source: SourceIndex,
    /// The version of its map that was shown.
    pub version: u32,
}

impl Tree {
    /// Brings a session's verdicts up to date, its ancestors' first.
    pub(crate) fn sync(&mut self, index: SessionIndex) {
        let Some(session) = self.session(index) else { return };
        match session.parent {
            Some(parent) => self.sync(parent),
            None => self.plan_spawning(),
        }
        // Taken out while it is judged, since its ancestors are read meanwhile.
        let Some(mut session) = self.sessions[index.at()].take() else { return };
        let mut slots = std::mem::take(&mut session.due);
        let sticky = session.active.presented();
        let outdated = session.stale || session.planned_for != self.registry.sources_version;
        session.stale = false;
        if let Some(logged) = self.registry.log.since(session.cursor).filter(|_| !outdated) {
            slots.extend_from_slice(logged);
            // What the predicate said of an older map says nothing of any tool of the present one.
            for source in session.layers.iter_mut().flat_map(|layer| layer.narrow.forget_outdated(&self.registry)) {
                slots.extend_from_slice(&self.registry.source(source).tools);
            }
            let mut moved = Vec::new();
            for &slot in &slots {
                for layer in &mut session.layers {
                    layer.rebind(slot, &self.registry, sticky, &mut moved);
                }
            }
            slots.append(&mut moved);
        } else {
            // A word may have come to mean a tool that the log no longer tells of.
            for layer in &mut session.layers {
                layer.resolve(&self.registry, sticky);
            }
            session.planned_for = self.registry.sources_version;
            slots = self.registry.slots().collect();
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
            layers: &session.layers,
            spawning: &self.spawning,
            ceiling: session.ceiling.as_ref(),
            ancestors: self.ancestors(session).map(|ancestor| &ancestor.verdicts[..]).collect(),
            missing_guard: self.missing_guard(session),
            redefined,
        }
    }

    /// Replaces a session's scope; that of a child under the one it was spawned with. In strict mode a selector that
    /// does not parse throws, and the old scope stands.
    pub fn set_scope(&mut self, index: SessionIndex, spec: ScopeSpec) -> Result<()> {
        let session = self.live_mut(index)?;
        let layer = Layer::new(Scope::read(spec, session.strict)?);
        let narrow = layer.scope.narrow;
        let replaced = session.layers.split_off(usize::from(session.parent.is_some())).pop();
        let excluded = replaced.map_or_else(Vec::new, |replaced| replaced.scope.exclude);
        let shows_others =
            !excluded.iter().map(|entry| &entry.text).eq(layer.scope.exclude.iter().map(|entry| &entry.text));
        session.layers.push(layer);
        session.stale = true;
        let started = session.state == SessionState::Started;
        session.seal_due = started && session.top().scope.sealed;
        if shows_others {
            self.ask_anew(index);
        }
        self.registry.touch();
        if started && !narrow {
            self.seal(index);
        }
        // Plain names are bound now, whenever somebody looks.
        self.sync(index);
        if started {
            self.report_unmatched(index);
        }
        Ok(())
    }

    /// Has the predicates of a session and of its descendants asked about every source: what `exclude` matches they are
    /// not shown, so what they said of other tools says nothing of what they are shown now.
    fn ask_anew(&mut self, index: SessionIndex) {
        let has_heirs = self.session(index).is_some_and(|session| session.children > 0);
        let heirs = self.indexes().filter(|&other| has_heirs && self.descends(other, index));
        let below: Vec<SessionIndex> = std::iter::once(index).chain(heirs).collect();
        for other in below {
            if let Some(session) = self.session_mut(other) {
                session.forget_answers();
            }
        }
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

    /// What the predicates of a session must be asked now: each source whose map they have not seen. The host asks
    /// until there is nothing left; a seal that waited for the answers falls then.
    pub fn narrow_questions(&mut self, index: SessionIndex) -> Vec<NarrowQuestion> {
        if !self.session(index).is_some_and(|session| session.layers.iter().any(|layer| layer.scope.narrow)) {
            return Vec::new();
        }
        self.sync(index);
        let Some(session) = self.session(index) else { return Vec::new() };
        let narrowing = (0..).zip(&session.layers).filter(|(_, layer)| layer.scope.narrow);
        let questions: Vec<NarrowQuestion> = narrowing
            .flat_map(|(at, layer)| {
                let unasked = self
                    .registry
                    .open_sources()
                    .filter(|(source, state)| layer.narrow.answer(*source, state.version).is_none());
                unasked.map(move |(source, state)| (at, source, state))
            })
            .map(|(layer, index, source)| NarrowQuestion {
                layer,
                source: index,
                version: source.version,
                tools: source
                    .tools
                    .iter()
                    .filter(|&&slot| self.registry.tool(slot).status == Status::Here)
                    .filter(|&&slot| !self.is_excluded(session, slot))
                    .map(|&slot| self.registry.tool(slot).raw.to_string())
                    .collect(),
            })
            .collect();
        if questions.is_empty() {
            self.seal(index);
        }
        if let Some(session) = self.session_mut(index) {
            for question in &questions {
                session.layers[usize::from(question.layer)].narrow.ask(question.source, question.version);
            }
        }
        questions
    }

    /// What a predicate said to a question. An answer about an older map than the present one is not kept, nor is one
    /// to a question that was asked before the scope was replaced, as a predicate can do that is being asked.
    pub fn narrow_answered(&mut self, index: SessionIndex, question: NarrowAsked, answer: Answer) {
        let NarrowAsked { layer, source, version } = question;
        if self.registry.source(source).version != version {
            return;
        }
        let slots = self.registry.source(source).tools.clone();
        let id = self.registry.source_id(source).to_owned();
        let Some(session) = self.session_mut(index) else { return };
        let Some(asked) = session.layers.get_mut(usize::from(layer)) else { return };
        let failure = match &answer {
            Answer::Failed(reason) => Some(shown(reason)),
            _ => None,
        };
        if !asked.narrow.keep(source, version, answer) {
            return;
        }
        session.due.extend(slots);
        if let Some(reason) = failure {
            let message = format!(
                "`narrow` failed for `{}`, so its tools are refused until it is asked again: {reason}",
                shown(&id)
            );
            self.diagnostics.push(Diagnostic::error("narrow_failed", message).of_source(&id));
        }
        self.registry.touch();
    }

    /// Forgets what the predicates said, so that they are asked about every source.
    pub fn refresh(&mut self, index: SessionIndex) -> Result<()> {
        if self.live_mut(index)?.forget_answers() {
            self.registry.touch();
        }
        Ok(())
    }
}

impl Session {
    /// Forgets what its predicates said, so that they are asked about every source; whether it has any.
    fn forget_answers(&mut self) -> bool {
        let mut narrowing = false;
        for layer in self.layers.iter_mut().filter(|layer| layer.scope.narrow) {
            layer.narrow.forget();
            narrowing = true;
        }
        self.stale |= narrowing;
        narrowing
    }

    /// Whether it keeps something of what comes that a later look could not tell: the first definition of a tool, or
    /// the first tool that a plain name means.
    pub(super) fn remembers(&self) -> bool {
        self.pins.is_on() || (self.active.presented() && self.layers.iter().any(Layer::is_open))
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
