//! Search over thousands of tools.

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
