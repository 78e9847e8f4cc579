//! The sandbox's threads as a JavaScript object, and the loop of its child process.

#![expect(clippy::needless_pass_by_value, reason = "napi hands values over")]

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use napi::{Env, bindgen_prelude::Function, threadsafe_function::ThreadsafeFunctionCallMode};
use napi_derive::napi;
use parking_lot::Mutex;

use super::error::Result;
use crate::{
    Error, ErrorKind,
    execute::{
        Pool,
        awake::{self, Vigil},
        lane::Lane,
    },
};

/// Bytes past which JavaScript takes the rest in another turn: it reads them on the thread that runs the host.
const TAKEN: usize = 1 << 20;

/// What the pool has given and JavaScript has not yet taken.
#[derive(Default)]
struct Outbox {
    lines: Mutex<VecDeque<String>>,
    is_filled: AtomicBool,
    /// JavaScript will be woken.
    woken: AtomicBool,
    /// JavaScript looks, and need not be woken.
    watched: AtomicBool,
}

impl Outbox {
    /// Whether JavaScript is to be woken for it.
    fn push(&self, line: String) -> bool {
        {
            let mut lines = self.lines.lock();
            lines.push_back(line);
            self.is_filled.store(true, Ordering::Release);
        }
        // Whoever stops looking says so before it takes a last time, so one of both sees the other.
        !self.watched.load(Ordering::SeqCst) && !self.woken.swap(true, Ordering::AcqRel)
    }

    fn take(&self) -> String {
        // Cleared first: a line that comes between is either taken now or wakes again.
        self.woken.store(false, Ordering::Release);
        let mut lines = self.lines.lock();
        let mut taken = lines.pop_front().unwrap_or_default();
        while taken.len() < TAKEN
            && let Some(line) = lines.pop_front()
        {
            taken.push('\n');
            taken.push_str(&line);
        }
        self.is_filled.store(!lines.is_empty(), Ordering::Release);
        taken
    }

    fn watch(&self, vigil: &mut Vigil) -> String {
        self.watched.store(true, Ordering::SeqCst);
        vigil.watch(|| self.is_filled.load(Ordering::Acquire));
        self.watched.store(false, Ordering::SeqCst);
        self.take()
    }
}

fn internal(error: napi::Error) -> Error {
    Error::new(ErrorKind::Internal, error.reason.clone())
}

/// Programs on threads of this process. Internal: the facade wraps it.
#[napi]
pub struct SandboxThreads {
    pool: Arc<Pool>,
    outbox: Arc<Outbox>,
    vigil: Vigil,
}

#[napi]
impl SandboxThreads {
    /// `wake` is called on the JavaScript thread once for any number of messages that wait to be drained. It keeps the
    /// process from ending no more than the threads do. Throws nothing. Starts no thread.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, wake: Function<'_, (), ()>) -> Result<Self> {
        let wake =
            wake.build_threadsafe_function().weak::<true>().callee_handled::<false>().build().map_err(internal)?;
        let outbox = Arc::new(Outbox::default());
        let filled = Arc::clone(&outbox);
        let pool = Arc::new(Pool::new(move |line| {
            if filled.push(line) {
                wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
            }
        }));
        // A worker thread of the host may be terminated without any finalizer running.
        env.add_env_cleanup_hook(Arc::clone(&pool), |pool| pool.close()).map_err(internal)?;
        Ok(Self { pool, outbox, vigil: Vigil::default() })
    }

    /// Hands over one message, a JSON text. Throws `ERR_TOOLSCOPE_INTERNAL` on a malformed one. Never waits for a program.
    #[napi(catch_unwind)]
    pub fn post(&self, message: String) -> Result<()> {
        Ok(self.pool.post(&message)?)
    }

    /// What was given since the last time, one JSON text a line; past 1 MiB the rest stays for the next time, and nothing
    /// wakes JavaScript for it.
    #[napi(catch_unwind)]
    pub fn drain(&self) -> String {
        self.outbox.take()
    }

    /// The same, after a look of 100 µs at most, in which nothing has to wake JavaScript.
    #[napi(catch_unwind)]
    pub fn watch(&mut self) -> String {
        self.outbox.watch(&mut self.vigil)
    }

    /// Ends every program and lets the threads go. What comes later is ignored.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.pool.close();
    }

    /// Serves programs over standard input and output, and over the lane of that file descriptor (-1 for none), until the
    /// input ends; never returns. For the child process alone.
    #[napi(catch_unwind)]
    pub fn serve(lane: i32) {
        crate::execute::serve(lane);
    }
}

/// The host's side of the lane to a child process. Internal: the facade wraps it.
#[napi]
pub struct SandboxLane {
    lane: Lane,
    vigil: Vigil,
}

#[napi]
impl SandboxLane {
    /// A new lane; where a system has none, one on which nothing goes.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self { lane: Lane::create(), vigil: Vigil::default() }
    }

    /// What the child is to be given, a file descriptor that is open as long as this lives; -1 for none.
    #[napi(getter, catch_unwind)]
    pub fn descriptor(&self) -> i32 {
        self.lane.descriptor().unwrap_or(-1)
    }

    /// Lets go of the memory and its file descriptor, which would else be kept until garbage is collected.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.lane.close();
    }

    /// Hands a message over where the child looks for one, and has taken all that were `piped` before, in number modulo
    /// 2³²; whether it did. What it does not hand over has to go through the pipe.
    #[napi(catch_unwind)]
    pub fn send(&self, message: String, piped: u32) -> bool {
        self.lane.send(&message, piped)
    }

    /// Looks for 100 µs at most for what the child says next; `taken` is how many messages were read from `pipe`, an open
    /// file descriptor, since the last time. The message; "" where it is in the pipe; null where there is none.
    #[napi(catch_unwind)]
    pub fn watch(&mut self, pipe: i32, taken: u32) -> Option<String> {
        self.lane.count_piped(taken);
        let is_piped = || awake::is_readable(pipe);
        self.lane.watch(&mut self.vigil, is_piped).or_else(|| is_piped().then(String::new))
    }
}
