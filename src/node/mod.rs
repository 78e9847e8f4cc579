//! The Node bindings: they translate, and hold no rule.

#![expect(clippy::needless_pass_by_value, reason = "napi hands every argument over by value")]

#[cfg(not(test))]
mod catalog;
mod error;
mod json;
#[cfg(not(test))]
mod log;
mod tool_index;
mod tree;
mod usage;
