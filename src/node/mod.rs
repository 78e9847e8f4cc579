//! The Node bindings: they translate, and hold no rule.

#![expect(clippy::needless_pass_by_value, reason = "napi hands every argument over by value")]

mod agent_file;
mod catalog;
mod count;
mod digest;
mod error;
mod json;
mod log;
mod sandbox;
mod tool_index;
mod tree;
mod usage;
