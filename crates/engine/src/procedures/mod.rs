//! The procedures that queries may call.
//!
//! ```text
//! registry  what there is now
//! register  procedures by which a test registers its own
//! system    what tells about the database; seen: of the graph, as who calls sees it
//! table     a procedure that is a table
//! ```

mod register;
mod registry;
mod seen;
mod system;
mod table;

use std::sync::Arc;

use trimorph_base::MemoryBudget;

use crate::shared::Shared;

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

/// Gives a database the procedures that tell about it.
pub(crate) fn tell_about(shared: &Arc<Shared>) {
    shared.procedures.insert_all(system::all(&Arc::downgrade(shared)));
}

#[cfg(test)]
mod tests;
