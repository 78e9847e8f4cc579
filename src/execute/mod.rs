//! Runs programs.
pub mod limits;
pub mod listing;
pub mod strip;
