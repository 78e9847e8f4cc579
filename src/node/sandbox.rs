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
use crate::{Error, ErrorKind, execute::Pool};

/// What the pool has given and JavaScript has not yet taken.
#[derive(Default)]
struct Outbox {
    lines: Mutex<String>,
    woken: AtomicBool,
}

fn internal(error: napi::Error) -> Error {
    Error::new(ErrorKind::Internal, error.reason.clone())
}

/// Programs on threads of this process. Internal: the facade wraps it.
#[napi]
pub struct SandboxThreads {
    pool: Arc<Pool>,
    outbox: Arc<Outbox>,
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
            {
                let mut lines = filled.lines.lock();
                lines.push_str(&line);
                lines.push('\n');
            }
            if !filled.woken.swap(true, Ordering::AcqRel) {
                wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
            }
        }));
        // A worker thread of the host may be terminated without any finalizer running.
        env.add_env_cleanup_hook(Arc::clone(&pool), |pool| pool.close()).map_err(internal)?;
        Ok(Self { pool, outbox })
    }

    /// Hands over one message, a JSON text. Throws `ERR_TOOLSCOPE_INTERNAL` on a malformed one. Never waits for a program.
    #[napi(catch_unwind)]
    pub fn post(&self, message: String) -> Result<()> {
        Ok(self.pool.post(&message)?)
    }

    /// Everything given since the last time, one JSON text a line.
    #[napi(catch_unwind)]
    pub fn drain(&self) -> String {
        // Cleared first: a line that comes between is either taken now or wakes again.
        self.outbox.woken.store(false, Ordering::Release);
        std::mem::take(&mut *self.outbox.lines.lock())
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
