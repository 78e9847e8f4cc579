//! The Node bindings: they translate, and hold no rule.

pub mod error;
mod tool_index;

use napi_derive::napi;

/// The version of the addon, which the JavaScript side compares with its own.
#[napi]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
