//! A list of selectors, resolved against the sources there are.
//!
//! A grant and a denial read a selector differently: a grant binds to what was surely meant, a denial to everything
//! that could have been.

use super::{
    Entry,
    binding::{Binding, in_order, meaning},
    naming::{answering, joined_names, named},
};
use crate::{
    registry::{Registry, Slot, Status, Tool, name::sanitised},
    selector::{Joined, Path, Pattern, Selector},
    source::{Hint, SourceIndex, SourceKind, identity},
};
use hashbrown::HashMap;
use std::borrow::Cow;

/// Which way a list decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `allow` and `required`.
    Grant,
    /// `exclude`.
    Exclude,
}

/// What a list says of one source.
#[derive(Debug, Default)]
struct SourcePlan {
    whole: Option<u32>,
    /// Whether an entry names this source and tools of it.
    finer: bool,
    hinted: Vec<(Hint, u32)>,
    literals: HashMap<String, Vec<Literal>>,
    globs: Vec<(Pattern, Option<Hint>, u32)>,
}

/// An entry that says a tool's name without a `*`.
#[derive(Debug)]
struct Literal {
    hint: Option<Hint>,
    at: u32,
    /// Whether it says the source's name so, too: it names one tool.
    in_full: bool,
}

/// The sources that a joined name means, each with whether it was named literally, and the tool.
type Meant = (Vec<(SourceIndex, bool)>, Option<Pattern>);

/// A list, resolved.
#[derive(Debug)]
pub struct Plan {
    side: Side,
    everything: Option<u32>,
    /// Exclude side: plain names, denied in every reading.
    names: HashMap<String, u32>,
    name_globs: Vec<(Pattern, u32)>,
    sources: Vec<SourcePlan>,
    /// Grant side: words that bind to one tool, with the entries that say them.
    words: HashMap<String, Vec<u32>>,
    bindings: HashMap<u32, Binding>,
    bound: HashMap<Slot, u32>,
    /// Entries whose source part fits several sources.
    ambiguous: HashMap<u32, Vec<String>>,
}

impl Plan {
    /// A list that says nothing.
    pub(crate) fn empty(side: Side) -> Self {
        Self {
            side,
            everything: None,
            names: HashMap::new(),
            name_globs: Vec::new(),
            sources: Vec::new(),
            words: HashMap::new(),
            bindings: HashMap::new(),
            bound: HashMap::new(),
            ambiguous: HashMap::new(),
        }
    }

    /// Resolves a list. `bindings` are those of the plan it replaces, which stand once the session has been presented.
    pub(crate) fn new(
        side: Side,
        entries: &[Entry],
        registry: &Registry,
        bindings: Option<HashMap<u32, Binding>>,
    ) -> Self {
        let mut plan = Self {
            sources: std::iter::repeat_with(SourcePlan::default).take(registry.sources.len()).collect(),
            bindings: bindings.unwrap_or_default(),
            ..Self::empty(side)
        };
        let mut bare = Vec::new();
        for (at, entry) in (0..).zip(entries) {
            match (&entry.parsed, side) {
                (Ok(selector), _) => plan.read(at, selector, registry, &mut bare),
                (Err(invalid), Side::Exclude) => {
                    for selector in &invalid.widest {
                        plan.read(at, selector, registry, &mut bare);
                    }
                }
                (Err(_), Side::Grant) => {}
            }
        }
        for (source, at) in bare {
            let source = &mut plan.sources[source.at()];
            // `ext:foo` beside `ext:foo/bar` means `ext:foo/bar` alone, beside `ext:*/bar` both; denials only add up.
            if side == Side::Exclude || !source.finer {
                source.whole.get_or_insert(at);
            }
        }
        let words: Vec<(u32, String)> =
            plan.words.iter().flat_map(|(word, at)| at.iter().map(move |&at| (at, word.clone()))).collect();
        for (at, word) in words {
            plan.bind(at, &word, registry);
        }
        plan
    }

    /// The bindings, for the plan that replaces this one.
    pub(crate) fn bindings(&self) -> HashMap<u32, Binding> {
        self.bindings.clone()
    }

    fn read(&mut self, at: u32, selector: &Selector, registry: &Registry, bare: &mut Vec<(SourceIndex, u32)>) {
        match (selector, self.side) {
            (Selector::Everything, _) => {
                self.everything.get_or_insert(at);
            }
            (Selector::Nothing, _) => {}
            (Selector::Name(pattern), side) => match (pattern.literal(), side) {
                (None, _) => self.name_globs.push((pattern.clone(), at)),
                (Some(name), Side::Grant) => self.words.entry(name.to_owned()).or_default().push(at),
                (Some(name), Side::Exclude) => {
                    self.names.entry(name.to_owned()).or_insert(at);
                    // `builtin` is also the id of a source.
                    if identity::same(name, SourceKind::Builtin.as_str()) {
                        let builtin = registry.open_sources().filter(|(_, source)| source.kind == SourceKind::Builtin);
                        bare.extend(builtin.map(|(index, _)| (index, at)));
                    }
                }
            },
            (Selector::Path(path), side) => {
                let sources = match side {
                    Side::Grant => self.granting(at, path, registry),
                    Side::Exclude => named(registry, path.kind, &path.source, false),
                };
                for index in sources {
                    self.note(at, index, path.tool.as_ref(), path.hint, path.names_a_source(), bare);
                }
            }
            (Selector::Joined(joined), Side::Grant) => {
                self.words.entry(joined.text.clone()).or_default().push(at);
                if let Some((sources, tool)) = self.surely_meant(at, joined, registry) {
                    for (index, literal) in sources {
                        self.note(at, index, tool.as_ref(), None, literal, bare);
                    }
                }
            }
            (Selector::Joined(joined), Side::Exclude) => {
                if joined.text.contains('*') {
                    self.name_globs.push((Pattern::new(joined.text.clone()), at));
                } else {
                    self.names.entry(joined.text.clone()).or_insert(at);
                }
                let across = joined.across().map(|(server, tool)| (server, Some(tool)));
                for (server, tool) in joined.readings.iter().cloned().chain(across) {
                    for index in named(registry, SourceKind::Mcp, &server, true) {
                        self.note(at, index, tool.as_ref(), None, server.literal().is_some(), bare);
                    }
                }
            }
        }
    }

    /// Notes what an entry says of a source; `literal` where it says the source's name without a `*`.
    fn note(
        &mut self,
        at: u32,
        index: SourceIndex,
        tool: Option<&Pattern>,
        hint: Option<Hint>,
        literal: bool,
        bare: &mut Vec<(SourceIndex, u32)>,
    ) {
        let source = &mut self.sources[index.at()];
        source.finer |= literal && tool.is_some();
        match (tool, hint) {
            (None, None) if literal => bare.push((index, at)),
            (None, None) => {
                source.whole.get_or_insert(at);
            }
            (None, Some(hint)) => source.hinted.push((hint, at)),
            (Some(tool), hint) => match tool.literal() {
                Some(name) => {
                    let entries = source.literals.entry(name.to_owned()).or_default();
                    entries.push(Literal { hint, at, in_full: literal });
                }
                None => source.globs.push((tool.clone(), hint, at)),
            },
        }
    }

    /// The sources a path grants: by name, else by an alias that fits one alone; a glob is never ambiguous.
    fn granting(&mut self, at: u32, path: &Path, registry: &Registry) -> Vec<SourceIndex> {
        let fits = answering(registry, path.kind, &path.source);
        if fits.len() <= 1 || path.source.literal().is_none() {
            return fits;
        }
        self.ambiguous.insert(at, in_order(fits.iter().map(|&index| registry.source_id(index).to_owned())));
        Vec::new()
    }

    /// The reading of `mcp__server__tool` that was surely meant, by the identity of the sources there are.
    fn surely_meant(&mut self, at: u32, joined: &Joined, registry: &Registry) -> Option<Meant> {
        let mut literal: Vec<(SourceIndex, Option<Pattern>)> = Vec::new();
        for (server, tool) in joined.readings.iter().filter(|(server, _)| server.literal().is_some()) {
            let mut fits = answering(registry, SourceKind::Mcp, server);
            if fits.is_empty() {
                fits = named(registry, SourceKind::Mcp, server, true);
            }
            literal.extend(fits.into_iter().map(|index| (index, tool.clone())));
        }
        match literal.len() {
            0 => {
                let (server, tool) = joined.readings.first().filter(|(server, _)| server.literal().is_none())?;
                let fits = named(registry, SourceKind::Mcp, server, false);
                Some((fits.into_iter().map(|index| (index, false)).collect(), tool.clone()))
            }
            1 => literal.pop().map(|(index, tool)| (vec![(index, true)], tool)),
            _ => {
                let ids = literal.iter().map(|(index, _)| registry.source_id(*index).to_owned());
                self.ambiguous.insert(at, in_order(ids));
                None
            }
        }
    }

    /// Settles what a word means, unless it is bound; returns the tool that it means.
    fn bind(&mut self, at: u32, word: &str, registry: &Registry) -> Option<Slot> {
        let binding = self.bindings.entry(at).or_insert(Binding::Free);
        if !matches!(binding, Binding::Bound { .. }) {
            *binding = meaning(registry, word);
        }
        let &mut Binding::Bound { slot, .. } = binding else { return None };
        self.bound.entry(slot).and_modify(|first| *first = at.min(*first)).or_insert(at);
        Some(slot)
    }

    /// Takes back what an entry is bound to, and returns it. Another word may still mean the same tool.
    fn unbind(&mut self, at: u32) -> Option<Slot> {
        let Some(Binding::Bound { slot, .. }) = self.bindings.remove(&at) else { return None };
        let is_same = |other: &Binding| matches!(other, Binding::Bound { slot: bound, .. } if *bound == slot);
        match self.bindings.iter().filter(|(_, other)| is_same(other)).map(|(&at, _)| at).min() {
            Some(other) => self.bound.insert(slot, other),
            None => self.bound.remove(&slot),
        };
        Some(slot)
    }

    /// A tool came, went or was renamed: settles again the words that could mean it. `sticky` keeps what is bound.
    pub(crate) fn rebind(&mut self, slot: Slot, registry: &Registry, sticky: bool, changed: &mut Vec<Slot>) {
        if self.words.is_empty() {
            return;
        }
        let tool = registry.tool(slot);
        let spelling = sanitised(&tool.raw);
        for word in [&*tool.raw, &*tool.exposed, &spelling] {
            let Some(entries) = self.words.get(word) else { continue };
            for at in entries.clone() {
                if !sticky {
                    changed.extend(self.unbind(at));
                }
                changed.extend(self.bind(at, word, registry));
            }
        }
    }

    /// The entry that matches a tool, on whichever side this list is.
    pub(crate) fn matching(&self, registry: &Registry, slot: Slot) -> Option<u32> {
        if self.everything.is_some() {
            return self.everything;
        }
        if let Some(&at) = self.bound.get(&slot) {
            return Some(at);
        }
        if let Some(literal) = self.literals(registry, slot).next() {
            return Some(literal.at);
        }
        let tool = registry.tool(slot);
        let plan = self.sources.get(tool.source.at())?;
        let globbed = |pattern: &Pattern| {
            pattern.matches(&tool.raw)
                || (self.side == Side::Exclude
                    && (pattern.matches(&tool.exposed) || pattern.matches(&sanitised(&tool.raw))))
        };
        let holds = |hint| self.holds(registry, tool, hint);
        plan.whole
            .or_else(|| {
                plan.globs.iter().find(|(pattern, hint, _)| globbed(pattern) && holds(*hint)).map(|&(_, _, at)| at)
            })
            .or_else(|| plan.hinted.iter().find(|(hint, _)| holds(Some(*hint))).map(|&(_, at)| at))
            .or_else(|| self.by_name(registry, slot))
    }

    /// Whether an entry names this one tool, and not others by a `*` or by their source, whatever else matches it.
    pub(crate) fn names(&self, registry: &Registry, slot: Slot) -> bool {
        self.bound.contains_key(&slot) || self.literals(registry, slot).any(|literal| literal.in_full)
    }

    /// The entries that match a tool by its name without a `*`.
    fn literals<'a>(&'a self, registry: &'a Registry, slot: Slot) -> impl Iterator<Item = &'a Literal> {
        let tool = registry.tool(slot);
        let plan = self.sources.get(tool.source.at()).filter(|plan| !plan.literals.is_empty());
        let spellings = plan.into_iter().flat_map(move |plan| {
            // A grant names a tool of a source by its raw name: the exposed one may be another tool's raw name.
            let exposed = (self.side == Side::Exclude).then_some(&*tool.exposed);
            let spelling = std::iter::once_with(move || self.spelling(registry, slot)).flatten().map(Cow::Owned);
            let spellings = std::iter::once(&*tool.raw).chain(exposed).map(Cow::Borrowed).chain(spelling);
            spellings.filter_map(|spelling| plan.literals.get(&*spelling))
        });
        spellings.flatten().filter(move |literal| self.holds(registry, tool, literal.hint))
    }

    /// The sanitised spelling by which a tool is meant, where it is another one than its raw name.
    fn spelling(&self, registry: &Registry, slot: Slot) -> Option<String> {
        let tool = registry.tool(slot);
        let spelling = sanitised(&tool.raw);
        let counts = spelling != *tool.raw
            && (self.side == Side::Exclude || registry.by_spelling(tool.source, &spelling) == Some(slot));
        counts.then_some(spelling)
    }

    /// Whether a tool is of those that a hint asks for. What is not known grants nothing, and is denied.
    fn holds(&self, registry: &Registry, tool: &Tool, hint: Option<Hint>) -> bool {
        let Some(hint) = hint else { return true };
        let says = tool.hints.says(hint).filter(|_| registry.source(tool.source).trust_hints);
        says.unwrap_or(self.side == Side::Exclude)
    }

    fn by_name(&self, registry: &Registry, slot: Slot) -> Option<u32> {
        let tool = registry.tool(slot);
        let spelling = || self.spelling(registry, slot);
        if !self.names.is_empty() {
            let found = self
                .names
                .get(&*tool.raw)
                .or_else(|| self.names.get(&*tool.exposed))
                .or_else(|| self.names.get(&spelling()?));
            if found.is_some() {
                return found.copied();
            }
        }
        if self.name_globs.is_empty() {
            return None;
        }
        let joined =
            if self.side == Side::Exclude { joined_names(registry.source(tool.source), tool) } else { Vec::new() };
        let globbed = |pattern: &Pattern| {
            pattern.matches(&tool.exposed)
                || (self.side == Side::Exclude
                    && (pattern.matches(&tool.raw)
                        || spelling().is_some_and(|spelling| pattern.matches(&spelling))
                        || joined.iter().any(|name| pattern.matches(name))))
        };
        self.name_globs.iter().find(|(pattern, _)| globbed(pattern)).map(|&(_, at)| at)
    }

    /// Whether a word is not bound yet.
    pub(crate) fn is_open(&self) -> bool {
        self.bindings.values().any(|binding| !matches!(binding, Binding::Bound { .. }))
    }

    /// What an entry's word is bound to.
    pub(crate) fn binding(&self, at: u32) -> Option<&Binding> {
        self.bindings.get(&at)
    }

    /// The known tool that an entry's word is bound to.
    pub(crate) fn bound(&self, at: u32, registry: &Registry) -> Option<Slot> {
        let Some(&Binding::Bound { slot, .. }) = self.binding(at) else { return None };
        (registry.tool(slot).status != Status::Gone).then_some(slot)
    }

    /// The source ids that an entry fits, where there are several and it had to be one. A joined name that is a tool's
    /// own means that tool, whichever servers its first part fits.
    pub(crate) fn ambiguity(&self, at: u32, registry: &Registry) -> Option<&[String]> {
        match self.binding(at) {
            Some(Binding::Ambiguous(ids)) => Some(ids),
            _ if self.bound(at, registry).is_some() => None,
            _ => self.ambiguous.get(&at).map(Vec::as_slice),
        }
    }
}
