//! What a tool's input schema says in words: its parameters' names, their descriptions, the values they may take.
//!
//! Reads the schema's JSON text once, without building it; what is nested deeper than the parser allows, or does not
//! parse, ends the reading and keeps what was read until then.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The words of an input schema, joined by spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaText {
    /// Names of parameters, nested ones too.
    pub parameters: String,
    /// Titles and descriptions of parameters.
    pub descriptions: String,
    /// Values that an `enum` or `const` lists.
    pub values: String,
}

impl SchemaText {
    /// Reads the JSON text of an input schema.
    #[must_use]
    pub fn read(json: &str) -> Self {
        let mut text = Self::default();
        let mut parser = serde_json::Deserializer::from_str(json);
        let _ = Schema { text: &mut text, is_root: true }.deserialize(&mut parser);
        text
    }
}

fn append(to: &mut String, words: &str) {
    if !to.is_empty() {
        to.push(' ');
    }
    to.push_str(words);
}

/// One schema; any value that is no object is passed over.
struct Schema<'a> {
    text: &'a mut SchemaText,
    /// The root's title and description name the input as a whole, most often the tool once more.
    is_root: bool,
}
/// An object whose keys are parameters and whose values are their schemas.
struct Properties<'a>(&'a mut SchemaText);
/// Schemas under keys that say nothing (`$defs`), or in a list (`anyOf`).
struct Schemas<'a>(&'a mut SchemaText);
/// Strings to append, one or a list.
struct Words<'a>(&'a mut String);

/// Passes over what a visitor does not expect, so that an odd schema is read as far as it makes sense.
macro_rules! pass_over {
    () => {
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a schema")
        }
        fn visit_bool<E>(self, _: bool) -> Result<(), E> {
            Ok(())
        }
        fn visit_i64<E>(self, _: i64) -> Result<(), E> {
            Ok(())
        }
        fn visit_u64<E>(self, _: u64) -> Result<(), E> {
            Ok(())
        }
        fn visit_f64<E>(self, _: f64) -> Result<(), E> {
            Ok(())
        }
        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }
    };
}

macro_rules! pass_over_text {
    () => {
        fn visit_str<E>(self, _: &str) -> Result<(), E> {
            Ok(())
        }
    };
}

macro_rules! seed {
    ($name:ident) => {
        impl<'de> DeserializeSeed<'de> for $name<'_> {
            type Value = ();
            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
                from.deserialize_any(self)
            }
        }
    };
}
seed!(Schema);
seed!(Properties);
seed!(Schemas);
seed!(Words);

impl<'de> Visitor<'de> for Schema<'_> {
    type Value = ();
    pass_over!();
    pass_over_text!();

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        Schemas(self.text).visit_seq(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            match &*key {
                "properties" | "patternProperties" => map.next_value_seed(Properties(self.text))?,
                "description" | "title" if !self.is_root => map.next_value_seed(Words(&mut self.text.descriptions))?,
                "enum" | "const" => map.next_value_seed(Words(&mut self.text.values))?,
                "items" | "prefixItems" | "additionalProperties" => {
                    map.next_value_seed(Schema { text: self.text, is_root: false })?;
                }
                "anyOf" | "oneOf" | "allOf" | "$defs" | "definitions" => map.next_value_seed(Schemas(self.text))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Properties<'_> {
    type Value = ();
    pass_over!();
    pass_over_text!();

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        Schemas(self.0).visit_seq(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
            append(&mut self.0.parameters, &key);
            map.next_value_seed(Schema { text: self.0, is_root: false })?;
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Schemas<'_> {
    type Value = ();
    pass_over!();
    pass_over_text!();

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Schema { text: self.0, is_root: false })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Schema { text: self.0, is_root: false })?;
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for Words<'_> {
    type Value = ();
    pass_over!();

    fn visit_str<E>(self, words: &str) -> Result<(), E> {
        append(self.0, words);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Words(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::SchemaText;

    #[test]
    fn nested_parameters_are_read() {
        let text = SchemaText::read(
            r#"{"title":"Input","type":"object","properties":{"repo":{"type":"string","description":"Repository name"},
            "filter":{"anyOf":[{"type":"null"},{"properties":{"state":{"enum":["open","closed",1]}}}]}},
            "$defs":{"x":{"properties":{"y":true}}}}"#,
        );
        assert_eq!(text.parameters, "repo filter state y");
        assert_eq!(text.descriptions, "Repository name");
        assert_eq!(text.values, "open closed");
    }

    #[test]
    fn what_does_not_parse_ends_the_reading() {
        assert_eq!(SchemaText::read(r#"{"properties":{"a":{},"b":"#).parameters, "a b");
        assert_eq!(SchemaText::read("true"), SchemaText::default());
        assert_eq!(SchemaText::read(r#"{"properties":[{"description":"x"}]}"#).descriptions, "x");
    }
}
