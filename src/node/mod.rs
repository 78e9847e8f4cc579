//! The Node bindings: they translate, and hold no rule.

#![expect(clippy::needless_pass_by_value, reason = "napi hands every argument over by value")]

mod error;
mod json;
#[cfg(not(test))]
mod log;
mod tree;
