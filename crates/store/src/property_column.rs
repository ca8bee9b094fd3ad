//! The values of one property of the nodes of a table, by row, or of the edges of an edge table, by slot:
//! read as vectors, or asked against a condition as they are encoded.

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_storage::EdgeTableView;
use trimorph_storage::column::{ColumnView, Comparison, Condition};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::Vector;

use crate::Reader;

/// The values of one property in one table.
#[derive(Clone, Copy)]
pub struct PropertyColumn<'r, 's> {
    column: &'r ColumnView<'s>,
    /// What makes slots of edges, where it is a property of edges.
    edges: Option<&'r EdgeTableView<'s>>,
}

impl Reader<'_> {
    /// The row of its edge table's columns at which the properties of an edge are.
    #[inline]
    pub fn edge_slot(&self, edge: EdgeId) -> u64 {
        self.edge_table(usize::from(edge.table().0)).slot(edge)
    }
}

impl<'r, 's> PropertyColumn<'r, 's> {
    /// A property of the nodes of `table`, by its place in the catalog.
    #[inline]
    pub fn of_nodes(table: TableId, column: usize, reader: &'r Reader<'s>) -> Self {
        Self { column: reader.node_column(table, column), edges: None }
    }

    /// A property of the edges of an edge table, by its place in the catalog.
    #[inline]
    pub fn of_edges(table: usize, column: usize, reader: &'r Reader<'s>) -> Self {
        Self { column: reader.edge_column(table, column), edges: Some(reader.edge_table(table)) }
    }

    /// The type of its values but exceptions.
    #[inline]
    pub fn logical_type(&self) -> LogicalType {
        self.column.logical_type()
    }

    /// The type of all its values, where there are no exceptions.
    pub fn certain_type(&self) -> Option<LogicalType> {
        (!self.column.has_exceptions()).then(|| self.column.logical_type())
    }

    /// The row at which the property of an edge is.
    #[inline]
    pub fn slot(&self, edge: EdgeId) -> u64 {
        // Columns of nodes are asked for no edge.
        self.edges.map_or(u64::MAX, |edges| edges.slot(edge))
    }

    /// Gives the rows at which the properties of edges are, one after the other. **Cost**: an edge that
    /// follows the one before costs an addition.
    #[inline]
    pub fn slots(&self) -> impl FnMut(EdgeId) -> u64 + use<'r, 's> {
        // Edges of one page follow each other, in ids as in slots; a page has at least 4,096 ids.
        const PAGE_MASK: u64 = 0xfff;
        let column = *self;
        let (mut last, mut slot) = (EdgeId(u64::MAX - 1), 0);
        move |edge| {
            let follows = edge.0 == last.0 + 1 && edge.0 & PAGE_MASK != 0;
            slot = if follows { slot + 1 } else { column.slot(edge) };
            last = edge;
            slot
        }
    }

    /// The values of `len` rows from `first` on.
    #[inline]
    pub fn scan(&self, first: u64, len: usize) -> Vector<'s> {
        self.column.scan(first, len)
    }

    /// The values of nodes, in their order.
    #[inline]
    pub fn gather_nodes(&self, nodes: &[NodeId]) -> Vector<'s> {
        self.column.gather_rows(nodes)
    }

    /// The values of the rows of `(position, row)` pairs in a vector of `len` positions; others are
    /// arbitrary.
    #[inline]
    pub fn gather(&self, rows: impl Iterator<Item = (usize, u64)>, len: usize) -> Vector<'s> {
        self.column.gather(rows, len)
    }

    /// The value of one row.
    #[inline]
    pub fn value(&self, row: u64) -> Value {
        self.column.value(row)
    }

    /// Whether a row has no value.
    #[inline]
    pub fn is_null(&self, row: u64) -> bool {
        self.column.is_null(row)
    }

    /// How many of `len` rows from `first` on pass; `None` where values must be looked at otherwise, here as
    /// below. `comparison` is kept from call to call, for one column and one condition.
    #[inline]
    pub fn count(
        &self,
        comparison: &mut Comparison,
        condition: &Condition<'_>,
        first: u64,
        len: usize,
    ) -> Option<usize> {
        comparison.count(self.column, condition, first, len)
    }

    /// Counts runs of rows that follow each other, from `start` to each of `ends`: adds to `counts` how many
    /// of each pass.
    #[inline]
    pub fn count_runs(
        &self,
        comparison: &mut Comparison,
        condition: &Condition<'_>,
        start: u64,
        ends: &[u64],
        counts: &mut [u64],
    ) -> Option<()> {
        comparison.count_runs(self.column, condition, start, ends, counts)
    }

    /// Appends `i` for each row `first + i` of `first..first + len` that passes.
    #[inline]
    pub fn select(
        &self,
        comparison: &mut Comparison,
        condition: &Condition<'_>,
        first: u64,
        len: usize,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        comparison.select(self.column, condition, first, len, out)
    }

    /// Appends the positions of those `(position, row)` pairs whose row passes.
    #[inline]
    pub fn select_at(
        &self,
        comparison: &mut Comparison,
        condition: &Condition<'_>,
        rows: impl ExactSizeIterator<Item = (u32, u64)>,
        out: &mut Vec<u32>,
    ) -> Option<()> {
        comparison.select_at(self.column, condition, rows, out)
    }
}
