//! Exact lookups: which tools a query names outright, by id, name or path, however it is joined or spelled in case.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

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
    keys: HashTable<Key>,
    /// Bytes of the longest key there was, so that a long query is known to be none at once.
    longest: usize,
    hasher: DefaultHashBuilder,
}

/// A tool under the hash of one of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    hash: u32,
    slot: u32,
}

impl Key {
    /// The hash over the whole width that the table wants.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }
}

/// The letters and digits of a name in lower case; the name itself where it has none.
fn bare(text: &str) -> String {
    bare_within(text, usize::MAX).unwrap_or_default()
}

/// As [`bare`], or `None` where that is longer than `longest` bytes; no more of the text is read.
fn bare_within(text: &str, longest: usize) -> Option<String> {
    let mut bare = String::new();
    for character in text.chars() {
        if bare.len() > longest {
            return None;
        }
        if character.is_ascii_alphanumeric() {
            bare.push(character.to_ascii_lowercase());
        } else if !character.is_ascii() && character.is_alphanumeric() {
            bare.extend(character.to_lowercase());
        }
    }
    if bare.is_empty() {
        bare.push_str(text.trim());
    }
    (bare.len() <= longest).then_some(bare)
}

/// A source's name as its id has it, without kind and quotes: `mcp:"@acme/kb"` is `@acme/kb`.
pub fn source_name(source: &str) -> &str {
    let name =
        ["mcp:", "ext:", "host:", "builtin:"].iter().find_map(|kind| source.strip_prefix(kind)).unwrap_or(source);
    name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(name)
}

/// The spellings of a query under which a tool may be known, of `longest` bytes at most.
fn readings(query: &str, longest: usize) -> impl Iterator<Item = String> {
    let query = query.trim();
    let labels = ["tools[\"mcp:", "tools[\"ext:", "tools[\"host:"];
    let prefixes = ["tools.", "tools[", "mcp__", "mcp:", "ext:", "host:", "builtin:"];
    let stripped = labels.iter().chain(&prefixes).find_map(|prefix| query.strip_prefix(prefix));
    [Some(query), stripped].into_iter().flatten().filter_map(move |reading| bare_within(reading, longest))
}

impl Lookup {
    /// The keys of a tool: its name, its source's name and its name, its exposed name, and its path where that is
    /// written with escapes.
    fn keys(id: &str, name: &str, exposed: Option<&str>) -> [String; 4] {
        let source = id.get(..id.len().saturating_sub(name.len() + 1)).unwrap_or("");
        let path = program_path(source_name(source), name);
        [
            bare(name),
            bare(&[source_name(source), "/", name].concat()),
            exposed.map_or_else(String::new, bare),
            if path.contains('\\') { bare(&path) } else { String::new() },
        ]
    }

    /// The hashes of some keys, each once.
    fn hashes(&self, keys: &[String; 4]) -> Vec<u32> {
        let mut hashes: Vec<u32> = keys.iter().filter(|key| !key.is_empty()).map(|key| self.hash(key)).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
    fn hash(&self, key: &str) -> u32 {
        self.hasher.hash_one(key) as u32
    }

    /// Makes a tool findable.
    pub fn add(&mut self, slot: u32, id: &str, name: &str, exposed: Option<&str>) {
        let keys = Self::keys(id, name, exposed);
        self.longest = keys.iter().map(String::len).fold(self.longest, usize::max);
        for hash in self.hashes(&keys) {
            self.keys.insert_unique(Key::spread(hash), Key { hash, slot }, |key| Key::spread(key.hash));
        }
    }

    /// Forgets a tool.
    pub fn remove(&mut self, slot: u32, id: &str, name: &str, exposed: Option<&str>) {
        for hash in self.hashes(&Self::keys(id, name, exposed)) {
            if let Ok(found) = self.keys.find_entry(Key::spread(hash), |key| *key == Key { hash, slot }) {
                found.remove();
            }
        }
    }

    /// The tools that a query may name, each once or more.
    pub fn find(&self, query: &str) -> impl Iterator<Item = u32> {
        readings(query, self.longest).flat_map(|reading| {
            let hash = self.hash(&reading);
            self.keys.iter_hash(Key::spread(hash)).filter(move |key| key.hash == hash).map(|key| key.slot)
        })
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * (size_of::<Key>() + 1)
    }
}

impl SearchIndex {
    /// The visible tools that a query names outright, in the order of slots, each once.
    pub(super) fn exact(&self, query: &str, visible: impl Fn(u32) -> bool) -> Vec<(u32, Exactness)> {
        let mut found: Vec<(u32, Exactness)> = self
            .lookup
            .find(query)
            .filter(|slot| visible(*slot))
            .filter_map(|slot| Some((slot, self.entry(slot)?.exactness(query))))
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
        let is = |text: &str| text == query || text == query.trim();
        if is(&self.id) {
            return Exactness::Id;
        }
        if is(self.name())
            || self.exposed.as_deref().is_some_and(is)
            || [source_name(self.source()), self.source()].iter().any(|label| is(&program_path(label, self.name())))
        {
            return Exactness::Name;
        }
        // The table is of hashes: two names may share one.
        let own = Lookup::keys(&self.id, self.name(), self.exposed.as_deref());
        if readings(query, usize::MAX).any(|reading| own.contains(&reading)) {
            Exactness::Spelled
        } else {
            Exactness::None
        }
    }
}
