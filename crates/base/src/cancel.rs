//! A flag that stops a running query: set from any thread, looked at between chunks; and a time at which it
//! counts as set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A shared flag. Cloning shares it; looking costs one relaxed load, and where there is a deadline a look at
/// the clock, some 30 ns.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl CancelToken {
    /// The same flag, set at `deadline` for who has this clone, or before if it had an earlier one.
    #[must_use]
    pub fn until(&self, deadline: Instant) -> Self {
        let earlier = self.deadline.map_or(deadline, |own| own.min(deadline));
        Self { flag: Arc::clone(&self.flag), deadline: Some(earlier) }
    }

    /// Whether it has a deadline.
    pub fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    /// Asks whatever watches this flag to stop.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked, or time is up.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.deadline.is_some_and(|at| Instant::now() >= at)
    }

    /// Whether time is up and nobody asked.
    pub fn is_over_time(&self) -> bool {
        !self.flag.load(Ordering::Relaxed) && self.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::CancelToken;

    #[test]
    fn a_deadline_counts_as_asking() {
        let token = CancelToken::default();
        let (now, later) = (Instant::now(), Instant::now() + Duration::from_secs(3600));
        assert!(!token.is_cancelled() && !token.until(later).is_cancelled());
        let over = token.until(later).until(now);
        assert!(over.is_cancelled() && over.is_over_time() && over.until(later).is_over_time());
        assert!(!token.is_cancelled(), "the deadline is the clone's own");
        over.cancel();
        assert!(token.is_cancelled() && !over.is_over_time());
    }
}
