//! The keywords that a type can say.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};

macro_rules! keywords {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// A keyword, or that it is none of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Keyword { $($name,)* Other }

        impl Keyword {
            fn of(text: &str) -> Self {
                match text { $($text => Self::$name,)* _ => Self::Other }
            }
        }
    };
}

keywords! {
    AdditionalItems = "additionalItems",
    AdditionalProperties = "additionalProperties",
    AllOf = "allOf",
    AnyOf = "anyOf",
    Const = "const",
    Definitions = "definitions",
    Defs = "$defs",
    Description = "description",
    Enum = "enum",
    Items = "items",
    MaxItems = "maxItems",
    MinItems = "minItems",
    Not = "not",
    Nullable = "nullable",
    OneOf = "oneOf",
    PatternProperties = "patternProperties",
    PrefixItems = "prefixItems",
    Properties = "properties",
    Reference = "$ref",
    Required = "required",
    Title = "title",
    Type = "type",
    UnevaluatedProperties = "unevaluatedProperties",
}

impl<'de> Deserialize<'de> for Keyword {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Keyword;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a keyword")
            }

            fn visit_str<E>(self, text: &str) -> Result<Keyword, E> {
                Ok(Keyword::of(text))
            }
        }
        deserializer.deserialize_str(Name)
    }
}
