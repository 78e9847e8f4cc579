//! `ToolIndex`: search over a plain list of tools.

use napi_derive::napi;
use serde::Serialize;

use super::error::Result;
use crate::error::{Error, ErrorKind};
use crate::search::{Exactness, NeedShare, ToolList, Within, WordShare, shown_score};

/// The native part of `ToolIndex`; see index.d.ts.
#[napi]
#[derive(Default)]
pub struct NativeToolIndex {
    list: ToolList,
}

#[napi]
impl NativeToolIndex {
    /// An empty index.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds tools, a JSON array; returns each one's slot, -1 for one that is never found.
    #[napi(catch_unwind)]
    pub fn add(&mut self, tools: String) -> Result<Vec<i32>> {
        let slots = self.list.add(&tools)?;
        Ok(slots.into_iter().map(|slot| slot.and_then(|slot| i32::try_from(slot).ok()).unwrap_or(-1)).collect())
    }

    /// Takes a tool away; returns the slot it had, or -1.
    #[napi(catch_unwind)]
    pub fn remove(&mut self, id: String) -> i32 {
        self.list.remove(&id).and_then(|slot| i32::try_from(slot).ok()).unwrap_or(-1)
    }

    /// How many tools can be found.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// The bytes that the index holds.
    #[napi(getter, catch_unwind)]
    pub fn bytes(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a size below 2^53")]
        let bytes = self.list.bytes() as f64;
        bytes
    }

    /// Says how much tools are used: ids, and their weights in the same order.
    #[napi(catch_unwind)]
    pub fn prefer(&mut self, ids: Vec<String>, weights: Vec<f64>) {
        #[expect(clippy::cast_possible_truncation, reason = "a weight is a rough thing")]
        let uses = ids.iter().zip(weights).map(|(id, weight)| (&**id, weight as f32));
        self.list.prefer(uses);
    }

    /// A page of what fits the query, as JSON without descriptions, which the caller has.
    #[napi(catch_unwind)]
    pub fn search(&self, query: String, limit: u32, offset: u32, within: Option<Vec<String>>) -> Result<String> {
        let within = within.map(|selectors| Within::parse(&selectors)).transpose()?;
        let page = self.list.search(&query, within.as_ref(), limit as usize, offset as usize);
        json(&page)
    }

    /// Why a tool stands where it stands, as JSON; null where it is not found.
    #[napi(catch_unwind)]
    pub fn explain(&self, query: String, id: String, within: Option<Vec<String>>) -> Result<String> {
        let within = within.map(|selectors| Within::parse(&selectors)).transpose()?;
        let Some(explanation) = self.list.explain(&query, within.as_ref(), &id) else { return Ok("null".to_owned()) };
        json(&Shown {
            score: shown_score(explanation.score, explanation.exactness),
            exact: match explanation.exactness {
                Exactness::None => None,
                Exactness::Spelled => Some("spelling"),
                Exactness::Name => Some("name"),
                Exactness::Id => Some("id"),
            },
            words: &explanation.words,
            needs: &explanation.needs,
            source: explanation.source,
            usage: explanation.prior,
        })
    }
}

/// An explanation as JavaScript sees it.
#[derive(Serialize)]
struct Shown<'a> {
    score: f64,
    exact: Option<&'static str>,
    words: &'a [WordShare],
    needs: &'a [NeedShare],
    source: f32,
    usage: f32,
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::new(ErrorKind::Internal, error.to_string()).into())
}
