//! Search over thousands of tools that finds the right one, without a network or a model.
//!
//! [`SearchIndex`] holds the words of each tool under a slot of the caller's and is kept up to date tool by tool; it
//! knows nothing of scopes: a search is given what is visible. [`ToolList`] is the same over a plain list of tools.
//!
//! ```
//! use toolscope::search::{Document, SearchIndex};
//!
//! let mut index = SearchIndex::new();
//! let name = "list_pull_requests";
//! index.upsert(7, &Document { id: "mcp:github/list_pull_requests", name, ..Document::default() });
//! let page = index.search("show open PRs, pull requests", |slot| slot == 7, 10, 0, None);
//! assert_eq!(page.hits[0].slot, 7);
//! ```
//!
//! Invariant: what is answered is a function of the tools in the index, the query, what is visible and the prior.
//! Neither the order of insertion nor what was removed leaves a trace.

mod best;
mod document;
mod explain;
mod index;
mod list;
mod lookup;
mod numbers;
mod path;
mod posting;
mod query;
mod rank;
mod rarity;
mod schema;
mod setting;
mod signature;
mod spread;
mod stem;
mod stop;
mod synonym;
mod tokenize;
mod typo;
mod vocabulary;
mod within;

pub use document::{Document, Field};
pub use explain::{Explanation, NeedShare, WordShare};
pub use index::SearchIndex;
pub use list::{Item, ItemPage, ToolList, shown_score};
pub use lookup::Exactness;
pub use path::program_path;
pub use rank::{Hit, Page, Prior};
pub use schema::SchemaText;
pub use setting::Setting;
pub use signature::compact_signature;
pub use within::Within;
