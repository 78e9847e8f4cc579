//! A tool's declaration as TypeScript: full, with types and comments, or compact, with the names of its parameters.
//!
//! Everything printed parses and type-checks, whatever schema a server sends; where a shape cannot be said, that part
//! alone is `unknown`. The work is linear in the size of the declaration.

mod combine;
mod declaration;
pub(super) mod least;
mod object;
mod parameters;
mod target;
mod writer;

use data_encoding::BASE32_NOPAD;
use sha2::{Digest, Sha256};

pub use declaration::Declaration;

use self::writer::Writer;
use super::schema::{References, Schema};
use super::text;
use crate::json::{Cursor, Text};

/// A signature with more characters than this is written without field comments, then with less and less depth.
const LONGEST: usize = 4_000;
/// Characters of a tool's comment.
pub(super) const DESCRIPTION_LENGTH: usize = 160;
/// Characters of the sentence after a compact signature.
const SENTENCE_LENGTH: usize = 80;

/// The types of one tool, not yet put into words.
#[derive(Debug)]
pub struct Types {
    /// Named types that the others need: name and text.
    pub declarations: Vec<(String, String)>,
    /// The type of the input.
    pub input: String,
    /// The type of what a call gives, where the tool declares it.
    pub output: Option<String>,
}

impl Types {
    /// Bytes.
    pub(super) fn length(&self) -> usize {
        self.input.len()
            + self.output.as_ref().map_or(0, String::len)
            + self.declarations.iter().map(|(name, text)| name.len() + text.len()).sum::<usize>()
    }
}

/// The mark that keeps the named types of one tool apart from those of every other: a function of its id alone.
#[must_use]
pub fn mark(id: &str) -> String {
    let mut mark = BASE32_NOPAD.encode(&Sha256::digest(id.as_bytes())[..5]);
    mark.make_ascii_lowercase();
    mark
}

/// The types of a declaration. `id` gives the tool's, for the names of named types.
#[must_use]
pub fn types(declaration: &mut Declaration<'_>, id: impl FnOnce() -> String) -> Types {
    let followed = [&mut declaration.input, &mut declaration.output].map(|schema| schema.as_mut().map(References::of));
    let (input, output) = (&declaration.input, &declaration.output);
    let needs_mark = [input, output].into_iter().flatten().any(|schema| schema.has_references);
    let mark = if needs_mark { mark(&id()) } else { String::new() };
    let out_mark = if needs_mark { format!("{mark}_out") } else { String::new() };
    let mut types = Types { declarations: Vec::new(), input: String::new(), output: None };
    // Comments first, then depth: what is left at the end still tells variants apart.
    for (notes, deepest) in [(true, usize::MAX), (false, usize::MAX), (false, 4), (false, 3), (false, 2), (false, 1)] {
        types.declarations.clear();
        let mut write = |schema: &Option<Schema<'_>>, references: &Option<References>, mark: &str| {
            let (schema, references) = (schema.as_ref()?, references.as_ref()?);
            let mut writer = Writer::new(schema, references, mark);
            writer.notes = notes;
            writer.deepest = deepest;
            Some(writer.run(&mut types.declarations))
        };
        let [of_input, of_output] = &followed;
        let (given, made) = (write(input, of_input, &mark), write(output, of_output, &out_mark));
        types.input = given.unwrap_or_else(|| "unknown".to_owned());
        types.output = made;
        if types.length() <= LONGEST {
            break;
        }
    }
    types
}

/// Appends the named types, a line each.
pub fn push_declarations(out: &mut String, types: &Types) {
    for (name, text) in &types.declarations {
        out.push_str("type ");
        out.push_str(name);
        out.push_str(" = ");
        out.push_str(text);
        out.push('\n');
    }
}

/// What a member has at the most beside its name and its types, where the name needs no escapes.
pub(super) const AROUND_MEMBER: usize = "\"\"(input: ): Promise<>\n".len();

/// Appends `name(input: …): …`, as a member of an object type. `silent` is the type of what a call gives where the
/// tool does not declare it.
pub fn push_member(out: &mut String, name: &str, types: &Types, silent: &str) {
    text::push_key(out, name);
    out.push_str("(input: ");
    out.push_str(&types.input);
    out.push_str("): ");
    match &types.output {
        Some(output) => {
            out.push_str("Promise<");
            out.push_str(output);
            out.push('>');
        }
        None => out.push_str(silent),
    }
}

/// Appends the comment of a tool, read from the text of its declaration. Returns a place in that text which all its
/// schemas are behind: they mostly are behind the description, and a description can be long.
pub(super) fn push_comment(out: &mut String, declaration: &str) -> usize {
    let mut cursor = Cursor::new(declaration);
    let mut has_schema = false;
    if cursor.enter(b'{') {
        while let Some(member) = cursor.next_member() {
            if member.is("description") {
                push_description(out, cursor.string());
                return if has_schema { 0 } else { cursor.at() };
            }
            has_schema |= member.is("inputSchema") || member.is("outputSchema");
            cursor.skip();
        }
    }
    0
}

/// Appends the comment of a tool and a line break; nothing where it says nothing.
pub fn push_description(out: &mut String, description: Option<Text<'_>>) {
    if let Some(description) = description {
        push_remark(out, description, DESCRIPTION_LENGTH, " */\n");
    }
}

/// Appends the first line of a text, at most `limit` characters of it, as a comment; nothing where it says nothing.
fn push_remark(out: &mut String, said: Text<'_>, limit: usize, end: &str) {
    let start = out.len();
    out.push_str("/** ");
    if text::push_line(out, &said.first_line(), limit) {
        out.push_str(end);
    } else {
        out.truncate(start);
    }
}

/// Appends `name(_:{a,b?})`: the names of the parameters alone, `?` after optional ones.
///
/// The types are left out, so that a compiler must allow implicit `any`.
pub fn push_compact(out: &mut String, name: &str, declaration: &mut Declaration<'_>) {
    text::push_key(out, name);
    out.push_str("(_");
    match &mut declaration.input {
        Some(schema) => {
            let references = References::of(schema);
            parameters::push(out, schema, &references);
        }
        None => out.push('?'),
    }
    out.push(')');
}

/// Appends ` // ` and the first sentence of the description; nothing where there is none.
pub fn push_sentence(out: &mut String, description: Option<Text<'_>>) {
    let Some(description) = description else { return };
    let start = out.len();
    out.push_str(" // ");
    if !text::push_sentence(out, &description.first_line(), SENTENCE_LENGTH) {
        out.truncate(start);
    }
}

/// How much of a tool a signature shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Types, comments on fields, first line of the description.
    #[default]
    Full,
    /// One line: parameter names, first sentence.
    Compact,
}

/// The signature of one tool, complete as a piece of TypeScript: it declares `tools.<source>.<tool>`.
///
/// # Examples
///
/// ```
/// use toolscope::catalog::signature::{Declaration, Detail, standalone};
///
/// let text = r#"{"name":"get-sum","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}}}"#;
/// let mut declaration = Declaration::read(text).unwrap();
/// assert_eq!(
///     standalone(&mut declaration, "kb", "kb/get-sum", Detail::Full),
///     r#"declare const tools: { kb: { "get-sum"(input: { a?: number }): Promise<unknown> } };"#,
/// );
/// assert_eq!(
///     standalone(&mut declaration, "kb", "kb/get-sum", Detail::Compact),
///     r#"declare const tools: { kb: { "get-sum"(_:{a?}) } };"#,
/// );
/// ```
#[must_use]
pub fn standalone(declaration: &mut Declaration<'_>, source: &str, id: &str, detail: Detail) -> String {
    let mut out = String::new();
    let open = |out: &mut String| {
        out.push_str("declare const tools: { ");
        text::push_key(out, source);
        out.push_str(": { ");
    };
    match detail {
        Detail::Full => {
            let types = types(declaration, || id.to_owned());
            push_declarations(&mut out, &types);
            push_description(&mut out, declaration.description);
            open(&mut out);
            push_member(&mut out, &declaration.name, &types, "Promise<unknown>");
            out.push_str(" } };");
        }
        Detail::Compact => {
            open(&mut out);
            let name = declaration.name.clone();
            push_compact(&mut out, &name, declaration);
            out.push_str(" } };");
            push_sentence(&mut out, declaration.description);
        }
    }
    out
}
