//! A lane beside the pipes between a host and its child process: memory that both have mapped, through which a message
//! goes without the system's help while the other side looks for one (see [`Vigil`]). All else goes through the pipes,
//! and all of it where there is no such memory. Order is kept: a message takes the lane only when every one before it
//! has left the pipe.

use std::{
    cell::UnsafeCell,
    ptr,
    sync::atomic::{AtomicU32, Ordering},
};

use super::awake::Vigil;

/// Bytes of the longest message that fits.
const ROOM: usize = (64 << 10) - 3 * size_of::<AtomicU32>();

/// The lane of one direction.
#[repr(C)]
struct Slot {
    /// Whether its receiver looks for messages.
    watched: AtomicU32,
    /// How many messages its receiver has taken from the pipe, modulo 2³².
    taken: AtomicU32,
    /// 0 while it is empty, else one more than the message's length.
    filled: AtomicU32,
    bytes: UnsafeCell<[u8; ROOM]>,
}

// SAFETY: all but the bytes are atomics; those are written by its one sender while it is empty, and copied by its one
// receiver while it is filled.
unsafe impl Sync for Slot {}

impl Slot {
    /// `bytes` are at most [`ROOM`], the slot is empty, and the caller is its sender.
    fn write(&self, bytes: &[u8]) {
        let length = bytes.len().min(ROOM);
        // SAFETY: so many bytes are on both sides, which are different memory.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.bytes.get().cast(), length) }
    }

    /// What is in it, where that is so long and text.
    fn read(&self, length: usize) -> Option<String> {
        let mut bytes = vec![0; Some(length).filter(|&length| length <= ROOM)?];
        // SAFETY: so many bytes are on both sides, which are different memory.
        unsafe { ptr::copy_nonoverlapping(self.bytes.get().cast(), bytes.as_mut_ptr(), length) }
        String::from_utf8(bytes).ok()
    }
}

#[repr(C)]
struct Shared {
    to_child: Slot,
    to_host: Slot,
}

/// One side's view of the lane.
pub struct Lane {
    mapping: Option<Mapping>,
    is_host: bool,
}

impl Lane {
    /// The host's side of a new lane; where a system has no such memory, one on which nothing goes.
    pub fn create() -> Self {
        Self { mapping: Mapping::create(), is_host: true }
    }

    /// Lets go of the memory; from now on nothing goes.
    pub fn close(&mut self) {
        self.mapping = None;
    }

    /// The child's side, by the file descriptor under which the child was given the memory.
    pub fn open(descriptor: i32) -> Self {
        Self { mapping: Mapping::open(descriptor), is_host: false }
    }

    /// What [`Self::open`] takes, to be handed to the child; none where there is no memory.
    pub fn descriptor(&self) -> Option<i32> {
        self.mapping.as_ref().map(Mapping::descriptor)
    }

    fn slot(&self, to_host: bool) -> Option<&Slot> {
        let shared = self.mapping.as_ref()?.shared();
        Some(if to_host { &shared.to_host } else { &shared.to_child })
    }

    /// Hands a message over where its receiver looks for one, and has taken all `piped` messages that went through the
    /// pipe before; whether it did. One caller at a time.
    pub fn send(&self, message: &str, piped: u32) -> bool {
        let Some(slot) = self.slot(!self.is_host) else { return false };
        let is_free = || {
            slot.watched.load(Ordering::SeqCst) != 0
                && slot.taken.load(Ordering::Acquire) == piped
                && slot.filled.load(Ordering::Acquire) == 0
        };
        let Some(filled) = filled(message.len()).filter(|_| is_free()) else { return false };
        slot.write(message.as_bytes());
        slot.filled.store(filled, Ordering::SeqCst);
        // Who has stopped looking since may sleep; what it has not taken goes through the pipe, which wakes it.
        slot.watched.load(Ordering::SeqCst) != 0
            || slot.filled.compare_exchange(filled, 0, Ordering::SeqCst, Ordering::SeqCst).is_err()
    }

    /// So many more messages were taken from the pipe.
    pub fn count_piped(&self, taken: u32) {
        if let Some(slot) = self.slot(self.is_host) {
            slot.taken.fetch_add(taken, Ordering::Release);
        }
    }

    /// Looks until a message is here or in the pipe, for as long as that pays; the message that is here.
    pub fn watch(&self, vigil: &mut Vigil, is_piped: impl Fn() -> bool) -> Option<String> {
        let Some(slot) = self.slot(self.is_host) else {
            vigil.watch(is_piped);
            return None;
        };
        slot.watched.store(1, Ordering::SeqCst);
        vigil.watch(|| slot.filled.load(Ordering::Acquire) != 0 || is_piped());
        slot.watched.store(0, Ordering::SeqCst);
        let filled = slot.filled.load(Ordering::SeqCst);
        let length = usize::try_from(filled.checked_sub(1)?).ok()?;
        let message = slot.read(length);
        // Its sender may have taken it back meanwhile.
        let is_ours = slot.filled.compare_exchange(filled, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        message.filter(|_| is_ours)
    }
}

fn filled(length: usize) -> Option<u32> {
    if length > ROOM { None } else { u32::try_from(length + 1).ok() }
}

#[cfg(target_os = "linux")]
use linux::Mapping;

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        os::fd::{AsRawFd, FromRawFd, OwnedFd},
        ptr::{self, NonNull},
    };

    use rustix::{
        fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create},
        mm::{MapFlags, ProtFlags, mmap, munmap},
    };

    use super::Shared;

    /// The memory, and the file that it is.
    pub(super) struct Mapping {
        start: NonNull<Shared>,
        memory: OwnedFd,
    }

    // SAFETY: what it points to is `Sync`, and mapped for as long as it lives.
    unsafe impl Send for Mapping {}
    // SAFETY: the same.
    unsafe impl Sync for Mapping {}

    impl Mapping {
        pub(super) fn create() -> Option<Self> {
            let memory = memfd_create("toolscope", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING).ok()?;
            ftruncate(&memory, size_of::<Shared>() as u64).ok()?;
            // Nobody can take away what the other side is about to read.
            fcntl_add_seals(&memory, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL).ok()?;
            Self::new(memory)
        }

        pub(super) fn open(descriptor: i32) -> Option<Self> {
            if descriptor < 0 {
                return None;
            }
            // SAFETY: the child was started with it for this purpose, and uses it nowhere else.
            Self::new(unsafe { OwnedFd::from_raw_fd(descriptor) })
        }

        fn new(memory: OwnedFd) -> Option<Self> {
            let access = ProtFlags::READ | ProtFlags::WRITE;
            // SAFETY: the system chooses the place.
            let start = unsafe { mmap(ptr::null_mut(), size_of::<Shared>(), access, MapFlags::SHARED, &memory, 0) };
            Some(Self { start: NonNull::new(start.ok()?.cast())?, memory })
        }

        pub(super) fn descriptor(&self) -> i32 {
            self.memory.as_raw_fd()
        }

        pub(super) const fn shared(&self) -> &Shared {
            // SAFETY: it is mapped, begins at a page, cannot shrink, and was all zeros, which is a value of the type.
            unsafe { self.start.as_ref() }
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: nothing borrows from it any more. A failure leaves it mapped, which harms nobody.
            let _ = unsafe { munmap(self.start.as_ptr().cast(), size_of::<Shared>()) };
        }
    }
}

/// Other systems have no memory that goes by a file descriptor and cannot be taken away.
#[cfg(not(target_os = "linux"))]
enum Mapping {}

#[cfg(not(target_os = "linux"))]
impl Mapping {
    const fn create() -> Option<Self> {
        None
    }

    const fn open(_descriptor: i32) -> Option<Self> {
        None
    }

    const fn descriptor(&self) -> i32 {
        match *self {}
    }

    const fn shared(&self) -> &Shared {
        match *self {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn both() -> (Lane, Lane) {
        let host = Lane::create();
        let descriptor = host.descriptor().expect("this system has it");
        // SAFETY: the host's side holds it open.
        let ours = unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) };
        let theirs = ours.try_clone_to_owned().expect("another descriptor");
        (host, Lane::open(std::os::fd::IntoRawFd::into_raw_fd(theirs)))
    }

    #[test]
    fn messages_pass_both_ways_whole_and_in_order() {
        let (host, child) = both();
        let last = 2_000_u32;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut vigil = Vigil::default();
                for turn in 0..last {
                    let message = loop {
                        if let Some(message) = child.watch(&mut vigil, || false) {
                            break message;
                        }
                    };
                    assert_eq!(message, format!("{turn}?").repeat(turn as usize % 200 + 1));
                    while !child.send(&format!("{turn}!"), 0) {
                        std::thread::yield_now();
                    }
                }
            });
            let mut vigil = Vigil::default();
            for turn in 0..last {
                while !host.send(&format!("{turn}?").repeat(turn as usize % 200 + 1), 0) {
                    std::thread::yield_now();
                }
                let message = loop {
                    if let Some(message) = host.watch(&mut vigil, || false) {
                        break message;
                    }
                };
                assert_eq!(message, format!("{turn}!"));
            }
        });
    }

    #[test]
    fn nothing_goes_that_nobody_looks_for_or_that_would_overtake() {
        let (host, child) = both();
        assert!(!host.send("asleep", 0), "nobody looks");
        let slot = host.slot(false).expect("mapped");
        slot.watched.store(1, Ordering::SeqCst);
        assert!(!host.send("early", 1), "one is still in the pipe");
        child.count_piped(1);
        assert!(!host.send(&"x".repeat(ROOM + 1), 1), "it does not fit");
        assert!(host.send(&"x".repeat(ROOM), 1));
        assert!(!host.send("next", 1), "the last one is still there");
        assert_eq!(child.watch(&mut Vigil::default(), || false).map(|text| text.len()), Some(ROOM));
    }

    #[test]
    fn nothing_goes_once_it_is_closed() {
        let (mut host, child) = both();
        child.slot(false).expect("mapped").watched.store(1, Ordering::SeqCst);
        host.close();
        assert!(!host.send("late", 0) && host.descriptor().is_none());
        assert_eq!(host.watch(&mut Vigil::default(), || true), None);
    }

    #[test]
    fn what_a_broken_child_writes_is_no_message() {
        let (host, child) = both();
        let slot = child.slot(true).expect("mapped");
        for filled in [u32::MAX, u32::try_from(ROOM + 2).expect("small"), 2] {
            slot.write(&[0xff]);
            slot.filled.store(filled, Ordering::SeqCst);
            assert_eq!(host.watch(&mut Vigil::default(), || true), None);
        }
    }
}
