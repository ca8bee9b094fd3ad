//! A query that was planned, and what its plan relied on.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use trimorph_algebra::{BoundQuery, Procedures};
use trimorph_catalog::{Catalog, Reliances};
use trimorph_cypher::ast::Mode;
use trimorph_exec::PhysicalPlan;
use trimorph_types::LogicalType;

/// A planned query.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) query: Arc<BoundQuery>,
    pub(crate) physical: Arc<PhysicalPlan>,
    pub(crate) mode: Mode,
    /// The names and types of the columns.
    pub(crate) columns: Arc<[String]>,
    pub(crate) types: Arc<[LogicalType]>,
    basis: Arc<Basis>,
}

/// What a plan relied on.
#[derive(Debug)]
struct Basis {
    procedures: Arc<Procedures>,
    reliances: Arc<Reliances>,
    /// The catalog that it was last found true in.
    true_in: Mutex<Weak<Catalog>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Planned {
    /// A plan made for a catalog and procedures, and what it relied on of the catalog.
    pub(crate) fn new(
        query: Arc<BoundQuery>,
        physical: Arc<PhysicalPlan>,
        mode: Mode,
        reliances: Reliances,
        catalog: &Arc<Catalog>,
        procedures: Arc<Procedures>,
    ) -> Self {
        let true_in = Mutex::new(Arc::downgrade(catalog));
        let basis = Arc::new(Basis { procedures, reliances: Arc::new(reliances), true_in });
        let columns = query.columns.iter().map(|(name, _)| name.clone()).collect();
        let types = query.columns.iter().map(|(_, var)| query.vars.get(*var).ty).collect();
        Self { query, physical, mode, columns, types, basis }
    }

    /// What it relied on.
    pub(crate) fn reliances(&self) -> &Arc<Reliances> {
        &self.basis.reliances
    }

    /// The procedures that it was made with.
    pub(crate) fn procedures(&self) -> &Arc<Procedures> {
        &self.basis.procedures
    }

    /// Whether both are the same plan, and not only alike.
    #[cfg(test)]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.query, &other.query)
    }

    /// Whether the plan is right for what a catalog describes, and for these procedures.
    ///
    /// **Cost**: nothing to speak of for the catalog that was asked about before, else that of
    /// [`Reliances::hold_in`].
    pub(crate) fn holds_in(&self, catalog: &Arc<Catalog>, procedures: &Arc<Procedures>) -> bool {
        let basis = &*self.basis;
        if !Arc::ptr_eq(&basis.procedures, procedures) {
            return false;
        }
        // While it is pointed to weakly, no other catalog can be at the same place.
        if std::ptr::eq(lock(&basis.true_in).as_ptr(), Arc::as_ptr(catalog)) {
            return true;
        }
        let holds = basis.reliances.hold_in(catalog);
        if holds {
            *lock(&basis.true_in) = Arc::downgrade(catalog);
        }
        holds
    }
}
