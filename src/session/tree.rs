//! The tree: one registry and the sessions over it.
//!
//! Nothing here calls out. The host is told what it has to ask (a predicate, a listener) and says what came of it, so
//! that no state is ever half-way while foreign code runs, and every rule can be tested without a host.

use super::{Changes, Session, SessionState, active::ActiveSet, finding::Finding, pin::Pins};
use crate::{
    diagnostic::Diagnostic,
    error::{Error, ErrorKind, Result},
    registry::{Incoming, Registry, Slot, SourceReport, Status},
    scope::{
        Entry, Scope, ScopeSpec,
        layer::Layer,
        plan::{Plan, Side},
    },
    source::{SourceIndex, SourceSpec},
    text::shown,
};
use hashbrown::{HashMap, HashSet};

/// Index of a session in its tree, for the life of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionIndex(pub u32);

impl SessionIndex {
    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// How a session is made.
#[derive(Clone, Debug, Default)]
pub struct SessionSpec {
    /// Its id, as paths show it.
    pub id: String,
    /// Its scope.
    pub scope: ScopeSpec,
    /// Throw on a selector that does not parse; so do its descendants.
    pub strict: bool,
    /// Of the root: how large its tree may grow.
    pub limits: Limits,
    /// Of the root: selectors of the tools that spawn agents. A child has such a tool only where its scope names it.
    pub spawn_tools: Vec<String>,
}

/// How large a tree may grow.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Levels below the root.
    pub depth: u32,
    /// Children of one session at once.
    pub children: u32,
    /// Sessions ever spawned in the tree.
    pub spawned: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 16, children: 10_000, spawned: 1_000_000 }
    }
}

/// One registry and the sessions over it; the first is the root.
#[derive(Debug)]
pub struct Tree {
    pub(crate) registry: Registry,
    pub(crate) sessions: Vec<Option<Session>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(super) finding: Finding,
    limits: Limits,
    /// The tools that spawn agents, resolved for the set of sources with this version.
    pub(super) spawning: Plan,
    spawning_for: u32,
    spawn_tools: Vec<Entry>,
}

/// The root of every tree.
pub const ROOT: SessionIndex = SessionIndex(0);

pub(crate) fn disposed() -> Error {
    Error::new(ErrorKind::SessionDisposed, "the session is disposed; make a new one")
}

impl Tree {
    /// A tree with its root session.
    pub fn new(spec: SessionSpec) -> Result<Self> {
        let limits = spec.limits;
        let spawn_tools = ScopeSpec { allow: Some(spec.spawn_tools.clone()), ..ScopeSpec::default() };
        let mut tree = Self {
            registry: Registry::default(),
            sessions: Vec::new(),
            diagnostics: Vec::new(),
            finding: Finding::default(),
            limits,
            // Which tools spawn is a limit, so a name is read as an exclude is: in every way it can be.
            spawning: Plan::empty(Side::Exclude),
            spawning_for: 0,
            spawn_tools: Scope::read(spawn_tools, spec.strict)?.allow.unwrap_or_default(),
        };
        let root = tree.open(None, spec)?;
        tree.sessions.push(Some(root));
        Ok(tree)
    }

    pub(super) fn open(&mut self, parent: Option<SessionIndex>, spec: SessionSpec) -> Result<Session> {
        let above = parent.and_then(|index| self.session(index));
        // What is a mistake in a session's scope is one in its children's.
        let strict = spec.strict || above.is_some_and(|above| above.strict);
        let scope = Scope::read(spec.scope, strict)?;
        let mut path = above.map_or_else(Vec::new, |above| above.path.clone());
        path.push(spec.id);
        Ok(Session {
            parent,
            path,
            state: SessionState::Created,
            strict,
            children: 0,
            layers: vec![Layer::new(scope)],
            ceiling: None,
            seal_due: false,
            pins: Pins::default(),
            guards: HashMap::new(),
            verdicts: Vec::new(),
            cursor: 0,
            planned_for: 0,
            stale: true,
            due: Vec::new(),
            news: Changes::All,
            loaded: HashSet::new(),
            active: ActiveSet::default(),
            ranking: None,
        })
    }

    /// The registry.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The copy of the names that the host keeps is brought up to date through this.
    pub const fn registry_mut(&mut self) -> &mut Registry {
        &mut self.registry
    }

    /// Every session there ever was.
    pub(super) fn indexes(&self) -> impl Iterator<Item = SessionIndex> + use<> {
        (0..).map(SessionIndex).take(self.sessions.len())
    }

    /// A session that is not disposed.
    #[must_use]
    pub fn session(&self, index: SessionIndex) -> Option<&Session> {
        self.sessions.get(index.at()).and_then(Option::as_ref)
    }

    pub(crate) fn session_mut(&mut self, index: SessionIndex) -> Option<&mut Session> {
        self.sessions.get_mut(index.at()).and_then(Option::as_mut)
    }

    pub(crate) fn live(&self, index: SessionIndex) -> Result<&Session> {
        self.session(index).ok_or_else(disposed)
    }

    pub(crate) fn live_mut(&mut self, index: SessionIndex) -> Result<&mut Session> {
        self.session_mut(index).ok_or_else(disposed)
    }

    /// Whether there is anything to tell.
    #[must_use]
    pub fn has_diagnostics(&self) -> bool {
        self.registry.has_diagnostics() || !self.diagnostics.is_empty()
    }

    /// What there is to tell since the last call, the registry's first.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let mut all = self.registry.take_diagnostics();
        all.append(&mut self.diagnostics);
        for diagnostic in &all {
            tracing::warn!(target: "toolscope", code = diagnostic.code, "{}", diagnostic.message);
        }
        all
    }

    /// Spawns a child: a session over the same sources, never wider than its parent.
    pub fn spawn(&mut self, parent: SessionIndex, spec: SessionSpec) -> Result<SessionIndex> {
        let Limits { depth, children, spawned } = self.limits;
        let above = self.live(parent)?;
        let limit = |what: &str, limit: u32, fix: &str| {
            Err(Error::new(
                ErrorKind::TreeLimit,
                format!("a child of `{}` would exceed `{what}` {limit}; {fix}", shown(&above.path.join("/"))),
            ))
        };
        if above.path.len() > depth as usize {
            return limit("depth", depth, "raise `limits.depth` of the root session, or let an ancestor spawn it");
        }
        if above.children >= children {
            return limit(
                "children",
                children,
                "dispose a child first, or raise `limits.children` of the root session",
            );
        }
        if self.sessions.len() > spawned as usize {
            return limit("spawned", spawned, "raise `limits.spawned` of the root session");
        }
        let child = self.open(Some(parent), spec)?;
        let index = SessionIndex(u32::try_from(self.sessions.len()).unwrap_or(u32::MAX));
        self.sessions.push(Some(child));
        self.live_mut(parent)?.children += 1;
        Ok(index)
    }

    /// Brings the plan of the tools that spawn up to date.
    pub(super) fn plan_spawning(&mut self) {
        if self.spawning_for != self.registry.sources_version && !self.spawn_tools.is_empty() {
            self.spawning = Plan::new(Side::Exclude, &self.spawn_tools, &self.registry, None);
        }
        self.spawning_for = self.registry.sources_version;
    }

    // Sources. They are the root's: every session of the tree sees them.

    /// Adds a source.
    pub fn add_source(&mut self, spec: SourceSpec) -> Result<SourceIndex> {
        self.live(ROOT)?;
        let added = self.registry.add_source(spec);
        self.settle();
        added
    }

    /// Has each session take note of what just came, where it must not miss it: it may look again only after the next
    /// change, and what it remembers must not depend on when it looks.
    fn settle(&mut self) {
        for index in self.indexes() {
            if self.session(index).is_some_and(Session::remembers) {
                self.sync(index);
            }
        }
    }

    /// Replaces a source's whole map.
    pub fn set(&mut self, source: SourceIndex, tools: Vec<Incoming>) -> Result<SourceReport> {
        self.live(ROOT)?;
        let report = self.registry.set(source, tools);
        self.settle();
        report
    }

    /// Adds or replaces tools of a source.
    pub fn add(&mut self, source: SourceIndex, tools: Vec<Incoming>) -> Result<SourceReport> {
        self.live(ROOT)?;
        let report = self.registry.add(source, tools);
        self.settle();
        report
    }

    /// Removes tools of a source.
    pub fn remove(&mut self, source: SourceIndex, names: &[String]) -> Result<SourceReport> {
        self.live(ROOT)?;
        let report = self.registry.remove(source, names);
        self.settle();
        report
    }

    /// Marks a source as down.
    pub fn fail(&mut self, source: SourceIndex, reason: &str) -> Result<()> {
        self.live(ROOT)?;
        self.registry.fail(source, reason)
    }

    /// Says what a source is for.
    pub fn describe(&mut self, source: SourceIndex, description: Option<String>) -> Result<()> {
        self.live(ROOT)?;
        self.registry.describe(source, description)
    }

    /// Closes a source for good.
    pub fn close(&mut self, source: SourceIndex) {
        self.registry.close(source);
        self.settle();
    }

    // A session's life.

    /// Starts a session: its active set is live, and a seal falls.
    pub fn start(&mut self, index: SessionIndex) -> Result<()> {
        self.sync(index);
        let session = self.live_mut(index)?;
        if session.state == SessionState::Created {
            session.state = SessionState::Started;
            session.active.note_all();
            session.seal_due = session.layers.iter().any(|layer| layer.scope.sealed);
            self.seal(index);
            self.registry.touch();
        }
        self.report_unmatched(index);
        Ok(())
    }

    /// Ends a session and its descendants. Ending twice is ending once.
    pub fn dispose(&mut self, index: SessionIndex) {
        if self.session(index).is_none() {
            return;
        }
        // Looking for heirs passes over every session there ever was.
        let has_heirs = self.session(index).is_some_and(|session| session.children > 0);
        let heirs: Vec<SessionIndex> = if has_heirs {
            self.indexes().filter(|&other| other != index && self.descends(other, index)).collect()
        } else {
            Vec::new()
        };
        for other in heirs {
            self.sessions[other.at()] = None;
        }
        if let Some(parent) = self.sessions[index.at()].take().and_then(|session| session.parent)
            && let Some(parent) = self.session_mut(parent)
        {
            parent.children -= 1;
        }
        self.registry.touch();
    }

    /// The sessions above one, its parent first.
    pub(super) fn ancestors<'a>(&'a self, session: &'a Session) -> impl Iterator<Item = &'a Session> {
        std::iter::successors(Some(session), |session| self.session(session.parent?)).skip(1)
    }

    pub(super) fn descends(&self, mut index: SessionIndex, from: SessionIndex) -> bool {
        while let Some(parent) = self.session(index).and_then(|session| session.parent) {
            if parent == from {
                return true;
            }
            index = parent;
        }
        false
    }

    /// A listener named `name` now guards the calls of a session and its descendants.
    pub fn guard_added(&mut self, index: SessionIndex, name: &str) -> Result<()> {
        *self.live_mut(index)?.guards.entry(name.to_owned()).or_default() += 1;
        self.guards_changed(index, name);
        Ok(())
    }

    /// It no longer does.
    pub fn guard_removed(&mut self, index: SessionIndex, name: &str) {
        let Some(session) = self.session_mut(index) else { return };
        if let Some(count) = session.guards.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                session.guards.remove(name);
            }
        }
        self.guards_changed(index, name);
    }

    /// A guard matters only where somebody requires it.
    fn guards_changed(&mut self, index: SessionIndex, name: &str) {
        let mut changed = false;
        for other in self.indexes() {
            let below = other == index || self.descends(other, index);
            if let Some(session) = self.session_mut(other)
                && below
                && session.layers.iter().flat_map(|layer| &layer.scope.require_guards).any(|required| required == name)
            {
                session.stale = true;
                changed = true;
            }
        }
        if changed {
            self.registry.touch();
        }
    }

    /// The first required guard that neither the session nor an ancestor of it has.
    pub(super) fn missing_guard(&self, session: &Session) -> Option<(u8, u32)> {
        let required = (0..)
            .zip(&session.layers)
            .flat_map(|(layer, scope)| (0..).zip(&scope.scope.require_guards).map(move |(at, name)| (layer, at, name)));
        required.into_iter().find(|(_, _, name)| !self.has_guard(session, name)).map(|(layer, at, _)| (layer, at))
    }

    fn has_guard(&self, session: &Session, name: &str) -> bool {
        session.guards.contains_key(name)
            || session.parent.and_then(|parent| self.session(parent)).is_some_and(|parent| self.has_guard(parent, name))
    }

    // Approved definitions.

    /// Approves every definition as it is now, and later ones as they first come. About 10 µs a tool.
    pub fn pin_definitions(&mut self, index: SessionIndex) -> Result<()> {
        self.live(index)?;
        let Self { registry, sessions, .. } = self;
        if let Some(session) = sessions[index.at()].as_mut() {
            session.pins.pin_all(registry);
            session.stale = true;
        }
        registry.touch();
        Ok(())
    }

    /// Approves the definition that a tool has now. Throws where no tool has the id, or the tool has no definition.
    pub fn approve(&mut self, index: SessionIndex, id: &str) -> Result<()> {
        self.live(index)?;
        let slot: Slot =
            self.registry.by_id(id).filter(|&slot| self.registry.tool(slot).status == Status::Here).ok_or_else(
                || {
                    Error::new(
                        ErrorKind::ToolUnknown,
                        format!("no tool has the id `{}`; use an id of `tools()`", shown(id)),
                    )
                },
            )?;
        let Self { registry, sessions, .. } = self;
        if let Some(session) = sessions[index.at()].as_mut() {
            session.pins.approve(registry, slot);
            session.due.push(slot);
        }
        registry.touch();
        Ok(())
    }
}
