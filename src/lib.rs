//! toolscope decides which tools an agent may see and call, at every moment of a session.
//!
//! The way through is one direction: source → registry → scope → session → request, and then catalog, search and
//! sandbox. Core modules never call back into a host: they take facts and return answers, so that every rule can be
//! tested here, without Node. `node` holds the bindings and no rule.

pub mod agent_file;
pub mod catalog;
pub mod diagnostic;
pub mod error;
pub mod execute;
mod json;
mod object;
pub mod registry;
pub mod request;
pub mod scope;
pub mod search;
pub mod selector;
pub mod session;
pub mod source;
pub mod text;
pub mod usage;

// Exports are registered in an addon alone: in a test nobody would call them.
#[cfg(all(feature = "node", not(test)))]
mod node;

pub use error::{Error, ErrorKind, Result};
