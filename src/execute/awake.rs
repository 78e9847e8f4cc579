//! Waiting awake. To wake a thread that sleeps takes tens of microseconds, several times what a program and its host
//! take to answer each other; so who expects an answer looks for it a moment before it sleeps.

use std::{
    thread::yield_now,
    time::{Duration, Instant},
};

/// How long to look. An answer that is not there by then comes from a tool that takes its time.
const PATIENCE: Duration = Duration::from_micros(100);

/// Most times in a row that nobody looks.
const LONGEST_PAUSE: u8 = 4;

/// Looks while that pays; where nothing came it pauses, each time for twice as long.
#[derive(Debug, Default)]
pub struct Vigil {
    pause: u8,
    skipped: u8,
}

impl Vigil {
    /// Looks until `is_here` or until it is not worth looking; whether it is.
    pub fn watch(&mut self, is_here: impl Fn() -> bool) -> bool {
        if self.skipped < self.pause {
            self.skipped += 1;
            return is_here();
        }
        let came = Self::look(is_here);
        self.skipped = 0;
        self.pause = if came { 0 } else { LONGEST_PAUSE.min(self.pause * 2 + 1) };
        came
    }

    fn look(is_here: impl Fn() -> bool) -> bool {
        let started = Instant::now();
        while !is_here() {
            if started.elapsed() >= PATIENCE {
                return false;
            }
            // Who is to answer may stand in line on this very processor: there a system likes to wake it.
            yield_now();
        }
        true
    }
}

/// Whether a file descriptor has anything to read, or has ended; on systems that cannot tell, that it has not.
pub fn is_readable(descriptor: i32) -> bool {
    #[cfg(unix)]
    if descriptor >= 0 {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        // SAFETY: it is not negative, and borrowed for this call alone; a closed one is an error of the call.
        let descriptor = unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) };
        let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
        return poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|count| count > 0);
    }
    let _ = descriptor;
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether it looked for as long as its patience says, rather than once.
    fn looks(vigil: &mut Vigil, is_here: bool) -> bool {
        let looked = std::cell::Cell::new(0);
        let started = Instant::now();
        let came = vigil.watch(|| {
            looked.set(looked.get() + 1);
            is_here
        });
        assert_eq!(came, is_here);
        looked.get() > 1 || started.elapsed() >= PATIENCE
    }

    #[test]
    fn it_pauses_for_longer_and_longer_until_something_comes() {
        let mut vigil = Vigil::default();
        let looked: String = (0..18).map(|_| if looks(&mut vigil, false) { 'x' } else { '.' }).collect();
        assert_eq!(looked, "x.x...x....x....x.");
        while vigil.skipped < vigil.pause {
            vigil.watch(|| true);
        }
        assert!(!looks(&mut vigil, true) && looks(&mut vigil, false), "once something came it looks again at once");
    }
}
