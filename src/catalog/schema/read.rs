//! Reads a schema from JSON text into the arena, in one pass, and never fails for a keyword of a wrong type.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::keyword::Keyword;
use super::nested::{ItemsSeed, ListSeed, MembersSeed};
use super::seed::{CountSeed, FlagSeed, LiteralsSeed, NamesSeed, TextSeed, TypesSeed};
use super::{Literal, Node, NodeId, Rare, Schema};

/// JSON nesting at which reading turns to skipping, which needs no stack; `serde_json` itself refuses at 128.
pub(super) const DEEPEST: usize = 100;

/// The seed of a schema that is a member of a larger text.
///
/// Nesting beyond 100 levels of that text is read as "anything". Linear in the text.
pub struct SchemaIn<'a> {
    /// The whole text.
    pub text: &'a str,
    /// The member of it.
    pub member: &'static str,
}

impl<'de> DeserializeSeed<'de> for SchemaIn<'de> {
    type Value = Schema<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let Self { text, member } = self;
        let nodes = Vec::with_capacity(8);
        let mut schema = Schema { nodes, text, member, searches: 0, has_references: false };
        SchemaSeed { schema: &mut schema, depth: 1 }.deserialize(deserializer)?;
        Ok(schema)
    }
}

/// Reads one more (sub-)schema into the arena and says where it is.
pub(super) fn read_into<'a>(schema: &mut Schema<'a>, text: &'a str) -> Result<NodeId, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let id = SchemaSeed { schema, depth: 0 }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(id)
}

/// A schema, read into the arena of another one.
pub(super) struct SchemaSeed<'s, 'de> {
    pub(super) schema: &'s mut Schema<'de>,
    /// JSON nesting around it.
    pub(super) depth: usize,
}

impl<'de> SchemaSeed<'_, 'de> {
    fn push(self, node: Node<'de>) -> NodeId {
        let id = NodeId::try_from(self.schema.nodes.len()).unwrap_or(NodeId::MAX);
        self.schema.nodes.push(node);
        id
    }
}

impl<'de> DeserializeSeed<'de> for SchemaSeed<'_, 'de> {
    type Value = NodeId;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<NodeId, D::Error> {
        if self.depth >= DEEPEST {
            deserializer.deserialize_ignored_any(IgnoredAny)?;
            return Ok(self.push(Node::default()));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SchemaSeed<'_, 'de> {
    type Value = NodeId;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a schema")
    }

    fn visit_bool<E>(self, admits: bool) -> Result<NodeId, E> {
        Ok(self.push(Node { never: !admits, ..Node::default() }))
    }

    fn visit_i64<E>(self, _: i64) -> Result<NodeId, E> {
        Ok(self.push(Node::default()))
    }

    fn visit_u64<E>(self, _: u64) -> Result<NodeId, E> {
        Ok(self.push(Node::default()))
    }

    fn visit_f64<E>(self, _: f64) -> Result<NodeId, E> {
        Ok(self.push(Node::default()))
    }

    fn visit_str<E>(self, _: &str) -> Result<NodeId, E> {
        Ok(self.push(Node::default()))
    }

    fn visit_unit<E>(self) -> Result<NodeId, E> {
        Ok(self.push(Node::default()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<NodeId, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self.push(Node::default()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeId, A::Error> {
        let Self { schema, depth } = self;
        let id = NodeId::try_from(schema.nodes.len()).map_err(A::Error::custom)?;
        schema.nodes.push(Node::default());
        let mut node = Node::default();
        let mut title = None;
        while let Some(keyword) = map.next_key::<Keyword>()? {
            let (one, many) = (depth + 1, depth + 2);
            match keyword {
                Keyword::Reference => {
                    node.reference = map.next_value_seed(TextSeed)?;
                    schema.has_references |= node.reference.is_some();
                }
                Keyword::Type => map.next_value_seed(TypesSeed(&mut node.types))?,
                Keyword::Description => node.description = map.next_value_seed(TextSeed)?,
                Keyword::Title => title = map.next_value_seed(TextSeed)?,
                Keyword::Properties => {
                    node.has_properties = true;
                    map.next_value_seed(MembersSeed { schema, depth: many, out: &mut node.properties })?;
                }
                Keyword::Required => map.next_value_seed(NamesSeed(&mut node.required))?,
                Keyword::AdditionalProperties | Keyword::UnevaluatedProperties => {
                    node.additional = Some(map.next_value_seed(SchemaSeed { schema, depth: one })?);
                }
                Keyword::Items => {
                    let mut list = Vec::new();
                    node.items = map.next_value_seed(ItemsSeed { schema, depth: many, out: &mut list })?;
                    if node.items.is_none() {
                        node.rare_mut().prefix = list;
                        node.rare_mut().prefix_is_items = true;
                    }
                }
                Keyword::AnyOf => {
                    map.next_value_seed(ListSeed { schema, depth: many, out: &mut node.any_of })?;
                }
                Keyword::Enum => {
                    node.literals = map.next_value_seed(LiteralsSeed)?.or(node.literals);
                }
                Keyword::Const => {
                    node.literals = Some(vec![Literal(map.next_value::<&RawValue>()?.get())]);
                }
                Keyword::Nullable => node.nullable = map.next_value_seed(FlagSeed)?,
                Keyword::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
                keyword => read_rare(&mut map, schema, depth, keyword, node.rare_mut())?,
            }
        }
        node.description = node.description.or(title);
        schema.nodes[id as usize] = node;
        Ok(id)
    }
}

/// Reads the value of a keyword that [`Rare`] keeps.
fn read_rare<'de, A: MapAccess<'de>>(
    map: &mut A,
    schema: &mut Schema<'de>,
    depth: usize,
    keyword: Keyword,
    rare: &mut Rare<'de>,
) -> Result<(), A::Error> {
    let list = match keyword {
        Keyword::AllOf => &mut rare.all_of,
        Keyword::OneOf => &mut rare.one_of,
        Keyword::PrefixItems => &mut rare.prefix,
        _ => return read_rarer(map, schema, depth, keyword, rare),
    };
    map.next_value_seed(ListSeed { schema, depth: depth + 2, out: list })
}

fn read_rarer<'de, A: MapAccess<'de>>(
    map: &mut A,
    schema: &mut Schema<'de>,
    depth: usize,
    keyword: Keyword,
    rare: &mut Rare<'de>,
) -> Result<(), A::Error> {
    let members = match keyword {
        Keyword::PatternProperties => &mut rare.patterns,
        Keyword::Defs => &mut rare.defs,
        Keyword::Definitions => &mut rare.definitions,
        Keyword::MinItems => {
            rare.min_items = map.next_value_seed(CountSeed)?.unwrap_or(0);
            return Ok(());
        }
        Keyword::MaxItems => {
            rare.max_items = map.next_value_seed(CountSeed)?;
            return Ok(());
        }
        Keyword::AdditionalItems => {
            let seed = SchemaSeed { schema, depth: depth + 1 };
            rare.additional_items = Some(map.next_value_seed(seed)?);
            return Ok(());
        }
        _ => {
            // Only what excludes everything can be said; a schema that looks empty may hold keywords not kept here.
            let not = map.next_value::<&RawValue>()?.get();
            let inner = not.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            rare.nothing = not == "true" || inner.is_some_and(|inner| inner.trim().is_empty());
            return Ok(());
        }
    };
    map.next_value_seed(MembersSeed { schema, depth: depth + 2, out: members })
}
