//! The Node bindings: they translate, and hold no rule.

#![expect(clippy::needless_pass_by_value, reason = "napi hands every argument over by value")]

mod error;
mod json;
mod log;
mod tree;

use napi_derive::napi;

/// The version of the addon, which the JavaScript side compares with its own.
#[napi]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
