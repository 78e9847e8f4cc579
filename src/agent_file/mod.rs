//! Agent files: the front matter of a subagent's file, read into a scope.
//!
//! The invariant: whatever is in the file, its scope is never wider than the file says. What cannot be read grants
//! nothing and denies all it could mean; where the front matter as a whole cannot be read, the scope is empty
//! (`allow: []`) and nothing may be spawned. Each such place is told, with line, column and what to write instead.
//!
//! ```
//! use toolscope::agent_file::{Dialect, parse};
//!
//! let file = parse("---\ntools: read, ext:web/search\n---\nYou search.", Dialect::Pi);
//! assert_eq!(file.scope.allow, Some(vec!["builtin:read".to_owned(), "ext:web/search".to_owned()]));
//! assert!(file.diagnostics.is_empty());
//!
//! let broken = parse("---\ntools: *\n---\n", Dialect::Pi);
//! assert_eq!(broken.scope.allow, Some(vec![]));
//! assert_eq!((broken.diagnostics[0].line, broken.diagnostics[0].column), (2, 8));
//! ```

mod claude;
mod denial;
mod draft;
mod extension;
mod front_matter;
mod key;
mod list;
mod own;
mod pi;
mod reading;
mod remark;
mod selector_text;
mod yaml;

pub use remark::Remark;

use crate::scope::ScopeSpec;
use draft::Draft;

/// Whose rules a file's front matter follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Subagents on pi (`.pi/agents/*.md`): `tools`, `disallowed_tools`, `extensions`, `isolated` and so on.
    Pi,
    /// Claude Code's subagents (`.claude/agents/*.md`): `tools`, `disallowedTools`.
    Claude,
    /// Our own: `allow`, `exclude`, `required` and so on, with the whole grammar of selectors.
    Toolscope,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pi, Self::Claude, Self::Toolscope];

    /// The word JavaScript uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Claude => "claude",
            Self::Toolscope => "toolscope",
        }
    }
}

/// Which agents an agent may spawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spawns {
    /// Any.
    All,
    /// Those with these names.
    Only(Vec<String>),
}

/// What an agent file says.
#[derive(Clone, Debug)]
pub struct AgentFile {
    /// Its scope. `allow` is absent only where the file narrows nothing.
    pub scope: ScopeSpec,
    /// The agent's name, where the file gives one.
    pub name: Option<String>,
    /// Which agents it may spawn; absent where the file does not say.
    pub spawns: Option<Spawns>,
    /// What could not be taken as it stands, in the order of the file.
    pub diagnostics: Vec<Remark>,
}

/// Reads an agent file. In time linear in the front matter, of which there may be 64 KiB; the text below it is not
/// looked at.
#[must_use]
pub fn parse(text: &str, dialect: Dialect) -> AgentFile {
    let mut draft = Draft::new();
    let front_matter = match front_matter::cut(text) {
        Ok(front_matter) => front_matter,
        Err(remark) => return draft.closed(remark),
    };
    let fields = match yaml::read(front_matter).and_then(|root| key::fields(root, dialect, &mut draft)) {
        Ok(fields) => fields,
        Err(remark) => return draft.closed(remark),
    };
    draft.lines = front_matter.split('\n').collect();
    draft.name = fields.name(&mut draft);
    match dialect {
        Dialect::Pi => pi::read(&fields, &mut draft),
        Dialect::Claude => claude::read(&fields, &mut draft),
        Dialect::Toolscope => own::read(&fields, &mut draft),
    }
    draft.finish()
}
