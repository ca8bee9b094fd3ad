//! Atomics, as the system has them or as the model checker does.

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// Lets the one who writes go on.
#[cfg(not(loom))]
#[inline]
pub(super) fn wait() {
    // A writer holds a node for some hundred nanoseconds, unless the system has taken its core away.
    std::hint::spin_loop();
    std::thread::yield_now();
}

/// Lets the one who writes go on.
#[cfg(loom)]
pub(super) fn wait() {
    loom::thread::yield_now();
}
