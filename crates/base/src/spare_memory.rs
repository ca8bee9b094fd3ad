//! Spare memory: what was freed and the allocator keeps, given back to the system by each thread that may
//! have some, once somebody says that much was freed.
//!
//! An allocator keeps what a thread has freed for that thread, which alone can give it back. The engine names
//! no allocator: a program tells how ([`on_spare_memory`]).

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

static GIVE_BACK: OnceLock<fn()> = OnceLock::new();
/// How often much was freed.
static FREED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// What of that this thread knows.
    static KNOWN: Cell<u64> = const { Cell::new(0) };
}

/// `give_back` gives the system what the allocator keeps for the thread that calls it. The first one counts.
pub fn on_spare_memory(give_back: fn()) {
    let _ = GIVE_BACK.set(give_back);
}

/// Much was freed, by whatever threads: each gives it back when it next comes by.
pub fn much_was_freed() {
    FREED.fetch_add(1, Ordering::Relaxed);
}

/// This thread comes by. **Cost**: a load, unless much was freed.
pub fn return_spare_memory() {
    let freed = FREED.load(Ordering::Relaxed);
    KNOWN.with(|known| {
        if known.replace(freed) != freed
            && let Some(give_back) = GIVE_BACK.get()
        {
            give_back();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    static CALLS: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn each_thread_gives_back_once() {
        on_spare_memory(|| {
            CALLS.fetch_add(1, Ordering::Relaxed);
        });
        let calls = || CALLS.load(Ordering::Relaxed);
        return_spare_memory();
        assert_eq!(calls(), 0);
        much_was_freed();
        for thread in 1..=2 {
            let come_by = || (0..3).for_each(|_| return_spare_memory());
            assert!(std::thread::spawn(come_by).join().is_ok());
            assert_eq!(calls(), thread);
        }
    }
}
