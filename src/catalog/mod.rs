//! The budgeted text that tells a model about tools it can reach without their full definitions.
//!
//! A [`CatalogIndex`] holds the tools and what each costs; [`CatalogIndex::render`] spends a budget on them as
//! [`Options`] say. Invariants: no catalog costs more than its budget, headers and lists included; equal tools, options
//! and use give equal bytes, in whatever order the tools came; everything printed is TypeScript.

mod budget;
mod category;
mod index;
mod list;
mod measure;
mod options;
mod outline;
mod pin;
mod print;
mod render;
pub mod schema;
mod selection;
pub mod signature;
pub mod text;
mod view;

pub use crate::json::Text;
pub use category::Category;
pub use index::{CatalogIndex, Origin, Tool};
pub use list::{listed_tool, listed_tools};
pub use options::{DEFAULT_BUDGET, Detail, Fields, Options, Party, Rank, Wishes};
pub use outline::Outline;
pub use pin::{Pin, resolve_pins};
pub use selection::Weights;
pub use view::Listing;

/// At which level a tool is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownLevel {
    /// Types and comments.
    Full,
    /// Parameter names.
    Compact,
    /// The name alone.
    Name,
}

impl ShownLevel {
    /// The level as JavaScript spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Compact => "compact",
            Self::Name => "name",
        }
    }
}

/// A tool that the text shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownTool {
    /// The caller's slot.
    pub slot: u32,
    /// The tool's id.
    pub id: String,
    /// How much of it.
    pub level: ShownLevel,
}

/// How much of a category is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CategoryCount {
    /// As the options give it.
    pub namespace: String,
    /// As the options give it.
    pub name: String,
    /// Its tools that the text does not show.
    pub unshown: usize,
}

/// A catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// What the model reads.
    pub text: String,
    /// ⌈characters / 4⌉ of the text, characters being UTF-16 code units.
    pub tokens: usize,
    /// Whether every tool is shown with its parameters.
    pub complete: bool,
    /// The tools it covers.
    pub total: usize,
    /// Pinned tools in rank order, then the others in the order of the text.
    pub shown: Vec<ShownTool>,
    /// The categories of the options, in their order.
    pub categories: Vec<CategoryCount>,
    /// What was asked for and could not be done.
    pub warnings: Vec<String>,
}
