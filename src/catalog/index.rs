//! The tools a catalog can be made of, kept up to date one by one: what each costs, and each source's order.
//!
//! A caller names tools by slots, numbers of its own. Adding and removing touch one tool; what a tool costs is found
//! when a catalog first needs it and kept until the tool changes, so that a catalog after one change costs one
//! signature, and text is written only for what is shown.

use std::sync::Arc;

use hashbrown::HashMap;

use super::measure::{CompactLine, Known, Measure, Signature};
use super::outline::Outline;

/// Where tools come from; those of one source share it.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The id of the source, for example `mcp:github`.
    pub source: String,
    /// Its name, for example `github`.
    pub name: String,
    /// What the ids of its tools begin with, for example `mcp:github/`; a tool's raw name is the rest.
    pub prefix: String,
    /// How a program names the source: `tools.<namespace>`. Sources of the same namespace are shown as one.
    pub namespace: String,
    /// What is known of the source. Of what the tools of one catalog say, the first by name that says something counts.
    pub description: Option<String>,
}

/// A tool as its owner hands it over.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its source.
    pub origin: Arc<Origin>,
    /// Its raw name: how a program calls it within its source.
    pub member: Arc<str>,
    /// The JSON text of the declaration.
    pub declaration: Arc<str>,
    /// Of that text.
    pub outline: Outline,
}

impl Tool {
    /// Its id, for example `mcp:github/get_me`; unique.
    #[must_use]
    pub fn id(&self) -> String {
        [&self.origin.prefix, &*self.member].concat()
    }
}

#[derive(Debug)]
pub(super) struct Entry {
    pub tool: Tool,
    pub source: u32,
    pub measure: Measure,
    pub signature: Option<Box<Signature>>,
    pub compact: Option<Box<CompactLine>>,
}

/// The sources of one namespace.
#[derive(Debug)]
pub(super) struct Source {
    /// Of the tool that came last.
    pub origin: Arc<Origin>,
    /// Its tools by name.
    pub tools: Vec<u32>,
    /// Those that have no place among them yet.
    pending: Vec<u32>,
}

/// Tools by slot, with what makes catalogs of them cheap.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use toolscope::catalog::{CatalogIndex, Listing, Options, Origin, Outline, Tool};
///
/// let origin = Origin {
///     source: "mcp:kb".into(),
///     name: "kb".into(),
///     prefix: "mcp:kb/".into(),
///     namespace: "kb".into(),
///     description: None,
/// };
/// let mut index = CatalogIndex::default();
/// let declaration = r#"{"name":"find","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}"#;
/// index.upsert(0, Tool {
///     origin: Arc::new(origin),
///     member: "find".into(),
///     outline: Outline::of(declaration),
///     declaration: declaration.into(),
/// });
/// let catalog = index.render(&|_| Listing::Open, &Options::default(), &[], None);
/// assert_eq!(catalog.text, "// All of 1 tool in 1 source.\ndeclare const tools: {\nkb: { // 1\nfind(input: { q?: string }): any\n}\n}");
/// ```
#[derive(Debug, Default)]
pub struct CatalogIndex {
    pub(super) entries: Vec<Option<Entry>>,
    pub(super) sources: Vec<Source>,
    by_namespace: HashMap<String, u32>,
    /// Slots by id; only once use was asked for, which is recorded by id.
    by_id: Option<HashMap<String, u32>>,
    /// The source of the tool that came last: tools of one source mostly come together.
    latest: u32,
    /// Tools whose signatures were written since any were last let go of.
    written: Vec<u32>,
    /// Sources in alphabetical order of their namespaces.
    pub(super) alphabetical: Vec<u32>,
    count: usize,
    version: u64,
}

impl CatalogIndex {
    /// Adds a tool, or replaces the one in that slot. Costs nothing of the size of the declaration.
    pub fn upsert(&mut self, slot: u32, tool: Tool) {
        self.remove(slot);
        self.version += 1;
        let source = self.source(&tool.origin);
        self.sources[source as usize].pending.push(slot);
        if let Some(by_id) = &mut self.by_id {
            by_id.insert(tool.id(), slot);
        }
        let at = slot as usize;
        if at >= self.entries.len() {
            self.entries.resize_with(at + 1, || None);
        }
        let measure = Measure::of(&tool);
        self.entries[at] = Some(Entry { tool, source, measure, signature: None, compact: None });
        self.count += 1;
    }

    /// Makes room for slots up to `slots`.
    pub fn reserve(&mut self, slots: usize) {
        self.entries.reserve(slots.saturating_sub(self.entries.len()));
    }

    /// Takes the tool of a slot out; nothing where the slot is empty.
    pub fn remove(&mut self, slot: u32) {
        let Some(entry) = self.entries.get_mut(slot as usize).and_then(Option::take) else {
            return;
        };
        self.version += 1;
        self.count -= 1;
        if let Some(by_id) = &mut self.by_id {
            let id = entry.tool.id();
            if by_id.get(&id) == Some(&slot) {
                by_id.remove(&id);
            }
        }
        let source = &mut self.sources[entry.source as usize];
        for list in [&mut source.pending, &mut source.tools] {
            if let Some(at) = list.iter().position(|other| *other == slot) {
                list.remove(at);
            }
        }
    }

    /// How many tools there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Changes with every change of a tool.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Slots by the ids of their tools.
    pub(super) fn by_id(&mut self) -> &HashMap<String, u32> {
        let Self { by_id, entries, .. } = self;
        by_id.get_or_insert_with(|| {
            let filled = (0..).zip(entries).filter_map(|(slot, entry)| Some((entry.as_ref()?.tool.id(), slot)));
            filled.collect()
        })
    }

    /// The tool in a slot.
    #[must_use]
    pub fn tool(&self, slot: u32) -> Option<&Tool> {
        self.entries.get(slot as usize)?.as_ref().map(|entry| &entry.tool)
    }

    /// Every tool with its slot, in the order of slots.
    pub fn tools(&self) -> impl Iterator<Item = (u32, &Tool)> {
        (0..).zip(&self.entries).filter_map(|(slot, entry)| Some((slot, &entry.as_ref()?.tool)))
    }

    fn source(&mut self, origin: &Arc<Origin>) -> u32 {
        if self.sources.get(self.latest as usize).is_some_and(|latest| Arc::ptr_eq(&latest.origin, origin)) {
            return self.latest;
        }
        self.latest = match self.by_namespace.get(&origin.namespace) {
            Some(source) => *source,
            None => self.new_source(origin),
        };
        self.sources[self.latest as usize].origin = Arc::clone(origin);
        self.latest
    }

    fn new_source(&mut self, origin: &Arc<Origin>) -> u32 {
        let source = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        let (tools, pending) = (Vec::new(), Vec::new());
        self.sources.push(Source { origin: Arc::clone(origin), tools, pending });
        self.by_namespace.insert(origin.namespace.clone(), source);
        let name_of = |source: u32| &self.sources[source as usize].origin.namespace;
        let at = self.alphabetical.partition_point(|other| *name_of(*other) < origin.namespace);
        self.alphabetical.insert(at, source);
        source
    }

    pub(super) fn entry(&self, slot: u32) -> &Entry {
        self.entries[slot as usize].as_ref().expect("a slot that an order holds is filled")
    }

    fn entry_mut(&mut self, slot: u32) -> &mut Entry {
        self.entries[slot as usize].as_mut().expect("a slot that an order holds is filled")
    }

    /// Brings every source's order up to date.
    pub(super) fn settle(&mut self) {
        for at in 0..self.sources.len() {
            let source = &mut self.sources[at];
            if source.pending.is_empty() {
                continue;
            }
            let mut tools = std::mem::take(&mut source.tools);
            tools.append(&mut source.pending);
            // What was sorted already is one run, which the sort finds.
            tools.sort_by(|one, other| {
                let (one, other) = (&self.entry(*one).tool, &self.entry(*other).tool);
                one.member.cmp(&other.member).then_with(|| one.id().cmp(&other.id()))
            });
            self.sources[at].tools = tools;
        }
    }

    /// What a tool's lines cost at the least, and whether they cost just that.
    pub(super) fn at_least(&self, slot: u32, is_full: bool) -> (u32, Known) {
        let measure = &self.entry(slot).measure;
        if is_full { measure.full } else { measure.sentence() }
    }

    /// What a tool's lines cost.
    pub(super) fn exactly(&mut self, slot: u32, is_full: bool) -> u32 {
        if is_full {
            return self.full(slot);
        }
        let (line, sentence) = self.compact(slot);
        line + sentence
    }

    /// What the full lines of a tool cost.
    pub(super) fn full(&mut self, slot: u32) -> u32 {
        let entry = self.entry_mut(slot);
        if let (cost, Known::Exact) = entry.measure.full {
            return cost;
        }
        entry.signature = Some(Box::new(entry.measure.write(&entry.tool)));
        let (cost, _) = entry.measure.full;
        self.written.push(slot);
        cost
    }

    /// What the compact line of a tool costs, and its sentence on top of it.
    pub(super) fn compact(&mut self, slot: u32) -> (u32, u32) {
        let entry = self.entry_mut(slot);
        let Entry { tool, measure, .. } = entry;
        *measure.compact.get_or_insert_with(|| CompactLine::of(tool).lengths())
    }

    /// A tool with its full signature, kept for the next catalog that shows it.
    pub(super) fn signature(&mut self, slot: u32) -> (&Tool, &Signature) {
        let Entry { tool, measure, signature, .. } = self.entry_mut(slot);
        (tool, signature.get_or_insert_with(|| Box::new(measure.write(tool))))
    }

    /// Lets go of signatures that were written to be measured, and are not shown.
    pub(super) fn forget_signatures(&mut self, is_shown: impl Fn(u32) -> bool) {
        for slot in std::mem::take(&mut self.written) {
            if let Some(entry) = self.entries[slot as usize].as_mut().filter(|_| !is_shown(slot)) {
                entry.signature = None;
            }
        }
    }

    /// The compact line of a tool and its sentence, kept likewise.
    pub(super) fn compact_line(&mut self, slot: u32) -> &CompactLine {
        let entry = self.entry_mut(slot);
        entry.compact.get_or_insert_with(|| Box::new(CompactLine::of(&entry.tool)))
    }
}
