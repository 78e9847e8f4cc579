//! What a signature needs of a declaration, read from its JSON text in one pass without building the rest.

use std::borrow::Cow;

use crate::catalog::schema::Schema;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Cursor, Text};

/// A declaration as a signature sees it.
#[derive(Debug, Default)]
pub struct Declaration<'a> {
    /// The raw name.
    pub name: Cow<'a, str>,
    /// What the tool says it does.
    pub description: Option<Text<'a>>,
    /// Its input schema.
    pub input: Option<Schema<'a>>,
    /// Its output schema.
    pub output: Option<Schema<'a>>,
}

/// What must be there, and right.
#[derive(serde::Deserialize)]
#[expect(dead_code, reason = "read for their types")]
struct Frame<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    description: Option<Cow<'a, str>>,
}

impl<'a> Declaration<'a> {
    /// Reads a declaration from its JSON text. Nesting beyond 100 levels is read as "anything".
    ///
    /// Fails with `ERR_TOOLSCOPE_INVALID_ARGUMENT` where the text is not an object with a string `name`, or its
    /// description is not a string.
    pub fn read(text: &'a str) -> Result<Self> {
        match crate::object::read::<Frame<'_>>(text) {
            Ok(_) => Ok(Self::checked(text)),
            Err(error) => {
                let message = format!(
                    "a tool's declaration cannot be read: {error}; give it a string `name`, and well-formed JSON for the rest"
                );
                Err(Error::new(ErrorKind::InvalidArgument, message))
            }
        }
    }

    /// Reads a declaration that was checked when it came in, as a registry does; of any other text, what it can.
    pub(in crate::catalog) fn checked(text: &'a str) -> Self {
        Self::checked_from(text, 0)
    }

    /// Reads what is behind a place between two members; all, where it is the beginning.
    pub(in crate::catalog) fn checked_from(text: &'a str, from: usize) -> Self {
        let mut declaration = Self::default();
        let mut cursor = Cursor::new(text.get(from..).unwrap_or_default());
        if from == 0 && !cursor.enter(b'{') {
            return declaration;
        }
        while let Some(member) = cursor.next_member() {
            match &*member.value() {
                "name" => declaration.name = cursor.string().map(Text::value).unwrap_or_default(),
                "description" => declaration.description = cursor.string(),
                "inputSchema" => declaration.input = Some(Schema::read(&mut cursor)),
                "outputSchema" => declaration.output = Some(Schema::read(&mut cursor)),
                _ => cursor.skip(),
            }
        }
        declaration
    }
}
