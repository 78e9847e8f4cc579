//! What a signature needs of a declaration, read from its JSON text without building the rest.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};

/// A declaration as a signature sees it; schemas stay text until a type is written.
#[derive(Debug)]
pub struct Declaration<'a> {
    /// The raw name.
    pub name: Cow<'a, str>,
    /// What the tool says it does.
    pub description: Option<Cow<'a, str>>,
    /// The text of its input schema.
    pub input_schema: Option<&'a str>,
    /// The text of its output schema.
    pub output_schema: Option<&'a str>,
}

#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    description: Option<Cow<'a, str>>,
    #[serde(borrow, default, rename = "inputSchema")]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "outputSchema")]
    output_schema: Option<&'a RawValue>,
}

impl<'a> Declaration<'a> {
    /// Reads a declaration from its JSON text.
    ///
    /// Fails with `ERR_TOOLSCOPE_INVALID_ARGUMENT` where the text is not an object with a string `name`, or its
    /// description is not a string.
    pub fn read(text: &'a str) -> Result<Self> {
        let raw: Raw<'a> = serde_json::from_str(text).map_err(|error| {
            Error::new(ErrorKind::InvalidArgument, format!("a tool's declaration cannot be read: {error}; give it a string `name`, and well-formed JSON for the rest"))
        })?;
        Ok(Self {
            name: raw.name,
            description: raw.description,
            input_schema: raw.input_schema.map(RawValue::get),
            output_schema: raw.output_schema.map(RawValue::get),
        })
    }
}
