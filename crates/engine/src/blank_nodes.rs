//! Labels of blank nodes: those of one text are none of another.

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that no other reading has: blank nodes of one text are none of another.
pub(crate) fn blank_prefix() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let clock = trimorph_functions::Clock::now();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("f{:x}{:08x}{number:x}x", clock.seconds, clock.nanos)
}
