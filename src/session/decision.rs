//! Decisions: the answer for one call, as data, with a reason a model can act on.

use super::{Session, SessionIndex, Tree};
use crate::{
    error::Result,
    registry::{Match, Slot, nearest::nearest},
    scope::{
        Entry,
        verdict::{By, Code, Verdict},
    },
    source::Exposure,
    text::shown,
};

/// How a tool is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// By the model.
    Direct,
    /// From inside another call.
    Code,
}

impl Via {
    /// The word JavaScript sees.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Code => "code",
        }
    }
}

/// A call, as far as a decision needs it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Exposed name or id, as the model wrote it.
    pub name: &'a str,
    /// The tool the host is going to run.
    pub id: Option<&'a str>,
    /// How it is called.
    pub via: Via,
}

/// The answer for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Allowed, or why not.
    pub code: Code,
    /// For the model: what to do instead. Empty where allowed.
    pub reason: String,
    /// The tool that was decided.
    pub slot: Option<Slot>,
    /// Its id.
    pub id: Option<String>,
    /// Its exposed name, or what the call said.
    pub name: String,
    /// How it was called.
    pub via: Via,
    /// Session ids from the root to the one that was asked.
    pub path: Vec<String>,
    /// The selector, listener or ancestor that decided.
    pub by: Option<String>,
}

impl Decision {
    /// Tells a developer's terminal what was decided, and by what.
    fn trace(&self, door: &'static str) {
        let Self { code, id, name, via, by, path, .. } = self;
        tracing::debug!(
            target: "toolscope",
            code = code.as_str(),
            id,
            name = %shown(name),
            via = via.as_str(),
            by,
            session = path.join("/"),
            "{door}"
        );
    }
}

/// What the guards of a call said: the first refusal ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// All let it pass.
    Passed,
    /// One said no.
    Blocked {
        /// The listener.
        by: String,
        /// Its reason, for the model.
        reason: Option<String>,
    },
    /// One threw, rejected, hung or returned something else.
    Failed {
        /// The listener.
        by: String,
        /// What happened.
        problem: String,
    },
}

/// Suggestions in one reason.
const SUGGESTIONS: usize = 3;

impl Tree {
    /// The scope's verdict on a call. It asks no listener, so it is no door.
    pub fn check(&mut self, index: SessionIndex, call: Call<'_>) -> Decision {
        self.sync(index);
        let Some(session) = self.session(index) else { return over(call, Vec::new()) };
        let (slot, via_alias) = match self.registry.lookup(call.name) {
            Match::Named(slot) => (slot, false),
            Match::Alias(slot) if call.id.is_none() => (slot, true),
            Match::Ambiguous(slots) if call.id.is_none() => {
                return self.ambiguous(session, call, &slots);
            }
            _ => return self.unknown(session, call),
        };
        if let Some(id) = call.id {
            return self.identified(session, call, slot, id);
        }
        let decision = self.decide(session, slot, call);
        if via_alias {
            tracing::debug!(target: "toolscope", alias = call.name, id = decision.id, "resolved an alias");
        }
        decision
    }

    /// The decision on a tool.
    pub(crate) fn decide(&self, session: &Session, slot: Slot, call: Call<'_>) -> Decision {
        let verdict = self.verdict(session, slot, call.via);
        Decision {
            code: verdict.code,
            // In the words of the call: to whom a tool is refused, its full name is nobody's to tell.
            reason: reason(call.name, call.via, verdict.code, self.registry.tool(slot).exposure),
            slot: Some(slot),
            id: Some(self.registry.tool_id(slot)),
            name: self.registry.tool(slot).exposed.to_string(),
            via: call.via,
            path: session.path.clone(),
            by: self.by(session, slot, verdict.by),
        }
    }

    /// The scope's verdict, then the tool's exposure.
    fn verdict(&self, session: &Session, slot: Slot, via: Via) -> Verdict {
        let verdict = session.verdicts.get(slot.at()).copied().unwrap_or_default();
        match self.exposed(session, slot, via).filter(|_| verdict.allowed()) {
            Some(code) => Verdict { code, by: By::Nobody },
            None => verdict,
        }
    }

    /// Code, reason and what decided, for a tool called by its exposed name and refused; nothing where it is not.
    pub fn refusal(&mut self, index: SessionIndex, slot: Slot, via: Via) -> Option<(Code, String, Option<String>)> {
        self.sync(index);
        let session = self.session(index)?;
        let verdict = self.verdict(session, slot, via);
        (!verdict.allowed()).then(|| {
            let tool = self.registry.tool(slot);
            (verdict.code, reason(&tool.exposed, via, verdict.code, tool.exposure), self.by(session, slot, verdict.by))
        })
    }

    /// A call whose host has said which tool it is going to run: any other decision is a refusal.
    fn identified(&self, session: &Session, call: Call<'_>, named: Slot, id: &str) -> Decision {
        let decision = match self.registry.by_id(id) {
            Some(slot) => {
                let decision = self.decide(session, slot, call);
                if slot == named || decision.code != Code::Allowed {
                    return decision;
                }
                decision
            }
            None => nameless(session, call, &[], |_, _| String::new()),
        };
        let reason = format!("`{}` is not the name of the tool that was about to run", shown(call.name));
        Decision { code: Code::Unknown, reason, ..decision }
    }

    fn unknown(&self, session: &Session, call: Call<'_>) -> Decision {
        let known = self.names_in_scope(session, call.via);
        let near = nearest(call.name, known, SUGGESTIONS);
        nameless(session, call, &near, |name, near| format!("there is no tool `{name}`; did you mean `{near}`?"))
    }

    fn ambiguous(&self, session: &Session, call: Call<'_>, slots: &[Slot]) -> Decision {
        let mut names: Vec<&str> = slots
            .iter()
            .filter(|&&slot| self.reachable(session, slot, call.via))
            .map(|&slot| &*self.registry.tool(slot).exposed)
            .collect();
        names.sort_unstable();
        nameless(session, call, &names, |name, names| {
            format!("`{name}` fits several tools; use the full name: `{names}`")
        })
    }

    /// Whether a call of this kind would pass the scope now.
    pub(crate) fn reachable(&self, session: &Session, slot: Slot, via: Via) -> bool {
        session.verdicts.get(slot.at()).is_some_and(|verdict| verdict.allowed())
            && self.exposed(session, slot, via).is_none()
    }

    /// The exposed names that a call of this kind could use.
    pub(crate) fn names_in_scope<'a>(&'a self, session: &'a Session, via: Via) -> impl Iterator<Item = &'a str> + 'a {
        self.registry
            .open_sources()
            .flat_map(|(_, source)| &source.tools)
            .filter(move |&&slot| self.reachable(session, slot, via))
            .map(|&slot| &*self.registry.tool(slot).exposed)
    }

    /// What decided, in words.
    pub(crate) fn by(&self, session: &Session, slot: Slot, by: By) -> Option<String> {
        let layer = |layer: u8| session.layers.get(usize::from(layer)).map(|layer| &layer.scope);
        let entry = |entries: &[Entry], at: u32| entries.get(at as usize).map(|entry| entry.text.clone());
        match by {
            By::Nobody => None,
            By::AllowList => Some("allow".to_owned()),
            By::Allow(scope, at) => entry(layer(scope)?.allow.as_deref()?, at),
            By::Exclude(scope, at) => entry(&layer(scope)?.exclude, at),
            By::Required(scope, at) => entry(&layer(scope)?.required, at),
            By::Spawning => Some("spawnTools".to_owned()),
            By::Narrow => Some("narrow".to_owned()),
            By::Sealed => Some("sealed".to_owned()),
            By::Ancestor(up) => {
                let at = session.path.len().checked_sub(up as usize + 1)?;
                session.path.get(at).cloned()
            }
            By::Guard(scope, at) => layer(scope)?.require_guards.get(at as usize).cloned(),
            By::Owner(owner) => Some(self.registry.tool_id(owner)),
            By::Source => Some(self.registry.source_id(self.registry.tool(slot).source).to_owned()),
            By::Definition => Some("pinDefinitions".to_owned()),
        }
    }

    // The door. Its first half decides and says under which definition; the host asks the guards; its second half
    // decides once more, since a guard may have waited for a person while the world went on.

    /// Opens the door for a call: the first presentation of a session, if nothing was before.
    pub fn open_door(&mut self, index: SessionIndex, call: Call<'_>) -> (Decision, Option<String>) {
        self.present(index);
        let decision = self.check(index, call);
        let fingerprint = decision
            .slot
            .filter(|&slot| self.registry.tool(slot).registered())
            .map(|slot| self.registry.tool(slot).fingerprint().to_owned());
        decision.trace("the door opens");
        (decision, fingerprint)
    }

    /// Closes it: what the guards said, then scope, definition and disposal once more.
    pub fn close_door(
        &mut self,
        index: SessionIndex,
        call: Call<'_>,
        slot: Slot,
        fingerprint: Option<&str>,
        guarded: Guarded,
    ) -> Decision {
        let again = self.check(index, call);
        let decision = match guarded {
            _ if again.code == Code::Disposed => again,
            Guarded::Blocked { by, reason } => {
                let reason = reason.unwrap_or_else(|| format!("`{}` was refused by `{}`", again.name, shown(&by)));
                Decision { code: Code::Vetoed, reason, by: Some(by), ..again }
            }
            Guarded::Failed { by, problem } => {
                let message = format!("guard `{}` failed: {}", shown(&by), shown(&problem));
                self.diagnostics.push(crate::diagnostic::Diagnostic::error("guard_failed", message));
                let reason = format!("`{}` is refused: the guard `{}` failed", again.name, shown(&by));
                Decision { code: Code::GuardError, reason, by: Some(by), ..again }
            }
            Guarded::Passed if again.code != Code::Allowed || self.is_approved(&again, slot, fingerprint) => again,
            Guarded::Passed => {
                let reason = format!("`{}` changed while it was being approved; call it again", again.name);
                Decision { code: Code::Changed, reason, by: Some("definition".to_owned()), ..again }
            }
        };
        decision.trace("the door closes");
        decision
    }

    /// Whether a decision is on the tool and the definition that the guards were asked about.
    fn is_approved(&self, decision: &Decision, slot: Slot, fingerprint: Option<&str>) -> bool {
        decision.slot == Some(slot) && fingerprint == Some(self.registry.tool(slot).fingerprint())
    }

    /// Whether a name means an announced tool of a source that can be loaded for it.
    pub fn awaited_source(&mut self, index: SessionIndex, name: &str) -> Result<Option<crate::source::SourceIndex>> {
        self.sync(index);
        let session = self.live(index)?;
        let (Match::Named(slot) | Match::Alias(slot)) = self.registry.lookup(name) else {
            return Ok(None);
        };
        let verdict = session.verdicts.get(slot.at()).copied().unwrap_or_default();
        let source = self.registry.tool(slot).source;
        Ok((verdict.code == Code::Pending && self.registry.source(source).lazy).then_some(source))
    }
}

/// What a model is told of a tool it called by `name`.
fn reason(name: &str, via: Via, code: Code, exposure: Exposure) -> String {
    let name = shown(name);
    match code {
        Code::Allowed => String::new(),
        Code::Unknown => {
            format!("there is no tool `{name}`; use one of the tools you were given")
        }
        Code::Pending => {
            format!("`{name}` is not available yet; go on without it, or try again later")
        }
        Code::Quarantined => {
            format!("`{name}` is not usable: its declaration is malformed; go on without it")
        }
        Code::Excluded | Code::OutOfScope | Code::Parent => {
            format!("`{name}` is not available in this session; use one of the tools you were given")
        }
        Code::Shadowed => {
            format!("`{name}` belongs to another tool; call tools by the names you were given")
        }
        Code::NotExposed if exposure == Exposure::Hidden => {
            format!("`{name}` cannot be called; use one of the tools you were given")
        }
        Code::NotExposed if via == Via::Code => {
            format!("`{name}` cannot be called from code; call it directly")
        }
        Code::NotExposed => format!("`{name}` cannot be called directly"),
        Code::NotLoaded => format!("`{name}` is not loaded; find it by tool search first"),
        Code::Vetoed => format!("`{name}` was refused"),
        Code::GuardError => {
            format!("`{name}` is refused: a guard of this session is missing or failed")
        }
        Code::Changed => {
            format!("`{name}` is held back: its definition is not the one that was approved")
        }
        Code::Disposed => "the session is over".to_owned(),
    }
}

/// The decision on a call that means no tool; `say` puts into words the names it could have meant, where there are any.
fn nameless(session: &Session, call: Call<'_>, names: &[&str], say: impl FnOnce(&str, &str) -> String) -> Decision {
    let reason = match names {
        [] => reason(call.name, call.via, Code::Unknown, Exposure::default()),
        names => say(&shown(call.name), &names.join("` or `")),
    };
    Decision { code: Code::Unknown, reason, ..over(call, session.path.clone()) }
}

/// The decision of a session that is over.
pub(crate) fn over(call: Call<'_>, path: Vec<String>) -> Decision {
    Decision {
        code: Code::Disposed,
        reason: "the session is over".to_owned(),
        slot: None,
        id: None,
        name: call.name.to_owned(),
        via: call.via,
        path,
        by: None,
    }
}
