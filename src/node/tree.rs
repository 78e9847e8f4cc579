//! The tree, as JavaScript holds it: text in, text out, and a clock that JavaScript reads without crossing.

use super::{
    catalog::CrossedCatalog,
    count::count,
    error::Result,
    json::{CallText, DecisionText, ExplanationText, RefusalText, ScopeText, SourceText, SpecText, incoming, to_text},
    usage::JsUsageLog,
};
use crate::{
    catalog::{Fields, Party},
    registry::Slot,
    request::Kept,
    scope::narrow::Answer,
    session::{
        SessionIndex, Tree,
        decision::{Guarded, Via},
        delta::Delta,
        finding::SearchQuery,
        scoping::NarrowAsked,
    },
    source::SourceIndex,
};
use napi::bindgen_prelude::{Float64Array, Float64ArraySlice, Uint8ArraySlice, Uint32Array, Uint32ArraySlice};
use napi_derive::napi;
use std::cell::{RefCell, RefMut};

/// What a clock's places hold.
mod clock {
    pub const GENERATION: usize = 0;
    pub const NAMES: usize = 1;
    pub const DIAGNOSTICS: usize = 2;
    pub const SLOTS: usize = 3;
    pub const DECLARATIONS: usize = 4;
    pub const PLACES: usize = 5;
}

/// A bit of the verdict mask: callable by the model.
#[napi]
pub const MASK_DIRECT: u8 = 1;
/// A bit of the verdict mask: callable from code.
#[napi]
pub const MASK_CODE: u8 = 2;

/// One registry and its sessions.
#[napi(js_name = "Tree")]
pub struct JsTree {
    tree: RefCell<Tree>,
    clock: RefCell<Clock>,
}

/// The places of one tree in memory that JavaScript reads, and that the clocks of other trees share.
struct Clock {
    memory: Float64Array,
    at: usize,
}

impl Clock {
    fn places(&mut self) -> Option<&mut [f64]> {
        // SAFETY: JavaScript hands this array to the trees of its own thread and to nobody else, so nobody detaches or
        // resizes it; this is that thread, since the class is not `Send`; and no tree looks at it while another does,
        // since nothing is called while the clock is written.
        unsafe { self.memory.as_mut() }.get_mut(self.at..)?.get_mut(..clock::PLACES)
    }
}

/// Whoever holds the tree to change it leaves the clock right behind it, even when it unwinds.
struct Held<'a> {
    tree: RefMut<'a, Tree>,
    clock: RefMut<'a, Clock>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let registry = self.tree.registry();
        let (generation, names) = (registry.generation(), registry.names_version());
        let telling = self.tree.has_diagnostics();
        let slots = registry.slot_count();
        let declarations = registry.declarations_version();
        if let Some(places) = self.clock.places() {
            places[clock::GENERATION] = as_number(generation);
            places[clock::NAMES] = as_number(names);
            places[clock::DIAGNOSTICS] = f64::from(u8::from(telling));
            places[clock::SLOTS] = f64::from(slots);
            places[clock::DECLARATIONS] = as_number(declarations);
        }
    }
}

/// Counters stay far below 2^53, to which a JavaScript number is exact.
#[expect(clippy::cast_precision_loss)]
const fn as_number(counter: u64) -> f64 {
    counter as f64
}

/// How the active set changed; slots, to be read with the table of names.
#[napi(object)]
pub struct DeltaSlots {
    /// The generation it starts from.
    pub from: f64,
    /// The generation it leads to.
    pub generation: f64,
    /// Newly declared.
    pub added: Uint32Array,
    /// No longer declared.
    pub removed: Uint32Array,
    /// Declared before and now, with another definition, or anew.
    pub redefined: Uint32Array,
    /// The whole list, where it is not the old one plus `added`.
    pub reset: Option<Uint32Array>,
}

impl DeltaSlots {
    fn of(delta: &Delta, active: &[Slot]) -> Self {
        let slots = |slots: &[Slot]| Uint32Array::new(slots.iter().map(|slot| slot.0).collect());
        let Delta { from, generation, added, removed, redefined, reset } = delta;
        Self {
            from: as_number(*from),
            generation: as_number(*generation),
            added: slots(added),
            removed: slots(removed),
            redefined: slots(redefined),
            reset: reset.then(|| slots(active)),
        }
    }
}

impl JsTree {
    fn held(&self) -> Held<'_> {
        Held { tree: self.tree.borrow_mut(), clock: self.clock.borrow_mut() }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Tree) -> T) -> T {
        act(&mut self.held().tree)
    }
}

#[napi]
impl JsTree {
    /// A tree with its root session. Its clock, in `clocks` from `at` on, is written at every change.
    #[napi(constructor, catch_unwind)]
    pub fn new(spec: String, clocks: Float64Array, at: u32) -> Result<Self> {
        let tree = Tree::new(SpecText::read(&spec)?.into())?;
        let clock = Clock { memory: clocks, at: at as usize };
        let made = Self { tree: RefCell::new(tree), clock: RefCell::new(clock) };
        drop(made.held());
        Ok(made)
    }

    /// Spawns a child; returns its index.
    #[napi(catch_unwind)]
    pub fn spawn(&self, parent: u32, spec: String) -> Result<u32> {
        let spec = SpecText::read(&spec)?;
        Ok(self.with(|tree| tree.spawn(SessionIndex(parent), spec.into()))?.0)
    }

    /// Adds a source; returns its index.
    #[napi(catch_unwind)]
    pub fn add_source(&self, spec: String) -> Result<u32> {
        let spec = SourceText::read(&spec)?;
        Ok(self.with(|tree| tree.add_source(spec.try_into()?))?.0)
    }

    /// Replaces a source's map: one declaration a line, in the first `length` bytes.
    #[napi(catch_unwind)]
    pub fn set(&self, source: u32, lines: Uint8ArraySlice<'_>, length: u32) -> Result<String> {
        let tools = incoming(lines.get(..length as usize).unwrap_or(&lines));
        Ok(to_text(&self.with(|tree| tree.set(SourceIndex(source), tools))?))
    }

    /// Adds tools to a source's map: one declaration a line, in the first `length` bytes.
    #[napi(catch_unwind)]
    pub fn add(&self, source: u32, lines: Uint8ArraySlice<'_>, length: u32) -> Result<String> {
        let tools = incoming(lines.get(..length as usize).unwrap_or(&lines));
        Ok(to_text(&self.with(|tree| tree.add(SourceIndex(source), tools))?))
    }

    /// Removes tools from a source's map.
    #[napi(catch_unwind)]
    pub fn remove(&self, source: u32, names: Vec<String>) -> Result<String> {
        Ok(to_text(&self.with(|tree| tree.remove(SourceIndex(source), &names))?))
    }

    /// Marks a source as down.
    #[napi(catch_unwind)]
    pub fn fail(&self, source: u32, reason: String) -> Result<()> {
        Ok(self.with(|tree| tree.fail(SourceIndex(source), &reason))?)
    }

    /// Says what a source is for.
    #[napi(catch_unwind)]
    pub fn describe(&self, source: u32, description: Option<String>) -> Result<()> {
        Ok(self.with(|tree| tree.describe(SourceIndex(source), description))?)
    }

    /// Closes a source.
    #[napi(catch_unwind)]
    pub fn close(&self, source: u32) {
        self.with(|tree| tree.close(SourceIndex(source)));
    }

    /// `pending`, `ready`, `failed` or `closed`.
    #[napi(catch_unwind)]
    pub fn source_state(&self, source: u32) -> &'static str {
        self.tree.borrow().registry().source_state(SourceIndex(source)).as_str()
    }

    /// The id of a source.
    #[napi(catch_unwind)]
    pub fn source_id(&self, source: u32) -> String {
        self.tree.borrow().registry().source_id(SourceIndex(source)).to_owned()
    }

    /// The index of the open source with this id.
    #[napi(catch_unwind)]
    pub fn source_index(&self, id: String) -> Option<u32> {
        self.tree.borrow().registry().source_by_id(&id).map(|index| index.0)
    }

    /// Replaces a session's scope.
    #[napi(catch_unwind)]
    pub fn set_scope(&self, session: u32, spec: String) -> Result<()> {
        let spec = ScopeText::read(&spec)?;
        Ok(self.with(|tree| tree.set_scope(SessionIndex(session), spec.into()))?)
    }

    /// How every selector ended.
    #[napi(catch_unwind)]
    pub fn report(&self, session: u32) -> String {
        to_text(&self.with(|tree| tree.report(SessionIndex(session))))
    }

    /// The registry, as a session sees it.
    #[napi(catch_unwind)]
    pub fn tools(&self, session: u32) -> String {
        to_text(&self.with(|tree| tree.tools(SessionIndex(session))))
    }

    /// Starts a session.
    #[napi(catch_unwind)]
    pub fn start(&self, session: u32) -> Result<()> {
        Ok(self.with(|tree| tree.start(SessionIndex(session)))?)
    }

    /// How the active set changed since the last call.
    #[napi(catch_unwind)]
    pub fn delta(&self, session: u32, compact: bool) -> Result<DeltaSlots> {
        let index = SessionIndex(session);
        self.with(|tree| Ok(DeltaSlots::of(&tree.delta(index, compact)?, tree.active(index))))
    }

    /// The same since the host was given a delta last, where it was not given each since; asked after `delta`.
    #[napi(catch_unwind)]
    pub fn held_delta(&self, session: u32) -> Option<DeltaSlots> {
        let index = SessionIndex(session);
        self.with(|tree| tree.held_delta(index).map(|delta| DeltaSlots::of(&delta, tree.active(index))))
    }

    /// The first presentation of a session: from now on what is shown keeps its place.
    #[napi(catch_unwind)]
    pub fn present(&self, session: u32) {
        self.with(|tree| tree.present(SessionIndex(session)));
    }

    /// Declares tools.
    #[napi(catch_unwind)]
    pub fn activate(&self, session: u32, names: Vec<String>) -> Result<()> {
        Ok(self.with(|tree| tree.activate(SessionIndex(session), &names))?)
    }

    /// Stops declaring tools.
    #[napi(catch_unwind)]
    pub fn deactivate(&self, session: u32, names: Vec<String>) -> Result<()> {
        Ok(self.with(|tree| tree.deactivate(SessionIndex(session), &names))?)
    }

    /// Brings a session's copy up to date: writes the mask where a verdict may have changed.
    #[napi(catch_unwind)]
    pub fn sync(&self, session: u32, mut mask: Uint8ArraySlice<'_>) {
        // SAFETY: JavaScript made this array for its session alone and does not touch it while it is here.
        let mask = unsafe { mask.as_mut() };
        self.with(|tree| {
            let index = SessionIndex(session);
            let news = tree.take_news(index);
            let mut write = |slot: Slot| {
                let bit = |via, bit| if tree.is_reachable(index, slot, via) { bit } else { 0 };
                if let Some(place) = mask.get_mut(slot.0 as usize) {
                    *place = bit(Via::Direct, MASK_DIRECT) | bit(Via::Code, MASK_CODE);
                }
            };
            match news {
                Some(slots) => slots.into_iter().for_each(write),
                None => (0..tree.registry().slot_count()).map(Slot).for_each(&mut write),
            }
        });
    }

    /// What changed of names since the last call.
    #[napi(catch_unwind)]
    pub fn take_names(&self) -> String {
        self.with(|tree| {
            let news = tree.registry_mut().take_names();
            to_text(&super::json::names(tree.registry(), &news))
        })
    }

    /// The scope's verdict on a call.
    #[napi(catch_unwind)]
    pub fn check(&self, session: u32, call: String) -> Result<String> {
        let call = CallText::read(&call)?;
        Ok(to_text(&self.with(|tree| DecisionText::from(tree.check(SessionIndex(session), call.as_call())))))
    }

    /// Why a known tool is refused: code, reason and what decided, one a line; the last may be missing, and alone may
    /// hold line breaks. It is the short way of `check` for a caller that knows the slot.
    #[napi(catch_unwind)]
    pub fn refusal(&self, session: u32, slot: u32, code: bool) -> String {
        let via = if code { Via::Code } else { Via::Direct };
        let slot = Slot(slot);
        self.with(|tree| tree.refusal(SessionIndex(session), slot, via)).map_or_else(
            String::new,
            |(code, reason, by)| {
                let mut text = String::with_capacity(160);
                text.push_str(code.as_str());
                text.push('\n');
                text.push_str(&reason);
                if let Some(by) = by {
                    text.push('\n');
                    text.push_str(&by);
                }
                text
            },
        )
    }

    /// The first half of the door.
    #[napi(catch_unwind)]
    pub fn open_door(&self, session: u32, call: String) -> Result<String> {
        let call = CallText::read(&call)?;
        Ok(self.with(|tree| {
            let (decision, fingerprint) = tree.open_door(SessionIndex(session), call.as_call());
            let run = decision.slot.map(|slot| tree.registry().place_of(slot));
            let run = run.map(|(source, raw)| (source.0, raw.to_owned()));
            to_text(&DecisionText::opened(decision, fingerprint, run))
        }))
    }

    /// The second half of the door.
    #[napi(catch_unwind)]
    pub fn close_door(
        &self,
        session: u32,
        call: String,
        slot: u32,
        fingerprint: Option<String>,
        refusal: Option<String>,
    ) -> Result<String> {
        let call = CallText::read(&call)?;
        let guarded = refusal.map_or(Ok(Guarded::Passed), |text| RefusalText::read(&text).map(Guarded::from))?;
        let slot = Slot(slot);
        Ok(to_text(&self.with(|tree| {
            let call = call.as_call();
            DecisionText::from(tree.close_door(SessionIndex(session), call, slot, fingerprint.as_deref(), guarded))
        })))
    }

    /// Every rule asked about a tool.
    #[napi(catch_unwind)]
    pub fn explain(&self, session: u32, name: String) -> Result<String> {
        let (decision, steps) = self.with(|tree| tree.explain(SessionIndex(session), &name))?;
        Ok(to_text(&ExplanationText::new(decision, &steps)))
    }

    /// What the predicate must be asked now; nothing where there is nothing to ask.
    #[napi(catch_unwind)]
    pub fn narrow_questions(&self, session: u32) -> Option<String> {
        let questions = self.with(|tree| tree.narrow_questions(SessionIndex(session)));
        (!questions.is_empty()).then(|| to_text(&questions))
    }

    /// What a predicate said: all or nothing of a source, some of its names, or why it failed. `asked` is the layer, the
    /// source and the version of the question.
    #[napi(catch_unwind)]
    pub fn narrow_answered(
        &self,
        session: u32,
        asked: Vec<u32>,
        whole: Option<bool>,
        names: Option<Vec<String>>,
        problem: Option<String>,
    ) {
        let answer = match (whole, names) {
            (Some(true), _) => Answer::Everything,
            (Some(false), _) => Answer::Nothing,
            (None, Some(names)) => Answer::Only(names.into_iter().collect()),
            (None, None) => Answer::Failed(problem.unwrap_or_default()),
        };
        let &[layer, source, version] = &asked[..] else { return };
        let layer = u8::try_from(layer).unwrap_or(u8::MAX);
        let asked = NarrowAsked { layer, source: SourceIndex(source), version };
        self.with(|tree| tree.narrow_answered(SessionIndex(session), asked, answer));
    }

    /// Has the predicate asked about every source.
    #[napi(catch_unwind)]
    pub fn refresh(&self, session: u32) -> Result<()> {
        Ok(self.with(|tree| tree.refresh(SessionIndex(session)))?)
    }

    /// A guard is there.
    #[napi(catch_unwind)]
    pub fn guard_added(&self, session: u32, name: String) -> Result<()> {
        Ok(self.with(|tree| tree.guard_added(SessionIndex(session), &name))?)
    }

    /// A guard is gone.
    #[napi(catch_unwind)]
    pub fn guard_removed(&self, session: u32, name: String) {
        self.with(|tree| tree.guard_removed(SessionIndex(session), &name));
    }

    /// Approves every definition as it is.
    #[napi(catch_unwind)]
    pub fn pin_definitions(&self, session: u32) -> Result<()> {
        Ok(self.with(|tree| tree.pin_definitions(SessionIndex(session)))?)
    }

    /// Approves one definition.
    #[napi(catch_unwind)]
    pub fn approve(&self, session: u32, id: String) -> Result<()> {
        Ok(self.with(|tree| tree.approve(SessionIndex(session), &id))?)
    }

    /// The lazy source that a call of this name waits for.
    #[napi(catch_unwind)]
    pub fn awaited_source(&self, session: u32, name: String) -> Result<Option<u32>> {
        Ok(self.with(|tree| tree.awaited_source(SessionIndex(session), &name))?.map(|index| index.0))
    }

    /// The sources that selectors name and that are not ready.
    #[napi(catch_unwind)]
    pub fn pending_sources(&self, session: u32, selectors: Option<Vec<String>>) -> Result<Vec<u32>> {
        let pending = self.with(|tree| tree.pending_sources(SessionIndex(session), selectors.as_deref()))?;
        Ok(pending.into_iter().map(|index| index.0).collect())
    }

    /// What each selector resolves to now.
    #[napi(catch_unwind)]
    pub fn resolutions(&self, session: u32, selectors: Vec<String>) -> Result<String> {
        Ok(to_text(&self.with(|tree| tree.resolutions(SessionIndex(session), &selectors))?))
    }

    /// The slots whose declaration changed since the last call.
    #[napi(catch_unwind)]
    pub fn take_redeclared(&self) -> Uint32Array {
        let slots = self.with(|tree| tree.registry_mut().take_redeclared());
        Uint32Array::new(slots.into_iter().map(|slot| slot.0).collect())
    }

    /// The declarations of tools, as a JSON array.
    #[napi(catch_unwind)]
    pub fn declarations(&self, slots: Uint32ArraySlice<'_>) -> String {
        let slots: Vec<Slot> = slots.iter().copied().map(Slot).collect();
        self.tree.borrow().declarations(&slots)
    }

    /// The tools of a session's next request.
    #[napi(catch_unwind)]
    pub fn request_tools(&self, session: u32) -> Uint32Array {
        let slots = self.with(|tree| tree.request_tools(SessionIndex(session)));
        Uint32Array::new(slots.into_iter().map(|slot| slot.0).collect())
    }

    /// Settles a provider's answer: for each tool that stands, its place in the answer, or, from 2^31 on, its place in
    /// what was handed over. In `returned` 2^32 − 1 is a tool that nobody knows.
    #[napi(catch_unwind)]
    pub fn vet(
        &self,
        session: u32,
        provider: String,
        handed: Uint32ArraySlice<'_>,
        returned: Uint32ArraySlice<'_>,
    ) -> Uint32Array {
        let handed: Vec<Slot> = handed.iter().copied().map(Slot).collect();
        let returned: Vec<Option<Slot>> =
            returned.iter().map(|&slot| (slot != u32::MAX).then_some(Slot(slot))).collect();
        let kept = self.with(|tree| tree.vet(SessionIndex(session), &provider, &handed, &returned));
        let place = |kept| match kept {
            Kept::Returned(at) => at,
            Kept::Restored(at) => at | 1 << 31,
        };
        Uint32Array::new(kept.into_iter().map(place).collect())
    }

    /// Finishes a request: for each tool that stays, twice its place, plus one where it is deferred.
    #[napi(catch_unwind)]
    pub fn cap(
        &self,
        session: u32,
        slots: Uint32ArraySlice<'_>,
        deferred: Uint8ArraySlice<'_>,
        weights: Float64ArraySlice<'_>,
        most: Option<f64>,
    ) -> Uint32Array {
        let offered: Vec<(Slot, bool)> =
            slots.iter().copied().map(Slot).zip(deferred.iter().map(|&deferred| deferred != 0)).collect();
        let kept = self.with(|tree| tree.cap(SessionIndex(session), &offered, &weights, most.map(count)));
        Uint32Array::new(kept.into_iter().map(|tool| tool.at * 2 + u32::from(tool.deferred)).collect())
    }

    /// The catalog of a session. `plugins` holds listeners' names and wishes, in turn; a wish that is invalid is told and
    /// dropped.
    #[napi(catch_unwind)]
    pub fn catalog(
        &self,
        session: u32,
        options: String,
        plugins: Vec<String>,
        usage: Option<&JsUsageLog>,
    ) -> Result<CrossedCatalog> {
        let fields = Fields::read(&options, Party::Host)?;
        Ok(self.with(|tree| -> crate::Result<CrossedCatalog> {
            let mut wishes = Vec::new();
            for wish in plugins.chunks_exact(2) {
                match Fields::read(&wish[1], Party::Plugin) {
                    Ok(fields) => wishes.push(fields),
                    Err(error) => tree.drop_wish(&wish[0], &error),
                }
            }
            let options = fields.with(wishes);
            Ok(tree.catalog(SessionIndex(session), &options, usage.map(|log| || log.weights()))?.into())
        })?)
    }

    /// A page of what fits a query.
    #[napi(catch_unwind)]
    pub fn search(
        &self,
        session: u32,
        text: String,
        limit: f64,
        offset: f64,
        within: Option<Vec<String>>,
        usage: Option<&JsUsageLog>,
    ) -> Result<String> {
        let query = SearchQuery { text, limit: count(limit), offset: count(offset), within };
        let page = self.with(|tree| match usage {
            Some(log) => log.read(|log, now| tree.search(SessionIndex(session), &query, Some((log, now)))),
            None => tree.search(SessionIndex(session), &query, None),
        })?;
        Ok(to_text(&page))
    }

    /// The slot of the known tool with this id.
    #[napi(catch_unwind)]
    pub fn slot_of(&self, id: String) -> Option<u32> {
        self.tree.borrow().registry().by_id(&id).map(|slot| slot.0)
    }

    /// The tools that a program of a session may call.
    #[napi(catch_unwind)]
    pub fn code_tools(&self, session: u32) -> String {
        to_text(&self.with(|tree| tree.code_tools(SessionIndex(session))))
    }

    /// What there is to tell.
    #[napi(catch_unwind)]
    pub fn take_diagnostics(&self) -> String {
        to_text(&self.with(Tree::take_diagnostics))
    }

    /// Ends a session and its descendants.
    #[napi(catch_unwind)]
    pub fn dispose(&self, session: u32) {
        self.with(|tree| tree.dispose(SessionIndex(session)));
    }
}
