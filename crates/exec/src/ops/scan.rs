//! Node scan: a morsel at a time from the shared dispenser, a vector at a time from the morsel. The group's
//! node vector is a range: nothing is read.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::{NodeId, TableId};
use trimorph_catalog::CatalogView;
use trimorph_store::Snapshot;
use trimorph_store::access::{Morsels, Prune};
use trimorph_vector::{Chunk, Nodes, Values, Vector};

use crate::expr::{Ex, integer_range};
use crate::layout::Place;
use crate::operator::Operator;
use crate::{Context, ExecError};

/// Scan of node tables.
pub(crate) struct NodeScan {
    place: Place,
    rows: Arc<ScanRows>,
    current: Option<(NodeId, usize)>,
}

/// What is scanned, and comparisons with properties that leave zones out.
#[derive(Debug)]
pub(crate) struct NodeScanSpec {
    pub(crate) place: Place,
    pub(crate) tables: Vec<TableId>,
    pub(crate) prune: Vec<(Arc<str>, Op, Ex)>,
}

/// What all twins of a scan share.
pub(crate) struct ScanRows {
    pub(crate) morsels: Morsels,
    prune: Vec<Prune>,
}

impl ScanRows {
    /// For a bound `spec`, in morsels of `size` rows.
    pub(crate) fn new(spec: &NodeScanSpec, size: usize, snapshot: &Snapshot) -> Self {
        let catalog = CatalogView::new(snapshot.catalog());
        let mut prune = Vec::new();
        for (property, op, value) in &spec.prune {
            let Ex::Const(value) = value else { continue };
            for (table, column) in catalog.node_columns(Some(std::slice::from_ref(property))) {
                // Zone maps do not cover values of other types.
                if spec.tables.contains(&table)
                    && catalog.has_one_type(table, column)
                    && let Some(ty) = catalog.column_type(table, column)
                    && let Some((low, high)) = integer_range(ty, *op, value)
                {
                    prune.push(Prune { table, column, low, high });
                }
            }
        }
        Self { morsels: Morsels::new(snapshot, &spec.tables, size), prune }
    }
}

impl NodeScan {
    pub(crate) fn new(place: Place, rows: Arc<ScanRows>) -> Self {
        Self { place, rows, current: None }
    }
}

impl<'s> Operator<'s> for NodeScan {
    fn next(&mut self, chunk: &mut Chunk<'s>, cx: &Context<'s>) -> Result<bool, ExecError> {
        cx.check()?;
        let Some((first, left)) =
            self.current.take().or_else(|| self.rows.morsels.next(&cx.reader, &self.rows.prune))
        else {
            return Ok(false);
        };
        let len = left.min(cx.settings.vector_size);
        if len < left {
            self.current = Some((NodeId(first.0 + len as u64), left - len));
        }
        let group = &mut chunk.groups[self.place.group];
        group.reset(len);
        group.vectors[self.place.slot] = Vector::new(Values::Node(Nodes::Range(first)));
        Ok(true)
    }

    fn reset(&mut self) {
        self.rows.morsels.reset();
        self.current = None;
    }
}
