//! `TOOLSCOPE_LOG`: what the core tells, on a developer's terminal.

#![expect(clippy::unnecessary_wraps, reason = "the macro asks for a result")]

use napi_derive::napi;
use tracing_subscriber::EnvFilter;

/// Sends what the core tells to stderr, filtered as `TOOLSCOPE_LOG` says (`debug`, `toolscope=trace`, …). Once per
/// process, when the addon is loaded; without the variable nothing is installed and nothing is paid.
#[napi(module_exports)]
fn init(_exports: napi::bindgen_prelude::Object<'_>) -> napi::Result<()> {
    let Ok(filter) = std::env::var("TOOLSCOPE_LOG") else { return Ok(()) };
    let filter = EnvFilter::try_new(filter).unwrap_or_else(|_| EnvFilter::new("info"));
    // A second environment of the process (a worker) finds the subscriber in place.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
    Ok(())
}
