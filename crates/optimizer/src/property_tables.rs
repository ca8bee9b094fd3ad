//! The node tables that have what a condition asks of a node: takes the conditions of a pattern, gives for a
//! node the tables whose columns can make all of them true.
//!
//! What is compared with null is not true, and a table without a column has nothing but null: `p.firstName =
//! q.firstName` is asked of the tables with a first name, whatever labels they have.

use std::sync::Arc;

use trimorph_algebra::{Expr, Op, VarId};
use trimorph_base::TableId;
use trimorph_catalog::CatalogView;

use crate::VarSet;

/// The properties that nodes must have.
pub(crate) struct Required(Vec<(VarId, Arc<str>)>);

impl Required {
    /// By the conditions of a pattern; of the variables of `given`, which rows bring, nothing is known.
    pub(crate) fn of(conditions: &[Expr], given: &VarSet) -> Self {
        let mut all = Vec::new();
        conditions.iter().for_each(|condition| add(condition, &mut all));
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

/// The properties that are not null where a condition is true.
fn add(condition: &Expr, out: &mut Vec<(VarId, Arc<str>)>) {
    for arg in refuses_null(condition) {
        if let Expr::Property(base, name, _) = arg
            && let Expr::Var(var) = **base
        {
            out.push((var, Arc::clone(name)));
        }
    }
}

/// What a condition compares, where it is not true if one of these is null.
pub(crate) fn refuses_null(condition: &Expr) -> &[Expr] {
    match condition {
        Expr::Op(Op::In, args, _) => args.get(..1).unwrap_or_default(),
        Expr::Op(
            Op::IsNotNull
            | Op::Eq
            | Op::Ne
            | Op::Lt
            | Op::Le
            | Op::Gt
            | Op::Ge
            | Op::StartsWith
            | Op::EndsWith
            | Op::Contains
            | Op::Regex,
            args,
            _,
        ) => args,
        _ => &[],
    }
}
