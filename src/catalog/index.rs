//! The tools a catalog can be made of, kept up to date one by one: what each costs, and each source's order.
//!
//! A caller names tools by slots, numbers of its own. Adding and removing touch one tool; what a tool costs is found
//! when a catalog first needs it and kept until the tool changes, so that a catalog after one change costs one
//! signature, and text is written only for what is shown.

use std::collections::HashMap;
use std::sync::Arc;

use super::signature::{self, Declaration};
use super::text;

/// Up to so many tools the lines are kept when they are measured: many of them will be shown, and they are few.
const SMALL: usize = 512;

/// What the lines of a tool have at the least beside its name.
const LEAST_FULL: &str = "(input: {}): any\n";
const LEAST_COMPACT: &str = "(_?)\n";

/// A tool as its owner hands it over.
#[derive(Clone, Debug)]
pub struct Tool {
    /// The tool's id, for example `mcp:github/get_me`; unique.
    pub id: Arc<str>,
    /// What the model calls it outside a program.
    pub name: Arc<str>,
    /// Its raw name: how a program calls it within its source.
    pub member: Arc<str>,
    /// The id of its source, for example `mcp:github`.
    pub source: Arc<str>,
    /// How a program names the source: `tools.<namespace>`. Sources of the same namespace are shown as one.
    pub namespace: Arc<str>,
    /// What is known of the source; the last tool that says something counts.
    pub source_description: Option<Arc<str>>,
    /// The JSON text of the declaration.
    pub declaration: Arc<str>,
}

/// What a tool costs, in characters with the line break.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measure {
    /// Its name as a member.
    pub name: u32,
    pub full: Option<u32>,
    pub compact: Option<(u32, u32)>,
}

/// A tool's lines.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// Named types, a line each.
    pub types: Box<str>,
    pub text: Box<str>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub tool: Tool,
    pub source: u32,
    pub measure: Measure,
    pub lines: Option<Lines>,
    /// The compact line without its line break, and its sentence.
    pub compact: Option<(Box<str>, Box<str>)>,
}

#[derive(Debug)]
pub(super) struct Source {
    pub namespace: Arc<str>,
    pub description: Option<Arc<str>>,
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
/// use toolscope::catalog::{CatalogIndex, Listing, Options, Tool};
///
/// let mut index = CatalogIndex::default();
/// index.upsert(0, Tool {
///     id: "mcp:kb/find".into(),
///     name: "mcp__kb__find".into(),
///     member: "find".into(),
///     source: "mcp:kb".into(),
///     namespace: "kb".into(),
///     source_description: None,
///     declaration: r#"{"name":"find","inputSchema":{"type":"object","properties":{"q":{"type":"string"}}}}"#.into(),
/// });
/// let catalog = index.render(&|_| Listing::Open, &Options::default(), &[], None);
/// assert_eq!(catalog.text, "// All of 1 tool in 1 source.\ndeclare const tools: {\nkb: { // 1\nfind(input: { q?: string }): any\n}\n}");
/// ```
#[derive(Debug, Default)]
pub struct CatalogIndex {
    pub(super) entries: Vec<Option<Entry>>,
    pub(super) sources: Vec<Source>,
    by_namespace: HashMap<Arc<str>, u32>,
    by_id: HashMap<Arc<str>, u32>,
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
        let source = self.source(&tool.namespace);
        let own = &mut self.sources[source as usize];
        if tool.source_description.is_some() {
            own.description.clone_from(&tool.source_description);
        }
        own.pending.push(slot);
        self.by_id.insert(Arc::clone(&tool.id), slot);
        let at = slot as usize;
        if at >= self.entries.len() {
            self.entries.resize_with(at + 1, || None);
        }
        let mut key = String::new();
        text::push_key(&mut key, &tool.member);
        let measure = Measure { name: length(&key), ..Measure::default() };
        self.entries[at] = Some(Entry { tool, source, measure, lines: None, compact: None });
        self.count += 1;
    }

    /// Takes the tool of a slot out; nothing where the slot is empty.
    pub fn remove(&mut self, slot: u32) {
        let Some(entry) = self.entries.get_mut(slot as usize).and_then(Option::take) else {
            return;
        };
        self.version += 1;
        self.count -= 1;
        if self.by_id.get(&entry.tool.id) == Some(&slot) {
            self.by_id.remove(&entry.tool.id);
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

    /// The slot of a tool.
    #[must_use]
    pub fn slot(&self, id: &str) -> Option<u32> {
        self.by_id.get(id).copied()
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

    fn source(&mut self, namespace: &Arc<str>) -> u32 {
        if let Some(source) = self.by_namespace.get(namespace) {
            return *source;
        }
        let source = u32::try_from(self.sources.len()).unwrap_or(u32::MAX);
        self.sources.push(Source {
            namespace: Arc::clone(namespace),
            description: None,
            tools: Vec::new(),
            pending: Vec::new(),
        });
        self.by_namespace.insert(Arc::clone(namespace), source);
        let at = self.alphabetical.partition_point(|other| self.sources[*other as usize].namespace < *namespace);
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
                (&one.member, &one.id).cmp(&(&other.member, &other.id))
            });
            self.sources[at].tools = tools;
        }
    }

    /// What a tool's lines cost at the least, without reading its declaration; exact where they were measured.
    pub(super) fn at_least(&self, slot: u32, is_full: bool) -> (u32, bool) {
        let measure = &self.entry(slot).measure;
        let compact = measure.compact.map(|(line, sentence)| line + sentence);
        let known = if is_full { measure.full } else { compact };
        let frame = if is_full { LEAST_FULL } else { LEAST_COMPACT };
        known.map_or_else(|| (measure.name + length(frame), false), |cost| (cost, true))
    }

    /// What the full lines of a tool cost.
    pub(super) fn full(&mut self, slot: u32) -> u32 {
        if let Some(cost) = self.entry(slot).measure.full {
            return cost;
        }
        let is_small = self.count <= SMALL;
        let (types, text) = full_lines(&self.entry(slot).tool);
        let cost = length(&types) + length(&text);
        let entry = self.entry_mut(slot);
        entry.measure.full = Some(cost);
        if is_small {
            entry.lines = Some(Lines { types: types.into(), text: text.into() });
        }
        cost
    }

    /// What the compact line of a tool costs, and its sentence on top of it.
    pub(super) fn compact(&mut self, slot: u32) -> (u32, u32) {
        if let Some(costs) = self.entry(slot).measure.compact {
            return costs;
        }
        let (line, sentence) = compact_line(&self.entry(slot).tool);
        let costs = (length(&line) + 1, length(&sentence));
        self.entry_mut(slot).measure.compact = Some(costs);
        costs
    }

    /// The full lines of a tool, kept for the next catalog that shows them.
    pub(super) fn lines(&mut self, slot: u32) -> &Lines {
        let entry = self.entry_mut(slot);
        entry.lines.get_or_insert_with(|| {
            let (types, text) = full_lines(&entry.tool);
            Lines { types: types.into(), text: text.into() }
        })
    }

    /// The compact line of a tool and its sentence, kept likewise.
    pub(super) fn compact_lines(&mut self, slot: u32) -> &(Box<str>, Box<str>) {
        let entry = self.entry_mut(slot);
        entry.compact.get_or_insert_with(|| {
            let (line, sentence) = compact_line(&entry.tool);
            (line.into(), sentence.into())
        })
    }
}

fn length(text: &str) -> u32 {
    u32::try_from(text::length(text)).unwrap_or(u32::MAX)
}

/// Reads a declaration; what cannot be read (a registry never lets it in) is a tool that says nothing.
fn declaration(tool: &Tool) -> Declaration<'_> {
    Declaration::read(&tool.declaration)
        .unwrap_or_else(|_| Declaration { name: tool.member.as_ref().into(), ..Declaration::default() })
}

/// The named types of a tool, and its own lines.
fn full_lines(tool: &Tool) -> (String, String) {
    let mut declaration = declaration(tool);
    let types = signature::types(&mut declaration, &tool.id);
    let (mut named, mut text) = (String::new(), String::with_capacity(512));
    signature::push_declarations(&mut named, &types);
    signature::push_description(&mut text, &declaration);
    signature::push_member(&mut text, &tool.member, &types, "any");
    text.push('\n');
    (named, text)
}

/// The compact line without its line break, and its sentence.
fn compact_line(tool: &Tool) -> (String, String) {
    let mut declaration = declaration(tool);
    let (mut line, mut sentence) = (String::new(), String::new());
    signature::push_compact(&mut line, &tool.member, &mut declaration);
    signature::push_sentence(&mut sentence, &declaration);
    (line, sentence)
}
