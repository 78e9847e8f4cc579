//! Search over thousands of tools.

mod document;
mod index;
mod lookup;
mod query;
mod rank;
mod schema;
mod setting;
mod stop;
mod tokenize;
mod typo;
mod vocabulary;

pub use document::{Document, Field};
pub use index::SearchIndex;
pub use rank::{Hit, Page};
pub use schema::SchemaText;
pub use setting::Setting;
