//! The allocator of the programs and modules that we build: mimalloc, told to keep what is freed for a moment.
//!
//! A query's tables are large and freed at its end. Given back to the system at once, their pages are
//! made zero again for the next query, which was a third of the time of a grouping by millions of texts.
//! Kept for a second, they serve the next query as they are.
//!
//! Who embeds the engine in a program of their own brings their own allocator.
#![allow(unsafe_code, reason = "calls to a C library")]

use std::ffi::c_int;

/// For `#[global_allocator]`.
pub use mimalloc::MiMalloc as Allocator;

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
