//! Agent files, as JavaScript reads them: text in, text out.

use super::error::Result;
use crate::{
    agent_file::{self, AgentFile, Dialect, Remark, Spawns},
    error::{Error, ErrorKind},
    text::shown,
};
use napi_derive::napi;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ScopeOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    allow: Option<&'a [String]>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    exclude: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    required: &'a [String],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    sealed: bool,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    require_guards: &'a [String],
}

#[derive(Serialize)]
#[serde(untagged)]
enum SpawnsOut<'a> {
    All(&'static str),
    Only(&'a [String]),
}

#[derive(Serialize)]
struct RemarkOut<'a> {
    level: &'static str,
    code: &'static str,
    message: &'a str,
    line: usize,
    column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<&'a str>,
}

#[derive(Serialize)]
struct AgentFileOut<'a> {
    scope: ScopeOut<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spawns: Option<SpawnsOut<'a>>,
    diagnostics: Vec<RemarkOut<'a>>,
}

impl<'a> From<&'a AgentFile> for AgentFileOut<'a> {
    fn from(file: &'a AgentFile) -> Self {
        let AgentFile { scope, name, spawns, diagnostics } = file;
        Self {
            scope: ScopeOut {
                allow: scope.allow.as_deref(),
                exclude: &scope.exclude,
                required: &scope.required,
                sealed: scope.sealed,
                require_guards: &scope.require_guards,
            },
            name: name.as_deref(),
            spawns: spawns.as_ref().map(|spawns| match spawns {
                Spawns::All => SpawnsOut::All("all"),
                Spawns::Only(names) => SpawnsOut::Only(names),
            }),
            diagnostics: diagnostics.iter().map(RemarkOut::from).collect(),
        }
    }
}

impl<'a> From<&'a Remark> for RemarkOut<'a> {
    fn from(remark: &'a Remark) -> Self {
        let Remark { level, code, message, line, column, suggestion } = remark;
        Self { level: level.as_str(), code, message, line: *line, column: *column, suggestion: suggestion.as_deref() }
    }
}

/// Reads an agent file; returns the result as JSON.
#[napi(catch_unwind)]
pub fn parse_agent_file(text: String, dialect: String) -> Result<String> {
    let known = Dialect::ALL.into_iter().find(|known| known.as_str() == dialect).ok_or_else(|| {
        let dialects = Dialect::ALL.map(Dialect::as_str).join("`, `");
        let message = format!("the dialect is `{}`; use one of `{dialects}`", shown(&dialect));
        Error::new(ErrorKind::InvalidArgument, message)
    })?;
    Ok(super::json::to_text(&AgentFileOut::from(&agent_file::parse(&text, known))))
}
