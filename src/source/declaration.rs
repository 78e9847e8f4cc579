//! One tool's declaration: read from its own JSON text, checked, and refused alone where it is malformed.
//!
//! Declarations come from servers and extensions nobody vetted, so nothing in one grants a right, and each is framed
//! by itself: whatever is wrong with one text says nothing about the next.

use super::shape::{Schema, Text};
use crate::{
    catalog::Outline,
    json::until_quote_or_escape,
    object::{self, Object},
    text::shown,
};
use serde::de::{Deserialize, Deserializer, Visitor};
use std::{borrow::Cow, fmt, sync::Arc};

/// The longest raw name, in bytes. A name is repeated in ids, reports and refusals, so it cannot be a document.
pub const MAX_NAME_BYTES: usize = 1_024;
/// The largest declaration, in bytes of JSON text.
pub const MAX_TEXT_BYTES: usize = 4 << 20;
/// The deepest nesting, counted in brackets; the depth at which common JSON readers stop.
pub const MAX_DEPTH: usize = 128;

/// How a tool can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Exposure {
    /// Declared to the model, and callable from code.
    #[default]
    Direct,
    /// Declared to the model, not callable from code.
    ModelOnly,
    /// In the catalog, callable from code.
    Code,
    /// Found by search; callable once loaded, or from code.
    Deferred,
    /// Not reachable.
    Hidden,
}

impl Exposure {
    /// All exposures.
    pub const ALL: [Self; 5] = [Self::Direct, Self::ModelOnly, Self::Code, Self::Deferred, Self::Hidden];

    /// The word in declarations.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::ModelOnly => "model-only",
            Self::Code => "code",
            Self::Deferred => "deferred",
            Self::Hidden => "hidden",
        }
    }

    /// Whether a catalog may list such a tool: what is declared to the model already is not repeated.
    #[must_use]
    pub const fn is_listed(self) -> bool {
        matches!(self, Self::Code | Self::Deferred)
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|exposure| exposure.as_str() == text)
    }
}

/// An annotation hint a selector can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Hint {
    /// Does not modify its environment.
    ReadOnly = 1,
    /// May destroy.
    Destructive = 2,
    /// Calling twice is calling once.
    Idempotent = 4,
    /// Meets an open world.
    OpenWorld = 8,
}

impl Hint {
    /// All hints.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Destructive, Self::Idempotent, Self::OpenWorld];

    /// The word after `@`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "readOnly",
            Self::Destructive => "destructive",
            Self::Idempotent => "idempotent",
            Self::OpenWorld => "openWorld",
        }
    }

    /// Reads the word after `@`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hint| hint.as_str() == text)
    }
}

/// The hints that hold for a tool, with MCP's defaults applied, and whether it gave annotations at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    holds: u8,
    given: bool,
}

impl Hints {
    /// Whether the tool says `hint` of itself; `None` where it gave no annotations.
    #[must_use]
    pub const fn says(self, hint: Hint) -> Option<bool> {
        if self.given { Some(self.holds & hint as u8 != 0) } else { None }
    }
}

/// A declaration that passed: what the registry needs of it, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Raw name.
    pub name: String,
    /// The host's own exposed name, where it has one.
    pub exposed: Option<String>,
    /// How it can be reached.
    pub exposure: Exposure,
    /// Its annotation hints.
    pub hints: Hints,
    /// The JSON text it was read from.
    pub text: Arc<str>,
    /// Of that text, where a catalog may list the tool.
    pub outline: Option<Outline>,
}

/// Why a declaration was refused, with the name it gave where it could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The raw name; empty where none could be read, cut where it is over [`MAX_NAME_BYTES`].
    pub name: String,
    /// What is wrong and how to mend it.
    pub reason: String,
}

impl Malformed {
    /// A refusal of what calls itself `name`.
    #[must_use]
    pub fn new(name: &str, reason: String) -> Self {
        Self { name: name[..name.floor_char_boundary(MAX_NAME_BYTES + 1)].to_owned(), reason }
    }

    /// Whether the name can stand for a tool.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        !self.name.is_empty() && self.name.len() <= MAX_NAME_BYTES
    }
}

impl Declaration {
    /// Reads one declaration. Linear in the text; allocates the name and the text.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let refuse = |name: &str, reason: String| Err(Malformed::new(name, reason));
        let frame: Frame<'_> = match object::read(text) {
            Ok(frame) => frame,
            Err(error) => return refuse(&name_of(text), format!("{error}; mend the declaration")),
        };
        let Some(name) = frame.name else {
            return refuse("", "the name is missing; give each tool a `name`".to_owned());
        };
        if name.is_empty() {
            return refuse("", "the name is empty; give each tool a `name`".to_owned());
        }
        if name.len() > MAX_NAME_BYTES {
            let reason = format!("the name has {} bytes; shorten it to {MAX_NAME_BYTES} at most", name.len());
            return refuse(&name, reason);
        }
        if text.len() > MAX_TEXT_BYTES {
            let reason =
                format!("the declaration has {} bytes of JSON; shorten it to {MAX_TEXT_BYTES} at most", text.len());
            return refuse(&name, reason);
        }
        if let Err(reason) = check_text(text.as_bytes()) {
            return refuse(&name, reason);
        }
        let word = frame.exposure.as_deref().unwrap_or(Exposure::Direct.as_str());
        let Some(exposure) = Exposure::parse(word) else {
            let words = Exposure::ALL.map(Exposure::as_str).join("`, `");
            return refuse(&name, format!("unknown exposure `{}`; use one of `{words}`", shown(word)));
        };
        Ok(Self {
            name: name.into_owned(),
            exposed: frame.exposed_name.map(Cow::into_owned),
            exposure,
            hints: frame.annotations.unwrap_or_default(),
            text: text.into(),
            outline: exposure.is_listed().then(|| Outline::of(text)),
        })
    }
}

/// The description of a checked declaration.
#[must_use]
pub fn description(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Only<'a> {
        #[serde(borrow)]
        description: Option<Cow<'a, str>>,
    }
    object::read::<Only<'_>>(text).ok()?.description.map(Cow::into_owned)
}

/// The name in a text that did not parse as a declaration, so that the refusal can say whose it was.
fn name_of(text: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Only<'a> {
        #[serde(borrow)]
        name: Option<Cow<'a, str>>,
    }
    object::read::<Only<'_>>(text).ok().and_then(|only| only.name).map_or_else(String::new, Cow::into_owned)
}

/// Depth and lone surrogates, which a reader that skips the schema does not see and a later reader would trip over.
fn check_text(bytes: &[u8]) -> Result<(), String> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(format!("it is nested more than {MAX_DEPTH} deep; flatten the schema"));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_string(bytes, at)?,
            _ => {}
        }
    }
    Ok(())
}

/// The index after the closing quote of the string that begins at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> Result<usize, String> {
    loop {
        at = until_quote_or_escape(bytes, at);
        match bytes.get(at) {
            None => return Ok(at),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') if bytes.get(at + 1) == Some(&b'u') => match unit(bytes, at) {
                Some(0xD800..=0xDBFF) if matches!(unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
                Some(0xD800..=0xDFFF) => {
                    return Err("a string holds a lone surrogate; replace it (`String.prototype.toWellFormed`)".into());
                }
                _ => at += 6,
            },
            Some(_) => at += 2,
        }
    }
}

/// The code unit of the `\uXXXX` escape that begins at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    if &escape[..2] != b"\\u" {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
}

/// What is read of a declaration; everything else stays text.
#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Frame<'a> {
    #[serde(borrow, default, deserialize_with = "borrowed")]
    name: Option<Cow<'a, str>>,
    #[serde(default, rename = "description")]
    _description: Option<Text>,
    #[serde(default, rename = "category")]
    _category: Option<Text>,
    #[serde(borrow, default, deserialize_with = "borrowed")]
    exposure: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "borrowed")]
    exposed_name: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "given", rename = "inputSchema")]
    _input_schema: Option<Schema>,
    #[serde(default, deserialize_with = "given", rename = "outputSchema")]
    _output_schema: Option<Schema>,
    #[serde(default)]
    annotations: Option<Hints>,
}

/// What is there must be one: `null` is no schema.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A string that borrows from the text where it holds no escape; serde borrows inside an `Option` only when told to.
fn borrowed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cow<'de, str>>, D::Error> {
    struct Borrowed;
    impl<'de> Visitor<'de> for Borrowed {
        type Value = Option<Cow<'de, str>>;
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string")
        }
        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Borrowed(text)))
        }
        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Some(Cow::Owned(text.to_owned())))
        }
    }
    deserializer.deserialize_str(Borrowed)
}

impl<'de> Deserialize<'de> for Hints {
    /// MCP's defaults: destructive and open-world unless said otherwise; a read-only tool is neither destructive nor
    /// is repeating it a change.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Annotations {
            #[serde(default, rename = "title")]
            _title: Option<Text>,
            read_only_hint: Option<bool>,
            destructive_hint: Option<bool>,
            idempotent_hint: Option<bool>,
            open_world_hint: Option<bool>,
        }
        let Object(said) = Object::<Annotations>::deserialize(deserializer)?;
        let read_only = said.read_only_hint.unwrap_or(false);
        let mut holds = 0;
        for (hint, value) in [
            (Hint::ReadOnly, read_only),
            (Hint::Destructive, !read_only && said.destructive_hint.unwrap_or(true)),
            (Hint::Idempotent, said.idempotent_hint.unwrap_or(false)),
            (Hint::OpenWorld, said.open_world_hint.unwrap_or(true)),
        ] {
            if value {
                holds |= hint as u8;
            }
        }
        Ok(Self { holds, given: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> String {
        Declaration::parse(text).expect_err(text).reason
    }

    #[test]
    fn malformed_declarations_say_what_and_how() {
        assert!(reason(r#"{"description":"x"}"#).contains("name is missing"));
        assert!(reason(r#"{"name":""}"#).contains("name is empty"));
        assert!(reason(r#"{"name":5}"#).contains("expected a string"));
        assert!(reason(r#"{"name":"a","description":5}"#).contains("expected a string"));
        assert!(reason(r#"{"name":"a","inputSchema":"object"}"#).contains("JSON Schema"));
        assert!(reason(r#"{"name":"a","inputSchema":null}"#).contains("JSON Schema"));
        assert!(reason(r#"{"name":"a","inputSchema":{"type":5}}"#).contains("type name"));
        assert!(reason(r#"{"name":"a","inputSchema":{"properties":{"p":3}}}"#).contains("JSON Schema"));
        assert!(reason(r#"{"name":"a","exposure":"open"}"#).contains("unknown exposure `open`"));
        assert!(reason(r#"{"name":"a","description":"\ud800"}"#).contains("hex escape"));
        assert!(reason(r#"{"name":"a","inputSchema":{"x":"\udc00\ud800"}}"#).contains("surrogate"));
        let deep = format!(r#"{{"name":"a","inputSchema":{{"x":{}{}}}}}"#, "[".repeat(130), "]".repeat(130));
        assert!(reason(&deep).contains("nested"));
        assert!(reason(&format!(r#"{{"name":"{}"}}"#, "n".repeat(1 << 20))).contains("1048576 bytes"));
        assert!(
            reason(&format!(r#"{{"name":"a","description":"{}"}}"#, "d".repeat(5 << 20))).contains("bytes of JSON")
        );
    }

    #[test]
    fn what_is_legal_passes() {
        for text in [
            r#"{"name":"a"}"#,
            r#"{"name":"é\n\u0000","inputSchema":true}"#,
            r#"{"name":"a","description":"\ud83d\ude00","inputSchema":{"type":["object","null"],"properties":{"p":true}}}"#,
        ] {
            assert!(Declaration::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn hints_take_the_protocols_defaults() {
        let hints = |text: &str| Declaration::parse(text).unwrap().hints;
        assert_eq!(hints(r#"{"name":"a"}"#).says(Hint::ReadOnly), None);
        let bare = hints(r#"{"name":"a","annotations":{}}"#);
        assert_eq!(bare.says(Hint::Destructive), Some(true));
        assert_eq!(bare.says(Hint::OpenWorld), Some(true));
        assert_eq!(bare.says(Hint::ReadOnly), Some(false));
        let reader = hints(r#"{"name":"a","annotations":{"readOnlyHint":true}}"#);
        assert_eq!(reader.says(Hint::Destructive), Some(false));
    }
}
