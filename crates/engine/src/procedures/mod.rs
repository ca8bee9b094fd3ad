//! The procedures of a database: an immutable table that plans are bound to, and a changed copy in its place
//! when one is added or taken away. What runs keeps what it was bound to; plans bound to an older table are
//! made again.

mod register;
mod table;

use std::sync::{Arc, PoisonError, RwLock};

use trimorph_algebra::{Procedure, Procedures};
use trimorph_base::MemoryBudget;

/// The procedures that queries may call.
#[derive(Debug, Default)]
pub(crate) struct Registry(RwLock<Arc<Procedures>>);

impl Registry {
    /// No procedures, or those by which a test registers its own. Their rows are held from `budget`.
    pub(crate) fn new(test_procedures: bool, budget: &MemoryBudget) -> Arc<Self> {
        let registry = Arc::new(Self::default());
        if test_procedures {
            registry.insert(Arc::new(register::Register::new(&registry, budget.clone())));
            registry.insert(Arc::new(register::Unregister::new(&registry)));
        }
        registry
    }

    /// The procedures of now.
    pub(crate) fn current(&self) -> Arc<Procedures> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn insert(&self, procedure: Arc<dyn Procedure>) {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Procedures::clone(&current);
        changed.insert(procedure);
        *current = Arc::new(changed);
    }

    /// Whether there was a procedure of this name.
    fn remove(&self, name: &str) -> bool {
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Procedures::clone(&current);
        let known = changed.remove(name).is_some();
        if known {
            *current = Arc::new(changed);
        }
        known
    }
}
