//! A query that was planned, and what its plan relied on.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use trimorph_algebra::{BoundQuery, Procedures};
use trimorph_catalog::{Catalog, Reliances};
use trimorph_cypher::ast::Mode;
use trimorph_exec::PhysicalPlan;
use trimorph_types::LogicalType;

/// A planned query. Cloning shares it: each run of it has one.
#[derive(Clone, Debug)]
pub(crate) struct Planned(Arc<Parts>);

#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) query: Arc<BoundQuery>,
    pub(crate) physical: Arc<PhysicalPlan>,
    pub(crate) mode: Mode,
    /// The names and types of the columns.
    pub(crate) columns: Arc<[String]>,
    pub(crate) types: Arc<[LogicalType]>,
    /// What it relied on: procedures, and of the catalog.
    procedures: Arc<Procedures>,
    reliances: Arc<Reliances>,
    /// The catalog that it was last found true in.
    true_in: Mutex<Weak<Catalog>>,
}

impl Deref for Planned {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
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
        let reliances = Arc::new(reliances);
        let columns = query.columns.iter().map(|(name, _)| name.clone()).collect();
        let types = query.columns.iter().map(|(_, var)| query.vars.get(*var).ty).collect();
        Self(Arc::new(Parts { query, physical, mode, columns, types, procedures, reliances, true_in }))
    }

    /// What it relied on.
    pub(crate) fn reliances(&self) -> &Arc<Reliances> {
        &self.reliances
    }

    /// The procedures that it was made with.
    pub(crate) fn procedures(&self) -> &Arc<Procedures> {
        &self.procedures
    }

    /// Whether both are the same plan, and not only alike.
    #[cfg(test)]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether the plan is right for what a catalog describes, and for these procedures.
    ///
    /// **Cost**: nothing to speak of for the catalog that was asked about before, else that of
    /// [`Reliances::hold_in`].
    pub(crate) fn holds_in(&self, catalog: &Arc<Catalog>, procedures: &Arc<Procedures>) -> bool {
        if !Arc::ptr_eq(&self.procedures, procedures) {
            return false;
        }
        // While it is pointed to weakly, no other catalog can be at the same place.
        if std::ptr::eq(lock(&self.true_in).as_ptr(), Arc::as_ptr(catalog)) {
            return true;
        }
        let holds = self.reliances.hold_in(catalog);
        if holds {
            *lock(&self.true_in) = Arc::downgrade(catalog);
        }
        holds
    }
}
