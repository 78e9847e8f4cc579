//! Finding tools: the catalog and the search of a session, over indexes that the whole tree shares.
//!
//! The indexes follow the registry when they are asked, one tool at a time; what a session may see of them is its own
//! verdicts' to say, so nothing of an index is ever shown for being in it.

use super::{Session, SessionIndex, Tree, decision::Via};
use crate::{
    catalog::{Catalog, CatalogIndex, Listing, Options, Origin, Pin, Tool, Weights},
    diagnostic::Diagnostic,
    error::{Error, ErrorKind, Result},
    object,
    registry::{Registry, Slot, Status},
    scope::{
        Entry,
        plan::{Plan, Side},
        verdict::Code,
    },
    search::{Document, SchemaText, SearchIndex, compact_signature, program_path, shown_score},
    selector,
    source::{Exposure, SourceIndex, identity::tool_prefix},
    text::shown,
    usage::UsageLog,
};
use hashbrown::HashSet;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{borrow::Cow, sync::Arc};

/// The indexes of a tree; each is made when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Finding {
    catalog: Option<(Follower, CatalogIndex)>,
    search: Option<(Follower, SearchIndex)>,
    prior: Option<Prior>,
}

/// How much each tool was used, from 0 to 1, by slot.
#[derive(Debug)]
struct Prior {
    /// Of the log and of the registry's slots that it was made from.
    of: (u64, usize),
    shares: Vec<f32>,
}

impl Prior {
    fn new(of: (u64, usize), usage: &UsageLog, registry: &Registry, now: i64) -> Self {
        let mut shares = vec![0.0; registry.tools.len()];
        let ranked = usage.rank(None, now);
        let most = ranked.first().map_or(1.0, |&(_, weight)| weight);
        for (id, weight) in ranked {
            if let Some(slot) = registry.by_id(&id) {
                #[expect(clippy::cast_possible_truncation, reason = "a share is a rough thing")]
                let share = (weight / most) as f32;
                shares[slot.at()] = share;
            }
        }
        Self { of, shares }
    }
}

/// How far an index has followed the registry.
#[derive(Debug, Default)]
struct Follower {
    cursor: u64,
    /// By slot, the edition that the index has; 0 is none.
    editions: Vec<u32>,
}

impl Follower {
    /// The slots to take in anew, with whether the tool is there; nothing where nothing changed.
    fn news(&mut self, registry: &Registry) -> Vec<(Slot, bool)> {
        let slots: Vec<Slot> = match registry.log.since(self.cursor) {
            Some(logged) if !self.editions.is_empty() => logged.to_vec(),
            _ => registry.slots().collect(),
        };
        self.cursor = registry.log.end();
        self.editions.resize(registry.tools.len(), 0);
        let mut news = Vec::new();
        for slot in slots {
            let tool = registry.tool(slot);
            let is_here = tool.status == Status::Here;
            let edition = if is_here { tool.edition } else { 0 };
            if std::mem::replace(&mut self.editions[slot.at()], edition) != edition {
                news.push((slot, is_here));
            }
        }
        news
    }
}

/// What the search index and a page read of a declaration; the schema stays text.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Words<'a> {
    #[serde(borrow)]
    description: Option<Cow<'a, str>>,
    #[serde(borrow)]
    category: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    annotations: Option<Titled<'a>>,
}

#[derive(Deserialize)]
struct Titled<'a> {
    #[serde(borrow)]
    title: Option<Cow<'a, str>>,
}

impl Words<'_> {
    fn schema(&self) -> Option<&str> {
        self.input_schema.map(RawValue::get)
    }
}

fn words(text: &str) -> Option<Words<'_>> {
    object::read(text).ok()
}

/// What a search asks for.
#[derive(Clone, Debug, Default)]
pub struct SearchQuery {
    /// The words.
    pub text: String,
    /// Items of the page.
    pub limit: usize,
    /// Items before it.
    pub offset: usize,
    /// Selectors to look within.
    pub within: Option<Vec<String>>,
}

/// One tool that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundTool {
    /// Its id.
    pub id: String,
    /// Its exposed name.
    pub name: String,
    /// How a program calls it.
    pub path: String,
    /// What it says of itself.
    pub description: String,
    /// Its parameters in a line.
    pub signature: String,
    /// How well it fits.
    pub score: f64,
}

/// One tool as a program sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeTool {
    /// Its slot.
    pub slot: Slot,
    /// Its id.
    pub id: String,
    /// Its exposed name: `tools.<name>`.
    pub name: String,
    /// The id of its source.
    pub source: String,
    /// The name of its source: `tools.<label>`.
    pub label: String,
    /// Its raw name: `tools.<label>.<tool>`.
    pub tool: String,
}

/// A page of what was found.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPage {
    /// In order.
    pub items: Vec<FoundTool>,
    /// How many were found in all.
    pub total: usize,
    /// Where the next page begins.
    pub next: Option<usize>,
}

impl Session {
    /// Whether a search may show the tool: in scope, and of an exposure by which it can be reached from code or once it
    /// is loaded.
    fn finds(&self, registry: &Registry, slot: Slot) -> bool {
        let exposure = registry.tool(slot).exposure;
        self.is_allowed(slot) && matches!(exposure, Exposure::Direct | Exposure::Code | Exposure::Deferred)
    }

    /// How the catalog lists the tool.
    fn lists(&self, registry: &Registry, slot: Slot) -> Listing {
        match registry.tool(slot).exposure {
            Exposure::Code if self.is_allowed(slot) => Listing::Open,
            Exposure::Deferred if self.is_allowed(slot) => Listing::Deferred,
            _ => Listing::Hidden,
        }
    }

    fn is_allowed(&self, slot: Slot) -> bool {
        self.verdicts.get(slot.at()).is_some_and(|verdict| verdict.code == Code::Allowed)
    }
}

impl Tree {
    /// The catalog of a session. With `usage` the session takes a new snapshot of it, unless it has one: a catalog
    /// stands in a prompt cache, so it is ranked anew only after `compact`.
    pub fn catalog(
        &mut self,
        index: SessionIndex,
        options: &Options,
        usage: Option<impl FnOnce() -> Weights>,
    ) -> Result<Catalog> {
        self.sync(index);
        let session = self.live_mut(index)?;
        if let Some(usage) = usage
            && session.ranking.is_none()
        {
            session.ranking = Some(usage());
        }
        let (mut follower, mut catalog) = self.finding.catalog.take().unwrap_or_default();
        let registry = &self.registry;
        catalog.reserve(registry.tools.len());
        let mut latest: Option<(SourceIndex, Arc<Origin>)> = None;
        for (slot, _) in follower.news(registry) {
            let tool = registry.tool(slot);
            if let Some(outline) = tool.outline {
                let origin = match latest.take() {
                    Some((source, origin)) if source == tool.source => origin,
                    _ => Arc::new(origin(registry, tool.source)),
                };
                let (member, declaration) = (Arc::clone(&tool.raw), Arc::clone(&tool.text));
                catalog.upsert(slot.0, Tool { origin: Arc::clone(&origin), member, declaration, outline });
                latest = Some((tool.source, origin));
            } else {
                catalog.remove(slot.0);
            }
        }
        let session = self.live(index)?;
        let sees = |slot: u32| session.lists(registry, Slot(slot));
        let (pins, unmatched) = self.pins(session, options);
        let mut made = catalog.render(&sees, options, &pins, session.ranking.as_ref());
        if let Some(first) = unmatched.first() {
            let more = match unmatched.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            made.warnings.insert(0, format!("pinned `{}`{more} matches no tool here and is skipped", shown(first)));
        }
        self.finding.catalog = Some((follower, catalog));
        Ok(made)
    }

    /// Tells that a listener's wishes for the catalog are dropped; the default stands.
    pub fn drop_wish(&mut self, listener: &str, error: &Error) {
        let message = format!("the wishes of `{}` for the catalog are dropped: {}", shown(listener), error.message());
        self.diagnostics.push(Diagnostic::warning("catalog_wish_dropped", message));
    }

    /// The tools that entries of `pinned` mean, of each party each once, in their order, several of one entry by id; and the entries that mean none that is listed.
    fn pins<'a>(&self, session: &Session, options: &'a Options) -> (Vec<Pin>, Vec<&'a str>) {
        let mut pins = Vec::new();
        let mut taken = HashSet::new();
        let mut unmatched = Vec::new();
        for (party, text) in options.pinned() {
            let named = self.registry.named(text);
            let mut slots: Vec<Slot> = match named {
                Some(slot) => vec![slot],
                None => self.selected(&[text.to_owned()]),
            };
            // Not as the server listed them: some list in another order each time.
            slots.sort_by_cached_key(|&slot| self.registry.tool_id(slot));
            let listed = slots.into_iter().filter(|&slot| session.lists(&self.registry, slot) != Listing::Hidden);
            let mut any = false;
            for slot in listed {
                any = true;
                if taken.insert((party, slot)) {
                    pins.push(Pin { slot: slot.0, party });
                }
            }
            if !any && !unmatched.contains(&text) {
                unmatched.push(text);
            }
        }
        (pins, unmatched)
    }

    /// The known tools that selectors grant, in canonical order.
    fn selected(&self, selectors: &[String]) -> Vec<Slot> {
        let entries: Vec<Entry> =
            selectors.iter().map(|text| Entry { text: text.clone(), parsed: selector::parse(text) }).collect();
        let plan = Plan::new(Side::Grant, &entries, &self.registry, None);
        self.known().filter(|&slot| plan.matching(&self.registry, slot).is_some()).collect()
    }

    /// What of a session's tools fits a query; between tools that fit alike, the more used ones first where `usage` is
    /// given (with the time, in ms since 1970). Throws where a selector of `within` does not parse.
    pub fn search(
        &mut self,
        index: SessionIndex,
        query: &SearchQuery,
        usage: Option<(&UsageLog, i64)>,
    ) -> Result<FoundPage> {
        self.sync(index);
        self.live(index)?;
        let within: Option<HashSet<Slot>> = match &query.within {
            None => None,
            Some(selectors) => {
                for text in selectors {
                    if let Err(invalid) = selector::parse(text) {
                        return Err(Error::new(
                            ErrorKind::SelectorInvalid,
                            format!("selector `{}`, column {}: {}", shown(text), invalid.column, invalid.message),
                        ));
                    }
                }
                Some(self.selected(selectors).into_iter().collect())
            }
        };
        if let Some((log, now)) = usage {
            let of = (log.version(), self.registry.tools.len());
            if self.finding.prior.as_ref().is_none_or(|prior| prior.of != of) {
                self.finding.prior = Some(Prior::new(of, log, &self.registry, now));
            }
        }
        let (mut follower, mut search) = self.finding.search.take().unwrap_or_default();
        let registry = &self.registry;
        for (slot, is_here) in follower.news(registry) {
            if is_here {
                take_in(&mut search, registry, slot);
            } else {
                search.remove(slot.0);
            }
        }
        let session = self.live(index)?;
        let visible = |slot: u32| {
            session.finds(registry, Slot(slot)) && within.as_ref().is_none_or(|within| within.contains(&Slot(slot)))
        };
        let page = if query.text.trim().is_empty() {
            let all: Vec<Slot> = self.known().filter(|slot| visible(slot.0)).collect();
            let items = all.iter().skip(query.offset).take(query.limit).map(|&slot| self.found(slot, 0.0)).collect();
            Self::page(items, all.len(), query)
        } else {
            let shares = usage.and(self.finding.prior.as_ref()).map(|prior| &prior.shares[..]);
            let prior = |slot: u32| shares.and_then(|shares| shares.get(slot as usize)).copied().unwrap_or_default();
            let prior: Option<&dyn Fn(u32) -> f32> = if shares.is_some() { Some(&prior) } else { None };
            let page = search.search(&query.text, visible, query.limit, query.offset, prior);
            let found = |hit: &crate::search::Hit| self.found(Slot(hit.slot), shown_score(hit.score, hit.exactness));
            Self::page(page.hits.iter().map(found).collect(), page.total, query)
        };
        self.finding.search = Some((follower, search));
        Ok(page)
    }

    /// The tools that a program of a session may call, in canonical order.
    pub fn code_tools(&mut self, index: SessionIndex) -> Vec<CodeTool> {
        self.sync(index);
        let Some(session) = self.session(index) else { return Vec::new() };
        let listed = self.known().filter(|&slot| self.reachable(session, slot, Via::Code));
        listed
            .map(|slot| {
                let tool = self.registry.tool(slot);
                let source = self.registry.source(tool.source);
                CodeTool {
                    slot,
                    id: self.registry.tool_id(slot),
                    name: tool.exposed.to_string(),
                    source: source.id.clone(),
                    label: self.registry.label(tool.source).to_owned(),
                    tool: tool.raw.to_string(),
                }
            })
            .collect()
    }

    fn page(items: Vec<FoundTool>, total: usize, query: &SearchQuery) -> FoundPage {
        let end = query.offset.saturating_add(items.len());
        FoundPage { next: (end < total && !items.is_empty()).then_some(end), items, total }
    }

    fn found(&self, slot: Slot, score: f64) -> FoundTool {
        let tool = self.registry.tool(slot);
        let words = words(&tool.text);
        FoundTool {
            id: self.registry.tool_id(slot),
            name: tool.exposed.to_string(),
            path: program_path(self.registry.label(tool.source), &tool.raw),
            signature: compact_signature(&tool.exposed, words.as_ref().and_then(Words::schema)),
            description: words.and_then(|words| words.description).map_or_else(String::new, Cow::into_owned),
            score,
        }
    }
}

/// A source as the catalog's index takes it.
fn origin(registry: &Registry, source: SourceIndex) -> Origin {
    let namespace = registry.label(source).to_owned();
    let source = registry.source(source);
    Origin {
        source: source.id.clone(),
        name: source.name.clone(),
        prefix: tool_prefix(source.kind, &source.id),
        namespace,
        description: source.description().map(str::to_owned),
    }
}

fn take_in(search: &mut SearchIndex, registry: &Registry, slot: Slot) {
    let tool = registry.tool(slot);
    let source = registry.source(tool.source);
    let id = registry.tool_id(slot);
    let words = words(&tool.text);
    let words = words.as_ref();
    search.upsert(
        slot.0,
        &Document {
            id: &id,
            name: &tool.raw,
            exposed: Some(&tool.exposed),
            title: words.and_then(|words| words.annotations.as_ref()?.title.as_deref()),
            description: words.and_then(|words| words.description.as_deref()),
            schema: words.and_then(Words::schema).map(SchemaText::read).unwrap_or_default(),
            source_description: source.description(),
            category: words.and_then(|words| words.category.as_deref()),
        },
    );
}
