//! The budgeted text that tells a model about tools it can reach without their full definitions.

pub mod schema;
pub mod signature;
pub mod text;
