//! Exact lookups: which tools a query names outright, by id, name or path, however it is joined or spelled in case.

use hashbrown::{DefaultHashBuilder, HashMap};
use std::hash::BuildHasher;

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

/// A source's id without its kind: `mcp:github` is `github`.
pub fn source_name(source: &str) -> &str {
    ["mcp:", "ext:", "host:", "builtin:"].iter().find_map(|kind| source.strip_prefix(kind)).unwrap_or(source)
}

/// The spellings of a query under which a tool may be known.
fn readings(query: &str) -> impl Iterator<Item = String> {
    let query = query.trim();
    let stripped = ["tools.", "mcp__"].iter().find_map(|prefix| query.strip_prefix(prefix));
    let sourced = Some(source_name(query)).filter(|rest| rest.len() < query.len());
    [Some(query), stripped, sourced].into_iter().flatten().map(bare)
}

impl Lookup {
    /// The keys of a tool: its name, its source's name and its name, and its exposed name.
    fn keys(&self, id: &str, name: &str, exposed: Option<&str>) -> [Option<u64>; 3] {
        let source = id.get(..id.len().saturating_sub(name.len() + 1)).unwrap_or("");
        let hash = |text: &str| self.hasher.hash_one(text);
        let own = hash(&bare(name));
        let full = hash(&bare(&[source_name(source), "/", name].concat()));
        let shown = exposed.map(|exposed| hash(&bare(exposed)));
        [Some(own), Some(full).filter(|key| *key != own), shown.filter(|key| *key != own && *key != full)]
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
        readings(query).flat_map(|reading| self.slots.get(&self.hasher.hash_one(&*reading)).into_iter().flatten().copied())
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * (size_of::<(u64, Vec<u32>)>() + 1)
            + self.slots.values().map(|slots| slots.capacity() * size_of::<u32>()).sum::<usize>()
    }
}
