//! Search over a plain list of tools, without a session.

use std::borrow::Cow;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::document::Document;
use super::explain::Explanation;
use super::index::SearchIndex;
use super::lookup::{Exactness, source_name};
use super::path::program_path;
use super::rank::Prior;
use super::schema::SchemaText;
use super::signature::compact_signature;
use super::within::Within;
use crate::error::{Error, ErrorKind, Result};
use crate::object::{self, Object};

/// A tool as its list says it, in JSON. What is of no known type is passed over, but for the name and the source.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Declared<'a> {
    #[serde(borrow)]
    source: &'a RawValue,
    #[serde(borrow)]
    name: &'a RawValue,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    source_description: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    category: Option<&'a RawValue>,
    #[serde(borrow)]
    exposure: Option<&'a RawValue>,
}

/// A tool that can be found, as a page shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item<'a> {
    /// Its slot, the same as long as the tool is in the list.
    pub slot: u32,
    /// Its id: `source/name`, or `builtin:name`.
    pub id: &'a str,
    /// Its raw name.
    pub name: &'a str,
    /// How a program writes it.
    pub path: String,
    /// Its signature, in one line.
    pub signature: &'a str,
    /// How well it fits; what is named outright stands whole steps above the rest.
    pub score: f64,
}

/// Some of the tools that were found, best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemPage<'a> {
    /// The tools.
    pub items: Vec<Item<'a>>,
    /// How many were found in all.
    pub total: usize,
    /// Where the next page starts; `None` where this is the last one.
    pub next: Option<usize>,
}

/// A list of tools with an index over it.
#[derive(Debug, Default)]
pub struct ToolList {
    index: SearchIndex,
    /// The slots, by the ids that the index holds.
    slots: HashTable<u32>,
    hasher: DefaultHashBuilder,
    signatures: Vec<Box<str>>,
    free: Vec<u32>,
    /// How much each tool is used, by slot, from 0 to 1; empty where it is not known.
    uses: Vec<f32>,
}

impl ToolList {
    /// Adds tools, given as a JSON array; one with the id of another replaces it. Returns each one's slot, or `None`
    /// for a tool that search never shows (`hidden`, `model-only`). Either all are added, or none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] where a tool has no source or no name.
    pub fn add(&mut self, json: &str) -> Result<Vec<Option<u32>>> {
        let declared = match serde_json::from_str::<Vec<Object<Declared<'_>>>>(json) {
            Ok(declared) => declared,
            Err(error) => return Err(first_invalid(json, &error)),
        };
        let tools: Vec<Tool<'_>> = declared
            .iter()
            .enumerate()
            .map(|(number, Object(declared))| Tool::of(declared, number))
            .collect::<Result<_>>()?;
        let many = tools.len() > self.index.len();
        let slots = tools.iter().map(|tool| self.put(tool)).collect();
        if many {
            self.index.shrink();
        }
        Ok(slots)
    }

    fn put(&mut self, tool: &Tool<'_>) -> Option<u32> {
        if !tool.is_found {
            self.remove(&tool.id);
            return None;
        }
        let known = self.slot(&tool.id);
        let slot = known.or_else(|| self.free.pop()).unwrap_or_else(|| {
            self.signatures.push(Box::default());
            u32::try_from(self.signatures.len() - 1).expect("fewer than 2^32 tools")
        });
        self.signatures[slot as usize] = compact_signature(&tool.name, tool.schema).into();
        self.index.upsert(
            slot,
            &Document {
                id: &tool.id,
                name: &tool.name,
                exposed: None,
                title: tool.title.as_deref(),
                description: tool.description.as_deref(),
                schema: tool.schema.map(SchemaText::read).unwrap_or_default(),
                source_description: tool.source_description.as_deref(),
                category: tool.category.as_deref(),
            },
        );
        if known.is_none() {
            let (index, hasher) = (&self.index, &self.hasher);
            self.slots.insert_unique(hasher.hash_one(&*tool.id), slot, |slot| hasher.hash_one(index.id(*slot)));
        }
        Some(slot)
    }

    fn slot(&self, id: &str) -> Option<u32> {
        self.slots.find(self.hasher.hash_one(id), |slot| self.index.id(*slot) == id).copied()
    }

    /// Takes a tool out of the list; returns the slot it had.
    pub fn remove(&mut self, id: &str) -> Option<u32> {
        let slot = self.slot(id)?;
        if let Ok(found) = self.slots.find_entry(self.hasher.hash_one(id), |other| *other == slot) {
            found.remove();
        }
        self.index.remove(slot);
        self.signatures[slot as usize] = Box::default();
        if let Some(uses) = self.uses.get_mut(slot as usize) {
            *uses = 0.0;
        }
        self.free.push(slot);
        Some(slot)
    }

    /// How many tools can be found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether none can.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The bytes that the index and the list hold, without what the allocator adds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let signatures: usize = self.signatures.iter().map(|signature| signature.len()).sum();
        self.index.bytes()
            + signatures
            + self.signatures.capacity() * size_of::<Box<str>>()
            + self.slots.capacity() * (size_of::<u32>() + 1)
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> &SearchIndex {
        &self.index
    }

    /// Says how much tools are used, by id and weight: what is used most is lifted most, by a quarter. Replaces what
    /// was said before; holds for the tools that are here now.
    pub fn prefer<'a>(&mut self, uses: impl IntoIterator<Item = (&'a str, f32)>) {
        let uses: Vec<(u32, f32)> = uses
            .into_iter()
            .filter(|(_, weight)| weight.is_finite() && *weight > 0.0)
            .filter_map(|(id, weight)| Some((self.slot(id)?, weight)))
            .collect();
        let most = uses.iter().map(|(_, weight)| *weight).fold(0.0, f32::max);
        self.uses.clear();
        if most > 0.0 {
            self.uses.resize(self.signatures.len(), 0.0);
            for (slot, weight) in uses {
                self.uses[slot as usize] = weight / most;
            }
        }
    }

    fn within<'a>(&'a self, within: Option<&'a Within>) -> impl Fn(u32) -> bool + 'a {
        move |slot| {
            within.is_none_or(|within| {
                self.index.entry(slot).is_some_and(|entry| within.admits(entry.source(), entry.name(), &entry.id))
            })
        }
    }

    fn use_of(&self, slot: u32) -> f32 {
        self.uses.get(slot as usize).copied().unwrap_or(0.0)
    }

    /// Why a tool stands where it stands for a query; `None` where it is not found.
    #[must_use]
    pub fn explain(&self, query: &str, within: Option<&Within>, id: &str) -> Option<Explanation> {
        let uses = |slot| self.use_of(slot);
        let prior: Option<Prior<'_>> = if self.uses.is_empty() { None } else { Some(&uses) };
        self.index.explain(query, self.within(within), self.slot(id)?, prior)
    }

    /// Finds the tools that fit a query best; see [`SearchIndex::search`].
    #[must_use]
    pub fn search(&self, query: &str, within: Option<&Within>, limit: usize, offset: usize) -> ItemPage<'_> {
        let uses = |slot| self.use_of(slot);
        let prior: Option<Prior<'_>> = if self.uses.is_empty() { None } else { Some(&uses) };
        let page = self.index.search(query, self.within(within), limit, offset, prior);
        let end = offset.saturating_add(page.hits.len());
        let items = page
            .hits
            .iter()
            .filter_map(|hit| {
                let entry = self.index.entry(hit.slot)?;
                Some(Item {
                    slot: hit.slot,
                    id: &entry.id,
                    name: entry.name(),
                    path: program_path(source_name(entry.source()), entry.name()),
                    signature: &self.signatures[hit.slot as usize],
                    score: shown_score(hit.score, hit.exactness),
                })
            })
            .collect();
        ItemPage { items, total: page.total, next: (end < page.total).then_some(end) }
    }
}

/// A score as callers see it: what is named outright stands whole millions above the rest, so that scores never rise
/// down a page.
#[must_use]
pub fn shown_score(score: f32, exactness: Exactness) -> f64 {
    let step = match exactness {
        Exactness::None => 0.0,
        Exactness::Spelled => 1.0,
        Exactness::Name => 2.0,
        Exactness::Id => 3.0,
    };
    f64::from(score) + step * 1_000_000.0
}

/// A tool of the list, read.
struct Tool<'a> {
    id: String,
    name: Cow<'a, str>,
    description: Option<Cow<'a, str>>,
    source_description: Option<Cow<'a, str>>,
    schema: Option<&'a str>,
    title: Option<Cow<'a, str>>,
    category: Option<Cow<'a, str>>,
    /// Not one that search never shows.
    is_found: bool,
}

impl<'a> Tool<'a> {
    fn of(declared: &Declared<'a>, number: usize) -> Result<Self> {
        let name = text(Some(declared.name)).ok_or_else(|| {
            invalid(format!("name `{}` of tool {number} is no string; give its raw name", declared.name))
        })?;
        let source = text(Some(declared.source)).filter(|source| !source.is_empty()).ok_or_else(|| {
            invalid(format!(
                "source `{}` of tool `{name}` is no source; give one such as `mcp:github`",
                declared.source
            ))
        })?;
        let separator = if source == "builtin" { ":" } else { "/" };
        Ok(Self {
            id: [&*source, separator, &*name].concat(),
            name,
            description: text(declared.description),
            source_description: text(declared.source_description),
            schema: declared.input_schema.map(RawValue::get),
            title: text(declared.title),
            category: text(declared.category),
            is_found: !matches!(text(declared.exposure).as_deref(), Some("hidden" | "model-only")),
        })
    }
}

fn invalid(message: String) -> Error {
    Error::new(ErrorKind::InvalidArgument, message)
}

/// Why a text is no list of tools: the first that has no source or no name, or that it is no list at all.
fn first_invalid(json: &str, error: &serde_json::Error) -> Error {
    let texts: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
    match texts.iter().position(|text| object::read::<Declared<'_>>(text.get()).is_err()) {
        Some(number) => invalid(format!("tool {number} has no `source` and `name`; give both as strings")),
        None => invalid(format!("tools are not a JSON array: {error}")),
    }
}

/// A JSON string; `None` for any other value.
fn text(value: Option<&RawValue>) -> Option<Cow<'_, str>> {
    /// Borrowed where the text has no escapes.
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    serde_json::from_str::<Text<'_>>(value?.get()).ok().map(|text| text.0)
}
