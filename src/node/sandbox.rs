//! The sandbox's threads as a JavaScript object, and the loop of its child process.

#![expect(clippy::needless_pass_by_value, reason = "napi hands values over")]

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
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
    },
};

/// What the pool has given and JavaScript has not yet taken.
#[derive(Default)]
struct Outbox {
    lines: Mutex<String>,
    is_filled: AtomicBool,
    /// JavaScript will be woken.
    woken: AtomicBool,
    /// JavaScript looks, and need not be woken.
    watched: AtomicBool,
}

impl Outbox {
    /// Whether JavaScript is to be woken for it.
    fn push(&self, line: &str) -> bool {
        {
            let mut lines = self.lines.lock();
            lines.push_str(line);
            lines.push('\n');
            self.is_filled.store(true, Ordering::Release);
        }
        // Whoever stops looking says so before it takes a last time, so one of both sees the other.
        !self.watched.load(Ordering::SeqCst) && !self.woken.swap(true, Ordering::AcqRel)
    }

    fn take(&self) -> String {
        // Cleared first: a line that comes between is either taken now or wakes again.
        self.woken.store(false, Ordering::Release);
        let mut lines = self.lines.lock();
        self.is_filled.store(false, Ordering::Release);
        std::mem::take(&mut *lines)
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
            if filled.push(&line) {
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

    /// Everything given since the last time, one JSON text a line.
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

    /// Serves programs over standard input and output until the input ends; never returns. For the child process alone.
    #[napi(catch_unwind)]
    pub fn serve() {
        crate::execute::serve(std::io::stdin(), std::io::stdout());
    }
}

/// What a child process says, watched for by the file descriptor it comes through. Internal: the facade wraps it.
#[napi]
pub struct SandboxPipe {
    #[cfg_attr(not(unix), expect(dead_code, reason = "only these systems can tell"))]
    descriptor: i32,
    vigil: Vigil,
}

#[napi]
impl SandboxPipe {
    /// The descriptor stays the caller's, who keeps it open for as long as this is used; -1 for none.
    #[napi(constructor, catch_unwind)]
    pub fn new(descriptor: i32) -> Self {
        Self { descriptor, vigil: Vigil::default() }
    }

    /// Looks for 100 µs at most whether there is anything to read; `false` on systems that cannot tell.
    #[napi(catch_unwind)]
    pub fn watch(&mut self) -> bool {
        #[cfg(unix)]
        if self.descriptor >= 0 {
            // SAFETY: it is not negative, and open: the caller's promise.
            let descriptor = unsafe { std::os::fd::BorrowedFd::borrow_raw(self.descriptor) };
            return self.vigil.watch(|| awake::is_readable(descriptor));
        }
        false
    }
}
