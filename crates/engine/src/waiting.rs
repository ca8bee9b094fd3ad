//! Waiting for a lock that somebody may hold long, a merge or a checkpoint: until who asks is told to stop.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use trimorph_base::CancelToken;

use crate::Error;

/// The first pause between two looks, and the longest: each is twice as long as the one before.
const PAUSE_FIRST: Duration = Duration::from_micros(50);
const PAUSE_MAX: Duration = Duration::from_millis(4);

/// The lock, once nobody else has it.
///
/// **Errors**: [`Error::Cancelled`]. **Cost**: as of a lock, where nobody has it.
pub(crate) fn lock_until<'m, T>(
    mutex: &'m Mutex<T>,
    cancel: &CancelToken,
) -> Result<MutexGuard<'m, T>, Error> {
    let mut pause = PAUSE_FIRST;
    loop {
        match mutex.try_lock() {
            Ok(held) => return Ok(held),
            Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) if cancel.is_cancelled() => return Err(Error::Cancelled),
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;
    use std::time::Instant;

    use super::*;
    use crate::{Config, Database};

    /// Whoever waits for a merge, or for a checkpoint, can be stopped.
    #[test]
    fn who_waits_for_somebody_elses_merge_stops_when_told() {
        let db = Database::in_memory(Config::default());
        let c = db.connect();
        c.query("CREATE (:A {x: 1})", &[]).unwrap();
        let is_stopped = |text: &str| {
            let begun = Instant::now();
            let done = c.query_within(text, &[], Duration::from_millis(30));
            assert!(matches!(done, Err(Error::Timeout)), "{text}: {done:?}");
            assert!(begun.elapsed() < Duration::from_secs(20), "{text}");
        };
        let merging = db.shared.merging();
        for text in ["CHECKPOINT", "CREATE INDEX x FOR (a:A) ON (a.x)", "REORGANIZE"] {
            is_stopped(text);
        }
        drop(merging);
        let files = db.shared.checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        is_stopped("CREATE CONSTRAINT x FOR (a:A) REQUIRE a.x IS UNIQUE");
        drop(files);
        // Nothing is left of it.
        assert!(db.shared.base().catalog().definitions.is_empty());
        c.query("CREATE CONSTRAINT x FOR (a:A) REQUIRE a.x IS UNIQUE", &[]).unwrap();
        c.query("CHECKPOINT", &[]).unwrap();
    }
}
