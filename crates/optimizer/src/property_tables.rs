//! The node tables that have what a condition asks of a node: takes the conditions of a pattern, gives for a
//! node the tables whose columns can make all of them true.
//!
//! What is compared with null is not true, and a table without a column has nothing but null: `p.firstName =
//! q.firstName` is asked of the tables with a first name, whatever labels they have.

use std::sync::Arc;

use trimorph_algebra::{Expr, VarId};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;

use crate::{VarSet, asked_properties};

/// The properties that nodes must have.
pub(crate) struct Required(Vec<(VarId, Arc<str>)>);

impl Required {
    /// By the conditions of a pattern; of the variables of `given`, which rows bring, nothing is known.
    pub(crate) fn of(conditions: &[Expr], given: &VarSet) -> Self {
        let mut all = Vec::new();
        for condition in conditions {
            all.extend(asked_properties(condition).map(|(var, name)| (var, Arc::clone(name))));
        }
        all.retain(|(var, name): &(VarId, Arc<str>)| !given.contains(var) && !name.starts_with('@'));
        Self(all)
    }

    /// None at all.
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// Keeps the tables that have all of them. A property that none of the tables has tells nothing: the
    /// condition stays, and notices say what is odd about it.
    pub(crate) fn keep(&self, catalog: &CatalogView<'_>, node: VarId, tables: &mut Vec<TableId>) {
        for (_, name) in self.0.iter().filter(|(var, _)| *var == node) {
            let columns = catalog.node_columns(Some(std::slice::from_ref(name)));
            let has = |table: &TableId| columns.iter().any(|(with, _)| with == table);
            if tables.iter().any(has) {
                tables.retain(has);
            }
        }
    }
}
