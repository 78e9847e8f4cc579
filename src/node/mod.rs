//! The Node bindings: they translate, and hold no rule.

pub mod error;
pub mod sandbox;

use napi_derive::napi;

/// The version of the addon, which the JavaScript side compares with its own.
#[napi]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
