//! The procedures of a database: an immutable table that plans are bound to, and a changed copy in its place
//! when one is added or taken away. What runs keeps what it was bound to; plans bound to an older table are
//! made again.

use std::sync::{Arc, PoisonError, RwLock};

use trimorph_algebra::{Procedure, Procedures, UserFunction};

/// The procedures that queries may call.
#[derive(Debug, Default)]
pub(crate) struct Registry(RwLock<Arc<Procedures>>);

impl Registry {
    /// The procedures of now.
    pub(crate) fn current(&self) -> Arc<Procedures> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a procedure, in the place of one of its name.
    pub(super) fn insert(&self, procedure: Arc<dyn Procedure>) {
        self.insert_all(std::iter::once(procedure));
    }

    /// The same for several at once.
    pub(super) fn insert_all(&self, procedures: impl Iterator<Item = Arc<dyn Procedure>>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Procedures::clone(&current);
        procedures.for_each(|procedure| changed.insert(procedure));
        *current = Arc::new(changed);
    }

    /// Adds a function of the program, in the place of one of its name.
    pub(crate) fn insert_function(&self, function: Arc<dyn UserFunction>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Procedures::clone(&current);
        changed.insert_function(function);
        *current = Arc::new(changed);
    }

    /// Takes a function away; whether there was one of this name.
    pub(crate) fn remove_function(&self, name: &str) -> bool {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Procedures::clone(&current);
        let known = changed.remove_function(name).is_some();
        if known {
            *current = Arc::new(changed);
        }
        known
    }

    /// Takes a procedure away; whether there was one of this name.
    pub(super) fn remove(&self, name: &str) -> bool {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Procedures::clone(&current);
        let known = changed.remove(name).is_some();
        if known {
            *current = Arc::new(changed);
        }
        known
    }
}
