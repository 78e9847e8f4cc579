//! The values of keywords that hold schemas: named, listed, or either; a value of a wrong type counts as absent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::read::{DEEPEST, SchemaSeed};
use super::seed::{TextSeed, absent_otherwise, expecting};
use super::{NodeId, Schema};

/// Named sub-schemas: `properties`, `$defs` and their like.
pub(super) struct MembersSeed<'s, 'de> {
    pub(super) schema: &'s mut Schema<'de>,
    pub(super) depth: usize,
    pub(super) out: &'s mut Vec<(Cow<'de, str>, NodeId)>,
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
pub(super) struct ListSeed<'s, 'de> {
    pub(super) schema: &'s mut Schema<'de>,
    pub(super) depth: usize,
    pub(super) out: &'s mut Vec<NodeId>,
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
        while let Some(id) = list.next_element_seed(SchemaSeed { schema: self.schema, depth: self.depth })? {
            self.out.push(id);
        }
        Ok(())
    }
}

/// `items`: one schema, or (draft 7) a list of them, for which it gives `None` and fills `out`.
pub(super) struct ItemsSeed<'s, 'de> {
    pub(super) schema: &'s mut Schema<'de>,
    pub(super) depth: usize,
    pub(super) out: &'s mut Vec<NodeId>,
}

impl<'de> DeserializeSeed<'de> for ItemsSeed<'_, 'de> {
    type Value = Option<NodeId>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.depth >= DEEPEST {
            return SchemaSeed { schema: self.schema, depth: self.depth }.deserialize(deserializer).map(Some);
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
