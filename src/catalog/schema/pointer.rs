//! Where a `$ref` leads: JSON pointers with their escapes, through the arena and, where a pointer takes a road that no
//! node keeps (`#/components/schemas/X`), through the text.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{NodeId, Schema};
use crate::json::Cursor;

/// How often the text is searched per schema: each search may read all of it, and a schema may hold many pointers.
const MOST_SEARCHES: u32 = 32;

/// Above this many members a list of names is looked up in a map.
const MANY: usize = 16;

/// Maps over long lists of members, made when one is first looked into.
#[derive(Default)]
pub(super) struct Names<'s> {
    maps: HashMap<*const (Cow<'s, str>, NodeId), HashMap<&'s str, NodeId>>,
}

impl<'s> Names<'s> {
    fn find(&mut self, members: &'s [(Cow<'s, str>, NodeId)], name: &str) -> Option<NodeId> {
        if members.len() <= MANY {
            return members.iter().rev().find(|(own, _)| own == name).map(|(_, id)| *id);
        }
        let map = self.maps.entry(members.as_ptr());
        map.or_insert_with(|| members.iter().map(|(own, id)| (own.as_ref(), *id)).collect()).get(name).copied()
    }
}

/// The steps of a reference into this document; `None` for any other reference.
pub(super) fn segments(reference: &str) -> Option<Vec<Cow<'_, str>>> {
    let pointer = reference.strip_prefix('#')?;
    match pointer.strip_prefix('/') {
        Some(rest) => rest.split('/').map(unescape).collect(),
        None => pointer.is_empty().then(Vec::new),
    }
}

impl<'a> Schema<'a> {
    /// Follows a pointer through the arena.
    pub(super) fn walk<'s>(&'s self, segments: &[Cow<'_, str>], names: &mut Names<'s>) -> Option<NodeId> {
        let mut id = Self::ROOT;
        let mut rest = segments;
        while let Some((first, after)) = rest.split_first() {
            let node = self.node(id);
            let rare = node.rare.as_deref();
            let second = after.first().map(AsRef::as_ref);
            let mut member_at = |members: &'s [(Cow<'a, str>, NodeId)]| names.find(members, second?);
            let listed = |list: &[NodeId]| second?.parse().ok().and_then(|index: usize| list.get(index).copied());
            let (found, used) = match first.as_ref() {
                "properties" => (member_at(&node.properties), 2),
                "$defs" => (member_at(&rare?.defs), 2),
                "definitions" => (member_at(&rare?.definitions), 2),
                "patternProperties" => (member_at(&rare?.patterns), 2),
                "anyOf" => (listed(&node.any_of), 2),
                "oneOf" => (listed(node.one_of()), 2),
                "allOf" => (listed(node.all_of()), 2),
                "prefixItems" => (listed(&rare?.prefix), 2),
                "items" if rare.is_some_and(|rare| rare.prefix_is_items) => (listed(&rare?.prefix), 2),
                "items" => (node.items, 1),
                "additionalProperties" => (node.additional, 1),
                "additionalItems" => (rare?.additional_items, 1),
                _ => (None, 1),
            };
            id = found?;
            rest = &rest[used..];
        }
        Some(id)
    }

    /// Follows a pointer through the text, and reads what it finds into the arena.
    pub(super) fn search(&mut self, reference: &str) -> Option<NodeId> {
        let segments = segments(reference)?;
        if self.searches >= MOST_SEARCHES {
            return None;
        }
        self.searches += 1;
        let mut text = self.text;
        for segment in &segments {
            text = step(text, segment)?;
        }
        Some(self.read_into(text))
    }
}

/// The text of one member of an object, the last of that name, or of one element of a list.
fn step<'a>(text: &'a str, segment: &str) -> Option<&'a str> {
    let mut cursor = Cursor::new(text);
    let mut found = None;
    if cursor.enter(b'{') {
        while let Some(name) = cursor.next_member() {
            let value = cursor.raw();
            if name.value() == segment {
                found = Some(value);
            }
        }
    } else if cursor.enter(b'[') {
        let index: usize = segment.parse().ok()?;
        for at in 0.. {
            if !cursor.has_element() {
                break;
            }
            let value = cursor.raw();
            if at == index {
                return Some(value);
            }
        }
    }
    found
}

/// A pointer's segment with its escapes undone: percent signs first, then `~1` and `~0`.
fn unescape(segment: &str) -> Option<Cow<'_, str>> {
    let decoded = if segment.contains('%') { Cow::Owned(percent_decoded(segment)?) } else { Cow::Borrowed(segment) };
    Some(if decoded.contains('~') { Cow::Owned(decoded.replace("~1", "/").replace("~0", "~")) } else { decoded })
}

fn percent_decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
    }
    String::from_utf8(bytes).ok()
}
