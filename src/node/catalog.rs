//! Catalogs and signatures without a session.

use napi::bindgen_prelude::{Either, Utf16String};
use napi_derive::napi;
use serde::Serialize;

use super::error::Result;
use super::usage::JsUsageLog;
use crate::catalog::signature::{Declaration, Detail, standalone};
use crate::catalog::{
    Catalog, CatalogIndex, CategoryCount, Fields, Listing, Options, Party, Weights, listed_tool, listed_tools,
    resolve_pins,
};
use crate::error::{Error, ErrorKind};

#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    level: &'static str,
}

#[derive(Serialize)]
struct Category<'a> {
    namespace: &'a str,
    name: &'a str,
    unshown: usize,
}

impl<'a> Category<'a> {
    fn of(count: &'a CategoryCount) -> Self {
        Self { namespace: &count.namespace, name: &count.name, unshown: count.unshown }
    }
}

#[derive(Serialize)]
struct Rest<'a> {
    tokens: usize,
    complete: bool,
    total: usize,
    shown: Vec<Shown<'a>>,
    categories: Vec<Category<'a>>,
    warnings: &'a [String],
}

/// A catalog as it crosses. Its text is most of it, and goes as it is.
#[napi(object)]
pub struct CrossedCatalog {
    /// The text.
    #[napi(ts_type = "string")]
    pub text: Either<String, Utf16String>,
    /// All else, as JSON text.
    pub rest: String,
}

impl From<Catalog> for CrossedCatalog {
    fn from(catalog: Catalog) -> Self {
        let rest = Rest {
            tokens: catalog.tokens,
            complete: catalog.complete,
            total: catalog.total,
            shown: catalog.shown.iter().map(|tool| Shown { id: &tool.id, level: tool.level.name() }).collect(),
            categories: catalog.categories.iter().map(Category::of).collect(),
            warnings: &catalog.warnings,
        };
        let rest = serde_json::to_string(&rest).expect("strings and numbers can be written");
        Self { text: crossing(catalog.text), rest }
    }
}

/// A text with other than ASCII characters becomes UTF-16 here, which takes a third of the time that V8 takes for it.
fn crossing(text: String) -> Either<String, Utf16String> {
    if text.is_ascii() {
        return Either::A(text);
    }
    Either::B(utf16(&text).into())
}

/// Most characters of any catalog are plain, and those are many at a time.
fn utf16(text: &str) -> Vec<u16> {
    const CHUNK: usize = 32;
    let mut units = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let plain = rest.as_bytes().chunks(CHUNK).take_while(|chunk| chunk.is_ascii()).map(<[u8]>::len).sum();
        let (plain, others) = rest.split_at(plain);
        units.extend(plain.bytes().map(u16::from));
        let (others, after) = others.split_at(others.ceil_char_boundary(CHUNK));
        units.extend(others.encode_utf16());
        rest = after;
    }
    units
}

/// Renders what the index holds; entries of `pinned` that match nothing are said in a warning.
fn render(index: &mut CatalogIndex, options: &Options, weights: Option<&Weights>, warnings: Vec<String>) -> Catalog {
    let (pins, unmatched) = resolve_pins(index, &options.pinned);
    let mut catalog = index.render(&|_| Listing::Open, options, &pins, weights);
    let mut warnings = warnings;
    if let Some(first) = unmatched.first() {
        let others = unmatched.len() - 1;
        let more = if others > 0 { format!(" and {others} more") } else { String::new() };
        warnings.push(format!("pinned `{first}`{more} matches no tool here and is skipped"));
    }
    warnings.append(&mut catalog.warnings);
    catalog.warnings = warnings;
    catalog
}

/// A catalog of `tools`, one JSON text a line, by `options`, the JSON text of an object.
#[napi(catch_unwind)]
pub fn render_catalog(tools: String, options: String, usage: Option<&JsUsageLog>) -> Result<CrossedCatalog> {
    let options = Fields::read(&options, Party::Host)?.with([]);
    let (mut index, warnings) = listed_tools(&tools);
    let weights = usage.map(JsUsageLog::weights);
    Ok(render(&mut index, &options, weights.as_ref(), warnings).into())
}

/// The signature of one tool, given as JSON text; `detail` is `full` or `compact`.
#[napi(catch_unwind)]
pub fn render_signature(tool: String, detail: String) -> Result<String> {
    let invalid = |message: String| Error::new(ErrorKind::InvalidArgument, message);
    let detail = match detail.as_str() {
        "full" => Detail::Full,
        "compact" => Detail::Compact,
        other => {
            return Err(invalid(format!("detail is `{other}`; give `full` or `compact`")).into());
        }
    };
    let head = listed_tool(&tool).map_err(|reason| {
        invalid(format!("the tool cannot be read: {reason}; give it a string `source` and a string `name`"))
    })?;
    Ok(standalone(&mut Declaration::read(&tool)?, &head.origin.source, &head.id(), detail))
}
