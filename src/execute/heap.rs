//! A program's heap: what the interpreter allocates, counted and bounded, and all of it gone with the program.

use std::{
    alloc::{Layout, alloc, alloc_zeroed, dealloc, realloc},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use rquickjs::allocator::Allocator;

/// Bytes before each block, which hold its size; as many as its alignment, so that the block itself is aligned.
const HEADER: usize = 16;

/// What is known of a heap from outside.
#[derive(Debug)]
pub(crate) struct Usage {
    used: AtomicUsize,
    limit: AtomicUsize,
    refused: AtomicBool,
}

impl Usage {
    pub(crate) fn unlimited() -> Arc<Self> {
        Arc::new(Self {
            used: AtomicUsize::new(0),
            limit: AtomicUsize::new(usize::MAX),
            refused: AtomicBool::new(false),
        })
    }

    /// From now on; what is used already counts.
    pub(crate) fn limit_to(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Whether something was refused since a limit was set.
    pub(crate) fn refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Whether `more` bytes fit; counts them if so.
    fn take(&self, more: usize) -> bool {
        let used = self.used.load(Ordering::Relaxed);
        match used.checked_add(more) {
            Some(sum) if sum <= self.limit.load(Ordering::Relaxed) => {
                self.used.store(sum, Ordering::Relaxed);
                true
            }
            _ => {
                self.refused.store(true, Ordering::Relaxed);
                false
            }
        }
    }

    fn give_back(&self, bytes: usize) {
        // One thread has the heap at a time, so plain loads and stores suffice; they are atomic for those who look.
        self.used.store(self.used.load(Ordering::Relaxed).saturating_sub(bytes), Ordering::Relaxed);
    }
}

#[cfg(test)]
impl Usage {
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

/// The interpreter's allocator.
pub(crate) struct Heap(pub(crate) Arc<Usage>);

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, HEADER).ok()
}

fn header(base: *mut u8) -> *mut usize {
    base.cast()
}

/// # Safety
/// `block` came from [`Heap`] and is not freed.
unsafe fn size_of(block: *mut u8) -> usize {
    // SAFETY: the header in front of a block was written when it was made, and is aligned as the block is.
    unsafe { header(block.sub(HEADER)).read() }
}

impl Heap {
    fn make(&mut self, size: usize, make: unsafe fn(Layout) -> *mut u8) -> *mut u8 {
        let Some(layout) = layout(size) else { return ptr::null_mut() };
        if !self.0.take(layout.size()) {
            return ptr::null_mut();
        }
        // SAFETY: the layout is at least a header long; the header is within it and aligned.
        unsafe {
            let base = make(layout);
            if base.is_null() {
                self.0.give_back(layout.size());
                return base;
            }
            header(base).write(size);
            base.add(HEADER)
        }
    }
}

// SAFETY: blocks are at least as large as asked for, aligned to 16, freed with the layout they were made with.
unsafe impl Allocator for Heap {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.make(size, alloc)
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        count.checked_mul(size).map_or(ptr::null_mut(), |bytes| self.make(bytes, alloc_zeroed))
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: the caller gives a block of ours, whose size its header holds.
        unsafe {
            if let Some(layout) = layout(size_of(block)) {
                self.0.give_back(layout.size());
                dealloc(block.sub(HEADER), layout);
            }
        }
    }

    unsafe fn realloc(&mut self, block: *mut u8, new_size: usize) -> *mut u8 {
        if block.is_null() {
            return self.alloc(new_size);
        }
        // SAFETY: the caller gives a block of ours, whose size its header holds.
        unsafe {
            if new_size == 0 {
                self.dealloc(block);
                return ptr::null_mut();
            }
            let (Some(old), Some(new)) = (layout(size_of(block)), layout(new_size)) else {
                return ptr::null_mut();
            };
            if new.size() > old.size() && !self.0.take(new.size() - old.size()) {
                return ptr::null_mut();
            }
            let base = realloc(block.sub(HEADER), old, new.size());
            if base.is_null() {
                self.0.give_back(new.size().saturating_sub(old.size()));
                return base;
            }
            if new.size() < old.size() {
                self.0.give_back(old.size() - new.size());
            }
            header(base).write(new_size);
            base.add(HEADER)
        }
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: the caller gives a block of this allocator.
        unsafe { size_of(block) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_byte_and_refuses_past_the_limit() {
        let usage = Usage::unlimited();
        let mut heap = Heap(Arc::clone(&usage));
        // SAFETY: blocks are used within their size and freed once.
        unsafe {
            let block = heap.alloc(100);
            assert_eq!(usage.used(), 100 + HEADER);
            usage.limit_to(1_000);
            assert!(heap.alloc(900).is_null() && usage.refused());
            let block = heap.realloc(block, 800);
            assert_eq!((usage.used(), Heap::usable_size(block)), (800 + HEADER, 800));
            assert!(heap.realloc(block, 10_000).is_null());
            let zeroed = heap.calloc(2, 20);
            assert_eq!(zeroed.add(39).read(), 0);
            assert!(heap.calloc(usize::MAX, 2).is_null());
            heap.dealloc(zeroed);
            assert!(heap.realloc(block, 0).is_null());
            assert_eq!(usage.used(), 0);
        }
    }
}
