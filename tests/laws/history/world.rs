//! One history lived twice: in the crate and in the model.

use super::{Asking, History, Spelling, Step};
use crate::model::{self, Answer, Code, Declaration, Model, Scope, SourceSpec};
use toolscope::{
    registry::{Incoming, Slot},
    scope::{ScopeSpec, narrow},
    session::{
        SessionIndex, SessionSpec, Tree,
        decision::{Call, Decision, Guarded, Via},
        delta::Delta,
        scoping::{NarrowAsked, NarrowQuestion},
    },
    source::{self, Announcement, Declaration as Parsed, SourceIndex},
};

pub const ROOT: SessionIndex = SessionIndex(0);

pub struct World {
    pub tree: Tree,
    pub model: Model,
    pub sources: Vec<SourceSpec>,
    /// The crate's index of each source that was added, by id.
    pub indexes: std::collections::HashMap<String, SourceIndex>,
    /// The last delta, where a step returned one.
    pub delta: Option<Delta>,
    /// A question that was asked before, to be answered too late.
    asked: Option<NarrowAsked>,
}

pub fn declaration_json(declaration: &Declaration, given: Option<&str>) -> String {
    let Declaration { raw, good, definition, hints, exposure } = declaration;
    let mut fields = vec![format!("\"name\":{raw:?}")];
    fields.push(if *good { format!("\"description\":\"{definition}\"") } else { "\"description\":5".to_owned() });
    fields.push(format!("\"exposure\":\"{}\"", exposure.as_str()));
    fields.extend(hints.json().map(|json| format!("\"annotations\":{json}")));
    fields.extend(given.map(|given| format!("\"exposedName\":\"{given}\"")));
    format!("{{{}}}", fields.join(","))
}

pub fn incoming(spec: &SourceSpec, declarations: &[Declaration]) -> Vec<Incoming> {
    let json = |tool: &Declaration| declaration_json(tool, spec.given_name(&tool.raw).as_deref());
    declarations.iter().map(|tool| Parsed::parse(&json(tool))).collect()
}

pub fn source_spec(spec: &SourceSpec) -> source::SourceSpec {
    let announced =
        spec.declares.iter().map(|raw| Announcement { name: raw.clone(), exposed: spec.given_name(raw) }).collect();
    source::SourceSpec {
        aliases: spec.aliases.clone(),
        precedence: spec.precedence,
        trust_hints: spec.trust_hints,
        declares: announced,
        ..source::SourceSpec::new(spec.kind, spec.name.clone())
    }
}

pub fn scope_spec(scope: &Scope) -> ScopeSpec {
    let texts = |entries: &[model::selector::Selector]| entries.iter().map(model::selector::Selector::text).collect();
    ScopeSpec {
        allow: scope.allow.as_deref().map(texts),
        exclude: texts(&scope.exclude),
        required: texts(&scope.required),
        narrow: scope.narrow,
        sealed: scope.sealed,
        require_guards: scope.guards.clone(),
    }
}

/// Which question an answer is to.
pub fn asked_by(question: &NarrowQuestion) -> NarrowAsked {
    NarrowAsked { layer: question.layer, source: question.source, version: question.version }
}

pub fn answer_of(answer: &Answer) -> narrow::Answer {
    match answer {
        Answer::Everything => narrow::Answer::Everything,
        Answer::Nothing => narrow::Answer::Nothing,
        Answer::Only(names) => narrow::Answer::Only(names.iter().cloned().collect()),
        Answer::Failed => narrow::Answer::Failed("it threw".to_owned()),
    }
}

impl World {
    pub fn new(sources: &[SourceSpec], scope: &Scope) -> Self {
        let spec = SessionSpec { id: "root".to_owned(), scope: scope_spec(scope), ..SessionSpec::default() };
        let mut model = Model::default();
        model.set_scope(scope);
        Self {
            tree: Tree::new(spec).expect("a lenient scope is always read"),
            model,
            sources: sources.to_vec(),
            indexes: std::collections::HashMap::new(),
            delta: None,
            asked: None,
        }
    }

    /// Lives a history, with a look after each step.
    pub fn live(history: &History, mut look: impl FnMut(&mut Self)) -> Self {
        let mut world = Self::new(&history.sources, &history.scope);
        for (step, asking) in &history.steps {
            world.take(step, asking);
            look(&mut world);
        }
        world
    }

    /// The id of a source of the history, and the index it has where it is open in the model.
    fn open(&self, at: usize) -> (String, Option<SourceIndex>) {
        let id = self.sources[at].id();
        let is_open = self.model.source(&id).is_some_and(|source| source.spec == self.sources[at]);
        (id.clone(), self.indexes.get(&id).copied().filter(|_| is_open))
    }

    /// What a spelling spells now.
    pub fn spelled(&self, spelling: &Spelling) -> String {
        let tools = self.model.tools();
        match spelling {
            Spelling::Exposed(at) if !tools.is_empty() => tools[at % tools.len()].1.exposed.clone(),
            Spelling::Id(at) if !tools.is_empty() => tools[at % tools.len()].1.id.clone(),
            Spelling::Text(text) => text.clone(),
            _ => "a".to_owned(),
        }
    }

    /// Takes a step in both, and has the predicate asked as the host would.
    pub fn take(&mut self, step: &Step, asking: &Asking) {
        self.delta = None;
        match step {
            Step::AddSource(at) => {
                let spec = &self.sources[*at];
                let added = self.tree.add_source(source_spec(spec));
                assert_eq!(added.is_ok(), self.model.add_source(spec), "adding {}: {added:?}", spec.id());
                if let Ok(index) = added {
                    self.indexes.insert(spec.id(), index);
                }
            }
            Step::Set(at, tools) | Step::Add(at, tools) => {
                let (id, Some(index)) = self.open(*at) else { return };
                let tools_in = incoming(&self.sources[*at], tools);
                if matches!(step, Step::Set(..)) {
                    self.tree.set(index, tools_in).expect("the source is open");
                    self.model.set(&id, tools);
                } else {
                    self.tree.add(index, tools_in).expect("the source is open");
                    self.model.add(&id, tools);
                }
            }
            Step::Remove(at, raws) => {
                let (id, Some(index)) = self.open(*at) else { return };
                self.tree.remove(index, raws).expect("the source is open");
                self.model.remove(&id, raws);
            }
            Step::Fail(at) => {
                let (id, Some(index)) = self.open(*at) else { return };
                self.tree.fail(index, "it went down").expect("the source is open");
                self.model.fail(&id);
            }
            Step::Close(at) => {
                let (id, Some(index)) = self.open(*at) else { return };
                self.tree.close(index);
                self.model.close(&id);
            }
            Step::Dispose => {
                self.tree.dispose(ROOT);
                self.model.disposed = true;
            }
            _ => self.take_in_session(step),
        }
        if !self.model.disposed {
            self.ask(asking);
        }
    }

    fn take_in_session(&mut self, step: &Step) {
        const LIVE: &str = "the session is not disposed";
        match step {
            Step::SetScope(scope) => {
                self.tree.set_scope(ROOT, scope_spec(scope)).expect("a lenient scope is always read");
                self.model.set_scope(scope);
            }
            Step::Refresh => {
                self.tree.refresh(ROOT).expect(LIVE);
                self.model.refresh();
            }
            Step::Start => {
                self.tree.start(ROOT).expect(LIVE);
                self.model.start();
                self.turn(false);
            }
            Step::Turn => {
                self.present();
                self.turn(false);
            }
            Step::Delta => self.turn(false),
            Step::Compact => self.turn(true),
            Step::Present => self.present(),
            Step::Activate(names) => {
                let names: Vec<String> = names.iter().map(|name| self.spelled(name)).collect();
                let done = self.tree.activate(ROOT, &names);
                assert_eq!(done.is_ok(), self.model.activate(&names), "activating {names:?}: {done:?}");
                self.turn(false);
            }
            Step::Deactivate(names) => {
                let names: Vec<String> = names.iter().map(|name| self.spelled(name)).collect();
                let done = self.tree.deactivate(ROOT, &names);
                assert_eq!(done.is_ok(), self.model.deactivate(&names), "deactivating {names:?}: {done:?}");
                self.turn(false);
            }
            Step::GuardAdded(name) => {
                self.tree.guard_added(ROOT, name).expect(LIVE);
                self.model.guards.push((*name).to_owned());
            }
            Step::GuardRemoved(name) => {
                self.tree.guard_removed(ROOT, name);
                if let Some(at) = self.model.guards.iter().position(|guard| guard == name) {
                    self.model.guards.remove(at);
                }
            }
            Step::Pin => {
                self.tree.pin_definitions(ROOT).expect(LIVE);
                self.model.pin_definitions();
            }
            Step::Approve(spelling) => {
                let id = self.spelled(spelling);
                let done = self.tree.approve(ROOT, &id);
                assert_eq!(done.is_ok(), self.model.approve(&id), "approving {id}: {done:?}");
            }
            Step::Door(spelling) => {
                let name = self.spelled(spelling);
                let call = Call { name: &name, id: None, via: Via::Direct };
                let (opened, fingerprint) = self.tree.open_door(ROOT, call);
                self.model.present();
                if let Some(slot) = opened.slot {
                    let closed = self.tree.close_door(ROOT, call, slot, fingerprint.as_deref(), Guarded::Passed);
                    assert_eq!(closed, opened, "nothing happened between the halves of the door");
                }
            }
            _ => {}
        }
    }

    fn present(&mut self) {
        self.tree.present(ROOT);
        self.model.present();
    }

    fn turn(&mut self, compact: bool) {
        let before = self.active();
        let delta = self.tree.delta(ROOT, compact).expect("the session is not disposed");
        let redefined = self.model.delta(compact);
        assert_eq!(self.active(), self.model.active, "the active set");
        let told = self.ids(&delta.redefined);
        assert!(redefined.iter().all(|id| told.contains(id)), "redefined {redefined:?}, told {told:?}");
        assert!(told.iter().all(|id| before.contains(id) && self.model.active.contains(id)), "{told:?} redefined");
        self.delta = Some(delta);
    }

    fn ask(&mut self, asking: &Asking) {
        let Asking::Answers(answers) = asking else {
            if let (Asking::Stale, Some(late)) = (asking, self.asked) {
                let questions = self.tree.narrow_questions(ROOT);
                if questions.is_empty() {
                    self.model.asked_all();
                }
                let current = questions.iter().find(|question| question.source == late.source);
                if current.is_some_and(|question| question.version != late.version) {
                    self.tree.narrow_answered(ROOT, late, narrow::Answer::Everything);
                }
            }
            return;
        };
        let questions = self.tree.narrow_questions(ROOT);
        let mut asked: Vec<String> = Vec::new();
        for question in questions {
            let id = self.tree.registry().source_id(question.source).to_owned();
            let answer = &answers[self.sources.iter().position(|spec| spec.id() == id).unwrap_or(0) % answers.len()];
            let source = self.model.source(&id).expect("only open sources are asked about");
            let view: Vec<&String> = source
                .tools
                .iter()
                .filter(|tool| tool.standing == model::Standing::Here && !self.model.excluded(source, tool))
                .map(|tool| &tool.raw)
                .collect();
            assert_eq!(question.tools.iter().collect::<Vec<_>>(), view, "what the predicate sees of {id}");
            self.tree.narrow_answered(ROOT, asked_by(&question), answer_of(answer));
            self.asked = Some(asked_by(&question));
            asked.push(id.clone());
            if let Some(source) = self.model.sources.iter_mut().find(|source| source.spec.id() == id) {
                assert!(source.answer.is_none(), "the predicate was asked about {id} though its map had not changed");
                source.answer = Some(answer.clone());
            }
        }
        assert!(
            !self.model.scope.narrow || self.model.sources.iter().all(|source| source.answer.is_some()),
            "the predicate was asked about {asked:?} alone",
        );
        assert!(self.tree.narrow_questions(ROOT).is_empty(), "there is more to ask at once");
        self.model.asked_all();
    }

    pub fn ids(&self, slots: &[Slot]) -> Vec<String> {
        slots.iter().map(|&slot| self.tree.registry().tool_id(slot)).collect()
    }

    pub fn active(&self) -> Vec<String> {
        self.ids(self.tree.active(ROOT))
    }

    pub fn check(&mut self, name: &str, id: Option<&str>, from_code: bool) -> Decision {
        self.tree.check(ROOT, Call { name, id, via: if from_code { Via::Code } else { Via::Direct } })
    }

    /// Spellings that calls use: those of every known tool, and what other agents make of raw names.
    pub fn spellings(&self) -> Vec<String> {
        let tools = self.model.tools();
        let mut all: Vec<String> = tools.iter().flat_map(|(_, tool)| [tool.exposed.clone(), tool.id.clone()]).collect();
        for raw in ["a", "b", "a.b", "a_b"] {
            for prefix in ["", "s.", "s_", "s__", "mcp__s__", "mcp__s_t__", "s_t-", "al/", "mcp__s__a__"] {
                all.push(format!("{prefix}{raw}"));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// Every decision on every spelling.
    pub fn decisions(&mut self) -> Vec<(String, bool, Code, Option<String>)> {
        let mut all = Vec::new();
        for name in self.spellings() {
            for from_code in [false, true] {
                let Decision { code, id, .. } = self.check(&name, None, from_code);
                all.push((name.clone(), from_code, code, id));
            }
        }
        all
    }

    /// The same, by the model.
    pub fn expected(&self) -> Vec<(String, bool, Code, Option<String>)> {
        let mut all = Vec::new();
        for name in self.spellings() {
            for from_code in [false, true] {
                let (code, id) = self.model.decide(&name, None, from_code);
                all.push((name.clone(), from_code, code, id));
            }
        }
        all
    }
}
