//! Reads a schema from JSON text into the arena, in one pass, and never fails for a keyword of a wrong type: such a
//! keyword counts as absent.

use std::borrow::Cow;

use super::{Literal, Node, NodeId, Schema, Types};
use crate::json::{Cursor, Text};

/// JSON nesting at which reading turns to skipping, which needs no stack.
const DEEPEST: usize = 100;

impl<'a> Schema<'a> {
    /// Reads the next value of a text as a schema. Nesting beyond 100 levels of the text is read as "anything". Linear
    /// in the text.
    pub(in crate::catalog) fn read(cursor: &mut Cursor<'a>) -> Self {
        let mut schema = Self { nodes: Vec::with_capacity(8), text: "", has_references: false };
        cursor.peek();
        let from = cursor.at();
        schema.node_from(cursor, 1);
        schema.text = cursor.since(from);
        schema
    }

    /// Reads one more (sub-)schema into the arena and says where it is.
    pub(super) fn read_into(&mut self, text: &'a str) -> NodeId {
        self.node_from(&mut Cursor::new(text), 0)
    }

    /// Reads a schema that has `depth` objects and lists around it.
    fn node_from(&mut self, cursor: &mut Cursor<'a>, depth: usize) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NodeId::MAX);
        self.nodes.push(Node::default());
        if depth < DEEPEST && cursor.enter(b'{') {
            let node = self.members(cursor, depth);
            self.nodes[id as usize] = node;
        } else {
            self.nodes[id as usize].never = cursor.raw() == "false" && depth < DEEPEST;
        }
        id
    }

    fn members(&mut self, cursor: &mut Cursor<'a>, depth: usize) -> Node<'a> {
        let mut node = Node::default();
        let mut title = None;
        let (one, many) = (depth + 1, depth + 2);
        while let Some(keyword) = cursor.next_member() {
            match &*keyword.value() {
                "$ref" => {
                    node.reference = cursor.string().map(Text::value);
                    self.has_references |= node.reference.is_some();
                }
                "type" => read_types(cursor, &mut node.types),
                "description" => node.description = cursor.string(),
                "title" => title = cursor.string(),
                "properties" => {
                    node.has_properties = true;
                    self.named(cursor, many, &mut node.properties);
                }
                "required" => read_names(cursor, &mut node.required),
                "additionalProperties" | "unevaluatedProperties" => node.additional = Some(self.node_from(cursor, one)),
                "items" => self.items(cursor, many, &mut node),
                "anyOf" => self.listed(cursor, many, &mut node.any_of),
                "enum" => node.literals = read_literals(cursor).or(node.literals),
                "const" => node.literals = Some(vec![Literal(cursor.raw())]),
                "nullable" => node.nullable = cursor.raw() == "true",
                keyword => self.rare(cursor, keyword, depth, &mut node),
            }
        }
        node.description = node.description.or(title);
        node
    }

    /// Reads the value of a keyword that [`Rare`](super::Rare) keeps, or passes over that of any other.
    fn rare(&mut self, cursor: &mut Cursor<'a>, keyword: &str, depth: usize, node: &mut Node<'a>) {
        let (one, many) = (depth + 1, depth + 2);
        match keyword {
            "allOf" => self.listed(cursor, many, &mut node.rare_mut().all_of),
            "oneOf" => self.listed(cursor, many, &mut node.rare_mut().one_of),
            "prefixItems" => self.listed(cursor, many, &mut node.rare_mut().prefix),
            "patternProperties" => self.named(cursor, many, &mut node.rare_mut().patterns),
            "$defs" => self.named(cursor, many, &mut node.rare_mut().defs),
            "definitions" => self.named(cursor, many, &mut node.rare_mut().definitions),
            "minItems" => node.rare_mut().min_items = cursor.raw().parse().unwrap_or(0),
            "maxItems" => node.rare_mut().max_items = cursor.raw().parse().ok(),
            "then" | "else" => {
                let id = self.node_from(cursor, one);
                node.rare_mut().conditional.push(id);
            }
            "dependentSchemas" | "dependencies" => {
                let mut parts = Vec::new();
                self.named(cursor, many, &mut parts);
                node.rare_mut().conditional.extend(parts.into_iter().map(|(_, id)| id));
            }
            "additionalItems" => node.rare_mut().additional_items = Some(self.node_from(cursor, one)),
            "not" => {
                // Only what excludes everything can be said; a schema that looks empty may hold keywords not kept here.
                let not = cursor.raw();
                let inner = not.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
                node.rare_mut().nothing = not == "true" || inner.is_some_and(|inner| inner.trim().is_empty());
            }
            _ => cursor.skip(),
        }
    }

    /// `items`: one schema, or (draft 7) a list of them.
    fn items(&mut self, cursor: &mut Cursor<'a>, depth: usize, node: &mut Node<'a>) {
        let first = cursor.peek();
        if depth >= DEEPEST || matches!(first, Some(b'{' | b't' | b'f')) {
            node.items = Some(self.node_from(cursor, depth));
            return;
        }
        let mut list = Vec::new();
        self.listed(cursor, depth, &mut list);
        node.items = None;
        let rare = node.rare_mut();
        rare.prefix = list;
        rare.prefix_is_items = true;
    }

    /// Named sub-schemas: `properties`, `$defs` and their like.
    fn named(&mut self, cursor: &mut Cursor<'a>, depth: usize, out: &mut Vec<(Cow<'a, str>, NodeId)>) {
        if !cursor.enter(b'{') {
            return cursor.skip();
        }
        while let Some(name) = cursor.next_member() {
            let id = self.node_from(cursor, depth);
            out.push((name.value(), id));
        }
    }

    /// Listed sub-schemas: `allOf` and its like.
    fn listed(&mut self, cursor: &mut Cursor<'a>, depth: usize, out: &mut Vec<NodeId>) {
        if !cursor.enter(b'[') {
            return cursor.skip();
        }
        while cursor.has_element() {
            out.push(self.node_from(cursor, depth));
        }
    }
}

/// A type or a list of types.
fn read_types(cursor: &mut Cursor<'_>, types: &mut Types) {
    if !cursor.enter(b'[') {
        types.extend(cursor.string());
        return;
    }
    while cursor.has_element() {
        types.extend(cursor.string());
    }
}

fn read_names<'a>(cursor: &mut Cursor<'a>, out: &mut Vec<Cow<'a, str>>) {
    if !cursor.enter(b'[') {
        return cursor.skip();
    }
    while cursor.has_element() {
        out.extend(cursor.string().map(Text::value));
    }
}

/// The values of an `enum`; `None` where it is no list.
fn read_literals<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<Literal<'a>>> {
    if !cursor.enter(b'[') {
        cursor.skip();
        return None;
    }
    let mut out = Vec::new();
    while cursor.has_element() {
        out.push(Literal(cursor.raw()));
    }
    Some(out)
}
