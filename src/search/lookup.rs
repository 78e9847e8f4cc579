//! Exact lookups: which tools a query names outright, by id, name or path, however it is joined or spelled in case.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashMap};

use super::index::{Entry, SearchIndex};
use super::path::program_path;

/// How a query names a tool outright; a later one comes before an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exactness {
    /// It does not.
    #[default]
    None,
    /// By its name or path, but for case and what joins its parts: `create issue` names `createIssue`.
    Spelled,
    /// By its raw or exposed name, or its path, to the letter.
    Name,
    /// By its id, to the letter.
    Id,
}

/// Tools by the bare letters of their names and of their sources' names with theirs.
#[derive(Debug, Default)]
pub struct Lookup {
    slots: HashMap<u64, Vec<u32>>,
    hasher: DefaultHashBuilder,
}

/// The letters and digits of a name in lower case; the name itself where it has none.
pub fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            bare.push(character.to_ascii_lowercase());
        } else if !character.is_ascii() && character.is_alphanumeric() {
            bare.extend(character.to_lowercase());
        }
    }
    if bare.is_empty() { text.trim().to_owned() } else { bare }
}

/// A source's name as its id has it, without kind and quotes: `mcp:"@acme/kb"` is `@acme/kb`.
pub fn source_name(source: &str) -> &str {
    let name = ["mcp:", "ext:", "host:", "builtin:"]
        .iter()
        .find_map(|kind| source.strip_prefix(kind))
        .unwrap_or(source);
    name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(name)
}

/// The spellings of a query under which a tool may be known.
fn readings(query: &str) -> impl Iterator<Item = String> {
    let query = query.trim();
    let prefixes = ["tools.", "tools[", "mcp__", "mcp:", "ext:", "host:", "builtin:"];
    let stripped = prefixes.iter().find_map(|prefix| query.strip_prefix(prefix));
    [Some(query), stripped].into_iter().flatten().map(bare)
}

impl Lookup {
    /// The keys of a tool: its name, its source's name and its name, and its exposed name.
    fn keys(&self, id: &str, name: &str, exposed: Option<&str>) -> [Option<u64>; 3] {
        let source = id.get(..id.len().saturating_sub(name.len() + 1)).unwrap_or("");
        let hash = |text: &str| self.hasher.hash_one(text);
        let own = hash(&bare(name));
        let full = hash(&bare(&[source_name(source), "/", name].concat()));
        let shown = exposed.map(|exposed| hash(&bare(exposed)));
        [
            Some(own),
            Some(full).filter(|key| *key != own),
            shown.filter(|key| *key != own && *key != full),
        ]
    }

    /// Makes a tool findable.
    pub fn add(&mut self, slot: u32, id: &str, name: &str, exposed: Option<&str>) {
        for key in self.keys(id, name, exposed).into_iter().flatten() {
            self.slots.entry(key).or_default().push(slot);
        }
    }

    /// Forgets a tool.
    pub fn remove(&mut self, slot: u32, id: &str, name: &str, exposed: Option<&str>) {
        for key in self.keys(id, name, exposed).into_iter().flatten() {
            if let Some(slots) = self.slots.get_mut(&key) {
                slots.retain(|other| *other != slot);
                if slots.is_empty() {
                    self.slots.remove(&key);
                }
            }
        }
    }

    /// The tools that a query may name, each once or more.
    pub fn find(&self, query: &str) -> impl Iterator<Item = u32> {
        readings(query).flat_map(|reading| {
            self.slots.get(&self.hasher.hash_one(&*reading)).into_iter().flatten().copied()
        })
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * (size_of::<(u64, Vec<u32>)>() + 1)
            + self.slots.values().map(|slots| slots.capacity() * size_of::<u32>()).sum::<usize>()
    }
}

impl SearchIndex {
    /// The visible tools that a query names outright, in the order of slots, each once.
    pub(super) fn exact(
        &self,
        query: &str,
        visible: impl Fn(u32) -> bool,
    ) -> Vec<(u32, Exactness)> {
        let mut found: Vec<(u32, Exactness)> = self
            .lookup
            .find(query)
            .filter(|slot| visible(*slot))
            .filter_map(|slot| Some((slot, self.entry(slot)?.exactness(query.trim()))))
            .filter(|(_, exactness)| *exactness != Exactness::None)
            .collect();
        found.sort_unstable();
        found.dedup_by_key(|(slot, _)| *slot);
        found
    }
}

impl Entry {
    /// How a query names this tool outright.
    fn exactness(&self, query: &str) -> Exactness {
        if query == &*self.id {
            return Exactness::Id;
        }
        if query == self.name()
            || self.exposed.as_deref() == Some(query)
            || query == program_path(self.source(), self.name())
        {
            return Exactness::Name;
        }
        // The table is of hashes: two names may share one.
        let full = bare(&[source_name(self.source()), "/", self.name()].concat());
        let own = [bare(self.name()), full, self.exposed.as_deref().map_or_else(String::new, bare)];
        if readings(query).any(|reading| own.contains(&reading)) {
            Exactness::Spelled
        } else {
            Exactness::None
        }
    }
}
