//! The procedures that queries may call.
//!
//! ```text
//! registry  what there is now
//! register  procedures by which a test registers its own
//! table     a procedure that is a table
//! ```

mod register;
mod registry;
mod table;

use std::sync::Arc;

use trimorph_base::MemoryBudget;

pub(crate) use registry::Registry;

/// No procedures, or those by which a test registers its own. Their rows are held from `budget`.
pub(crate) fn registry(test_procedures: bool, budget: &MemoryBudget) -> Arc<Registry> {
    let registry = Arc::new(Registry::default());
    if test_procedures {
        registry.insert(Arc::new(register::Register::new(&registry, budget.clone())));
        registry.insert(Arc::new(register::Unregister::new(&registry)));
    }
    registry
}
