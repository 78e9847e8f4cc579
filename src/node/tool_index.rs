//! `ToolIndex`: search over a plain list of tools.

use napi_derive::napi;

use super::error::Result;
use crate::error::{Error, ErrorKind};
use crate::search::ToolList;

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
        Ok(slots
            .into_iter()
            .map(|slot| slot.and_then(|slot| i32::try_from(slot).ok()).unwrap_or(-1))
            .collect())
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

    /// A page of what fits the query, as JSON without descriptions, which the caller has.
    #[napi(catch_unwind)]
    pub fn search(&self, query: String, limit: u32, offset: u32) -> Result<String> {
        let page = self.list.search(&query, |_| true, limit as usize, offset as usize);
        serde_json::to_string(&page)
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()).into())
    }
}
