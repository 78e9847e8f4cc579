//! The active set: the ordered tools declared to the model now, and how it changed.
//!
//! Until the first presentation the order is canonical, a function of configuration alone. From then on what is shown
//! keeps its place and additions are appended, since a provider's prompt cache is lost from the first byte that moves.

use super::{
    Changes, Session, SessionIndex, SessionState, Tree,
    decision::Via,
    delta::{Delta, Listed},
};
use crate::{
    error::{Error, ErrorKind, Result},
    registry::{Registry, Slot, Status, Tool},
    scope::verdict::Code,
    source::{Exposure, SourceKind},
    text::shown,
};
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// How a tool was shown last.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// Its place among all that were ever shown.
    sequence: u64,
    /// Whether it is in the list; a tool that is only down is not, and keeps its place.
    pub listed: bool,
    incarnation: u32,
    pub revision: u32,
    pub name: Arc<str>,
}

impl Shown {
    fn new(sequence: u64, listed: bool, tool: &Tool) -> Self {
        let &Tool { incarnation, revision, .. } = tool;
        Self { sequence, listed, incarnation, revision, name: Arc::clone(&tool.exposed) }
    }
}

/// The active set of one session.
#[derive(Debug, Default)]
pub struct ActiveSet {
    /// In order.
    slots: Vec<Slot>,
    /// Tools in the list, and those that are only down and will come back to their places.
    shown: HashMap<Slot, Shown>,
    next: u64,
    /// Whether what is shown keeps its place.
    presented: bool,
    /// Tools the host no longer declares.
    undeclared: HashSet<Slot>,
    /// Tools that were asked for by name, and by which of the askings: they are the last to make room in a request.
    asked: HashMap<Slot, u64>,
    askings: u64,
    /// Tools that the last request deferred to make room, and by how many it was over its limit all the same.
    pub(crate) yielded: (HashSet<Slot>, usize),
    /// What may enter or leave at the next delta.
    stale: Changes,
    /// The generation of the last delta.
    generation: u64,
    /// What the last delta that a host was given led to, where changes have been told of since that it was not given.
    held: Option<(Listed, u64)>,
}

impl ActiveSet {
    /// The ordered tools declared to the model now.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Whether what is shown keeps its place.
    #[must_use]
    pub const fn presented(&self) -> bool {
        self.presented
    }

    /// Keeps what is listed now, for the next delta that the host is given.
    fn hold(&mut self) {
        if self.held.is_none() {
            let listed = Listed { slots: self.slots.clone(), shown: self.shown.clone() };
            self.held = Some((listed, self.generation));
        }
    }

    pub(crate) fn note(&mut self, slot: Slot) {
        self.stale.push(slot);
    }

    pub(crate) fn note_all(&mut self) {
        self.stale = Changes::All;
    }

    /// By which of the askings a tool was asked for last, if it was.
    pub(crate) fn asked(&self, slot: Slot) -> Option<u64> {
        self.asked.get(&slot).copied()
    }

    pub(crate) fn contains(&self, slot: Slot) -> bool {
        self.shown.get(&slot).is_some_and(|shown| shown.listed)
    }

    /// Where in the list a sequence number stands, or would.
    fn position(&self, sequence: u64) -> std::result::Result<usize, usize> {
        self.slots.binary_search_by_key(&sequence, |slot| self.shown.get(slot).map_or(0, |shown| shown.sequence))
    }
}

/// Why a tool cannot be declared, and what the host can do.
const fn undeclarable(code: Code) -> &'static str {
    match code {
        Code::Pending => "its source has not brought it; await `ready()`, or declare it once it is there",
        Code::Quarantined => "its declaration is malformed; mend it at its source",
        Code::Shadowed => "another source owns its name; declare that one, or raise the `precedence` of its source",
        Code::Changed => "its definition is not the one that was approved; `approve` it first",
        Code::GuardError => "a guard or predicate of its source is missing or failed; mend it, and `refresh()`",
        Code::Parent => "an ancestor's scope leaves it out; ask `explain` for the rule, or widen the ancestor's scope",
        _ => "it is out of scope; ask `explain` for the rule, or widen the scope first",
    }
}

/// Canonical order: kind, then the order of `addSource`, then the place in the source's map.
fn canonical(registry: &Registry, slot: Slot) -> (SourceKind, u32, u32, Slot) {
    let tool = registry.tool(slot);
    let source = registry.source(tool.source);
    (source.kind, source.order, tool.place, slot)
}

impl Session {
    /// Whether a deferred tool counts as loaded. One that a child's own scope names does from the start, since the
    /// child may lack what would load it.
    fn has_loaded(&self, registry: &Registry, slot: Slot) -> bool {
        self.loaded.contains(&slot)
            || (self.parent.is_some() && self.layers.iter().any(|layer| layer.names(registry, slot)))
    }

    /// Whether the model should be shown a tool.
    pub(crate) fn wants(&self, registry: &Registry, slot: Slot) -> bool {
        let declared = match registry.tool(slot).exposure {
            Exposure::Direct | Exposure::ModelOnly => true,
            Exposure::Deferred => self.has_loaded(registry, slot),
            Exposure::Code | Exposure::Hidden => false,
        };
        declared
            && !self.active.undeclared.contains(&slot)
            && self.verdicts.get(slot.at()).is_some_and(|verdict| verdict.allowed())
    }
}

impl Tree {
    /// From now on what is active keeps its place. The first presentation of a session, whatever it was.
    pub fn present(&mut self, index: SessionIndex) {
        if self.session(index).is_none_or(|session| session.active.presented) {
            return;
        }
        // What a plain name means until now is a function of content; from now on also of what came first.
        self.sync(index);
        if let Some(session) = self.session_mut(index) {
            session.active.presented = true;
        }
    }

    /// Brings the active set up to date and says how it changed since the last time. `compact` returns to canonical
    /// order. Costs nothing where nothing changed, else in proportion to what did.
    pub fn delta(&mut self, index: SessionIndex, compact: bool) -> Result<Delta> {
        self.sync(index);
        let generation = self.registry.generation();
        let session = self.live_mut(index)?;
        let mut delta = Delta { from: session.active.generation, generation, ..Delta::default() };
        if session.state != SessionState::Started {
            return Ok(delta);
        }
        session.active.generation = generation;
        if session.active.stale.is_empty() && !compact {
            return Ok(delta);
        }
        if compact {
            session.ranking = None;
        }
        let parent = session.parent;
        let key = self.order_of(parent);
        let Self { registry, sessions, .. } = self;
        let Some(session) = sessions[index.at()].as_mut() else { return Ok(delta) };
        let stale = std::mem::take(&mut session.active.stale);
        if compact || !session.active.presented {
            session.relist(registry, &key, &mut delta);
        } else {
            session.amend(registry, stale, &key, &mut delta);
        }
        // What has no other cause counts as a change by itself: the order is another one.
        if compact && delta.reset {
            registry.touch();
            delta.generation = registry.generation();
            session.active.generation = delta.generation;
        }
        Ok(delta)
    }

    /// How the active set, up to date, differs from what the host was given last; nothing where the deltas since have
    /// been one. Costs one step per active tool.
    pub fn held_delta(&mut self, index: SessionIndex) -> Option<Delta> {
        let Self { registry, sessions, .. } = self;
        let active = &mut sessions.get_mut(index.at())?.as_mut()?.active;
        let (listed, from) = active.held.take()?;
        let mut delta = Delta { from, generation: active.generation, ..Delta::default() };
        listed.compare(&active.slots, registry, &mut delta);
        Some(delta)
    }

    /// The order additions take among themselves: the parent's where there is one, so that a list reads alike at every
    /// level, else the canonical one.
    fn order_of(
        &self,
        parent: Option<SessionIndex>,
    ) -> impl Fn(&Registry, Slot) -> (u64, (SourceKind, u32, u32, Slot)) + use<> {
        let places: HashMap<Slot, u64> = parent
            .and_then(|index| self.session(index))
            .filter(|parent| parent.active.presented)
            .map(|parent| parent.active.shown.iter().map(|(&slot, shown)| (slot, shown.sequence)).collect())
            .unwrap_or_default();
        move |registry, slot| (places.get(&slot).copied().unwrap_or(u64::MAX), canonical(registry, slot))
    }

    /// Declares tools in scope, deferred ones too. Throws, and declares none, where a name is not known, not in scope,
    /// or of a tool that is not for declaring.
    pub fn activate(&mut self, index: SessionIndex, names: &[String]) -> Result<()> {
        self.sync(index);
        let session = self.live(index)?;
        let mut slots = Vec::with_capacity(names.len());
        for name in names {
            let slot = self.tool_named(name)?;
            let verdict = session.verdicts.get(slot.at()).copied().unwrap_or_default();
            if !verdict.allowed() {
                return Err(Error::new(
                    ErrorKind::ToolUnknown,
                    format!("`{}` cannot be declared: {}", shown(name), undeclarable(verdict.code)),
                ));
            }
            let exposure = self.registry.tool(slot).exposure;
            if matches!(exposure, Exposure::Code | Exposure::Hidden) {
                return Err(Error::new(
                    ErrorKind::ToolNotDeclarable,
                    format!(
                        "`{}` cannot be declared: its exposure is `{}`; register it as `direct` or `deferred`",
                        shown(name),
                        exposure.as_str()
                    ),
                ));
            }
            slots.push(slot);
        }
        self.declare(index, &slots, true);
        Ok(())
    }

    /// Stops declaring tools; they stay callable as their exposure says. Throws, and changes nothing, where a name is
    /// not known.
    pub fn deactivate(&mut self, index: SessionIndex, names: &[String]) -> Result<()> {
        self.live(index)?;
        let slots = names.iter().map(|name| self.tool_named(name)).collect::<Result<Vec<Slot>>>()?;
        self.declare(index, &slots, false);
        Ok(())
    }

    fn tool_named(&self, name: &str) -> Result<Slot> {
        self.registry.named(name).ok_or_else(|| {
            Error::new(
                ErrorKind::ToolUnknown,
                format!("no tool is named `{}`; use an exposed name or an id of `tools()`", shown(name)),
            )
        })
    }

    fn declare(&mut self, index: SessionIndex, slots: &[Slot], on: bool) {
        let Self { registry, sessions, .. } = self;
        let Some(session) = sessions.get_mut(index.at()).and_then(Option::as_mut) else { return };
        session.active.hold();
        session.active.askings += 1;
        let mut changed = false;
        for &slot in slots {
            let deferred = registry.tool(slot).exposure == Exposure::Deferred;
            let active = &mut session.active;
            if on {
                active.asked.insert(slot, active.askings);
                // It comes back at the next request.
                changed |= active.undeclared.remove(&slot) || active.yielded.0.contains(&slot);
            } else {
                active.asked.remove(&slot);
                changed |= active.undeclared.insert(slot);
            }
            if on && deferred && session.loaded.insert(slot) {
                changed = true;
                session.news.push(slot);
            }
            session.active.note(slot);
        }
        if changed {
            registry.touch();
        }
    }

    /// Whether a tool is declared to a session's model now.
    #[must_use]
    pub fn is_active(&self, index: SessionIndex, slot: Slot) -> bool {
        self.session(index).is_some_and(|session| session.active.contains(slot))
    }

    /// Whether the exposure of a tool permits the way it is called.
    pub(crate) fn exposed(&self, session: &Session, slot: Slot, via: Via) -> Option<Code> {
        match (self.registry.tool(slot).exposure, via) {
            (Exposure::Direct, _)
            | (Exposure::ModelOnly, Via::Direct)
            | (Exposure::Code | Exposure::Deferred, Via::Code) => None,
            (Exposure::Deferred, Via::Direct) => (!session.has_loaded(&self.registry, slot)).then_some(Code::NotLoaded),
            (Exposure::ModelOnly, Via::Code) | (Exposure::Code, Via::Direct) | (Exposure::Hidden, _) => {
                Some(Code::NotExposed)
            }
        }
    }
}

impl Session {
    /// Lists everything anew, in order.
    fn relist<K: Ord>(&mut self, registry: &Registry, key: &impl Fn(&Registry, Slot) -> K, delta: &mut Delta) {
        let ActiveSet { slots, shown, .. } = &mut self.active;
        let before = Listed { slots: std::mem::take(slots), shown: std::mem::take(shown) };
        // Tools that are only down are given their places, too, for when they come back.
        let mut candidates: Vec<(Slot, bool)> = registry
            .slots()
            .map(|slot| (slot, self.wants(registry, slot)))
            .filter(|&(slot, wanted)| wanted || (before.shown.contains_key(&slot) && self.is_down(registry, slot)))
            .collect();
        candidates.sort_by_cached_key(|&(slot, _)| key(registry, slot));
        for (sequence, &(slot, wanted)) in (0..).zip(&candidates) {
            self.active.shown.insert(slot, Shown::new(sequence, wanted, registry.tool(slot)));
            if wanted {
                self.active.slots.push(slot);
            }
        }
        before.compare(&self.active.slots, registry, delta);
        self.active.next = candidates.len() as u64;
    }

    /// Enters and removes what changed; nothing else moves.
    fn amend<K: Ord>(
        &mut self,
        registry: &Registry,
        stale: Changes,
        key: &impl Fn(&Registry, Slot) -> K,
        delta: &mut Delta,
    ) {
        let mut stale = match stale {
            Changes::Slots(slots) => slots,
            Changes::All => registry.slots().collect(),
        };
        stale.sort_unstable();
        stale.dedup();
        let mut left = HashSet::new();
        let mut appended = Vec::new();
        let mut returned = Vec::new();
        let mut forgotten = Vec::new();
        for slot in stale {
            let tool = registry.tool(slot);
            let old = self.active.shown.get(&slot);
            let same = old.is_some_and(|old| old.incarnation == tool.incarnation);
            let wanted = self.wants(registry, slot);
            match old {
                Some(old) if wanted && same => {
                    if old.listed {
                        delta.stays(slot, old, tool);
                    } else {
                        returned.push(slot);
                    }
                    continue;
                }
                Some(old) if old.listed => {
                    left.insert(slot);
                }
                _ => {}
            }
            if wanted {
                appended.push(slot);
            } else if !self.is_down(registry, slot) {
                forgotten.push(slot);
            }
        }
        let mut before = Vec::new();
        if !left.is_empty() {
            let stays = self.active.slots.iter().copied().filter(|slot| !left.contains(slot)).collect();
            before = std::mem::replace(&mut self.active.slots, stays);
            for &slot in before.iter().filter(|slot| left.contains(*slot)) {
                // One that came anew in between is in both lists, wherever it stands now.
                if self.wants(registry, slot) {
                    delta.stays(slot, &self.active.shown[&slot], registry.tool(slot));
                } else {
                    delta.removed.push(slot);
                    self.active.shown.entry(slot).and_modify(|shown| shown.listed = false);
                }
            }
        }
        for slot in forgotten {
            self.active.shown.remove(&slot);
        }
        returned.sort_by_key(|slot| self.active.shown[slot].sequence);
        for &slot in &returned {
            let at = self.active.position(self.active.shown[&slot].sequence).unwrap_or_else(|at| at);
            delta.reset |= at < self.active.slots.len();
            self.active.slots.insert(at, slot);
        }
        for slot in delta.redefined.iter().chain(&returned) {
            if let Some(shown) = self.active.shown.get_mut(slot) {
                *shown = Shown::new(shown.sequence, true, registry.tool(*slot));
            }
        }
        delta.added = returned;
        appended.sort_by_cached_key(|&slot| key(registry, slot));
        for slot in appended {
            let shown = Shown::new(self.active.next, true, registry.tool(slot));
            self.active.next += 1;
            if self.active.shown.insert(slot, shown).is_none_or(|old| !old.listed) {
                delta.added.push(slot);
            }
            self.active.slots.push(slot);
        }
        delta.reset |= !self.active.slots.starts_with(&before);
    }

    /// Whether a tool is only away: it will come back to its place.
    fn is_down(&self, registry: &Registry, slot: Slot) -> bool {
        matches!(registry.tool(slot).status, Status::Here | Status::Withdrawn)
            && self
                .verdicts
                .get(slot.at())
                .is_some_and(|verdict| matches!(verdict.code, Code::Pending | Code::Quarantined))
    }
}
