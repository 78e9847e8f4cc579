//! Listings: the registry as a session sees it, and what selectors resolve to.

use super::{Session, SessionIndex, Tree};
use crate::{
    error::Result,
    registry::{Registry, Slot, Status},
    scope::{
        Entry,
        naming::named,
        plan::{Plan, Side},
        verdict::Code,
    },
    selector::{self, Selector},
    source::{Exposure, SourceIndex, SourceKind, SourceState, declaration},
};

/// One tool of the registry, as a session sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolInfo {
    /// Its id.
    pub id: String,
    /// Its exposed name.
    pub name: String,
    /// Its source's id.
    pub source: String,
    /// How it can be reached.
    pub exposure: Exposure,
    /// What it says of itself.
    pub description: Option<String>,
    /// Whether the scope has it, here and now.
    pub in_scope: bool,
    /// Whether it is declared to the model now.
    pub active: bool,
    /// The id of the tool that owns its name.
    pub shadowed_by: Option<String>,
}

/// What a selector resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    /// As it was written.
    pub selector: String,
    /// A tool it stands for.
    pub id: Option<String>,
    /// Its exposed name.
    pub name: Option<String>,
    /// `loaded`, `failed`, or a state of an entry.
    pub state: &'static str,
    /// Why it is not loaded.
    pub reason: Option<String>,
}

impl Registry {
    /// Whether a source's tools are here.
    #[must_use]
    pub fn source_state(&self, index: SourceIndex) -> SourceState {
        self.source(index).state
    }

    /// The exposed name of a tool.
    #[must_use]
    pub fn exposed_name_of(&self, slot: Slot) -> &str {
        &self.tool(slot).exposed
    }

    /// A tool's declaration as JSON; empty where it is not here.
    #[must_use]
    pub fn declaration(&self, slot: Slot) -> &str {
        &self.tool(slot).text
    }

    /// A tool's source, and its raw name there.
    #[must_use]
    pub fn place_of(&self, slot: Slot) -> (SourceIndex, &str) {
        let tool = self.tool(slot);
        (tool.source, &tool.raw)
    }

    /// How many slots there are.
    #[must_use]
    pub fn slot_count(&self) -> u32 {
        u32::try_from(self.tools.len()).unwrap_or(u32::MAX)
    }
}

impl Tree {
    /// The registry as a session sees it, in canonical order: what `exclude`, its own or an ancestor's, does not match.
    /// Announced tools are not in it yet; those of a source that is down are, out of scope for as long.
    pub fn tools(&mut self, index: SessionIndex) -> Vec<ToolInfo> {
        self.sync(index);
        let Some(session) = self.session(index) else { return Vec::new() };
        self.known()
            .filter(|&slot| self.registry.tool(slot).status == Status::Here)
            .filter(|&slot| !self.is_excluded(session, slot))
            .map(|slot| {
                let tool = self.registry.tool(slot);
                ToolInfo {
                    id: self.registry.tool_id(slot),
                    name: tool.exposed.to_string(),
                    source: self.registry.source_id(tool.source).to_owned(),
                    exposure: tool.exposure,
                    description: declaration::description(&tool.text),
                    in_scope: session.verdicts.get(slot.0 as usize).is_some_and(|verdict| verdict.allowed()),
                    active: session.active.contains(slot),
                    shadowed_by: self.registry.shadowed_by(slot).map(|owner| self.registry.tool_id(owner)),
                }
            })
            .collect()
    }

    /// Whether `exclude` of a session or of an ancestor matches a tool, so that the session is not shown it.
    pub(super) fn is_excluded(&self, session: &Session, slot: Slot) -> bool {
        std::iter::once(session)
            .chain(self.ancestors(session))
            .any(|session| session.verdicts.get(slot.at()).is_some_and(|verdict| verdict.code == Code::Excluded))
    }

    /// The slots declared to a session's model now, in order.
    #[must_use]
    pub fn active(&self, index: SessionIndex) -> &[Slot] {
        self.session(index).map_or(&[], |session| session.active.slots())
    }

    /// Whether a call of this kind would pass the scope now.
    #[must_use]
    pub fn is_reachable(&self, index: SessionIndex, slot: Slot, via: super::decision::Via) -> bool {
        self.session(index).is_some_and(|session| self.reachable(session, slot, via))
    }

    /// Sources that are not ready and that selectors could mean; without selectors, those of `allow`, or all where
    /// everything is allowed.
    pub fn pending_sources(&mut self, index: SessionIndex, selectors: Option<&[String]>) -> Result<Vec<SourceIndex>> {
        self.sync(index);
        let session = self.live(index)?;
        let read: Vec<Entry>;
        let entries = match (selectors, session.top().scope.allow.as_deref()) {
            (Some(texts), _) => {
                read = texts.iter().map(|text| Entry { text: text.clone(), parsed: selector::parse(text) }).collect();
                Some(&read[..])
            }
            (None, allow) => allow,
        };
        let required = if selectors.is_none() { &session.top().scope.required[..] } else { &[] };
        let waits = |source: SourceIndex| {
            entries.is_none_or(|entries| entries.iter().any(|entry| self.could_mean(entry, source)))
                || required.iter().any(|entry| self.could_mean(entry, source))
        };
        Ok(self
            .registry
            .open_sources()
            .filter(|(_, source)| source.state != SourceState::Ready)
            .map(|(source, _)| source)
            .filter(|&source| waits(source))
            .collect())
    }

    /// Whether a selector could mean a tool of a source: it names the source, or an announced tool of it.
    fn could_mean(&self, entry: &Entry, index: SourceIndex) -> bool {
        let source = self.registry.source(index);
        match &entry.parsed {
            Ok(Selector::Everything) => true,
            Ok(Selector::Path(path)) => {
                path.kind == source.kind && named(&self.registry, path.kind, &path.source, false).contains(&index)
            }
            Ok(Selector::Joined(joined)) if source.kind == SourceKind::Mcp => joined
                .readings
                .iter()
                .any(|(server, _)| named(&self.registry, SourceKind::Mcp, server, true).contains(&index)),
            Ok(Selector::Name(pattern)) => source.tools.iter().any(|&slot| {
                let tool = self.registry.tool(slot);
                pattern.matches(&tool.raw) || pattern.matches(&tool.exposed)
            }),
            Ok(Selector::Joined(_) | Selector::Nothing) | Err(_) => false,
        }
    }

    /// What each selector resolves to now: one line a tool, or one that says why there is none.
    pub fn resolutions(&mut self, index: SessionIndex, selectors: &[String]) -> Result<Vec<Resolution>> {
        self.sync(index);
        self.live(index)?;
        let mut all = Vec::new();
        for text in selectors {
            let line = |state| Resolution { selector: text.clone(), id: None, name: None, state, reason: None };
            let entry = Entry { text: text.clone(), parsed: selector::parse(text) };
            let selector = match &entry.parsed {
                Ok(selector) => selector,
                Err(invalid) => {
                    all.push(Resolution { reason: Some(invalid.message.clone()), ..line("invalid") });
                    continue;
                }
            };
            let plan = Plan::new(Side::Grant, std::slice::from_ref(&entry), &self.registry, None);
            if let Some(fits) = plan.ambiguity(0, &self.registry) {
                let reason = format!("it fits `{}`", fits.join("` and `"));
                all.push(Resolution { reason: Some(reason), ..line("ambiguous") });
                continue;
            }
            let slots: Vec<Slot> = self.known().filter(|&slot| plan.matching(&self.registry, slot).is_some()).collect();
            if slots.is_empty() {
                all.push(self.unresolved(&entry, selector, line("unknown")));
            }
            all.extend(slots.into_iter().map(|slot| self.resolved(index, slot, line("loaded"))));
        }
        Ok(all)
    }

    fn unresolved(&self, entry: &Entry, selector: &Selector, line: Resolution) -> Resolution {
        let down = self
            .registry
            .open_sources()
            .filter(|(_, source)| source.state != SourceState::Ready)
            .find(|&(index, _)| !matches!(selector, Selector::Everything) && self.could_mean(entry, index));
        match down {
            Some((_, source)) if source.state == SourceState::Failed => {
                Resolution { state: "failed", reason: source.failure.clone(), ..line }
            }
            Some(_) => Resolution { state: "pending", ..line },
            None => {
                let near = self.suggestions(entry, selector);
                let reason = (!near.is_empty()).then(|| format!("did you mean `{}`?", near.join("` or `")));
                Resolution { reason, ..line }
            }
        }
    }

    fn resolved(&self, index: SessionIndex, slot: Slot, line: Resolution) -> Resolution {
        let tool = self.registry.tool(slot);
        let source = self.registry.source(tool.source);
        let verdict = self.session(index).and_then(|session| session.verdicts.get(slot.0 as usize)).copied();
        let verdict = verdict.unwrap_or_default();
        let (state, reason) = match verdict.code {
            Code::Allowed => ("loaded", None),
            Code::Pending if source.state == SourceState::Failed => ("failed", source.failure.clone()),
            Code::Pending => ("pending", None),
            Code::Quarantined => ("failed", tool.reason.as_deref().map(str::to_owned)),
            Code::Shadowed => ("shadowed", None),
            code => ("excluded", Some(code.as_str().to_owned())),
        };
        Resolution {
            id: Some(self.registry.tool_id(slot)),
            name: Some(tool.exposed.to_string()),
            state,
            reason,
            ..line
        }
    }
}
