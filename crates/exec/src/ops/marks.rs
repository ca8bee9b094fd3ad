//! How often each node is among the neighbours of one node: an array over the rows of their table, for an
//! operator that asks about the same node row after row. Going on to the next node costs its neighbours, not
//! the table.

use trimorph_base::{NodeId, TableId};
use trimorph_store::access::EdgeAccess;

use crate::charge::Charge;
use crate::{Context, ExecError};

/// Rows of a table from which on the array would not stay in any cache.
const ROWS_MAX: u64 = 1 << 22;

/// The neighbours of one node along one step.
#[derive(Default)]
pub(crate) struct Marks {
    node: Option<NodeId>,
    /// The table that the array is for.
    table: Option<TableId>,
    counts: Vec<u32>,
    /// All neighbours of the node, as often as there are edges.
    marked: Vec<NodeId>,
    /// Whether neighbours lay in several tables, or in a large one: it is not tried again.
    unfit: bool,
    charge: Charge,
}

impl Marks {
    /// Whether these are the marks of `node`.
    #[inline]
    pub(crate) fn are_of(&self, node: NodeId) -> bool {
        self.node == Some(node)
    }

    /// Makes them those of `node`. `false` where its neighbours, or those of a node before, lie in several
    /// tables, or in a large one.
    pub(crate) fn set(
        &mut self,
        node: NodeId,
        step: &EdgeAccess,
        cx: &Context<'_>,
    ) -> Result<bool, ExecError> {
        if self.unfit {
            return Ok(false);
        }
        self.clear();
        for list in step.lists(node, &cx.reader) {
            self.charge.room(&mut self.marked, list.len(), cx)?;
            list.append(&mut self.marked, None);
        }
        if let Some(first) = self.marked.first() {
            let table = first.table();
            if self.marked.iter().any(|n| n.table() != table) || !self.is_for(table, cx)? {
                self.marked.clear();
                self.unfit = true;
                return Ok(false);
            }
        }
        for neighbour in &self.marked {
            if let Some(count) = self.counts.get_mut(neighbour.row() as usize) {
                *count = count.saturating_add(1);
            }
        }
        self.node = Some(node);
        Ok(true)
    }

    fn clear(&mut self) {
        self.node = None;
        for neighbour in self.marked.drain(..) {
            if let Some(count) = self.counts.get_mut(neighbour.row() as usize) {
                *count = 0;
            }
        }
    }

    /// Makes the array one of this table, if that is small enough.
    fn is_for(&mut self, table: TableId, cx: &Context<'_>) -> Result<bool, ExecError> {
        if self.table != Some(table) {
            let rows = cx.reader.rows(table);
            if rows > ROWS_MAX {
                return Ok(false);
            }
            let more = (rows as usize).saturating_sub(self.counts.len());
            self.charge.room(&mut self.counts, more, cx)?;
            self.counts.resize(rows as usize, 0);
            self.table = Some(table);
        }
        Ok(true)
    }

    /// How many edges lead to `node`.
    #[inline]
    pub(crate) fn count(&self, node: NodeId) -> u64 {
        if self.table != Some(node.table()) {
            return 0;
        }
        self.counts.get(node.row() as usize).map_or(0, |count| u64::from(*count))
    }
}
