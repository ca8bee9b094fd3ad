//! A flag that stops a running query: set from any thread, looked at between chunks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A shared flag. Cloning shares it; looking costs one relaxed load.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks whatever watches this flag to stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
