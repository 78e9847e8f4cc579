//! What a thread of the pool does: takes a program, runs it until it waits or ends, hands over what came of it, and
//! reads messages while there is nothing to take.

use std::{
    io::BufRead,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
};

use parking_lot::{Mutex, MutexGuard};

use super::{
    awake,
    bridge::{Bridge, Control, Reply, Stop},
    limits::Limits,
    outcome::{Failure, FailureKind, told},
    pool::{Entry, Inner, Input, Stage, Start, State, THREADS, freed},
    sandbox::{Sandbox, Slice},
};

/// By its file descriptor.
const STANDARD_INPUT: i32 = 0;

impl Inner {
    /// See [`Pool::attend`].
    pub(super) fn attend(self: &Arc<Self>) -> bool {
        let Some(mut input) = self.input.as_ref().and_then(Mutex::try_lock) else { return false };
        self.read(&mut input);
        true
    }

    /// Waits for a message and takes it, and those that came with it.
    fn read(self: &Arc<Self>, input: &mut Input) {
        let mut message = String::new();
        if input.lines.buffer().is_empty() && self.has_programs() {
            let is_piped = || awake::is_readable(STANDARD_INPUT);
            if let Some(message) = input.lane.watch(&mut input.vigil, is_piped) {
                if self.post(&message).is_err() {
                    (input.over)();
                }
                return;
            }
        }
        loop {
            message.clear();
            match input.lines.read_line(&mut message) {
                Ok(read) if read > 0 && self.post(message.trim_end()).is_ok() => input.lane.count_piped(1),
                _ => (input.over)(),
            }
            if !input.lines.buffer().contains(&b'\n') {
                return;
            }
        }
    }

    /// Looks for work a moment before the thread sleeps, where a program waits for an answer; whether there is any.
    fn watch(&self, state: &mut MutexGuard<'_, State>) -> bool {
        if state.programs.is_empty() {
            return false;
        }
        let Some(mut vigil) = state.vigil.take() else { return false };
        MutexGuard::unlocked(state, || vigil.watch(|| self.queued.load(Ordering::Acquire) > 0));
        state.vigil = Some(vigil);
        !state.queue.is_empty()
    }

    /// What a thread does, from its start to its end.
    pub(super) fn work(self: &Arc<Self>) {
        let mut state = self.state.lock();
        loop {
            let Some(id) = state.queue.pop_front() else {
                if state.closed || state.threads - state.ended > THREADS {
                    state.threads -= 1;
                    return;
                }
                if let Some(mut input) = self.input.as_ref().and_then(Mutex::try_lock) {
                    state.reading = true;
                    MutexGuard::unlocked(&mut state, || self.read(&mut input));
                    state.reading = false;
                    continue;
                }
                if State::prepare(&mut state) {
                    continue;
                }
                state.idle += 1;
                if !self.watch(&mut state) {
                    self.work.wait(&mut state);
                }
                state.idle -= 1;
                continue;
            };
            self.queued.store(state.queue.len(), Ordering::Release);
            let Some(entry) = state.programs.get_mut(&id) else { continue };
            let replies = std::mem::take(&mut entry.replies);
            let taken = std::mem::replace(&mut entry.stage, Stage::Running { ended: None });
            let control = Arc::clone(&entry.control);
            drop(state);
            let (sandbox, finished) = self.slice(id, taken, replies, &control);
            state = self.state.lock();
            let again = match state.programs.get_mut(&id) {
                Some(entry) if matches!(entry.stage, Stage::Running { ended: None }) && !finished => {
                    let again = !entry.replies.is_empty();
                    if let Some(sandbox) = sandbox {
                        entry.stage = Stage::Waiting(sandbox);
                    }
                    again
                }
                _ => {
                    // Freeing a heap takes time and touches nothing of ours.
                    drop(state);
                    drop(sandbox);
                    state = self.state.lock();
                    if let Some(Entry { stage: Stage::Running { ended: Some(_) }, .. }) = state.programs.remove(&id) {
                        state.ended -= 1;
                        drop(state);
                        (self.give)(freed(id));
                        state = self.state.lock();
                    }
                    false
                }
            };
            if again {
                state.queue.push_back(id);
                self.queued.store(state.queue.len(), Ordering::Release);
            }
        }
    }

    /// Runs a program until it waits or ends, and hands over what it asked for or came to.
    fn slice(
        &self,
        id: u64,
        stage: Stage,
        replies: Vec<Reply>,
        control: &Arc<Control>,
    ) -> (Option<Box<Sandbox>>, bool) {
        let ran = catch_unwind(AssertUnwindSafe(|| match stage {
            Stage::Queued(start) => self.start(id, *start, control),
            Stage::Waiting(sandbox) => {
                let slice = sandbox.resume(replies);
                Some((sandbox, slice))
            }
            Stage::Running { .. } => None,
        }));
        match ran {
            Ok(Some((sandbox, Slice::Waiting))) => {
                loop {
                    let message = sandbox.bridge.lock().take_message(id);
                    let Some(message) = message else { break };
                    (self.give)(message);
                }
                (Some(sandbox), false)
            }
            Ok(Some((sandbox, Slice::Ended(ended)))) => {
                if control.reason() != Stop::Ended {
                    let text = told(id, ended, &mut sandbox.bridge.lock());
                    (self.give)(text);
                }
                (Some(sandbox), true)
            }
            Ok(None) => (None, true),
            Err(_) => {
                let failure = Failure::new(FailureKind::Internal, "the sandbox failed; please report it");
                let mut bridge = Bridge::new(Limits::default(), Arc::default(), Arc::clone(control));
                (self.give)(told(id, Err(failure), &mut bridge));
                (None, true)
            }
        }
    }

    fn start(&self, id: u64, start: Start, control: &Arc<Control>) -> Option<(Box<Sandbox>, Slice)> {
        let Start { code, limits, listing } = start;
        let mut bridge = Bridge::new(limits, listing, Arc::clone(control));
        let spare = self.state.lock().spare.take();
        let refused = if control.reason() == Stop::Time {
            Failure::new(FailureKind::Busy, "no thread was free before the program's time was up")
        } else {
            match spare.map_or_else(|| Sandbox::new().map(Box::new), Ok) {
                Ok(mut sandbox) => {
                    let slice = sandbox.start(&code, bridge, control);
                    return Some((sandbox, slice));
                }
                Err(failure) => failure,
            }
        };
        (self.give)(told(id, Err(refused), &mut bridge));
        None
    }
}
