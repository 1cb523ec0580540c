//! An allocator that counts, for tests which show that something allocates nothing or holds little.
//!
//! A test binary that uses it makes it the global one: `#[global_allocator] static ALLOCATOR: Counting = Counting;`

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

thread_local! {
    static OF_THREAD: Cell<u64> = const { Cell::new(0) };
}
static TOTAL: AtomicU64 = AtomicU64::new(0);
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator with counters.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator; the counters are atomic numbers and a plain
// thread-local cell, which need no allocation themselves.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        OF_THREAD.with(|count| count.set(count.get() + 1));
        TOTAL.fetch_add(1, Ordering::Relaxed);
        let held = HELD.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(held, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Allocations of this thread so far.
pub fn of_thread() -> u64 {
    OF_THREAD.with(Cell::get)
}

/// Allocations of all threads so far.
pub fn total() -> u64 {
    TOTAL.load(Ordering::Relaxed)
}

/// What some work gives, and the bytes that it holds at most beyond what is held before it.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let done = work();
    (done, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}
