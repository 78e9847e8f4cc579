//! The texts that cross: how each core type is written as JSON, and how each is read.

use super::error::Result;
use crate::{
    diagnostic::Diagnostic,
    error::{Error, ErrorKind},
    object,
    registry::{Incoming, Naming, Registry, SourceReport},
    scope::{
        ScopeSpec,
        report::{EntryReport, ScopeReport},
        verdict::{Code, Outcome},
    },
    session::{
        Limits, SessionSpec,
        decision::{Call, Decision, Guarded, Via},
        explain::Step,
        finding::{CodeTool, FoundPage},
        listing::{Resolution, ToolInfo},
        scoping::NarrowQuestion,
    },
    source::{Announcement, Declaration, SourceKind, SourceSpec, declaration::Malformed},
    text::shown,
};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;

/// Any of our own values as JSON text. They hold nothing that JSON cannot say, so this does not fail.
pub fn to_text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn read<'a, T: Deserialize<'a>>(text: &'a str, what: &str) -> Result<T> {
    object::read(text).map_err(|error| Error::new(ErrorKind::InvalidArgument, format!("{what}: {error}")).into())
}

/// Reads one declaration a line. A line that JavaScript could not write itself says so: `!["name","reason"]`.
pub fn incoming(lines: &[u8]) -> Vec<Incoming> {
    let lines = lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let read = |line| match str::from_utf8(line) {
        Ok(text) => Declaration::parse(text),
        Err(error) => Err(Malformed::new("", format!("{error}; mend the declaration"))),
    };
    let refused = |line| {
        let (name, reason): (String, String) = serde_json::from_slice(line).unwrap_or_default();
        Err(Malformed::new(&name, reason))
    };
    lines.map(|line| line.strip_prefix(b"!").map_or_else(|| read(line), refused)).collect()
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ScopeText {
    allow: Option<Vec<String>>,
    exclude: Vec<String>,
    required: Vec<String>,
    narrow: bool,
    sealed: bool,
    require_guards: Vec<String>,
}

impl ScopeText {
    pub fn read(text: &str) -> Result<Self> {
        read(text, "the scope cannot be read")
    }
}

impl From<ScopeText> for ScopeSpec {
    fn from(text: ScopeText) -> Self {
        let ScopeText { allow, exclude, required, narrow, sealed, require_guards } = text;
        Self { allow, exclude, required, narrow, sealed, require_guards }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SpecText {
    id: String,
    scope: ScopeText,
    strict: bool,
    depth: Option<u64>,
    children: Option<u64>,
    spawned: Option<u64>,
    spawn_tools: Vec<String>,
}

impl SpecText {
    pub fn read(text: &str) -> Result<Self> {
        read(text, "the options cannot be read")
    }
}

impl From<SpecText> for SessionSpec {
    fn from(text: SpecText) -> Self {
        let default = Limits::default();
        // No tree grows past what a `u32` counts.
        let limit = |given: Option<u64>, default| given.map_or(default, |most| u32::try_from(most).unwrap_or(u32::MAX));
        let limits = Limits {
            depth: limit(text.depth, default.depth),
            children: limit(text.children, default.children),
            spawned: limit(text.spawned, default.spawned),
        };
        Self { id: text.id, scope: text.scope.into(), strict: text.strict, limits, spawn_tools: text.spawn_tools }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceText {
    kind: String,
    name: String,
    #[serde(default)]
    aliases: Vec<String>,
    description: Option<String>,
    precedence: Option<i32>,
    trust_hints: Option<bool>,
    /// (raw name, the host's own exposed name)
    #[serde(default)]
    declares: Vec<(String, Option<String>)>,
    #[serde(default)]
    lazy: bool,
}

impl SourceText {
    pub fn read(text: &str) -> Result<Self> {
        read(text, "the source cannot be read")
    }
}

impl TryFrom<SourceText> for SourceSpec {
    type Error = Error;

    fn try_from(text: SourceText) -> std::result::Result<Self, Error> {
        let kind = SourceKind::parse(&text.kind).ok_or_else(|| {
            let kinds = SourceKind::ALL.map(SourceKind::as_str).join("`, `");
            Error::new(
                ErrorKind::InvalidArgument,
                format!("unknown kind `{}`; use one of `{kinds}`", shown(&text.kind)),
            )
        })?;
        Ok(Self {
            aliases: text.aliases,
            description: text.description,
            precedence: text.precedence,
            trust_hints: text.trust_hints,
            declares: text.declares.into_iter().map(|(name, exposed)| Announcement { name, exposed }).collect(),
            lazy: text.lazy,
            ..Self::new(kind, text.name)
        })
    }
}

#[derive(Deserialize)]
pub struct CallText<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(default)]
    code: bool,
}

impl<'a> CallText<'a> {
    pub fn read(text: &'a str) -> Result<Self> {
        read(text, "the call cannot be read")
    }

    pub fn as_call(&self) -> Call<'_> {
        Call { name: &self.name, id: self.id.as_deref(), via: if self.code { Via::Code } else { Via::Direct } }
    }
}

/// A decision, as the contract has it, with the slot and the definition it was made on.
#[derive(Serialize)]
pub struct DecisionText {
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
    via: &'static str,
    path: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
    /// The source whose `execute` it is, and the raw name it has there.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<(u32, String)>,
}

impl DecisionText {
    /// With what the host needs to go on from an open door.
    pub fn opened(decision: Decision, fingerprint: Option<String>, run: Option<(u32, String)>) -> Self {
        Self { fingerprint, run, ..decision.into() }
    }
}

impl From<Decision> for DecisionText {
    fn from(decision: Decision) -> Self {
        let allowed = decision.code == Code::Allowed;
        Self {
            allowed,
            code: (!allowed).then(|| decision.code.as_str()),
            reason: (!allowed).then_some(decision.reason),
            id: decision.id,
            name: decision.name,
            via: decision.via.as_str(),
            path: decision.path,
            by: decision.by.filter(|_| !allowed),
            slot: decision.slot.map(|slot| slot.0),
            fingerprint: None,
            run: None,
        }
    }
}

/// What the guards of a call said, where one refused.
#[derive(Deserialize)]
pub struct RefusalText {
    by: String,
    reason: Option<String>,
    problem: Option<String>,
}

impl RefusalText {
    pub fn read(text: &str) -> Result<Self> {
        read(text, "the refusal cannot be read")
    }
}

impl From<RefusalText> for Guarded {
    fn from(RefusalText { by, reason, problem }: RefusalText) -> Self {
        match problem {
            None => Self::Blocked { by, reason },
            Some(problem) => Self::Failed { by, problem },
        }
    }
}

#[derive(Serialize)]
pub struct ExplanationText {
    decision: DecisionText,
    steps: Vec<StepText>,
}

#[derive(Serialize)]
struct StepText {
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    outcome: &'static str,
}

impl ExplanationText {
    pub fn new(decision: Decision, steps: &[Step]) -> Self {
        let outcome = |outcome| match outcome {
            Outcome::Pass => "pass",
            Outcome::Refuse => "refuse",
            Outcome::Skip => "skip",
        };
        let steps = steps.iter().map(|step| StepText {
            rule: step.rule.as_str(),
            by: step.by.clone(),
            outcome: outcome(step.outcome),
        });
        Self { steps: steps.collect(), decision: decision.into() }
    }
}

impl Serialize for SourceReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Quarantined<'a> {
            name: &'a str,
            reason: &'a str,
        }
        #[derive(Serialize)]
        struct Report<'a> {
            added: &'a [String],
            replaced: &'a [String],
            removed: &'a [String],
            quarantined: Vec<Quarantined<'a>>,
        }
        let quarantined = self.quarantined.iter().map(|tool| Quarantined { name: &tool.name, reason: &tool.reason });
        Report {
            added: &self.added,
            replaced: &self.replaced,
            removed: &self.removed,
            quarantined: quarantined.collect(),
        }
        .serialize(serializer)
    }
}

impl Serialize for EntryReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Entry<'a> {
            selector: &'a str,
            state: &'static str,
            ids: &'a [String],
            #[serde(skip_serializing_if = "Option::is_none")]
            by: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            alias_of: Option<&'a str>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            did_you_mean: &'a [String],
            #[serde(skip_serializing_if = "Option::is_none")]
            column: Option<usize>,
            #[serde(skip_serializing_if = "Option::is_none")]
            message: Option<&'a str>,
        }
        Entry {
            selector: &self.selector,
            state: self.state.as_str(),
            ids: &self.ids,
            by: self.by.as_deref(),
            alias_of: self.alias_of.as_deref(),
            did_you_mean: &self.did_you_mean,
            column: self.column,
            message: self.message.as_deref(),
        }
        .serialize(serializer)
    }
}

impl Serialize for ScopeReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Report<'a> {
            allow: &'a [EntryReport],
            exclude: &'a [EntryReport],
            required: &'a [EntryReport],
        }
        Report { allow: &self.allow, exclude: &self.exclude, required: &self.required }.serialize(serializer)
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Text<'a> {
            level: &'static str,
            code: &'static str,
            message: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            source: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<&'a str>,
        }
        Text {
            level: self.level.as_str(),
            code: self.code,
            message: &self.message,
            source: self.source.as_deref(),
            id: self.id.as_deref(),
        }
        .serialize(serializer)
    }
}

impl Serialize for NarrowQuestion {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        (self.layer, self.source.0, self.version, &self.tools).serialize(serializer)
    }
}

impl Serialize for ToolInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Info<'a> {
            id: &'a str,
            name: &'a str,
            source: &'a str,
            exposure: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            description: Option<&'a str>,
            in_scope: bool,
            active: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            shadowed_by: Option<&'a str>,
        }
        Info {
            id: &self.id,
            name: &self.name,
            source: &self.source,
            exposure: self.exposure.as_str(),
            description: self.description.as_deref(),
            in_scope: self.in_scope,
            active: self.active,
            shadowed_by: self.shadowed_by.as_deref(),
        }
        .serialize(serializer)
    }
}

impl Serialize for Resolution {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Text<'a> {
            selector: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            name: Option<&'a str>,
            state: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            reason: Option<&'a str>,
        }
        Text {
            selector: &self.selector,
            id: self.id.as_deref(),
            name: self.name.as_deref(),
            state: self.state,
            reason: self.reason.as_deref(),
        }
        .serialize(serializer)
    }
}

impl Serialize for FoundPage {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Item<'a> {
            id: &'a str,
            name: &'a str,
            path: &'a str,
            description: &'a str,
            signature: &'a str,
            score: f64,
        }
        #[derive(Serialize)]
        struct Next {
            offset: usize,
        }
        #[derive(Serialize)]
        struct Page<'a> {
            items: Vec<Item<'a>>,
            total: usize,
            next: Option<Next>,
        }
        let items = self.items.iter().map(|tool| Item {
            id: &tool.id,
            name: &tool.name,
            path: &tool.path,
            description: &tool.description,
            signature: &tool.signature,
            score: tool.score,
        });
        Page { items: items.collect(), total: self.total, next: self.next.map(|offset| Next { offset }) }
            .serialize(serializer)
    }
}

impl Serialize for CodeTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Listed<'a> {
            slot: u32,
            id: &'a str,
            name: &'a str,
            source: &'a str,
            label: &'a str,
            tool: &'a str,
        }
        let Self { slot, id, name, source, label, tool } = self;
        Listed { slot: slot.0, id, name, source, label, tool }.serialize(serializer)
    }
}

/// Names that changed: slots, the owner of each one's name (−1 where nobody is), the names and the ids.
#[derive(Serialize)]
pub struct Names<'a> {
    slots: Vec<u32>,
    owners: Vec<i64>,
    exposed: Vec<&'a str>,
    ids: Vec<String>,
}

/// Puts changes of names into words.
pub fn names<'a>(registry: &'a Registry, news: &[Naming]) -> Names<'a> {
    Names {
        slots: news.iter().map(|naming| naming.slot.0).collect(),
        owners: news.iter().map(|naming| naming.owner.map_or(-1, |slot| i64::from(slot.0))).collect(),
        exposed: news.iter().map(|naming| registry.exposed_name_of(naming.slot)).collect(),
        ids: news.iter().map(|naming| registry.tool_id(naming.slot)).collect(),
    }
}
