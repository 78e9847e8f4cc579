//! A log in a file that several processes share.
//!
//! Every write is: take the lock file's lock, read what is there, merge it, write a new file beside it, move it into
//! place. The system frees the lock of a process that dies, a move is there whole or not at all, and a merge loses
//! nothing; so whenever a process is killed, every count that was flushed before stays.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind as Io, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::json::Unread;
use super::{DEFAULT_HALF_LIFE_DAYS, UsageLog, now};
use crate::error::{Error, ErrorKind, Result};

/// How long a process waits for the others.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file that did not hold a log, and where it was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Where it is now.
    pub moved_to: PathBuf,
    /// What was wrong with it.
    pub reason: String,
}

/// Links that are followed to a file that is not there yet; systems themselves stop at 40 or sooner.
const MOST_LINKS: usize = 40;

/// Where a path leads from here, by its links, whether or not there is a file.
fn settled(path: PathBuf) -> PathBuf {
    let mut place = std::path::absolute(&path).unwrap_or(path);
    for _ in 0..MOST_LINKS {
        if let Ok(canonical) = std::fs::canonicalize(&place) {
            return canonical;
        }
        let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else { break };
        // A link's target is meant from the folder that the link is in, not from one that leads there.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let Ok(target) = std::fs::read_link(&place) else {
            place = folder.join(name);
            break;
        };
        place = folder.join(target);
    }
    place
}

/// Fails for what is there and is no file to read from start to end: a pipe would wait for good, a device has no end.
fn check_regular(path: &Path) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(std::io::Error::other(format!("`{}` is no regular file", path.display()))),
        // Whatever keeps it from being looked at is said by what is done with it next.
        _ => Ok(()),
    }
}

/// The place of a log.
#[derive(Clone, Debug)]
pub struct UsageFile {
    path: PathBuf,
}

impl UsageFile {
    /// A log at that path; nothing is touched. It is the same file for good: a later change of the working folder does
    /// not move it, and where the path is a link, the file it leads to is written and the link stays.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: settled(path.into()) }
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(suffix);
        name.into()
    }

    fn failed(&self, what: &str, error: &std::io::Error) -> Error {
        self.refused(what, &error.to_string(), "give a file in a folder that can be read and written")
    }

    fn refused(&self, what: &str, reason: &str, fix: &str) -> Error {
        let path = self.path.display();
        Error::new(ErrorKind::UsageFile, format!("the usage file `{path}` cannot be {what}: {reason}; {fix}"))
    }

    /// Reads the log; a missing file is an empty one. A damaged file is moved aside and said.
    ///
    /// Fails with `ERR_TOOLSCOPE_USAGE_FILE` where the file cannot be read, or is one that a newer release wrote; then
    /// it is left as it is.
    pub fn load(&self) -> Result<(UsageLog, Option<Damaged>)> {
        if let Ok(log) = self.read()? {
            return Ok((log, None));
        }
        let _lock = self.lock()?;
        self.read_locked()
    }

    /// The log, or what is wrong with the file's content.
    fn read(&self) -> Result<std::result::Result<UsageLog, String>> {
        let bytes = match check_regular(&self.path).and_then(|()| std::fs::read(&self.path)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == Io::NotFound => {
                return Ok(Ok(UsageLog::new(DEFAULT_HALF_LIFE_DAYS)?));
            }
            Err(error) => return Err(self.failed("read", &error)),
        };
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match UsageLog::read(&text) {
            Ok(log) => Ok(Ok(log)),
            Err(Unread::Invalid(reason)) => Ok(Err(reason)),
            // Two releases share the file: it is whole, and the other one's counts are in it.
            Err(newer @ Unread::Newer(_)) => {
                Err(self.refused("read", &newer.reason(), "upgrade toolscope, or give another file"))
            }
        }
    }

    /// Reads under the lock, so that what is moved aside is the damaged file and not one that just replaced it.
    fn read_locked(&self) -> Result<(UsageLog, Option<Damaged>)> {
        let reason = match self.read()? {
            Ok(log) => return Ok((log, None)),
            Err(reason) => reason,
        };
        let moved_to = self.beside(&format!(".damaged-{}-{}", now(), std::process::id()));
        std::fs::rename(&self.path, &moved_to).map_err(|error| self.failed("moved aside", &error))?;
        tracing::warn!(path = %self.path.display(), moved_to = %moved_to.display(), reason, "usage file damaged");
        Ok((UsageLog::new(DEFAULT_HALF_LIFE_DAYS)?, Some(Damaged { moved_to, reason })))
    }

    /// Merges a log into the file, has it forget what is too old ([`UsageLog::forget`]), and gives what it holds now.
    ///
    /// Waits up to 10 seconds for other processes. Fails with `ERR_TOOLSCOPE_USAGE_FILE`.
    pub fn save(&self, log: &UsageLog) -> Result<(UsageLog, Option<Damaged>)> {
        let lock = self.lock()?;
        let (stored, damaged) = self.read_locked()?;
        let mut merged = log.clone();
        merged.merge(&stored);
        merged.forget(now());
        // What the file has forgotten is no news either.
        let is_same = merged.covers(&stored) && stored.covers(&merged);
        if !is_same || !self.path.exists() {
            self.replace(&merged.to_json()).map_err(|error| self.failed("written", &error))?;
        }
        drop(lock);
        Ok((merged, damaged))
    }

    fn replace(&self, text: &str) -> std::io::Result<()> {
        // One name is enough: only the holder of the lock writes, and what a killed one left is written over.
        let fresh = self.beside(".new");
        check_regular(&fresh)?;
        let mut file = File::create(&fresh)?;
        // Whoever kept others from reading it meant the next version, too.
        if let Ok(before) = std::fs::metadata(&self.path) {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        drop(file);
        std::fs::rename(&fresh, &self.path)?;
        // So that the move itself survives a power cut; not every system lets a folder be opened.
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty())
            && let Ok(folder) = File::open(folder)
        {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    fn lock(&self) -> Result<File> {
        let path = self.beside(".lock");
        let open = || OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = check_regular(&path).and_then(|()| open()).map_err(|error| self.failed("locked", &error))?;
        let started = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    let error =
                        std::io::Error::new(Io::TimedOut, format!("`{}` is held by another process", path.display()));
                    return Err(self.failed("locked", &error));
                }
                Err(TryLockError::Error(error)) => return Err(self.failed("locked", &error)),
            }
        }
    }
}
