//! How sources come and go, and how their maps change: declarations are taken in one by one, and each is refused alone.

use super::{Incoming, Registry, Slot, SourceReport, Status, name};
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
use hashbrown::{HashMap, HashSet};

impl Registry {
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
        self.namesakes.entry(self.source(index).name.clone()).or_default().push(index);
        self.sources_version += 1;
        for Announcement { name, exposed } in spec.declares {
            if name.is_empty() || name.len() > declaration::MAX_NAME_BYTES || self.find(index, &name).is_some() {
                continue;
            }
            let slot = self.enter(index, &name, exposed.as_deref(), Status::Announced);
            self.place_at_end(slot);
        }
        self.relabel(index, false);
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
            .filter(|slot| !kept.contains(*slot))
            .partition(|&&slot| self.tool(slot).status == Status::Announced);
        // First what leaves, so that a name it had is free for what comes.
        for slot in gone {
            self.leave(slot, &mut report);
            changed = true;
        }
        let order = self.receive(index, tools, true, &mut report, &mut changed);
        let map: Vec<Slot> = order.into_iter().chain(announced).collect();
        changed |= map != before;
        for (place, &slot) in (0..).zip(&map) {
            if std::mem::replace(&mut self.tools[slot.at()].place, place) != place {
                self.log.push(slot);
            }
        }
        for &slot in map.iter().filter(|_| changed) {
            self.settle_name(slot);
        }
        let source = &mut self.sources[index.at()];
        source.next_place = u32::try_from(map.len()).unwrap_or(u32::MAX);
        source.tools = map;
        self.relabel(index, !before.is_empty());
        self.arrived(index, changed);
        Ok(report)
    }

    /// Decides anew who owns the name of a tool that was given its place: among tools of one source that decides.
    fn settle_name(&mut self, slot: Slot) {
        if self.names.is_shared_within_source(self, slot) {
            self.set_status(slot, self.tool(slot).status);
        }
    }

    /// Adds tools to a source's live map, or replaces those it has.
    pub fn add(&mut self, index: SourceIndex, tools: Vec<Incoming>) -> Result<SourceReport> {
        self.open_source(index)?;
        let mut report = SourceReport::default();
        let mut changed = false;
        let had_tools = !self.source(index).tools.is_empty();
        for slot in self.receive(index, tools, false, &mut report, &mut changed) {
            if !self.source(index).tools.contains(&slot) {
                self.place_at_end(slot);
                self.settle_name(slot);
            }
        }
        self.relabel(index, had_tools);
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
        self.relabel(index, true);
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

    /// Says what a source is for, in place of what was said before. No verdict, name or definition hangs on it, but
    /// catalogs and searches do, so it is a change of each of its tools for whoever follows the log, and counts.
    pub fn describe(&mut self, index: SourceIndex, description: Option<String>) -> Result<()> {
        self.open_source(index)?;
        let source = &mut self.sources[index.at()];
        if source.description == description {
            return Ok(());
        }
        source.description = description;
        self.restate(index);
        self.touch();
        Ok(())
    }

    /// Has whoever follows the log read a source's tools anew, since something is said otherwise of all of them.
    fn restate(&mut self, index: SourceIndex) {
        for slot in self.sources[index.at()].tools.clone() {
            self.tools[slot.at()].edition += 1;
            self.log.push(slot);
        }
    }

    /// As a source gets its first tool, or loses its last one, the label of its only namesake changes.
    fn relabel(&mut self, index: SourceIndex, had_tools: bool) {
        if self.source(index).tools.is_empty() != had_tools {
            return;
        }
        let mut namesakes = self.filled_namesakes(index);
        if let (Some(only), None) = (namesakes.next(), namesakes.next()) {
            drop(namesakes);
            self.restate(only);
        }
    }

    /// Closes a source for good. Its tools are gone and their names are free. Closing twice is closing once.
    pub fn close(&mut self, index: SourceIndex) {
        if self.source(index).state == SourceState::Closed {
            return;
        }
        let tools = std::mem::take(&mut self.sources[index.at()].tools);
        let had_tools = !tools.is_empty();
        for slot in tools {
            self.leave(slot, &mut SourceReport::default());
        }
        let source = &mut self.sources[index.at()];
        source.state = SourceState::Closed;
        source.version += 1;
        self.open.remove(&identity::folded(&source.id));
        self.relabel(index, had_tools);
        let source = &self.sources[index.at()];
        if let Some(namesakes) = self.namesakes.get_mut(&source.name) {
            namesakes.retain(|other| *other != index);
        }
        self.closed.insert(source.id.clone(), index);
        self.sources_version += 1;
        self.touch();
    }

    /// Takes in declarations one by one; returns the slots that now stand for them, in their order. Of a `whole` map
    /// only what was received stands, so that what is refused depends on the map and not on the one it replaces.
    fn receive(
        &mut self,
        index: SourceIndex,
        tools: Vec<Incoming>,
        whole: bool,
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
                Ok(declaration) => {
                    let exposed = self.exposed_name(index, &declaration.name, declaration.exposed.as_deref());
                    let stands = |other: &Slot| !whole || seen.contains(other);
                    let rival = self.names.rivals(self, known, index, &exposed).find(stands);
                    Some(match rival {
                        None => self.accept(index, known, declaration, exposed, report, changed),
                        Some(rival) => {
                            *changed = true;
                            self.refuse_clash(index, &declaration.name, &exposed, rival, report)
                        }
                    })
                }
                Err(malformed) => {
                    let slot = malformed.is_named().then(|| {
                        let known = self.find(index, &malformed.name);
                        known.unwrap_or_else(|| self.enter(index, &malformed.name, None, Status::Gone))
                    });
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

    /// Refuses a good declaration whose exposed name is already that of another tool of its source.
    fn refuse_clash(
        &mut self,
        index: SourceIndex,
        raw: &str,
        exposed: &str,
        rival: Slot,
        report: &mut SourceReport,
    ) -> Slot {
        let reason = format!(
            "its exposed name `{exposed}` is already that of `{}`; give one of them another name",
            shown(&self.tool(rival).raw)
        );
        // It owns nothing, even if it did, and so bears the name of its own id; nor do hints that it had stand, or what
        // it is would hang on whether it came before its rival.
        let slot = self.enter(index, raw, None, Status::Gone);
        self.tools[slot.at()].forget();
        self.quarantine(index, Malformed { name: raw.to_owned(), reason }, Some(slot), report);
        slot
    }

    /// Takes in one good declaration.
    fn accept(
        &mut self,
        index: SourceIndex,
        known: Option<Slot>,
        mut declaration: Declaration,
        exposed: String,
        report: &mut SourceReport,
        changed: &mut bool,
    ) -> Slot {
        let slot = match known {
            Some(slot) => {
                self.rename(slot, exposed);
                slot
            }
            None => self.enter_as(index, &declaration.name, exposed, Status::Gone),
        };
        let tool = &mut self.tools[slot.at()];
        match tool.status {
            Status::Here if tool.text == declaration.text => return slot,
            Status::Here => report.replaced.push(std::mem::take(&mut declaration.name)),
            _ => report.added.push(std::mem::take(&mut declaration.name)),
        }
        if tool.redefine(declaration) {
            tool.revision += 1;
        }
        *changed = true;
        self.redeclare(slot);
        self.set_status(slot, Status::Here);
        self.note_spelling_clash(slot);
        slot
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
            tool.text = std::sync::Arc::default();
            tool.outline = None;
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
        tool.forget();
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
}
