//! Random histories, over alphabets so small that names collide, shadow each other and pass for one another.

mod world;

pub use world::{ROOT, World, answer_of, asked_by, declaration_json, incoming, scope_spec, source_spec};

use crate::model::{Answer, Declaration, Exposure, Hint, HintSet, Scope, SourceKind, SourceSpec, selector::Selector};
use proptest::{collection::vec, option, prelude::*, sample::select, strategy::Union};

/// Raw names: equal when sanitised, with the separator of joined names, and equal but for case.
pub const RAWS: [&str; 8] = ["a", "b", "a.b", "a_b", "a/b", "a__b", "A", "_a"];
/// Source names: differing in punctuation or case alone.
pub const SOURCES: [&str; 6] = ["s", "S", "s.t", "s_t", "s__a", "@k/b"];
const ALIASES: [&str; 4] = ["s", "al", "s_t", "a"];
const GUARDS: [&str; 2] = ["g", "h"];

/// A tool by how it is written: `n` counts, modulo, the known ones.
#[derive(Clone, Debug)]
pub enum Spelling {
    Text(String),
    Exposed(usize),
    Id(usize),
}

/// How the host answers what its predicate must be asked after a step.
#[derive(Clone, Debug)]
pub enum Asking {
    /// As it should: every question, until there is none; answers by source.
    Answers(Vec<Answer>),
    /// Not at all.
    Silence,
    /// Once about an older map than the present one.
    Stale,
}

/// One step of a history. Sources are counted among those of the history.
#[derive(Clone, Debug)]
pub enum Step {
    AddSource(usize),
    Set(usize, Vec<Declaration>),
    Add(usize, Vec<Declaration>),
    Remove(usize, Vec<String>),
    Fail(usize),
    Close(usize),
    SetScope(Scope),
    Refresh,
    Start,
    Turn,
    Delta,
    Compact,
    Present,
    Activate(Vec<Spelling>),
    Deactivate(Vec<Spelling>),
    GuardAdded(&'static str),
    GuardRemoved(&'static str),
    Pin,
    Approve(Spelling),
    Door(Spelling),
    Look,
    Dispose,
}

#[derive(Clone, Debug)]
pub struct History {
    pub sources: Vec<SourceSpec>,
    pub scope: Scope,
    pub steps: Vec<(Step, Asking)>,
}

/// The configuration of every law: 12 cases, or as many as `TOOLSCOPE_PROPTEST_CASES` says, `weight` times over.
pub fn cases(weight: u32) -> ProptestConfig {
    let cases = std::env::var("TOOLSCOPE_PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    ProptestConfig { cases: cases * weight, failure_persistence: None, ..ProptestConfig::default() }
}

pub fn raw() -> impl Strategy<Value = String> {
    select(&RAWS[..]).prop_map(str::to_owned)
}

fn hints() -> impl Strategy<Value = HintSet> {
    select(vec![HintSet::Missing, HintSet::Bare, HintSet::ReadOnly, HintSet::Additive])
}

pub fn declaration() -> impl Strategy<Value = Declaration> {
    let exposure = prop_oneof![4 => Just(Exposure::Direct), 3 => select(Exposure::ALL.to_vec())];
    (raw(), prop::bool::weighted(0.9), 0..3_u8, hints(), exposure)
        .prop_map(|(raw, good, definition, hints, exposure)| Declaration { raw, good, definition, hints, exposure })
}

pub fn declarations() -> impl Strategy<Value = Vec<Declaration>> {
    vec(declaration(), 0..6)
}

pub fn source() -> impl Strategy<Value = SourceSpec> {
    let name = select(&SOURCES[..]).prop_map(str::to_owned);
    let alias = select(&ALIASES[..]).prop_map(str::to_owned);
    let precedence = prop_oneof![4 => Just(None), 1 => select(vec![Some(100), Some(250)])];
    let trust = prop_oneof![3 => Just(None), 1 => any::<bool>().prop_map(Some)];
    let renames = prop::bool::weighted(0.15);
    (select(SourceKind::ALL.to_vec()), name, vec(alias, 0..2), precedence, trust, vec(raw(), 0..3), renames).prop_map(
        |(kind, name, aliases, precedence, trust_hints, declares, renames)| SourceSpec {
            kind,
            name,
            aliases,
            precedence,
            trust_hints,
            declares,
            renames,
        },
    )
}

fn tool_pattern() -> impl Strategy<Value = String> {
    prop_oneof![4 => raw(), 1 => select(vec!["*", "a*", "*b", "a*b", "*_*"]).prop_map(str::to_owned)]
}

fn path() -> impl Strategy<Value = Selector> {
    let source = prop_oneof![
        4 => select(&SOURCES[..]),
        1 => select(&ALIASES[..]),
        1 => select(vec!["*", "s*", "*t"]),
    ];
    let hint = prop_oneof![4 => Just(None), 1 => select(Hint::ALL.to_vec()).prop_map(Some)];
    (select(SourceKind::ALL.to_vec()), source, option::of(tool_pattern()), hint).prop_map(
        |(kind, source, tool, hint)| Selector::Path {
            kind,
            source: source.to_owned(),
            // `ext:foo/*` is `ext:foo`.
            tool: tool.filter(|tool| tool != "*"),
            hint,
        },
    )
}

fn joined() -> impl Strategy<Value = Selector> {
    let server = select(vec!["s", "S", "s_t", "s__a", "al", "a", "_k_b", "s*"]);
    let parts = (server, option::of(tool_pattern())).prop_map(|(server, tool)| match tool {
        Some(tool) => Selector::Joined(format!("{server}__{tool}")),
        None => Selector::Joined(server.to_owned()),
    });
    // A `*` can stand for what is between server and tool, and for a part of it.
    let across = select(vec!["*", "*b", "s*a", "S*b", "s_*a", "*_b", "s_*_b", "S_**_a", "al*", "*.b"]);
    prop_oneof![6 => parts, 1 => across.prop_map(|text| Selector::Joined(text.to_owned()))]
}

/// Texts that do not parse, with what their widest prefix says.
fn invalid() -> impl Strategy<Value = Selector> {
    let path = |kind, source: &str, tool: Option<&str>| {
        Some(Box::new(Selector::Path { kind, source: source.to_owned(), tool: tool.map(str::to_owned), hint: None }))
    };
    select(vec![
        ("ext:s/", path(SourceKind::Ext, "s", None)),
        ("ext:s/a@bogus", path(SourceKind::Ext, "s", Some("a"))),
        ("mcp:s/a_b\"", path(SourceKind::Mcp, "s", Some("a_b*"))),
        ("mcp:", path(SourceKind::Mcp, "*", None)),
        ("mcp:s t", path(SourceKind::Mcp, "s*", None)),
        ("host:s:a", path(SourceKind::Host, "s*", None)),
        ("ext:\"s", path(SourceKind::Ext, "*", None)),
        ("builtin:", path(SourceKind::Builtin, "*", None)),
        ("a@readOnly", Some(Box::new(Selector::Name("a".to_owned())))),
        ("\"a\"", Some(Box::new(Selector::Name("a".to_owned())))),
        (" a", Some(Box::new(Selector::Name("a".to_owned())))),
        ("foo:a", None),
        ("", None),
    ])
    .prop_map(|(text, prefix)| Selector::Invalid { text: text.to_owned(), prefix })
}

pub fn selector() -> impl Strategy<Value = Selector> {
    prop_oneof![
        1 => Just(Selector::Everything),
        1 => Just(Selector::Nothing),
        6 => raw().prop_map(Selector::Name),
        2 => select(vec!["a*", "*b", "*a*", "_*", "m*b", "*s_t*", "*__a"]).prop_map(|glob| Selector::Name(glob.to_owned())),
        8 => path(),
        4 => joined(),
        1 => invalid(),
    ]
}

pub fn scope() -> impl Strategy<Value = Scope> {
    let list = |size| vec(selector(), size);
    let allow = prop_oneof![
        3 => Just(None),
        4 => list(0..4).prop_map(Some),
        2 => list(0..3).prop_map(|list| Some([list, vec![Selector::Everything]].concat())),
    ];
    let guards = prop_oneof![5 => Just(Vec::new()), 1 => vec(select(&GUARDS[..]).prop_map(str::to_owned), 1..3)];
    let exclude = prop_oneof![2 => Just(Vec::new()), 2 => list(1..3)];
    let required = prop_oneof![3 => Just(Vec::new()), 1 => list(1..3)];
    (allow, exclude, required, prop::bool::weighted(0.25), prop::bool::weighted(0.2), guards).prop_map(
        |(allow, exclude, required, narrow, sealed, guards)| Scope { allow, exclude, required, narrow, sealed, guards },
    )
}

fn spelling() -> impl Strategy<Value = Spelling> {
    prop_oneof![
        1 => raw().prop_map(Spelling::Text),
        2 => (0..64_usize).prop_map(Spelling::Exposed),
        1 => (0..64_usize).prop_map(Spelling::Id),
    ]
}

fn asking() -> impl Strategy<Value = Asking> {
    let answer = prop_oneof![
        4 => Just(Answer::Everything),
        1 => Just(Answer::Nothing),
        3 => vec(raw(), 0..5).prop_map(Answer::Only),
        1 => Just(Answer::Failed),
    ];
    prop_oneof![6 => vec(answer, 1..4).prop_map(Asking::Answers), 1 => Just(Asking::Silence), 1 => Just(Asking::Stale)]
}

/// Changes of sources alone.
pub fn arrival(sources: usize) -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..sources).prop_map(Step::AddSource),
        5 => (0..sources, declarations()).prop_map(|(source, tools)| Step::Set(source, tools)),
        4 => (0..sources, declarations()).prop_map(|(source, tools)| Step::Add(source, tools)),
        2 => (0..sources, vec(raw(), 1..3)).prop_map(|(source, raws)| Step::Remove(source, raws)),
        2 => (0..sources).prop_map(Step::Fail),
        1 => (0..sources).prop_map(Step::Close),
    ]
}

/// Everything that can happen before a session ends.
pub fn step(sources: usize) -> Union<BoxedStrategy<Step>> {
    prop_oneof![
        16 => arrival(sources).boxed(),
        2 => scope().prop_map(Step::SetScope).boxed(),
        1 => Just(Step::Refresh).boxed(),
        2 => Just(Step::Start).boxed(),
        4 => Just(Step::Turn).boxed(),
        2 => Just(Step::Delta).boxed(),
        1 => Just(Step::Compact).boxed(),
        1 => Just(Step::Present).boxed(),
        2 => vec(spelling(), 1..3).prop_map(Step::Activate).boxed(),
        1 => vec(spelling(), 1..3).prop_map(Step::Deactivate).boxed(),
        1 => select(&GUARDS[..]).prop_map(Step::GuardAdded).boxed(),
        1 => select(&GUARDS[..]).prop_map(Step::GuardRemoved).boxed(),
        1 => Just(Step::Pin).boxed(),
        1 => spelling().prop_map(Step::Approve).boxed(),
        2 => spelling().prop_map(Step::Door).boxed(),
        2 => Just(Step::Look).boxed(),
    ]
}

/// A history of steps as `step` draws them, from the sources it is to have.
pub fn history_of<S: Strategy<Value = Step> + 'static>(step: impl Fn(usize) -> S) -> impl Strategy<Value = History> {
    (vec(source(), 2..5), scope()).prop_flat_map(move |(sources, scope)| {
        let count = sources.len();
        let opening = (0..count).map(|at| (Step::AddSource(at), Asking::Answers(vec![Answer::Everything])));
        let opening: Vec<(Step, Asking)> = opening.collect();
        vec((step(count), asking()), 4..24).prop_map(move |steps| History {
            sources: sources.clone(),
            scope: scope.clone(),
            steps: [opening.clone(), steps].concat(),
        })
    })
}

pub fn history() -> impl Strategy<Value = History> {
    history_of(step)
}
