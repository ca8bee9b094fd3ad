//! The allocator of the programs and modules that we build: mimalloc, told to keep what is freed for a
//! moment.
//!
//! A query's tables are large and freed at its end. Given back to the system at once, their pages are
//! made zero again for the next query, which was a third of the time of a grouping by millions of texts.
//! Kept for a second, they serve the next query as they are.
//!
//! Who embeds the engine in a program of their own brings their own allocator.
#![allow(unsafe_code, reason = "calls to a C library")]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{c_int, c_void};

use mimalloc::MiMalloc;

/// For `#[global_allocator]`: the library's, which is not asked for an alignment that it gives anyway. That
/// takes half as long, and a small statement allocates some fifty times.
#[derive(Clone, Copy, Debug)]
pub struct Allocator;

/// What the library aligns blocks of as many bytes to, whatever is asked for, as `malloc` does.
const ALIGNED_ANYWAY: usize = 16;

/// Whether a block is aligned as it should be without a word.
#[inline(always)]
fn is_aligned_anyway(align: usize, size: usize) -> bool {
    align <= ALIGNED_ANYWAY && align <= size
}

// SAFETY: the library's functions keep what `GlobalAlloc` demands. Those without an alignment give blocks
// that are aligned to 16 bytes, or to their size where that is less; all of them take blocks of each other.
unsafe impl GlobalAlloc for Allocator {
    #[inline(always)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's: a size above zero.
        unsafe {
            match is_aligned_anyway(layout.align(), layout.size()) {
                true => libmimalloc_sys::mi_malloc(layout.size()).cast(),
                false => MiMalloc.alloc(layout),
            }
        }
    }

    #[inline(always)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's: a size above zero.
        unsafe {
            match is_aligned_anyway(layout.align(), layout.size()) {
                true => libmimalloc_sys::mi_zalloc(layout.size()).cast(),
                false => MiMalloc.alloc_zeroed(layout),
            }
        }
    }

    #[inline(always)]
    unsafe fn dealloc(&self, block: *mut u8, _: Layout) {
        // SAFETY: the caller's: a block of this allocator.
        unsafe { libmimalloc_sys::mi_free(block.cast::<c_void>()) }
    }

    #[inline(always)]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's: a block of this allocator with that layout, and a size above zero.
        unsafe {
            match is_aligned_anyway(layout.align(), size) {
                true => libmimalloc_sys::mi_realloc(block.cast::<c_void>(), size).cast(),
                false => MiMalloc.realloc(block, layout, size),
            }
        }
    }
}

/// Milliseconds for which what small pieces leave is kept; what large ones leave, ten times as long.
const KEPT_MILLISECONDS: i64 = 100;

/// `mi_option_purge_delay`, which the crate has no name for.
const PURGE_DELAY: c_int = 15;

/// Has freed memory kept for a moment, unless `MIMALLOC_PURGE_DELAY` says for how long. Once, before the
/// first query.
pub fn keep_freed_memory() {
    if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        // SAFETY: the option is there in version 2 of the library, whose sources the crate brings. A thread
        // that frees memory meanwhile sees the delay of before or this one.
        unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, KEPT_MILLISECONDS) };
    }
}

/// Gives freed memory back to the system.
///
/// **Cost**: a walk over the free lists of this thread and a system call for each run of free pages.
pub fn give_back() {
    // SAFETY: it takes no pointers, and may be called at any time.
    unsafe { libmimalloc_sys::mi_collect(true) };
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc as _, Layout};

    /// The sizes up to a page and some larger ones, with all alignments.
    #[test]
    fn blocks_are_aligned_and_have_room() {
        let sizes = (1..4_100).chain([1 << 16, (1 << 20) + 1, 5 << 20]);
        for (size, align) in sizes.flat_map(|size| (0..8).map(move |power| (size, 1 << power))) {
            let layout = Layout::from_size_align(size, align).unwrap();
            let other = size + size / 2 + 1;
            // SAFETY: the layouts have sizes above zero, and blocks are freed with theirs.
            unsafe {
                for block in [super::Allocator.alloc(layout), super::Allocator.alloc_zeroed(layout)] {
                    assert!(!block.is_null() && block.addr().is_multiple_of(align), "{size} {align}");
                    block.write_bytes(7, size);
                    let block = super::Allocator.realloc(block, layout, other);
                    assert!(!block.is_null() && block.addr().is_multiple_of(align), "{other} {align}");
                    assert!(std::slice::from_raw_parts(block, size).iter().all(|byte| *byte == 7));
                    block.write_bytes(8, other);
                    super::Allocator.dealloc(block, Layout::from_size_align(other, align).unwrap());
                }
            }
        }
    }

    #[test]
    fn the_option_is_the_delay() {
        // SAFETY: reads an option.
        let delay = || unsafe { libmimalloc_sys::mi_option_get(super::PURGE_DELAY) };
        // What the library sets it to by itself: another number would be another option's.
        assert_eq!(delay(), 10);
        super::keep_freed_memory();
        assert_eq!(delay(), super::KEPT_MILLISECONDS);
        super::give_back();
    }
}
