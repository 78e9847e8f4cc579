//! The threads that run programs. A program waiting for its calls holds no thread; one that computes holds one. One
//! that neither ends nor can be interrupted holds its thread for good: that thread is *stuck*, another takes its
//! place, and past a bound new programs are told `busy`.

use std::{
    collections::{HashMap, VecDeque},
    io::{BufReader, Stdin},
    panic::catch_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};

use super::{
    awake::Vigil,
    bridge::{Bridge, Control, Reply, Stop},
    lane::Lane,
    limits::{Limits, THREAD_STACK_BYTES},
    listing::{Listing, LiveListing},
    message::{self, Message},
    outcome::{Failure, FailureKind, told},
    sandbox::Sandbox,
};
use crate::error::Result;

/// Threads of a pool that are not stuck.
pub(super) const THREADS: usize = 4;

/// How long after its end a program may hold its thread before that counts as stuck: a large heap takes a while to free.
const LETTING_GO: Duration = Duration::from_millis(250);

/// Stuck threads past which the pool answers `busy`.
const STUCK: usize = 4;

/// Threads whose programs were ended, stuck or about to let go, past which the pool answers `busy`.
const ENDED: usize = 16;

/// Runs programs on its threads, which start when they are needed and wait when they are not.
pub struct Pool {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) give: Box<dyn Fn(String) + Send + Sync>,
    pub(super) state: Mutex<State>,
    pub(super) work: Condvar,
    /// How many programs are in the queue, for a thread that looks without the lock.
    pub(super) queued: AtomicUsize,
    /// Told when a program comes and there was none.
    started: Condvar,
    /// Where messages come from, where it is not from whoever calls `post`.
    pub(super) input: Option<Mutex<Input>>,
}

/// What the pool's threads read messages from, and what is to be done when it ends.
pub(super) struct Input {
    pub(super) lines: BufReader<Stdin>,
    pub(super) lane: Arc<Lane>,
    pub(super) vigil: Vigil,
    pub(super) over: fn() -> !,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) programs: HashMap<u64, Entry>,
    pub(super) queue: VecDeque<u64>,
    listings: HashMap<u64, LiveListing>,
    pub(super) threads: usize,
    pub(super) idle: usize,
    /// With one of the idle threads while that looks for work without sleeping.
    pub(super) vigil: Option<Vigil>,
    /// The context of the next program.
    pub(super) spare: Option<Box<Sandbox>>,
    /// A thread of the pool reads messages, and takes from the queue itself after each.
    pub(super) reading: bool,
    /// Threads that run programs which were ended; others have taken their places.
    pub(super) ended: usize,
    pub(super) closed: bool,
}

impl State {
    /// Whether so many threads are held for good that a new program would add to them.
    fn is_busy(&self) -> bool {
        let stuck = |entry: &&Entry| matches!(entry.stage, Stage::Running { ended: Some(since) } if since.elapsed() > LETTING_GO);
        self.ended >= ENDED || (self.ended >= STUCK && self.programs.values().filter(stuck).count() >= STUCK)
    }
}

impl State {
    /// Makes the next program's context ahead, where none is under way that could want the time; whether it did.
    pub(super) fn prepare(this: &mut MutexGuard<'_, Self>) -> bool {
        if this.spare.is_some() || this.closed || !this.programs.is_empty() {
            return false;
        }
        let made = MutexGuard::unlocked(this, || catch_unwind(Sandbox::new));
        // Where it cannot be made, the next program says why.
        this.spare = made.ok().and_then(Result::ok).filter(|_| !this.closed).map(Box::new);
        this.spare.is_some()
    }
}

/// A program from the moment it was handed over until its heap is gone.
pub(super) struct Entry {
    pub(super) control: Arc<Control>,
    pub(super) replies: Vec<Reply>,
    pub(super) stage: Stage,
}

pub(super) enum Stage {
    Queued(Box<Start>),
    Waiting(Box<Sandbox>),
    /// A thread has it; since when the host has no more use for it.
    Running {
        ended: Option<Instant>,
    },
}

pub(super) struct Start {
    pub(super) code: String,
    pub(super) limits: Limits,
    pub(super) listing: LiveListing,
}

impl Pool {
    /// A pool that hands every message to `give`, from whatever thread it arises on.
    pub fn new(give: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self::with_input(give, None)
    }

    /// A pool whose threads read messages themselves while they have nothing else to do: a program whose calls are
    /// answered goes on in the thread that read the answer, where handing it on would cost as much as running it.
    pub(super) fn with_input(give: impl Fn(String) + Send + Sync + 'static, input: Option<Input>) -> Self {
        let inner = Inner {
            give: Box::new(give),
            state: Mutex::new(State { vigil: Some(Vigil::default()), ..State::default() }),
            work: Condvar::new(),
            queued: AtomicUsize::new(0),
            started: Condvar::new(),
            input: input.map(Mutex::new),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Reads messages from the input for as long as no thread of the pool does, at least one; `false` if one does.
    pub(super) fn attend(&self) -> bool {
        self.inner.attend()
    }

    /// Makes the next program's context ahead, where none is under way.
    pub(super) fn prepare(&self) {
        State::prepare(&mut self.inner.state.lock());
    }

    /// Whether any program is under way.
    pub(super) fn has_programs(&self) -> bool {
        self.inner.has_programs()
    }

    /// Waits until a program is under way.
    pub(super) fn wait_for_programs(&self) {
        let mut state = self.inner.state.lock();
        while state.programs.is_empty() {
            self.inner.started.wait(&mut state);
        }
    }

    /// Takes one message. Never waits for a program.
    pub fn post(&self, text: &str) -> Result<()> {
        self.inner.post(text)
    }

    /// Ends every program without an outcome and lets the threads go.
    pub fn close(&self) {
        let mut state = self.inner.state.lock();
        state.closed = true;
        state.queue.clear();
        state.spare = None;
        for entry in state.programs.values_mut() {
            entry.control.stop(Stop::Ended);
        }
        state.programs.retain(|_, entry| matches!(entry.stage, Stage::Running { .. }));
        self.inner.work.notify_all();
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.close();
    }
}

impl Inner {
    pub(super) fn has_programs(&self) -> bool {
        !self.state.lock().programs.is_empty()
    }

    pub(super) fn post(self: &Arc<Self>, text: &str) -> Result<()> {
        match message::parse(text)? {
            Message::List { list, tools } => {
                let listing = Arc::new(Listing::new(tools));
                let mut state = self.state.lock();
                let live = state.listings.entry(list).or_default();
                *live.write() = listing;
            }
            Message::Unlist { list } => drop(self.state.lock().listings.remove(&list)),
            Message::Run { id, list, code, limits } => self.run(id, list, code, limits),
            Message::Settle { id, replies } => self.settle(id, replies),
            Message::Expire { id } => self.expire(id),
            Message::End { id } => self.end(id),
        }
        Ok(())
    }

    fn run(self: &Arc<Self>, id: u64, list: u64, code: String, limits: Limits) {
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        let listing = state.listings.get(&list).cloned().unwrap_or_else(|| Arc::new(RwLock::default()));
        let control = Arc::new(Control::new(Instant::now() + limits.time));
        if state.is_busy() {
            let ended = state.ended;
            drop(state);
            let failure =
                Failure::new(FailureKind::Busy, format!("{ended} threads run programs that cannot be stopped"))
                    .suggesting("use the isolation `process`, whose programs can be killed");
            return (self.give)(told(id, Err(failure), &mut Bridge::new(limits, listing, control)));
        }
        let start = Box::new(Start { code, limits, listing });
        let entry = Entry { control, replies: Vec::new(), stage: Stage::Queued(start) };
        if state.programs.is_empty() {
            self.started.notify_one();
        }
        state.programs.insert(id, entry);
        self.enqueue(&mut state, id);
    }

    fn settle(self: &Arc<Self>, id: u64, replies: Vec<Reply>) {
        let mut state = self.state.lock();
        let Some(entry) = state.programs.get_mut(&id) else { return };
        let first = entry.replies.is_empty();
        entry.replies.extend(replies);
        if first && matches!(entry.stage, Stage::Waiting(_)) {
            self.enqueue(&mut state, id);
        }
    }

    fn expire(self: &Arc<Self>, id: u64) {
        let mut state = self.state.lock();
        let Some(entry) = state.programs.get(&id) else { return };
        entry.control.stop(Stop::Time);
        if !matches!(entry.stage, Stage::Waiting(_)) {
            // A thread says the rest: at once, or when it takes the program from the queue.
            return;
        }
        if let Some(Entry { stage: Stage::Waiting(sandbox), .. }) = state.programs.remove(&id) {
            drop(state);
            let failure =
                sandbox.stopped().unwrap_or_else(|| Failure::new(FailureKind::Timeout, "the program's time is up"));
            let text = told(id, Err(failure), &mut sandbox.bridge.lock());
            (self.give)(text);
        }
    }

    fn end(self: &Arc<Self>, id: u64) {
        let mut state = self.state.lock();
        let Some(entry) = state.programs.get_mut(&id) else { return };
        entry.control.stop(Stop::Ended);
        if let Stage::Running { ended } = &mut entry.stage {
            if ended.is_none() {
                *ended = Some(Instant::now());
                state.ended += 1;
                // Those in the queue may have waited for this very thread.
                self.hire(&mut state);
            }
            return;
        }
        let entry = state.programs.remove(&id);
        drop(state);
        drop(entry);
        (self.give)(freed(id));
    }

    fn enqueue(self: &Arc<Self>, state: &mut State, id: u64) {
        state.queue.push_back(id);
        self.queued.store(state.queue.len(), Ordering::Release);
        // The thread that read the message takes one itself, and one that is idle was promised to each of the others.
        let waiting = state.queue.len().saturating_sub(usize::from(state.reading));
        if waiting == 0 {
            return;
        }
        if state.idle >= waiting {
            self.work.notify_one();
        } else {
            self.hire(state);
        }
    }

    /// Starts a thread where there is work for one more.
    fn hire(self: &Arc<Self>, state: &mut State) {
        if state.queue.len() > state.idle && state.threads - state.ended < THREADS {
            let inner = Arc::clone(self);
            let name = String::from("toolscope-sandbox");
            if thread::Builder::new().name(name).stack_size(THREAD_STACK_BYTES).spawn(move || inner.work()).is_ok() {
                state.threads += 1;
            }
        }
    }
}

/// Says that an ended program is gone and its thread free.
pub(super) fn freed(id: u64) -> String {
    format!("{{\"id\":{id},\"freed\":true}}")
}
