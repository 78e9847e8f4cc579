//! The model: what DESIGN says, in plain lists, with everything recomputed whenever it is asked for.

mod active;
mod calls;
pub mod name;
mod scope;
pub mod selector;

pub use active::Place;
pub use scope::denies;
use selector::Selector;
use std::collections::{HashMap, HashSet};
pub use toolscope::{
    scope::verdict::Code,
    source::{Exposure, Hint, SourceKind, SourceState},
};

/// What a source says of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub raw: String,
    /// Whether it is well formed.
    pub good: bool,
    /// Stands for description and schemas: what a fingerprint is made from, with `hints`.
    pub definition: u8,
    pub hints: HintSet,
    pub exposure: Exposure,
}

/// A few sets of annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintSet {
    Missing,
    Bare,
    ReadOnly,
    Additive,
}

impl HintSet {
    pub fn json(self) -> Option<&'static str> {
        match self {
            Self::Missing => None,
            Self::Bare => Some("{}"),
            Self::ReadOnly => Some(r#"{"readOnlyHint":true}"#),
            Self::Additive => Some(r#"{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#),
        }
    }

    /// With MCP's defaults: destructive and open-world unless said otherwise.
    fn says(self, hint: Hint) -> Option<bool> {
        match self {
            Self::Missing => None,
            Self::Bare => Some(matches!(hint, Hint::Destructive | Hint::OpenWorld)),
            Self::ReadOnly => Some(matches!(hint, Hint::ReadOnly | Hint::OpenWorld)),
            Self::Additive => Some(matches!(hint, Hint::Idempotent)),
        }
    }
}

/// What is known of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Announced,
    Here,
    /// Malformed from the start.
    Quarantined,
    /// Redefined malformed.
    Withdrawn,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    pub id: String,
    pub raw: String,
    pub exposed: String,
    pub standing: Standing,
    pub declaration: Option<Declaration>,
    /// Another one each time the tool comes anew.
    pub life: u64,
}

impl Tool {
    pub fn registered(&self) -> bool {
        matches!(self.standing, Standing::Here | Standing::Withdrawn)
    }

    pub fn exposure(&self) -> Exposure {
        self.declaration.as_ref().map_or(Exposure::Direct, |declaration| declaration.exposure)
    }

    pub fn definition(&self) -> Option<(u8, HintSet)> {
        self.declaration.as_ref().map(|declaration| (declaration.definition, declaration.hints))
    }
}

/// What the host says of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpec {
    pub kind: SourceKind,
    pub name: String,
    pub aliases: Vec<String>,
    pub precedence: Option<i32>,
    pub trust_hints: Option<bool>,
    pub declares: Vec<String>,
    /// Whether the host's `exposedName` gives the sanitised raw name, on which two tools may meet.
    pub renames: bool,
}

impl SourceSpec {
    pub fn id(&self) -> String {
        if self.kind == SourceKind::Builtin {
            return "builtin".to_owned();
        }
        let quote = if self.name.contains(['/', '*', '@', ':', '"', ' ']) { "\"" } else { "" };
        format!("{}:{quote}{}{quote}", self.kind.as_str(), self.name)
    }

    pub fn given_name(&self, raw: &str) -> Option<String> {
        self.renames.then(|| name::sanitised(raw))
    }

    fn tool_id(&self, raw: &str) -> String {
        let separator = if self.kind == SourceKind::Builtin { ":" } else { "/" };
        format!("{}{separator}{raw}", self.id())
    }

    pub fn exposed(&self, raw: &str) -> String {
        self.given_name(raw).unwrap_or_else(|| name::exposed(self.kind, &self.name, raw, &self.tool_id(raw)))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Everything,
    Nothing,
    Only(Vec<String>),
    Failed,
}

#[derive(Clone, Debug)]
pub struct Source {
    pub spec: SourceSpec,
    pub state: SourceState,
    /// In the order of the map; announced tools included.
    pub tools: Vec<Tool>,
    /// What the predicate said of this map.
    pub answer: Option<Answer>,
}

#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub allow: Option<Vec<Selector>>,
    pub exclude: Vec<Selector>,
    pub required: Vec<Selector>,
    pub narrow: bool,
    pub sealed: bool,
    pub guards: Vec<String>,
}

/// One session over its sources.
#[expect(clippy::struct_excessive_bools, reason = "each is one fact of DESIGN, independent of the others")]
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Open ones, in the order of `addSource`.
    pub sources: Vec<Source>,
    pub scope: Scope,
    pub started: bool,
    pub presented: bool,
    pub disposed: bool,
    pub guards: Vec<String>,
    /// What the words of `allow` and of `required` are bound to, by their places.
    pub bound: [HashMap<usize, String>; 2],
    pub ceiling: Option<HashSet<String>>,
    pub seal_due: bool,
    pub pinning: bool,
    pub approved: HashMap<String, (u8, HintSet)>,
    pub loaded: HashSet<String>,
    pub undeclared: HashSet<String>,
    pub places: Vec<Place>,
    pub active: Vec<String>,
    lives: u64,
}

impl Model {
    pub fn source(&self, id: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.spec.id() == id)
    }

    /// Every known tool with its source, in canonical order: by kind, then by `addSource`, then by place.
    pub fn tools(&self) -> Vec<(&Source, &Tool)> {
        let mut sources: Vec<&Source> = self.sources.iter().collect();
        sources.sort_by_key(|source| source.spec.kind);
        sources.into_iter().flat_map(|source| source.tools.iter().map(move |tool| (source, tool))).collect()
    }

    pub fn tool(&self, id: &str) -> Option<(&Source, &Tool)> {
        self.tools().into_iter().find(|(_, tool)| tool.id == id)
    }

    fn new_tool(&mut self, spec: &SourceSpec, raw: &str) -> Tool {
        self.lives += 1;
        Tool {
            id: spec.tool_id(raw),
            raw: raw.to_owned(),
            exposed: spec.exposed(raw),
            standing: Standing::Announced,
            declaration: None,
            life: self.lives,
        }
    }

    /// Whether the source was added: ids that differ only in case are an error.
    pub fn add_source(&mut self, spec: &SourceSpec) -> bool {
        if self.sources.iter().any(|source| source.spec.id().to_lowercase() == spec.id().to_lowercase()) {
            return false;
        }
        let mut tools: Vec<Tool> = Vec::new();
        for raw in &spec.declares {
            if tools.iter().all(|tool| tool.raw != *raw) {
                let tool = self.new_tool(spec, raw);
                tools.push(tool);
            }
        }
        self.sources.push(Source { spec: spec.clone(), state: SourceState::Pending, tools, answer: None });
        self.settle();
        true
    }

    /// The whole map, replaced; what is only announced stays announced.
    pub fn set(&mut self, id: &str, declarations: &[Declaration]) {
        self.receive(id, declarations, true);
    }

    pub fn add(&mut self, id: &str, declarations: &[Declaration]) {
        self.receive(id, declarations, false);
    }

    fn receive(&mut self, id: &str, declarations: &[Declaration], whole: bool) {
        let Some(at) = self.sources.iter().position(|source| source.spec.id() == id) else { return };
        let Source { spec, state, tools: before, .. } = self.sources[at].clone();
        let mut map: Vec<Tool> = if whole { Vec::new() } else { before.clone() };
        let mut seen: Vec<&str> = Vec::new();
        let mut malformed = false;
        for declaration in declarations {
            if seen.contains(&declaration.raw.as_str()) {
                continue;
            }
            seen.push(&declaration.raw);
            let known = before.iter().find(|tool| tool.raw == declaration.raw).cloned();
            let mut tool = known.unwrap_or_else(|| self.new_tool(&spec, &declaration.raw));
            let given = spec.exposed(&tool.raw);
            let is_other = |other: &&Tool| other.raw != tool.raw && other.exposed == given;
            // The host's own name is for a declaration that was taken in; until then the tool has its id's.
            let own = name::exposed(spec.kind, &spec.name, &tool.raw, &tool.id);
            if before.iter().all(|other| other.raw != tool.raw) {
                tool.exposed.clone_from(&own);
            }
            if !declaration.good {
                tool.standing = if tool.registered() { Standing::Withdrawn } else { Standing::Quarantined };
                malformed = true;
            } else if map.iter().filter(is_other).any(Tool::registered) {
                // A clash that remains quarantines the later tool, which owns nothing, whatever it was before.
                tool.standing = Standing::Quarantined;
                tool.exposed = own;
                tool.declaration = None;
                malformed = true;
            } else {
                tool.standing = Standing::Here;
                tool.exposed = given;
                tool.declaration = Some(declaration.clone());
            }
            match map.iter_mut().find(|other| other.raw == tool.raw) {
                Some(place) => *place = tool,
                None => map.push(tool),
            }
        }
        if whole {
            let announced = |tool: &&Tool| tool.standing == Standing::Announced && !seen.contains(&tool.raw.as_str());
            map.extend(before.iter().filter(announced).cloned());
        }
        let source = &mut self.sources[at];
        // A malformed declaration counts as a change: there is something new to be said of it.
        if map != before || malformed || state != SourceState::Ready {
            source.answer = None;
        }
        source.tools = map;
        source.state = SourceState::Ready;
        self.settle();
    }

    pub fn remove(&mut self, id: &str, raws: &[String]) {
        let Some(source) = self.sources.iter_mut().find(|source| source.spec.id() == id) else { return };
        let before = source.tools.len();
        source.tools.retain(|tool| !raws.contains(&tool.raw));
        if source.tools.len() != before {
            source.answer = None;
        }
        self.settle();
    }

    pub fn fail(&mut self, id: &str) {
        if let Some(source) = self.sources.iter_mut().find(|source| source.spec.id() == id) {
            source.state = SourceState::Failed;
        }
        self.settle();
    }

    pub fn close(&mut self, id: &str) {
        self.sources.retain(|source| source.spec.id() != id);
        self.settle();
    }

    pub fn set_scope(&mut self, scope: &Scope) {
        self.scope = scope.clone();
        self.bound = Default::default();
        for source in &mut self.sources {
            source.answer = None;
        }
        self.settle();
        self.seal_due = self.started && scope.sealed;
        if !scope.narrow {
            self.seal();
        }
    }

    pub fn start(&mut self) {
        if !self.started {
            self.started = true;
            self.seal_due = self.scope.sealed;
            self.seal();
        }
    }

    /// The predicate was asked about every source whose map it had not seen.
    pub fn asked_all(&mut self) {
        self.seal();
    }

    /// The ids in scope, loaded or announced, become the ceiling.
    fn seal(&mut self) {
        if !std::mem::take(&mut self.seal_due) {
            return;
        }
        let in_scope = self.tools().into_iter().filter(|(source, tool)| self.scoped(source, tool).is_none());
        self.ceiling = Some(in_scope.map(|(_, tool)| tool.id.clone()).collect());
    }

    pub fn refresh(&mut self) {
        for source in &mut self.sources {
            source.answer = None;
        }
    }

    pub fn pin_definitions(&mut self) {
        self.pinning = true;
        self.approved.retain(|id, _| {
            !self
                .sources
                .iter()
                .flat_map(|source| &source.tools)
                .any(|tool| tool.id == *id && tool.standing == Standing::Here)
        });
        self.settle();
    }

    /// Whether there was a definition to approve.
    pub fn approve(&mut self, id: &str) -> bool {
        let Some((_, tool)) = self.tool(id).filter(|(_, tool)| tool.standing == Standing::Here) else { return false };
        let Some(definition) = tool.definition() else { return false };
        self.approved.insert(id.to_owned(), definition);
        true
    }

    /// After every change: the first definition that comes is the approved one, and words bind.
    fn settle(&mut self) {
        if self.pinning {
            for tool in self.sources.iter().flat_map(|source| &source.tools) {
                if tool.standing == Standing::Here
                    && let Some(definition) = tool.definition()
                {
                    self.approved.entry(tool.id.clone()).or_insert(definition);
                }
            }
        }
        self.bind();
    }
}
