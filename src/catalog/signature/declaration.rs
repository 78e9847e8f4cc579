//! What a signature needs of a declaration, read from its JSON text in one pass without building the rest.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use crate::catalog::schema::{Schema, SchemaIn};
use crate::error::{Error, ErrorKind, Result};

/// A declaration as a signature sees it.
#[derive(Debug, Default)]
pub struct Declaration<'a> {
    /// The raw name.
    pub name: Cow<'a, str>,
    /// What the tool says it does.
    pub description: Option<Cow<'a, str>>,
    /// Its input schema.
    pub input: Option<Schema<'a>>,
    /// Its output schema.
    pub output: Option<Schema<'a>>,
}

impl<'a> Declaration<'a> {
    /// Reads a declaration from its JSON text. Nesting beyond 100 levels is read as "anything".
    ///
    /// Fails with `ERR_TOOLSCOPE_INVALID_ARGUMENT` where the text is not an object with a string `name`, or its
    /// description is not a string.
    pub fn read(text: &'a str) -> Result<Self> {
        let read = || {
            let mut deserializer = serde_json::Deserializer::from_str(text);
            let declaration = deserializer.deserialize_map(Reader(text))?;
            deserializer.end().map(|()| declaration)
        };
        read().map_err(|error: serde_json::Error| {
            let message = format!(
                "a tool's declaration cannot be read: {error}; give it a string `name`, and well-formed JSON for the rest"
            );
            Error::new(ErrorKind::InvalidArgument, message)
        })
    }
}

enum Field {
    Name,
    Description,
    InputSchema,
    OutputSchema,
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Key;
        impl Visitor<'_> for Key {
            type Value = Field;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a member's name")
            }

            fn visit_str<E>(self, text: &str) -> std::result::Result<Field, E> {
                Ok(match text {
                    "name" => Field::Name,
                    "description" => Field::Description,
                    "inputSchema" => Field::InputSchema,
                    "outputSchema" => Field::OutputSchema,
                    _ => Field::Other,
                })
            }
        }
        deserializer.deserialize_str(Key)
    }
}

/// A string that may be borrowed; serde's own `Cow` only borrows as a member of a derived struct.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct Reader<'a>(&'a str);

impl<'de> Visitor<'de> for Reader<'de> {
    type Value = Declaration<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a tool's declaration")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Declaration<'de>, A::Error> {
        let mut declaration = Declaration::default();
        let mut has_name = false;
        while let Some(field) = map.next_key()? {
            match field {
                Field::Name => {
                    declaration.name = map.next_value::<Text<'de>>()?.0;
                    has_name = true;
                }
                Field::Description => {
                    declaration.description = map.next_value::<Option<Text<'de>>>()?.map(|text| text.0);
                }
                Field::InputSchema => {
                    declaration.input = Some(map.next_value_seed(SchemaIn { text: self.0, member: "inputSchema" })?);
                }
                Field::OutputSchema => {
                    declaration.output = Some(map.next_value_seed(SchemaIn { text: self.0, member: "outputSchema" })?);
                }
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if has_name { Ok(declaration) } else { Err(A::Error::missing_field("name")) }
    }
}
