//! JSON Schema as a signature needs it: a flat arena of typed nodes, read from the text of a declaration in one pass.
//!
//! Only the keywords that a TypeScript type can say are kept; the rest is skipped without being built. Malformed
//! keywords are ignored and malformed schemas are "anything", so reading never fails for what a server sends inside
//! well-formed JSON.

mod literal;
mod pointer;
mod read;
mod reference;

use std::borrow::Cow;

use crate::json::Text;

pub use literal::Literal;
pub use reference::{References, Target};

/// The place of a node in its arena.
pub type NodeId = u32;

/// The JSON types a node admits, as bits; none means that it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    /// Every type with its name in JSON Schema and in TypeScript, in the order they are printed.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self(1), "string"),
        (Self(2), "number"),
        (Self(4), "integer"),
        (Self(8), "boolean"),
        (Self(16), "object"),
        (Self(32), "array"),
        (Self(64), "null"),
    ];
    /// Objects alone.
    pub const OBJECT: Self = Self(16);
    /// Arrays alone.
    pub const ARRAY: Self = Self(32);
    /// `null` alone.
    pub const NULL: Self = Self(64);

    /// Nothing is said.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it admits one of `other`.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it admits nothing beyond `other`.
    #[must_use]
    pub const fn within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Adds the type of that name; an unknown name says nothing.
    pub fn insert(&mut self, name: &str) {
        if let Some((bit, _)) = Self::ALL.iter().find(|(_, known)| *known == name) {
            self.0 |= bit.0;
        }
    }
}

impl<'a> Extend<Text<'a>> for Types {
    fn extend<I: IntoIterator<Item = Text<'a>>>(&mut self, names: I) {
        for name in names {
            self.insert(&name.value());
        }
    }
}

/// What the seldom used keywords say.
#[derive(Debug, Default)]
pub struct Rare<'a> {
    /// `patternProperties`, by pattern.
    pub patterns: Vec<(Cow<'a, str>, NodeId)>,
    /// `prefixItems`, or `items` as a list.
    pub prefix: Vec<NodeId>,
    /// `prefixItems` was an `items` list, so that a pointer finds it there.
    pub prefix_is_items: bool,
    /// `additionalItems`.
    pub additional_items: Option<NodeId>,
    /// `allOf`.
    pub all_of: Vec<NodeId>,
    /// `oneOf`.
    pub one_of: Vec<NodeId>,
    /// What holds of some values only: `then`, `else`, `dependentSchemas`, and the schemas of `dependencies`.
    pub conditional: Vec<NodeId>,
    /// `$defs`.
    pub defs: Vec<(Cow<'a, str>, NodeId)>,
    /// `definitions`.
    pub definitions: Vec<(Cow<'a, str>, NodeId)>,
    /// `minItems`.
    pub min_items: u64,
    /// `maxItems`.
    pub max_items: Option<u64>,
    /// `not` admits everything, so this admits nothing.
    pub nothing: bool,
}

/// One schema or sub-schema.
#[derive(Debug, Default)]
pub struct Node<'a> {
    /// `$ref`.
    pub reference: Option<Cow<'a, str>>,
    /// `type`.
    pub types: Types,
    /// `nullable: true`.
    pub nullable: bool,
    /// The schema is `false`.
    pub never: bool,
    /// There is a `properties` keyword, be it empty.
    pub has_properties: bool,
    /// `const`, or `enum` (which may be empty).
    pub literals: Option<Vec<Literal<'a>>>,
    /// `properties` in their order; the last of a repeated name counts.
    pub properties: Vec<(Cow<'a, str>, NodeId)>,
    /// `required`.
    pub required: Vec<Cow<'a, str>>,
    /// `additionalProperties` or `unevaluatedProperties`.
    pub additional: Option<NodeId>,
    /// `items` as one schema.
    pub items: Option<NodeId>,
    /// `anyOf`.
    pub any_of: Vec<NodeId>,
    /// `description`, or where there is none `title`.
    pub description: Option<Text<'a>>,
    /// Everything else.
    pub rare: Option<Box<Rare<'a>>>,
}

impl<'a> Node<'a> {
    /// The seldom used keywords, made where there are none yet.
    pub fn rare_mut(&mut self) -> &mut Rare<'a> {
        self.rare.get_or_insert_default()
    }

    /// `allOf`.
    #[must_use]
    pub fn all_of(&self) -> &[NodeId] {
        self.rare.as_ref().map_or(&[], |rare| &rare.all_of)
    }

    /// `oneOf`.
    #[must_use]
    pub fn one_of(&self) -> &[NodeId] {
        self.rare.as_ref().map_or(&[], |rare| &rare.one_of)
    }

    /// Whether a keyword of objects is there.
    #[must_use]
    pub fn speaks_of_objects(&self) -> bool {
        self.has_properties
            || !self.required.is_empty()
            || self.additional.is_some()
            || self.rare.as_ref().is_some_and(|rare| !rare.patterns.is_empty())
    }

    /// Whether a keyword of arrays is there.
    #[must_use]
    pub fn speaks_of_arrays(&self) -> bool {
        self.items.is_some() || self.rare.as_ref().is_some_and(|rare| !rare.prefix.is_empty() || rare.prefix_is_items)
    }

    /// Whether the node admits nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.never || self.rare.as_ref().is_some_and(|rare| rare.nothing)
    }

    /// Whether the node says nothing about the value, beyond a reference and notes.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.types.is_empty()
            && !self.nullable
            && !self.is_nothing()
            && self.literals.is_none()
            && self.any_of.is_empty()
            && !self.speaks_of_objects()
            && !self.speaks_of_arrays()
            && self.all_of().is_empty()
            && self.one_of().is_empty()
    }
}

/// A schema with all its sub-schemas; node 0 is the root.
#[derive(Debug)]
pub struct Schema<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
    /// Its text, where pointers can lead through keywords that no node keeps.
    pub(crate) text: &'a str,
    /// Whether any node has a `$ref`.
    pub has_references: bool,
}

impl<'a> Schema<'a> {
    /// The root's place.
    pub const ROOT: NodeId = 0;

    /// The node at a place that this schema gave.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node<'a> {
        &self.nodes[id as usize]
    }

    /// How many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is a root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
