//! Reports: how each selector ended, so that nothing is silent.

use super::{
    Entry,
    binding::{Binding, meaning},
    plan::Plan,
    verdict::{By, Code},
};
use crate::{
    diagnostic::Diagnostic,
    registry::{Registry, Slot, name::sanitised, nearest::nearest},
    selector::{Joined, Path, Pattern, Selector},
    session::{Session, SessionIndex, Tree},
    source::{SourceKind, SourceState, identity},
    text::shown,
};

/// How a selector ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// Something of it is in scope, or denied by it.
    Active,
    /// Its source was added and is not ready, or announces the tool.
    Pending,
    /// All of it is left out by a stronger rule.
    Excluded,
    /// Another source came to own the name.
    Shadowed,
    /// It fits several where it had to fit one.
    Ambiguous,
    /// It matches nothing.
    Unknown,
    /// It does not parse.
    Invalid,
}

impl EntryState {
    /// The word JavaScript sees.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Pending => "pending",
            Self::Excluded => "excluded",
            Self::Shadowed => "shadowed",
            Self::Ambiguous => "ambiguous",
            Self::Unknown => "unknown",
            Self::Invalid => "invalid",
        }
    }
}

/// One selector's end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryReport {
    /// As it was written.
    pub selector: String,
    /// How it ended.
    pub state: EntryState,
    /// The tools it stands for.
    pub ids: Vec<String>,
    /// What stands in its way.
    pub by: Option<String>,
    /// The raw name, where the selector spelled it sanitised.
    pub alias_of: Option<String>,
    /// Selectors that would match, nearest first.
    pub did_you_mean: Vec<String>,
    /// Where it stops making sense, from 1.
    pub column: Option<usize>,
    /// A line for a person.
    pub message: Option<String>,
}

impl EntryReport {
    fn new(entry: &Entry, state: EntryState) -> Self {
        Self {
            selector: entry.text.clone(),
            state,
            ids: Vec::new(),
            by: None,
            alias_of: None,
            did_you_mean: Vec::new(),
            column: None,
            message: None,
        }
    }
}

/// How every selector of a scope ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScopeReport {
    /// Of `allow`.
    pub allow: Vec<EntryReport>,
    /// Of `exclude`.
    pub exclude: Vec<EntryReport>,
    /// Of `required`.
    pub required: Vec<EntryReport>,
}

const SUGGESTIONS: usize = 3;

impl Tree {
    /// How every selector of a session's scope ended. Looks at every tool.
    pub fn report(&mut self, index: SessionIndex) -> ScopeReport {
        self.sync(index);
        let Some(session) = self.session(index) else { return ScopeReport::default() };
        let top = session.top();
        let scope = &top.scope;
        let grants = |entries: &[Entry], plan: &Plan| {
            (0..).zip(entries).map(|(at, entry)| self.granted(session, at, entry, plan)).collect()
        };
        ScopeReport {
            allow: grants(scope.allow.as_deref().unwrap_or_default(), &top.allow),
            required: grants(&scope.required, &top.required),
            exclude: (0..).zip(&scope.exclude).map(|(_, entry)| self.denied(entry)).collect(),
        }
    }

    /// Tells of selectors that match nothing, once somebody could have expected them to.
    pub(crate) fn report_unmatched(&mut self, index: SessionIndex) {
        let report = self.report(index);
        for (list, entries) in [("allow", &report.allow), ("required", &report.required), ("exclude", &report.exclude)]
        {
            for entry in entries {
                let code = match entry.state {
                    EntryState::Unknown => "selector_unknown",
                    EntryState::Invalid => "selector_invalid",
                    EntryState::Ambiguous => "selector_ambiguous",
                    EntryState::Shadowed => "selector_shadowed",
                    EntryState::Excluded if list == "required" => "required_excluded",
                    // What a child leaves out itself it knows; what an ancestor keeps from it, it asked for.
                    EntryState::Excluded if list == "allow" && self.is_ancestor(index, entry.by.as_deref()) => {
                        "selector_excluded"
                    }
                    _ => continue,
                };
                let mut message = format!("`{}` in `{list}` is {}", shown(&entry.selector), entry.state.as_str());
                if let Some(more) = &entry.message {
                    message = format!("{message}: {more}");
                }
                self.diagnostics.push(Diagnostic::warning(code, message));
            }
        }
    }

    fn is_ancestor(&self, index: SessionIndex, id: Option<&str>) -> bool {
        let path = self.session(index).map_or(&[][..], |session| &session.path);
        id.is_some_and(|id| path.split_last().is_some_and(|(_, above)| above.iter().any(|ancestor| ancestor == id)))
    }

    fn granted(&self, session: &Session, at: u32, entry: &Entry, plan: &Plan) -> EntryReport {
        let selector = match &entry.parsed {
            Ok(Selector::Nothing) => return EntryReport::new(entry, EntryState::Active),
            Ok(selector) => selector,
            Err(invalid) => return invalid_entry(entry, invalid),
        };
        if let Some(fits) = plan.ambiguity(at, &self.registry) {
            let mut report = EntryReport::new(entry, EntryState::Ambiguous);
            report.message = Some(format!("it fits `{}`; name one of them in full", fits.join("` and `")));
            report.did_you_mean = fits.to_vec();
            return report;
        }
        if let Some(report) = self.taken(at, entry, plan) {
            return report;
        }
        let matched = self.matched_by(at, entry, plan);
        let mut report = EntryReport::new(entry, EntryState::Unknown);
        let verdict = |slot: Slot| session.verdicts.get(slot.at()).copied().unwrap_or_default();
        let with = |codes: &[Code]| -> Vec<Slot> {
            matched.iter().copied().filter(|&slot| codes.contains(&verdict(slot).code)).collect()
        };
        let ids = |slots: &[Slot]| slots.iter().map(|&slot| self.registry.tool_id(slot)).collect();
        let active = with(&[Code::Allowed]);
        let pending = with(&[Code::Pending, Code::Quarantined, Code::GuardError, Code::Changed]);
        let (state, of) = if !active.is_empty() || *selector == Selector::Everything {
            (EntryState::Active, active)
        } else if !pending.is_empty() {
            (EntryState::Pending, pending)
        } else if let Some(&first) = matched.first() {
            let state = match verdict(first).code {
                Code::Shadowed => EntryState::Shadowed,
                _ => EntryState::Excluded,
            };
            (state, matched.clone())
        } else if self.source_pending(selector) {
            (EntryState::Pending, Vec::new())
        } else {
            (EntryState::Unknown, Vec::new())
        };
        report.state = state;
        report.ids = ids(&of);
        if state != EntryState::Active
            && let Some(&slot) = of.first()
        {
            let verdict = verdict(slot);
            report.by = self.by(session, slot, verdict.by).filter(|_| verdict.by != By::Source);
            report.message = Some(match &report.by {
                Some(by) => {
                    let rule = self.rule_of_ancestor(session, slot, verdict.by);
                    format!("`{}` is {} by `{}`{rule}", shown(&report.ids[0]), verdict.code.as_str(), shown(by))
                }
                None => format!("`{}` is {}", shown(&report.ids[0]), verdict.code.as_str()),
            });
        }
        report.alias_of = alias_of(&self.registry, selector, plan.binding(at), &of);
        if state == EntryState::Unknown {
            report.did_you_mean = self.suggestions(entry, selector);
            report.message = Some(unmatched(&report.did_you_mean));
        }
        report
    }

    /// The end of a word whose tool is gone, where another tool bears the name now: it was not granted to that one.
    fn taken(&self, at: u32, entry: &Entry, plan: &Plan) -> Option<EntryReport> {
        let &Binding::Bound { slot: gone, .. } = plan.binding(at)? else { return None };
        let Binding::Bound { slot: owner, .. } = meaning(&self.registry, &entry.text) else { return None };
        if plan.bound(at, &self.registry).is_some() || !self.matched_by(at, entry, plan).is_empty() {
            return None;
        }
        let [gone, owner] = [gone, owner].map(|slot| self.registry.tool_id(slot));
        let mut report = EntryReport::new(entry, EntryState::Shadowed);
        report.message = Some(format!(
            "it stays bound to `{}`, which is gone, while `{}` bears the name; set the scope again to bind it anew",
            shown(&gone),
            shown(&owner)
        ));
        report.by = Some(owner);
        Some(report)
    }

    /// Which rule of an ancestor stands in the way.
    fn rule_of_ancestor(&self, session: &Session, slot: Slot, by: By) -> String {
        let By::Ancestor(up) = by else { return String::new() };
        let mut ancestor = Some(session);
        for _ in 0..up {
            ancestor = ancestor.and_then(|session| self.session(session.parent?));
        }
        let rule = ancestor.and_then(|session| {
            let verdict = session.verdicts.get(slot.at())?;
            Some((verdict.code, self.by(session, slot, verdict.by)?))
        });
        rule.map_or_else(String::new, |(code, by)| format!(", where it is {} by `{}`", code.as_str(), shown(&by)))
    }

    /// The tools an entry of a grant list matches, whether another entry matches them too or not.
    fn matched_by(&self, at: u32, entry: &Entry, plan: &Plan) -> Vec<Slot> {
        if let Some(slot) = plan.bound(at, &self.registry) {
            return vec![slot];
        }
        if matches!(&entry.parsed, Ok(Selector::Name(pattern)) if pattern.literal().is_some()) {
            return Vec::new();
        }
        let alone = Plan::new(super::plan::Side::Grant, std::slice::from_ref(entry), &self.registry, None);
        self.known().filter(|&slot| alone.matching(&self.registry, slot).is_some()).collect()
    }

    fn denied(&self, entry: &Entry) -> EntryReport {
        let alone = Plan::new(super::plan::Side::Exclude, std::slice::from_ref(entry), &self.registry, None);
        let matched: Vec<Slot> = self.known().filter(|&slot| alone.matching(&self.registry, slot).is_some()).collect();
        let ids = matched.iter().map(|&slot| self.registry.tool_id(slot)).collect();
        let selector = match &entry.parsed {
            Ok(selector) => selector,
            Err(invalid) => return EntryReport { ids, ..invalid_entry(entry, invalid) },
        };
        let mut report = EntryReport { ids, ..EntryReport::new(entry, EntryState::Active) };
        if matched.is_empty() && !matches!(selector, Selector::Everything | Selector::Nothing) {
            report.state = if self.source_pending(selector) { EntryState::Pending } else { EntryState::Unknown };
            if report.state == EntryState::Unknown {
                report.did_you_mean = self.suggestions(entry, selector);
                report.message = Some(unmatched(&report.did_you_mean));
            }
        }
        report
    }

    /// Every known tool, in canonical order.
    pub(crate) fn known(&self) -> impl Iterator<Item = Slot> + '_ {
        let mut sources: Vec<_> = self.registry.open_sources().map(|(_, source)| source).collect();
        sources.sort_by_key(|source| (source.kind, source.order));
        sources.into_iter().flat_map(|source| source.tools.iter().copied())
    }

    /// Whether a source that the selector names is there and not ready.
    fn source_pending(&self, selector: &Selector) -> bool {
        let waits = |kind, pattern: &Pattern, spelled| {
            super::naming::named(&self.registry, kind, pattern, spelled)
                .into_iter()
                .any(|index| self.registry.source(index).state != SourceState::Ready)
        };
        match selector {
            Selector::Path(Path { kind, source, .. }) => waits(*kind, source, false),
            Selector::Joined(Joined { readings, .. }) => {
                readings.iter().any(|(server, _)| waits(SourceKind::Mcp, server, true))
            }
            Selector::Everything | Selector::Nothing | Selector::Name(_) => false,
        }
    }

    /// Selectors near to one that matches nothing: of its source where there is one, else of sources, else names.
    pub(crate) fn suggestions(&self, entry: &Entry, selector: &Selector) -> Vec<String> {
        let Selector::Path(path) = selector else {
            let names: Vec<&str> = self.known().flat_map(|slot| self.plain_names(slot)).collect();
            let mut found: Vec<String> =
                nearest(&entry.text, names, SUGGESTIONS).into_iter().map(str::to_owned).collect();
            if identity::same(&entry.text, SourceKind::Builtin.as_str()) {
                found.insert(0, "builtin:*".to_owned());
            }
            if found.is_empty() {
                // `everything/echo` lacks its kind; a raw name of an mcp server lacks its server.
                let wanted = entry.text.as_str();
                let ids = self.known().map(|slot| (slot, self.registry.tool_id(slot)));
                found = ids
                    .filter(|(slot, id)| {
                        *self.registry.tool(*slot).raw == *wanted
                            || id.split_once(':').is_some_and(|(_, rest)| rest == wanted)
                    })
                    .map(|(_, id)| id)
                    .take(SUGGESTIONS)
                    .collect();
            }
            return found;
        };
        let sources = super::naming::named(&self.registry, path.kind, &path.source, false);
        if sources.is_empty() {
            let ids: Vec<&str> = self.registry.open_sources().map(|(_, source)| &*source.id).collect();
            let wanted = format!("{}:{}", path.kind.as_str(), path.source.text());
            return nearest(&wanted, ids, SUGGESTIONS).into_iter().map(str::to_owned).collect();
        }
        let Some(tool) = &path.tool else { return Vec::new() };
        let here: Vec<(&str, Slot)> = sources
            .iter()
            .flat_map(|&index| &self.registry.source(index).tools)
            .map(|&slot| (&*self.registry.tool(slot).raw, slot))
            .collect();
        nearest(tool.text(), here.iter().map(|&(raw, _)| raw), SUGGESTIONS)
            .into_iter()
            .filter_map(|near| here.iter().find(|(raw, _)| *raw == near).map(|&(_, slot)| self.registry.tool_id(slot)))
            .collect()
    }
}

impl Tree {
    /// The plain names that mean a tool: its exposed one, and its raw one where a grant binds to it and it parses.
    fn plain_names(&self, slot: Slot) -> impl Iterator<Item = &str> {
        let tool = self.registry.tool(slot);
        let binds = self.registry.source(tool.source).kind != SourceKind::Mcp && *tool.raw != *tool.exposed;
        let parses =
            || matches!(crate::selector::parse(&tool.raw), Ok(Selector::Name(name)) if name.literal().is_some());
        let raw = (binds && parses()).then_some(&*tool.raw);
        std::iter::once(&*tool.exposed).chain(raw)
    }
}

fn unmatched(did_you_mean: &[String]) -> String {
    match did_you_mean {
        [] => "nothing is known by that name; it takes effect if it comes".to_owned(),
        near => format!("nothing is known by that name; did you mean `{}`?", near.join("` or `")),
    }
}

fn invalid_entry(entry: &Entry, invalid: &crate::selector::Invalid) -> EntryReport {
    let mut report = EntryReport::new(entry, EntryState::Invalid);
    report.column = Some(invalid.column);
    report.message = Some(invalid.message.clone());
    report
}

/// The raw name behind a sanitised spelling.
fn alias_of(registry: &Registry, selector: &Selector, binding: Option<&Binding>, slots: &[Slot]) -> Option<String> {
    let &slot = slots.first().filter(|_| slots.len() == 1)?;
    let tool = registry.tool(slot);
    let spelling = sanitised(&tool.raw);
    let is_spelling = |pattern: &Pattern| pattern.literal().is_some_and(|name| name == spelling && name != &*tool.raw);
    let spelled = match selector {
        Selector::Name(_) => matches!(binding, Some(Binding::Bound { alias: true, .. })),
        Selector::Path(path) => path.tool.as_ref().is_some_and(is_spelling),
        Selector::Joined(joined) => {
            joined.text != *tool.exposed
                && joined.readings.iter().filter_map(|(_, tool)| tool.as_ref()).any(is_spelling)
        }
        Selector::Everything | Selector::Nothing => false,
    };
    spelled.then(|| tool.raw.to_string())
}
