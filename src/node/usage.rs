//! The usage log.

use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;
use parking_lot::Mutex;

use super::{count::count, error::Result};
use crate::catalog::Weights;
use crate::error::Error;
use crate::usage::{DEFAULT_HALF_LIFE_DAYS, Damaged, UsageFile, UsageLog, fresh_mark, now};

/// What tells one session from every other whose name is the same, here or in another process.
#[napi(catch_unwind)]
pub fn session_mark() -> String {
    format!("{:016x}", fresh_mark())
}

/// A failure or a damaged file, as data: an asynchronous task cannot reject with a code of ours.
#[napi(object)]
pub struct UsageOutcome {
    /// The code of the error, where there was one.
    pub code: Option<String>,
    /// Its message, or what was wrong with the damaged file.
    pub message: Option<String>,
    /// Where a damaged file was moved.
    pub damaged: Option<String>,
}

impl UsageOutcome {
    fn of(result: std::result::Result<Option<Damaged>, Error>) -> Self {
        match result {
            Ok(damaged) => Self {
                code: None,
                message: damaged.as_ref().map(|damaged| damaged.reason.clone()),
                damaged: damaged.map(|damaged| damaged.moved_to.display().to_string()),
            },
            Err(error) => Self {
                code: Some(error.kind().code().to_owned()),
                message: Some(error.message().to_owned()),
                damaged: None,
            },
        }
    }
}

/// Writes a log to its file off the main thread.
pub struct Save {
    log: Arc<Mutex<UsageLog>>,
    file: UsageFile,
}

impl Save {
    fn run(&self) -> UsageOutcome {
        // A copy, so that nobody waits for the disk.
        let copy = self.log.lock().clone();
        UsageOutcome::of(self.file.save(&copy).map(|(stored, damaged)| {
            let mut log = self.log.lock();
            log.merge(&stored);
            log.forget(now());
            damaged
        }))
    }
}

impl Task for Save {
    type Output = UsageOutcome;
    type JsValue = UsageOutcome;

    fn compute(&mut self) -> napi::Result<UsageOutcome> {
        Ok(self.run())
    }

    fn resolve(&mut self, _: Env, output: UsageOutcome) -> napi::Result<UsageOutcome> {
        Ok(output)
    }
}

/// A usage log, in memory or kept in a file.
#[napi(js_name = "UsageLog")]
pub struct JsUsageLog {
    log: Arc<Mutex<UsageLog>>,
    file: Option<UsageFile>,
    opened: Option<Damaged>,
}

impl JsUsageLog {
    fn holding(log: UsageLog, file: Option<UsageFile>, opened: Option<Damaged>) -> Self {
        Self { log: Arc::new(Mutex::new(log)), file, opened }
    }

    /// A snapshot of the weights.
    pub fn weights(&self) -> Weights {
        self.log.lock().weights(now())
    }

    /// Reads the log, with the time now.
    pub fn read<T>(&self, act: impl FnOnce(&UsageLog, i64) -> T) -> T {
        act(&self.log.lock(), now())
    }
}

#[napi]
impl JsUsageLog {
    /// An empty log in memory.
    #[napi(constructor, catch_unwind)]
    pub fn new(half_life_days: Option<f64>) -> Result<Self> {
        Ok(Self::holding(UsageLog::new(half_life_days.unwrap_or(DEFAULT_HALF_LIFE_DAYS))?, None, None))
    }

    /// The log of a file.
    #[napi(factory, catch_unwind)]
    pub fn open(path: String) -> Result<Self> {
        let file = UsageFile::new(PathBuf::from(path));
        let (log, damaged) = file.load()?;
        Ok(Self::holding(log, Some(file), damaged))
    }

    /// The log of a JSON text, in memory.
    #[napi(factory, js_name = "fromJSON", catch_unwind)]
    pub fn from_json(text: String) -> Result<Self> {
        Ok(Self::holding(UsageLog::from_json(&text)?, None, None))
    }

    /// What was wrong with the file when it was opened.
    #[napi(catch_unwind)]
    pub fn opened(&self) -> UsageOutcome {
        UsageOutcome::of(Ok(self.opened.clone()))
    }

    /// Whether the log is kept in a file.
    #[napi(catch_unwind)]
    pub fn is_stored(&self) -> bool {
        self.file.is_some()
    }

    /// Counts a use; `at` is in milliseconds since 1970.
    #[napi(catch_unwind)]
    pub fn record(&self, id: String, session: String, at: Option<f64>) {
        #[expect(clippy::cast_possible_truncation, reason = "the range of a Date fits")]
        let at = at.map_or_else(now, |at| at as i64);
        self.log.lock().record(&id, &session, at);
    }

    /// The used tools as JSON text, heaviest first.
    #[napi(catch_unwind)]
    pub fn rank(&self, limit: Option<f64>) -> String {
        #[derive(serde::Serialize)]
        struct Ranked<'a> {
            id: &'a str,
            weight: f64,
        }
        let ranked = self.log.lock().rank(limit.map(count), now());
        let ranked: Vec<_> = ranked.iter().map(|(id, weight)| Ranked { id, weight: *weight }).collect();
        serde_json::to_string(&ranked).expect("strings and numbers can be written")
    }

    /// Takes in what another log counted.
    #[napi(catch_unwind)]
    pub fn merge(&self, other: &JsUsageLog) {
        if !Arc::ptr_eq(&self.log, &other.log) {
            let other = other.log.lock().clone();
            self.log.lock().merge(&other);
        }
    }

    /// The log as JSON text.
    #[napi(js_name = "toJSON", catch_unwind)]
    pub fn to_json(&self) -> String {
        self.log.lock().to_json()
    }

    /// Changes whenever what is counted does.
    #[napi(catch_unwind)]
    pub fn version(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "2^53 records take longer than anyone waits")]
        let version = self.log.lock().version() as f64;
        version
    }

    /// Writes the log to its file, off the main thread; nothing for a log in memory.
    #[napi(catch_unwind, ts_return_type = "Promise<UsageOutcome> | null")]
    pub fn flush(&self) -> Option<AsyncTask<Save>> {
        let file = self.file.clone()?;
        Some(AsyncTask::new(Save { log: Arc::clone(&self.log), file }))
    }

    /// The same at once, for the end of a process.
    #[napi(catch_unwind)]
    pub fn flush_now(&self) -> Option<UsageOutcome> {
        let file = self.file.clone()?;
        Some(Save { log: Arc::clone(&self.log), file }.run())
    }
}
