//! Conditions on labels: decided by table where all rows of a table have its labels, else by row.

use std::sync::Arc;

use trimorph_algebra::LabelExpr;
use trimorph_base::{NodeId, TableId};

use crate::Context;

/// A condition on labels, by node table.
#[derive(Clone, Debug)]
pub(crate) struct LabelTest {
    /// Whether the table's labels meet it.
    tables: Arc<[bool]>,
    /// What is asked of rows, and the tables that have rows with other labels.
    rows: Option<Arc<(LabelExpr, Box<[bool]>)>>,
    /// Whether a node without labels meets it.
    without: bool,
}

impl LabelTest {
    /// `tables` says which tables' labels meet `labels`, `varying` which have rows with others.
    pub(super) fn new(tables: Arc<[bool]>, labels: &LabelExpr, varying: Box<[bool]>) -> Self {
        let some_vary = varying.contains(&true);
        let rows = some_vary.then(|| Arc::new((labels.clone(), varying)));
        Self { tables, rows, without: labels.matches(&|_| false) }
    }

    /// Whether a node that may have been deleted meets it: one that was has no labels any more, so that
    /// patterns do not find it.
    pub(super) fn passes_checked(&self, node: NodeId, cx: &Context<'_>) -> bool {
        if cx.is_gone(node) { self.without } else { self.passes(node, cx) }
    }

    /// Whether all nodes of a table meet it, or none do; `None` where it depends on the node.
    pub(super) fn of_table(&self, table: TableId) -> Option<bool> {
        let table = table.0 as usize;
        let varies = self.rows.as_ref().is_some_and(|rows| rows.1.get(table).copied().unwrap_or(false));
        (!varies).then(|| self.tables.get(table).copied().unwrap_or(false))
    }

    /// Whether a node meets it.
    #[inline]
    pub(super) fn passes(&self, node: NodeId, cx: &Context<'_>) -> bool {
        let table = node.table().0 as usize;
        match &self.rows {
            Some(rows) if rows.1.get(table).copied().unwrap_or(false) => {
                let own = cx.reader.labels(node);
                rows.0.matches(&|label| own.iter().any(|own| **own == *label))
            }
            _ => self.tables.get(table).copied().unwrap_or(false),
        }
    }
}
