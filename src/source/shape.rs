//! The shape of a declaration's parts, checked while its text is read and not kept.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{borrow::Cow, fmt};

/// A string that is only checked.
pub(super) struct Text;

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Text;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }
            fn visit_str<E>(self, _: &str) -> Result<Text, E> {
                Ok(Text)
            }
        }
        deserializer.deserialize_str(Any)
    }
}

/// A JSON Schema whose outermost level is checked, which is where a provider refuses a whole request: an object or a
/// boolean, `type` a word or words, `properties` schemas, `required` words.
pub(super) struct Schema;

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Outermost;
        impl<'de> Visitor<'de> for Outermost {
            type Value = Schema;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON Schema (an object or a boolean)")
            }
            fn visit_bool<E>(self, _: bool) -> Result<Schema, E> {
                Ok(Schema)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Schema, A::Error> {
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    match &*key {
                        "type" => {
                            map.next_value::<Words>()?;
                        }
                        "properties" => {
                            map.next_value::<Properties>()?;
                        }
                        "required" => {
                            map.next_value::<Vec<Text>>()?;
                        }
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Schema)
            }
        }
        deserializer.deserialize_any(Outermost)
    }
}

/// A word or a list of words.
struct Words;

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Words;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a type name or a list of them")
            }
            fn visit_str<E>(self, _: &str) -> Result<Words, E> {
                Ok(Words)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Words, A::Error> {
                while seq.next_element::<Text>()?.is_some() {}
                Ok(Words)
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}

/// The values of `properties`: each a schema, not looked into.
struct Properties;

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;
        impl<'de> Visitor<'de> for Map {
            type Value = Properties;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of schemas")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                while map.next_key::<IgnoredAny>()?.is_some() {
                    map.next_value::<Inner>()?;
                }
                Ok(Properties)
            }
        }
        deserializer.deserialize_map(Map)
    }
}

/// An object or a boolean, not looked into.
struct Inner;

impl<'de> Deserialize<'de> for Inner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectOrBool;
        impl<'de> Visitor<'de> for ObjectOrBool {
            type Value = Inner;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON Schema (an object or a boolean)")
            }
            fn visit_bool<E>(self, _: bool) -> Result<Inner, E> {
                Ok(Inner)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Inner, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Inner)
            }
        }
        deserializer.deserialize_any(ObjectOrBool)
    }
}
