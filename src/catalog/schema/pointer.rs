//! Where a `$ref` leads: JSON pointers with their escapes, through the arena and, where a pointer takes a road that no
//! node keeps (`#/components/schemas/X`), through the text.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{NodeId, Schema};
use crate::json::Cursor;

/// Through how many bytes of text pointers are followed per byte of a schema, and beside that: places lie within each
/// other, and each may be gone through once.
const MOST_PER_BYTE: usize = 16;
const MOST_BESIDE: usize = 1 << 16;

/// Above this many members a list of names is looked up in a map.
const MANY: usize = 16;

type Member<'a> = (Cow<'a, str>, NodeId);

/// Maps over long lists of members, made when one is first looked into.
#[derive(Default)]
pub(super) struct Names<'a> {
    /// By the address of the list, which stays where it is while its schema does.
    maps: HashMap<*const Member<'a>, HashMap<Cow<'a, str>, NodeId>>,
}

impl<'a> Names<'a> {
    fn find(&mut self, members: &[Member<'a>], name: &str) -> Option<NodeId> {
        if members.len() <= MANY {
            return members.iter().rev().find(|(own, _)| own == name).map(|(_, id)| *id);
        }
        let map = self.maps.entry(members.as_ptr());
        map.or_insert_with(|| members.iter().cloned().collect()).get(name).copied()
    }
}

/// The places of the text that pointers lead to where no node keeps the road: each is found, and read, once.
#[derive(Default)]
pub(super) struct Places<'a> {
    /// By the address of an object's or a list's text: its members.
    members: HashMap<*const u8, HashMap<Cow<'a, str>, &'a str>>,
    /// By the address of its text: the node.
    nodes: HashMap<*const u8, NodeId>,
    /// Bytes gone through.
    spent: usize,
}

impl<'a> Places<'a> {
    /// Takes `text` to be gone through; not where that is too much for such a schema.
    fn spend(&mut self, schema: &Schema<'a>, text: &str) -> Option<()> {
        self.spent += text.len();
        (self.spent <= schema.text.len().saturating_mul(MOST_PER_BYTE).saturating_add(MOST_BESIDE)).then_some(())
    }

    /// The text that a reference into this document leads to.
    pub(super) fn find(&mut self, schema: &Schema<'a>, reference: &str) -> Option<&'a str> {
        let mut text = schema.text;
        for segment in segments(reference)? {
            if !self.members.contains_key(&text.as_ptr()) {
                self.spend(schema, text)?;
                self.members.insert(text.as_ptr(), members(text));
            }
            text = self.members.get(&text.as_ptr())?.get(&segment)?;
        }
        Some(text)
    }

    /// The node of a text that was found; it is read where this is the first time.
    pub(super) fn node(&mut self, schema: &mut Schema<'a>, text: &'a str) -> Option<NodeId> {
        if let Some(id) = self.nodes.get(&text.as_ptr()) {
            return Some(*id);
        }
        self.spend(schema, text)?;
        let id = schema.read_into(text);
        self.nodes.insert(text.as_ptr(), id);
        Some(id)
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
    pub(super) fn walk(&self, segments: &[Cow<'_, str>], names: &mut Names<'a>) -> Option<NodeId> {
        let mut id = Self::ROOT;
        let mut rest = segments;
        while let Some((first, after)) = rest.split_first() {
            let node = self.node(id);
            let rare = node.rare.as_deref();
            let second = after.first().map(AsRef::as_ref);
            let mut member_at = |members: &[Member<'a>]| names.find(members, second?);
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
}

/// The texts of an object's members, the last of each name, or of a list's elements by their numbers.
fn members(text: &str) -> HashMap<Cow<'_, str>, &str> {
    let mut cursor = Cursor::new(text);
    let mut found = HashMap::new();
    if cursor.enter(b'{') {
        while let Some(name) = cursor.next_member() {
            found.insert(name.value(), cursor.raw());
        }
    } else if cursor.enter(b'[') {
        while cursor.has_element() {
            found.insert(Cow::Owned(found.len().to_string()), cursor.raw());
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
