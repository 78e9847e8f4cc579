//! Reads a schema from JSON text into the arena, in one pass, and never fails for a keyword of a wrong type.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::keyword::Keyword;
use super::{Literal, Node, NodeId, Schema, Types};

/// JSON nesting at which reading turns to skipping, which needs no stack; `serde_json` itself refuses at 128.
const DEEPEST: usize = 100;

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
pub(super) fn read_into<'a>(
    schema: &mut Schema<'a>,
    text: &'a str,
) -> Result<NodeId, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let id = SchemaSeed { schema, depth: 0 }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(id)
}

/// Visits of values that a keyword does not take: they count as absent.
macro_rules! absent_otherwise {
    ($value:expr; $($kind:ident)*) => { $(absent_otherwise!(@ $kind $value);)* };
    (@ bool $value:expr) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok($value) } };
    (@ number $value:expr) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok($value) }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok($value) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok($value) }
    };
    (@ text $value:expr) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok($value) } };
    (@ null $value:expr) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($value) } };
    (@ list $value:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok($value)
        }
    };
    (@ map $value:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($value)
        }
    };
}

macro_rules! expecting {
    ($what:literal) => {
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str($what)
        }
    };
}

struct SchemaSeed<'s, 'de> {
    schema: &'s mut Schema<'de>,
    depth: usize,
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
    expecting!("a schema");

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
                    map.next_value_seed(MembersSeed {
                        schema,
                        depth: many,
                        out: &mut node.properties,
                    })?;
                }
                Keyword::Required => map.next_value_seed(NamesSeed(&mut node.required))?,
                Keyword::AdditionalProperties | Keyword::UnevaluatedProperties => {
                    node.additional = Some(map.next_value_seed(SchemaSeed { schema, depth: one })?);
                }
                Keyword::Items => {
                    let mut list = Vec::new();
                    match map.next_value_seed(ItemsSeed { schema, depth: many, out: &mut list })? {
                        Some(item) => node.items = Some(item),
                        None => {
                            node.rare_mut().prefix = list;
                            node.rare_mut().prefix_is_items = true;
                        }
                    }
                }
                Keyword::AnyOf => {
                    map.next_value_seed(ListSeed { schema, depth: many, out: &mut node.any_of })?;
                }
                Keyword::Enum => {
                    node.literals = map.next_value_seed(LiteralsSeed)?.or(node.literals)
                }
                Keyword::Const => {
                    node.literals = Some(vec![Literal(map.next_value::<&RawValue>()?.get())])
                }
                Keyword::Nullable => node.nullable = map.next_value_seed(FlagSeed)?,
                Keyword::MinItems => {
                    node.rare_mut().min_items = map.next_value_seed(CountSeed)?.unwrap_or(0)
                }
                Keyword::MaxItems => node.rare_mut().max_items = map.next_value_seed(CountSeed)?,
                Keyword::AllOf => {
                    map.next_value_seed(ListSeed {
                        schema,
                        depth: many,
                        out: &mut node.rare_mut().all_of,
                    })?;
                }
                Keyword::OneOf => {
                    map.next_value_seed(ListSeed {
                        schema,
                        depth: many,
                        out: &mut node.rare_mut().one_of,
                    })?;
                }
                Keyword::PrefixItems => {
                    map.next_value_seed(ListSeed {
                        schema,
                        depth: many,
                        out: &mut node.rare_mut().prefix,
                    })?;
                }
                Keyword::AdditionalItems => {
                    node.rare_mut().additional_items =
                        Some(map.next_value_seed(SchemaSeed { schema, depth: one })?);
                }
                Keyword::PatternProperties => {
                    map.next_value_seed(MembersSeed {
                        schema,
                        depth: many,
                        out: &mut node.rare_mut().patterns,
                    })?;
                }
                Keyword::Defs => {
                    map.next_value_seed(MembersSeed {
                        schema,
                        depth: many,
                        out: &mut node.rare_mut().defs,
                    })?;
                }
                Keyword::Definitions => {
                    map.next_value_seed(MembersSeed {
                        schema,
                        depth: many,
                        out: &mut node.rare_mut().definitions,
                    })?;
                }
                Keyword::Not => {
                    let not = map.next_value_seed(SchemaSeed { schema, depth: one })?;
                    let not = &schema.nodes[not as usize];
                    node.rare_mut().nothing = not.reference.is_none() && not.is_bare();
                }
                Keyword::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        node.description = node.description.or(title);
        schema.nodes[id as usize] = node;
        Ok(id)
    }
}

/// A string, borrowed where it has no escapes.
struct TextSeed;

impl<'de> DeserializeSeed<'de> for TextSeed {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed {
    type Value = Option<Cow<'de, str>>;
    expecting!("a string");
    absent_otherwise!(None; bool number null list map);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }
}

struct FlagSeed;

impl<'de> DeserializeSeed<'de> for FlagSeed {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FlagSeed {
    type Value = bool;
    expecting!("true or false");
    absent_otherwise!(false; number text null list map);

    fn visit_bool<E>(self, value: bool) -> Result<bool, E> {
        Ok(value)
    }
}

struct CountSeed;

impl<'de> DeserializeSeed<'de> for CountSeed {
    type Value = Option<u64>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountSeed {
    type Value = Option<u64>;
    expecting!("a count");
    absent_otherwise!(None; bool text null list map);

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }
}

struct TypesSeed<'s>(&'s mut Types);

impl<'de> DeserializeSeed<'de> for TypesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TypesSeed<'_> {
    type Value = ();
    expecting!("a type or a list of types");
    absent_otherwise!((); bool number null map);

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        self.0.insert(name);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(name) = list.next_element_seed(TextSeed)? {
            if let Some(name) = name {
                self.0.insert(&name);
            }
        }
        Ok(())
    }
}

struct NamesSeed<'s, 'de>(&'s mut Vec<Cow<'de, str>>);

impl<'de> DeserializeSeed<'de> for NamesSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NamesSeed<'_, 'de> {
    type Value = ();
    expecting!("a list of names");
    absent_otherwise!((); bool number text null map);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(name) = list.next_element_seed(TextSeed)? {
            self.0.extend(name);
        }
        Ok(())
    }
}

/// The values of an `enum`; `None` where it is no list.
struct LiteralsSeed;

impl<'de> DeserializeSeed<'de> for LiteralsSeed {
    type Value = Option<Vec<Literal<'de>>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LiteralsSeed {
    type Value = Option<Vec<Literal<'de>>>;
    expecting!("a list of values");
    absent_otherwise!(None; bool number text null map);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(value) = list.next_element::<&'de RawValue>()? {
            out.push(Literal(value.get()));
        }
        Ok(Some(out))
    }
}

/// Named sub-schemas: `properties`, `$defs` and their like.
struct MembersSeed<'s, 'de> {
    schema: &'s mut Schema<'de>,
    depth: usize,
    out: &'s mut Vec<(Cow<'de, str>, NodeId)>,
}

impl<'de> DeserializeSeed<'de> for MembersSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MembersSeed<'_, 'de> {
    type Value = ();
    expecting!("named schemas");
    absent_otherwise!((); bool number text null list);

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(TextSeed)? {
            let id = map.next_value_seed(SchemaSeed { schema: self.schema, depth: self.depth })?;
            self.out.push((name.unwrap_or_default(), id));
        }
        Ok(())
    }
}

/// Listed sub-schemas: `allOf` and its like.
struct ListSeed<'s, 'de> {
    schema: &'s mut Schema<'de>,
    depth: usize,
    out: &'s mut Vec<NodeId>,
}

impl<'de> DeserializeSeed<'de> for ListSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ListSeed<'_, 'de> {
    type Value = ();
    expecting!("a list of schemas");
    absent_otherwise!((); bool number text null map);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(id) =
            list.next_element_seed(SchemaSeed { schema: self.schema, depth: self.depth })?
        {
            self.out.push(id);
        }
        Ok(())
    }
}

/// `items`: one schema, or (draft 7) a list of them, for which it gives `None` and fills `out`.
struct ItemsSeed<'s, 'de> {
    schema: &'s mut Schema<'de>,
    depth: usize,
    out: &'s mut Vec<NodeId>,
}

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_, 'de> {
    type Value = Option<NodeId>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.depth >= DEEPEST {
            return SchemaSeed { schema: self.schema, depth: self.depth }
                .deserialize(deserializer)
                .map(Some);
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemsSeed<'_, 'de> {
    type Value = Option<NodeId>;
    expecting!("a schema or a list of schemas");

    fn visit_bool<E: Error>(self, admits: bool) -> Result<Self::Value, E> {
        SchemaSeed { schema: self.schema, depth: self.depth }.visit_bool(admits).map(Some)
    }

    absent_otherwise!(None; number text null);

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        SchemaSeed { schema: self.schema, depth: self.depth }.visit_map(map).map(Some)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        ListSeed { schema: self.schema, depth: self.depth, out: self.out }.visit_seq(list)?;
        Ok(None)
    }
}
