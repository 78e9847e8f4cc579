//! What the index reads of one tool.

use super::schema::SchemaText;

/// The texts of one tool. All of it may come from a server nobody vetted: it is words to match and nothing else.
#[derive(Clone, Debug, Default)]
pub struct Document<'a> {
    /// The tool's id, for example `mcp:github/create_issue`. Ties are settled by it.
    pub id: &'a str,
    /// The raw name; `id` ends with it.
    pub name: &'a str,
    /// The name a model sees, where it is not the raw one.
    pub exposed: Option<&'a str>,
    /// A title for people.
    pub title: Option<&'a str>,
    /// What it does.
    pub description: Option<&'a str>,
    /// What its input schema says; see [`SchemaText::read`].
    pub schema: SchemaText,
    /// What the host says of its source.
    pub source_description: Option<&'a str>,
    /// The category it was put in.
    pub category: Option<&'a str>,
}

impl Document<'_> {
    /// The id of the tool's source, as the id has it.
    #[must_use]
    pub fn source(&self) -> &str {
        let length = self.id.len().saturating_sub(self.name.len() + 1);
        self.id.get(..length).unwrap_or("")
    }
}

/// A part of a tool's text; each has a weight and a usual length of its own in [`super::Setting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The raw name.
    Name,
    /// The title.
    Title,
    /// The first sentence of the description.
    Summary,
    /// The rest of the description.
    Description,
    /// Parameter names.
    Parameters,
    /// Parameter descriptions.
    ParameterDescriptions,
    /// Values of enums.
    Values,
    /// The source's name.
    Source,
    /// The source's description.
    SourceDescription,
    /// The category.
    Category,
}

impl Field {
    /// Every field, in the order of the settings.
    pub const ALL: [Self; 10] = [
        Self::Name,
        Self::Title,
        Self::Summary,
        Self::Description,
        Self::Parameters,
        Self::ParameterDescriptions,
        Self::Values,
        Self::Source,
        Self::SourceDescription,
        Self::Category,
    ];
}

/// Where the first sentence of a description ends: at a line's end, or at a full stop that a space follows.
#[must_use]
pub fn summary_end(text: &str) -> usize {
    let start = text.len() - text.trim_start().len();
    let bytes = text.as_bytes();
    for at in start..bytes.len() {
        match bytes[at] {
            b'\n' => return at,
            b'.' | b'!' | b'?' if bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace) && at - start > 8 => {
                return at + 1;
            }
            0xE3 if text[at..].starts_with('。') => return at,
            _ => {}
        }
    }
    bytes.len()
}
