//! Tools outside a session: a list of declarations, each with its source, as lines of JSON.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Deserialize;

use super::index::{CatalogIndex, Origin, Tool};
use super::outline::Outline;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    #[serde(borrow)]
    name: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    source: std::borrow::Cow<'a, str>,
    #[serde(borrow, default)]
    source_description: Option<std::borrow::Cow<'a, str>>,
    /// Only so that what no signature could read is left out here.
    #[serde(borrow, default)]
    #[expect(dead_code, reason = "read for its type")]
    description: Option<std::borrow::Cow<'a, str>>,
}

/// Reads one tool: a declaration with `source` and perhaps `sourceDescription`. The error is the reason.
pub fn listed_tool(line: &str) -> Result<Tool, String> {
    let head: Head<'_> = crate::object::read(line).map_err(|error| error.to_string())?;
    let source = head.source.into_owned();
    let origin = Origin {
        // The id of a tool outside a session is `source/name`, and for the builtin source `builtin:name`.
        prefix: format!("{source}{}", if source == "builtin" { ':' } else { '/' }),
        name: source.clone(),
        namespace: source.clone(),
        source,
        description: head.source_description.map(Into::into),
    };
    let (member, outline) = (head.name.into(), Outline::of(line));
    Ok(Tool { origin: Arc::new(origin), member, declaration: line.into(), outline })
}

/// Reads tools, one a line. What cannot be read, or is there already, is left out with a warning.
#[must_use]
pub fn listed_tools(lines: &str) -> (CatalogIndex, Vec<String>) {
    let mut index = CatalogIndex::default();
    let mut warnings = Vec::new();
    let mut seen = HashSet::new();
    for (slot, line) in (0..).zip(lines.lines()) {
        match listed_tool(line) {
            Ok(tool) if seen.insert(tool.id()) => index.upsert(slot, tool),
            Ok(tool) => warnings.push(format!("tool `{}` is listed twice; the first one is shown", tool.id())),
            Err(reason) => warnings.push(format!(
                "tools[{slot}] cannot be read: {reason}; it is left out. Give it a string `source` and a string `name`"
            )),
        }
    }
    (index, warnings)
}
