//! The registry: every tool of every source, live.
//!
//! It knows what exists and what each is called; it decides nothing. A tool keeps its [`Slot`] for the life of the
//! registry, so that a slot held elsewhere never comes to mean another tool. Every change that can alter a verdict is
//! written to the [`ChangeLog`], which is all that sessions read to catch up.

mod change;
mod lookup;
pub mod name;
pub mod nearest;
mod ownership;
mod tool;

pub use change::ChangeLog;
pub use lookup::Match;
pub use ownership::Naming;
pub use tool::{Slot, Status, Tool};

use crate::{
    diagnostic::Diagnostic,
    error::{Error, ErrorKind, Result},
    source::{
        Announcement, Declaration, Source, SourceIndex, SourceSpec, SourceState,
        declaration::{self, Malformed},
        identity,
    },
    text::shown,
};
use hashbrown::HashTable;
use ownership::Ownership;
use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, RandomState},
};

/// What one change of a source's map did, in raw names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceReport {
    /// New here.
    pub added: Vec<String>,
    /// Here before, with another declaration.
    pub replaced: Vec<String>,
    /// No longer here.
    pub removed: Vec<String>,
    /// Refused, with the reason.
    pub quarantined: Vec<Malformed>,
}

/// One declaration as it crossed: read, or refused.
pub type Incoming = std::result::Result<Declaration, Malformed>;

/// Every tool of every source.
#[derive(Debug, Default)]
pub struct Registry {
    pub(crate) sources: Vec<Source>,
    /// Sources that are not closed, by their folded id.
    open: HashMap<String, SourceIndex>,
    /// Closed sources by their id: one that comes back is the same source, so that its tools are the same tools.
    closed: HashMap<String, SourceIndex>,
    /// How many sources were ever added: the order of `addSource`.
    added: u32,
    pub(crate) tools: Vec<Tool>,
    by_key: HashTable<Slot>,
    hasher: RandomState,
    names: Ownership,
    pub(crate) log: ChangeLog,
    /// Counts changes of the set of sources, on which the meaning of source names depends.
    pub(crate) sources_version: u32,
    generation: u64,
    diagnostics: Vec<Diagnostic>,
}

impl Registry {
    /// How many changes there have been.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Notes a change that is not the registry's own, such as a new scope.
    pub(crate) const fn touch(&mut self) {
        self.generation += 1;
    }

    pub(crate) const fn has_diagnostics(&self) -> bool {
        !self.diagnostics.is_empty()
    }

    /// What there is to tell since the last call.
    pub(crate) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.diagnostics)
    }

    pub(crate) fn source(&self, index: SourceIndex) -> &Source {
        &self.sources[index.at()]
    }

    pub(crate) fn tool(&self, slot: Slot) -> &Tool {
        &self.tools[slot.at()]
    }

    /// Every slot there ever was.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        (0..).map(Slot).take(self.tools.len())
    }

    /// Sources that are not closed.
    pub(crate) fn open_sources(&self) -> impl Iterator<Item = (SourceIndex, &Source)> {
        self.sources
            .iter()
            .enumerate()
            .filter(|(_, source)| source.state != SourceState::Closed)
            .map(|(at, source)| (SourceIndex(u32::try_from(at).unwrap_or(u32::MAX)), source))
    }

    /// The source with this id, in any case; closed ones have none.
    #[must_use]
    pub fn source_by_id(&self, id: &str) -> Option<SourceIndex> {
        self.open.get(&identity::folded(id)).copied()
    }

    /// The id of a source.
    #[must_use]
    pub fn source_id(&self, index: SourceIndex) -> &str {
        &self.source(index).id
    }

    /// The id of a tool.
    #[must_use]
    pub fn tool_id(&self, slot: Slot) -> String {
        let tool = self.tool(slot);
        let source = self.source(tool.source);
        identity::tool_prefix(source.kind, &source.id) + &tool.raw
    }

    /// The known tool with this source and raw name.
    pub(crate) fn find(&self, source: SourceIndex, raw: &str) -> Option<Slot> {
        self.slot_of(source, raw).filter(|&slot| self.tool(slot).status != Status::Gone)
    }

    fn slot_of(&self, source: SourceIndex, raw: &str) -> Option<Slot> {
        let hash = self.hasher.hash_one((source, raw));
        self.by_key
            .find(hash, |&slot| {
                let tool = &self.tools[slot.at()];
                tool.source == source && &*tool.raw == raw
            })
            .copied()
    }

    /// Adds a source with its inventory. Throws where its id, or its id in another case, is taken.
    pub fn add_source(&mut self, spec: SourceSpec) -> Result<SourceIndex> {
        for name in std::iter::once(&spec.name).chain(&spec.aliases) {
            if name.is_empty() || name.len() > declaration::MAX_NAME_BYTES || name.chars().any(char::is_control) {
                return Err(Error::new(
                    ErrorKind::SourceInvalid,
                    format!(
                        "source name `{}` is empty, over {} bytes or holds a control character; give it a printable name",
                        shown(name),
                        declaration::MAX_NAME_BYTES
                    ),
                ));
            }
        }
        let id = identity::source_id(spec.kind, &spec.name);
        let folded = identity::folded(&id);
        if let Some(&other) = self.open.get(&folded) {
            return Err(Error::new(
                ErrorKind::SourceDuplicate,
                format!(
                    "source `{}` is already there as `{}`; close that one first, or choose a name that differs in more than case",
                    shown(&id),
                    shown(self.source_id(other))
                ),
            ));
        }
        let returning = self.closed.remove(&id);
        let index = returning.unwrap_or(SourceIndex(u32::try_from(self.sources.len()).unwrap_or(u32::MAX)));
        self.added += 1;
        let source = Source {
            order: self.added,
            precedence: spec.precedence.unwrap_or_else(|| spec.kind.precedence()),
            trust_hints: spec.trust_hints.unwrap_or(spec.kind <= identity::SourceKind::Host),
            kind: spec.kind,
            name: spec.name,
            id,
            aliases: spec.aliases,
            description: spec.description,
            state: SourceState::Pending,
            lazy: spec.lazy,
            failure: None,
            tools: Vec::new(),
            spellings: HashMap::new(),
            next_place: 0,
            version: returning.map_or(0, |index| self.source(index).version + 1),
        };
        match self.sources.get_mut(index.at()) {
            Some(place) => *place = source,
            None => self.sources.push(source),
        }
        self.open.insert(folded, index);
        self.sources_version += 1;
        for Announcement { name, exposed } in spec.declares {
            if name.is_empty() || name.len() > declaration::MAX_NAME_BYTES || self.find(index, &name).is_some() {
                continue;
            }
            let slot = self.enter(index, &name, exposed, Status::Announced);
            self.place_at_end(slot);
        }
        self.touch();
        Ok(index)
    }

    fn open_source(&self, index: SourceIndex) -> Result<()> {
        let source = self.source(index);
        if source.state == SourceState::Closed {
            return Err(Error::new(
                ErrorKind::SourceClosed,
                format!("source `{}` is closed for good; add it again with `addSource`", shown(&source.id)),
            ));
        }
        Ok(())
    }

    /// Replaces the whole live map of a source.
    pub fn set(&mut self, index: SourceIndex, tools: Vec<Incoming>) -> Result<SourceReport> {
        self.open_source(index)?;
        let mut report = SourceReport::default();
        let before = self.source(index).tools.clone();
        let mut changed = false;
        let kept: HashSet<Slot> = tools
            .iter()
            .map(|incoming| incoming.as_ref().map_or_else(|malformed| &malformed.name, |tool| &tool.name))
            .filter_map(|name| self.slot_of(index, name))
            .collect();
        let (announced, gone): (Vec<Slot>, Vec<Slot>) = before
            .iter()
            .filter(|slot| !kept.contains(slot))
            .partition(|&&slot| self.tool(slot).status == Status::Announced);
        // First what leaves, so that a name it had is free for what comes.
        for slot in gone {
            self.leave(slot, &mut report);
            changed = true;
        }
        let order = self.receive(index, tools, &mut report, &mut changed);
        let map: Vec<Slot> = order.into_iter().chain(announced).collect();
        changed |= map != before;
        for (place, &slot) in (0..).zip(&map) {
            self.tools[slot.at()].place = place;
        }
        let source = &mut self.sources[index.at()];
        source.next_place = u32::try_from(map.len()).unwrap_or(u32::MAX);
        source.tools = map;
        self.arrived(index, changed);
        Ok(report)
    }

    /// Adds tools to a source's live map, or replaces those it has.
    pub fn add(&mut self, index: SourceIndex, tools: Vec<Incoming>) -> Result<SourceReport> {
        self.open_source(index)?;
        let mut report = SourceReport::default();
        let mut changed = false;
        for slot in self.receive(index, tools, &mut report, &mut changed) {
            if !self.source(index).tools.contains(&slot) {
                self.place_at_end(slot);
            }
        }
        self.arrived(index, changed);
        Ok(report)
    }

    /// Takes tools out of a source's map; names it does not have are passed over.
    pub fn remove(&mut self, index: SourceIndex, names: &[String]) -> Result<SourceReport> {
        self.open_source(index)?;
        let mut report = SourceReport::default();
        let gone: HashSet<Slot> = names.iter().filter_map(|name| self.find(index, name)).collect();
        if gone.is_empty() {
            return Ok(report);
        }
        self.sources[index.at()].tools.retain(|slot| !gone.contains(slot));
        let mut gone: Vec<Slot> = gone.into_iter().collect();
        gone.sort_unstable_by_key(|&slot| self.tool(slot).place);
        for slot in gone {
            self.leave(slot, &mut report);
        }
        self.sources[index.at()].version += 1;
        self.touch();
        Ok(report)
    }

    /// Marks a source as down. Its tools are pending and keep their names and places.
    pub fn fail(&mut self, index: SourceIndex, reason: &str) -> Result<()> {
        self.open_source(index)?;
        let source = &mut self.sources[index.at()];
        let news = source.state != SourceState::Failed;
        source.state = SourceState::Failed;
        source.failure = Some(reason.to_owned());
        if news {
            let message = format!("source `{}` is down: {}", shown(&source.id), shown(reason));
            self.diagnostics.push(Diagnostic::warning("source_failed", message).of_source(&source.id));
            self.log_source(index);
            self.touch();
        }
        Ok(())
    }

    /// Closes a source for good. Its tools are gone and their names are free. Closing twice is closing once.
    pub fn close(&mut self, index: SourceIndex) {
        if self.source(index).state == SourceState::Closed {
            return;
        }
        for slot in std::mem::take(&mut self.sources[index.at()].tools) {
            self.leave(slot, &mut SourceReport::default());
        }
        let source = &mut self.sources[index.at()];
        source.state = SourceState::Closed;
        source.version += 1;
        self.open.remove(&identity::folded(&source.id));
        self.closed.insert(source.id.clone(), index);
        self.sources_version += 1;
        self.touch();
    }

    /// Takes in declarations one by one; returns the slots that now stand for them, in their order.
    fn receive(
        &mut self,
        index: SourceIndex,
        tools: Vec<Incoming>,
        report: &mut SourceReport,
        changed: &mut bool,
    ) -> Vec<Slot> {
        let mut order = Vec::with_capacity(tools.len());
        let mut seen = HashSet::with_capacity(tools.len());
        for incoming in tools {
            let known = match &incoming {
                Ok(declaration) => self.slot_of(index, &declaration.name),
                Err(malformed) => self.slot_of(index, &malformed.name),
            };
            if let Some(slot) = known
                && seen.contains(&slot)
            {
                let raw = self.tool(slot).raw.to_string();
                let reason = format!("`{}` is declared twice; the first one stands", shown(&raw));
                self.quarantine(index, Malformed { name: raw, reason }, None, report);
                continue;
            }
            let slot = match incoming {
                Ok(declaration) => self.accept(index, known, declaration, report, changed),
                Err(malformed) => {
                    let slot = malformed
                        .is_named()
                        .then(|| known.unwrap_or_else(|| self.enter(index, &malformed.name, None, Status::Gone)));
                    *changed |= slot.is_some();
                    self.quarantine(index, malformed, slot, report);
                    slot
                }
            };
            if let Some(slot) = slot {
                seen.insert(slot);
                order.push(slot);
            }
        }
        order
    }

    /// Takes in one good declaration.
    fn accept(
        &mut self,
        index: SourceIndex,
        known: Option<Slot>,
        declaration: Declaration,
        report: &mut SourceReport,
        changed: &mut bool,
    ) -> Option<Slot> {
        let exposed = self.exposed_name(index, &declaration.name, declaration.exposed.as_deref());
        if let Some(other) = self.names.rival(self, known, index, &exposed) {
            let reason = format!(
                "its exposed name `{exposed}` is already that of `{}`; give one of them another name",
                shown(&self.tool(other).raw)
            );
            *changed = true;
            let slot = known.unwrap_or_else(|| self.enter(index, &declaration.name, None, Status::Gone));
            self.quarantine(index, Malformed { name: declaration.name, reason }, Some(slot), report);
            return Some(slot);
        }
        let slot = match known {
            Some(slot) => {
                self.rename(slot, exposed);
                slot
            }
            None => self.enter_as(index, &declaration.name, exposed, Status::Gone),
        };
        let tool = &mut self.tools[slot.at()];
        match tool.status {
            Status::Here if tool.text == declaration.text => return Some(slot),
            Status::Here => report.replaced.push(declaration.name),
            _ => report.added.push(declaration.name),
        }
        if tool.redefine(declaration.text, declaration.exposure, declaration.hints) {
            tool.revision += 1;
        }
        *changed = true;
        self.set_status(slot, Status::Here);
        self.note_spelling_clash(slot);
        Some(slot)
    }

    /// Two raw names of one source that read alike once sanitised are two tools; the host should know.
    fn note_spelling_clash(&mut self, slot: Slot) {
        let tool = self.tool(slot);
        let source = self.source(tool.source);
        if source.spellings.is_empty() {
            return;
        }
        let spelling = name::sanitised(&tool.raw);
        let others = source.spellings.get(&spelling).into_iter().flatten().copied();
        let Some(other) = others.chain(self.find(tool.source, &spelling)).find(|&other| other != slot) else {
            return;
        };
        let message = format!(
            "`{}` and `{}` of `{}` read alike as `{spelling}`; they stay two tools, named `{}` and `{}`",
            shown(&self.tool(other).raw),
            shown(&tool.raw),
            shown(&source.id),
            self.tool(other).exposed,
            tool.exposed
        );
        let diagnostic = Diagnostic::info("name_sanitised", message).of_source(&source.id).of_tool(self.tool_id(slot));
        self.diagnostics.push(diagnostic);
    }

    fn quarantine(&mut self, index: SourceIndex, malformed: Malformed, slot: Option<Slot>, report: &mut SourceReport) {
        let source = self.source(index);
        let message = format!(
            "tool `{}` of `{}` is quarantined: {}",
            shown(&malformed.name),
            shown(&source.id),
            malformed.reason
        );
        let mut diagnostic = Diagnostic::error("tool_quarantined", message).of_source(&source.id);
        if let Some(slot) = slot {
            let owns = self.tool(slot).registered();
            let tool = &mut self.tools[slot.at()];
            tool.reason = Some(malformed.reason.as_str().into());
            tool.text = Box::default();
            self.set_status(slot, if owns { Status::Withdrawn } else { Status::Quarantined });
            diagnostic = diagnostic.of_tool(self.tool_id(slot));
        }
        self.diagnostics.push(diagnostic);
        report.quarantined.push(malformed);
    }

    /// The tool is no longer in its source's map.
    fn leave(&mut self, slot: Slot, report: &mut SourceReport) {
        let tool = &mut self.tools[slot.at()];
        if tool.status == Status::Here {
            report.removed.push(tool.raw.to_string());
        }
        tool.text = Box::default();
        tool.reason = None;
        tool.incarnation += 1;
        self.set_status(slot, Status::Gone);
    }

    /// A map has been received: the source is ready.
    fn arrived(&mut self, index: SourceIndex, changed: bool) {
        let source = &mut self.sources[index.at()];
        let was = std::mem::replace(&mut source.state, SourceState::Ready);
        source.failure = None;
        if was != SourceState::Ready {
            self.log_source(index);
        }
        if changed || was != SourceState::Ready {
            self.sources[index.at()].version += 1;
            self.touch();
        }
    }

    fn log_source(&mut self, index: SourceIndex) {
        let slots = self.source(index).tools.clone();
        for slot in slots {
            self.log.push(slot);
        }
    }

    /// The name the host gave, where a provider takes it, else the one of the id.
    fn exposed_name(&mut self, index: SourceIndex, raw: &str, given: Option<&str>) -> String {
        let source = self.source(index);
        let id = identity::tool_prefix(source.kind, &source.id) + raw;
        let own = name::exposed(source.kind, &source.name, raw, &id);
        match given {
            None => own,
            Some(given) if name::is_legal(given) => given.to_owned(),
            Some(given) => {
                let message = format!(
                    "exposedName of `{}` gave `{}` for `{}`, which is not 1 to 64 of [A-Za-z0-9_-]; `{own}` is used",
                    shown(&source.id),
                    shown(given),
                    shown(raw)
                );
                let diagnostic = Diagnostic::warning("exposed_name_invalid", message).of_source(&source.id).of_tool(id);
                self.diagnostics.push(diagnostic);
                own
            }
        }
    }

    fn enter(&mut self, index: SourceIndex, raw: &str, given: Option<String>, status: Status) -> Slot {
        let exposed = self.exposed_name(index, raw, given.as_deref());
        self.enter_as(index, raw, exposed, status)
    }

    /// A new slot, or the one this tool had, with `status`.
    fn enter_as(&mut self, index: SourceIndex, raw: &str, exposed: String, status: Status) -> Slot {
        if let Some(slot) = self.slot_of(index, raw) {
            self.rename(slot, exposed);
            self.set_status(slot, status);
            return slot;
        }
        let slot = Slot(u32::try_from(self.tools.len()).unwrap_or(u32::MAX));
        self.tools.push(Tool::new(index, raw, &exposed));
        let Self { by_key, tools, hasher, .. } = self;
        by_key.insert_unique(hasher.hash_one((index, raw)), slot, |&slot| {
            let tool = &tools[slot.at()];
            hasher.hash_one((tool.source, &*tool.raw))
        });
        self.set_status(slot, status);
        slot
    }

    fn rename(&mut self, slot: Slot, exposed: String) {
        if *self.tool(slot).exposed == *exposed {
            return;
        }
        let status = self.tool(slot).status;
        self.set_status(slot, Status::Gone);
        self.tools[slot.at()].exposed = exposed.into();
        self.set_status(slot, status);
    }

    fn place_at_end(&mut self, slot: Slot) {
        let source = &mut self.sources[self.tools[slot.at()].source.at()];
        self.tools[slot.at()].place = source.next_place;
        source.next_place += 1;
        source.tools.push(slot);
    }

    /// The one place where a tool's status changes: names, spellings and the log follow it.
    fn set_status(&mut self, slot: Slot, status: Status) {
        let tool = &mut self.tools[slot.at()];
        let index = tool.source;
        let known_before = tool.status != Status::Gone;
        tool.status = status;
        let known = status != Status::Gone;
        let touched = ownership::update(self, slot);
        self.log.push(slot);
        for other in touched {
            self.log.push(other);
        }
        if known != known_before {
            self.respell(index, slot, known);
        }
    }

    /// Keeps the sanitised spellings of a source; whoever answers to the same one may answer alone now, or no longer.
    fn respell(&mut self, index: SourceIndex, slot: Slot, known: bool) {
        let raw = &self.tools[slot.at()].raw;
        let spelling = name::sanitised(raw);
        let illegal = spelling != **raw;
        let source = &mut self.sources[index.at()];
        if illegal {
            let answering = source.spellings.entry(spelling.clone()).or_default();
            if known {
                answering.push(slot);
            } else {
                answering.retain(|&other| other != slot);
            }
            if answering.is_empty() {
                source.spellings.remove(&spelling);
            }
        }
        for &other in source.spellings.get(&spelling).into_iter().flatten() {
            self.log.push(other);
        }
    }

    /// The one tool of a source that answers to a sanitised spelling, where no tool bears it as its raw name.
    pub(crate) fn by_spelling(&self, index: SourceIndex, spelling: &str) -> Option<Slot> {
        match self.source(index).spellings.get(spelling).map(Vec::as_slice) {
            Some(&[slot]) if self.find(index, spelling).is_none() => Some(slot),
            _ => None,
        }
    }

    /// Whether another tool owns this one's exposed name.
    pub(crate) fn shadowed_by(&self, slot: Slot) -> Option<Slot> {
        let owner = self.owner(&self.tool(slot).exposed)?;
        (owner != slot && self.tool(owner).registered()).then_some(owner)
    }

    /// The tool an exposed name means: the registered one of the highest precedence, else a known one.
    pub(crate) fn owner(&self, exposed: &str) -> Option<Slot> {
        self.names.contenders(self, exposed).first().copied()
    }

    /// Every known tool of an exposed name, its owner first.
    pub(crate) fn contenders(&self, exposed: &str) -> &[Slot] {
        self.names.contenders(self, exposed)
    }
}
