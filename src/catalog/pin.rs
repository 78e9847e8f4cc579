//! Which tools the entries of `pinned` mean, outside a session. (A session resolves them by its own selectors.)

use std::collections::HashMap;

use super::index::{CatalogIndex, Tool};

/// A tool that someone pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pin {
    /// Its slot.
    pub slot: u32,
    /// Who pinned it: 0 is the host, then come the plugins, as in [`Options::plugins`](super::Options::plugins).
    pub party: usize,
}

/// The host's pins: slots of the tools that each entry matches, in the order of the entries, each slot once; and the entries that match
/// nothing.
///
/// An entry is an id, a name, or `source/tool` with the source's id or namespace; `*` matches any characters
/// within the source and within the tool. Several matches of one entry are in the order of their ids.
pub fn resolve_pins(index: &CatalogIndex, entries: &[String]) -> (Vec<Pin>, Vec<String>) {
    let mut exact: HashMap<String, Vec<u32>> = HashMap::new();
    if !entries.is_empty() {
        for (slot, tool) in index.tools() {
            for name in [tool.id(), tool.member.to_string()] {
                let slots = exact.entry(name).or_default();
                if slots.last() != Some(&slot) {
                    slots.push(slot);
                }
            }
        }
    }
    let mut slots = Vec::new();
    let mut taken = std::collections::HashSet::new();
    let mut unmatched = Vec::new();
    for entry in entries {
        let mut found = exact.get(entry.as_str()).cloned().unwrap_or_default();
        if found.is_empty() && entry.contains(['*', '/']) {
            found = index.tools().filter(|(_, tool)| matches(entry, tool)).map(|(slot, _)| slot).collect();
        }
        if found.is_empty() {
            unmatched.push(entry.clone());
        }
        found.sort_by_cached_key(|slot| index.tool(*slot).map(Tool::id));
        slots.extend(found.into_iter().filter(|slot| taken.insert(*slot)).map(|slot| Pin { slot, party: 0 }));
    }
    (slots, unmatched)
}

fn matches(entry: &str, tool: &Tool) -> bool {
    // A raw name may hold a slash, and so may a source: each place where the entry can be parted is tried.
    let parted = entry.match_indices('/').any(|(at, _)| {
        let (source, member) = (&entry[..at], &entry[at + 1..]);
        fits(member, &tool.member) && (fits(source, &tool.origin.source) || fits(source, &tool.origin.namespace))
    });
    parted || fits(entry, &tool.member)
}

/// Whether a text fits a pattern in which `*` is any characters. Linear in each for every practical pattern, and never
/// more than their product.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut place) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while place < text.len() {
        if pattern.get(at) == Some(&b'*') {
            star = Some((at, place));
            at += 1;
        } else if pattern.get(at) == Some(&text[place]) {
            at += 1;
            place += 1;
        } else if let Some((back, from)) = star {
            star = Some((back, from + 1));
            at = back + 1;
            place = from + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_are_any_characters() {
        for (pattern, text, is_fit) in [
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("*", "", true),
            ("a*b*c", "aXbXbXc", true),
            ("a*b", "abc", false),
            ("", "a", false),
        ] {
            assert_eq!(fits(pattern, text), is_fit, "{pattern} {text}");
        }
    }
}
