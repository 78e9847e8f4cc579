//! The registry: every tool of every source, live.
//!
//! It knows what exists and what each is called; it decides nothing. A tool keeps its [`Slot`] for the life of the
//! registry, so that a slot held elsewhere never comes to mean another tool. Every change that can alter a verdict is
//! written to the [`ChangeLog`], which is all that sessions read to catch up.

mod change;
mod intake;
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
    source::{Declaration, Source, SourceIndex, SourceState, declaration::Malformed, identity},
    text::shown,
};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use ownership::Ownership;
use std::hash::BuildHasher;

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
    hasher: DefaultHashBuilder,
    names: Ownership,
    pub(crate) log: ChangeLog,
    /// Open sources by their names.
    namesakes: HashMap<String, Vec<SourceIndex>>,
    /// Counts changes of the set of sources, on which the meaning of source names depends.
    pub(crate) sources_version: u32,
    generation: u64,
    /// Slots whose declaration changed since the host's copy was brought up to date.
    redeclared: Vec<Slot>,
    declarations_version: u64,
    diagnostics: Vec<Diagnostic>,
}

impl Registry {
    /// How many changes there have been.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// Counts changes of declarations; a copy of them is current while this stands.
    #[must_use]
    pub const fn declarations_version(&self) -> u64 {
        self.declarations_version
    }

    /// The slots whose declaration changed since the last call. There is one copy to a registry.
    pub fn take_redeclared(&mut self) -> Vec<Slot> {
        std::mem::take(&mut self.redeclared)
    }

    fn redeclare(&mut self, slot: Slot) {
        self.declarations_version += 1;
        self.redeclared.push(slot);
        if self.redeclared.len() > 2 * self.tools.len() + 1_024 {
            self.redeclared.sort_unstable();
            self.redeclared.dedup();
        }
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

    /// What programs call a source: its name, or where another one of that name has tools, its id. Whose scope has
    /// these is not asked: programs, searches and catalogs of every session of the tree say the same.
    pub(crate) fn label(&self, index: SourceIndex) -> &str {
        let source = self.source(index);
        if self.filled_namesakes(index).next().is_some() { &source.id } else { &source.name }
    }

    /// The other open sources of the same name that have tools.
    fn filled_namesakes(&self, index: SourceIndex) -> impl Iterator<Item = SourceIndex> {
        let namesakes = self.namesakes.get(&self.source(index).name).into_iter().flatten().copied();
        namesakes.filter(move |&other| other != index && !self.source(other).tools.is_empty())
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

    fn enter(&mut self, index: SourceIndex, raw: &str, given: Option<&str>, status: Status) -> Slot {
        let exposed = self.exposed_name(index, raw, given);
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
        let tool = self.tool(slot);
        if tool.shadowed { self.owner(&tool.exposed) } else { None }
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
