//! The door to what main has that notes nothing: for measurements, for tests, and for who tells apart which
//! positions are taken. What a transaction reads goes by the other doors, which note it.
//!
//! Invariant: who notes reads has no way past the notes. In a build with debug assertions the door does not
//! open for a reader that notes; elsewhere in this crate the views are used by what has noted before.

use trimorph_base::{EdgeId, EdgeTableId, TableId};
use trimorph_storage::EdgeTableView;
use trimorph_storage::column::ColumnView;

use crate::Reader;

/// What main has, as it lies there; what the delta has is not seen.
#[derive(Clone, Copy)]
pub struct Unrecorded<'r, 's>(&'r Reader<'s>);

/// Which positions edges of an edge table have in main, and the ids of positions: nothing of the data.
#[derive(Clone, Copy)]
pub struct EdgePositions<'r, 's>(&'r EdgeTableView<'s>);

impl<'s> Reader<'s> {
    /// The views behind the doors that note.
    ///
    /// **Panics**: with debug assertions, where this reader notes what is read: a read would be missed.
    pub fn unrecorded(&self) -> Unrecorded<'_, 's> {
        debug_assert!(!self.notes_reads(), "a transaction that notes its reads reads past the notes");
        Unrecorded(self)
    }

    /// The positions of edges of an edge table in main. Who gives positions to edges learns nothing of those
    /// of others.
    pub fn edge_positions(&self, table: EdgeTableId) -> EdgePositions<'_, 's> {
        EdgePositions(self.edge_table(usize::from(table.0)))
    }
}

impl<'r, 's> Unrecorded<'r, 's> {
    /// A node property column, by its place in the catalog.
    pub fn node_column(&self, table: TableId, column: usize) -> &'r ColumnView<'s> {
        self.0.node_column(table, column)
    }

    /// An edge property column, by its place in the catalog; rows are slots.
    pub fn edge_column(&self, table: usize, column: usize) -> &'r ColumnView<'s> {
        self.0.edge_column(table, column)
    }

    /// The topology of an edge table.
    pub fn edge_table(&self, table: usize) -> &'r EdgeTableView<'s> {
        self.0.edge_table(table)
    }
}

impl EdgePositions<'_, '_> {
    /// Whether sources have one edge each, at the position of their row in its page if that was free.
    pub fn is_single(&self) -> bool {
        self.0.is_single()
    }

    /// The id of the edge at a position, out of source `row`.
    pub fn id_at(&self, row: u64, position: u64) -> EdgeId {
        self.0.id_at(row, position)
    }

    /// Page and position of an edge of this table.
    pub fn place(&self, edge: EdgeId) -> (u64, u64) {
        self.0.place(edge)
    }

    /// One past the last position of a page that an edge has or had.
    pub fn positions_end(&self, page: u64) -> u64 {
        self.0.positions_end(page)
    }

    /// The positions of a page that no edge has: all from the first number on, and these below.
    pub fn free_positions(&self, page: u64) -> (u64, Vec<u64>) {
        self.0.free_positions(page)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use trimorph_storage::Main;

    use crate::{ReadLog, Reader, Snapshot};

    fn reads(noting: bool) {
        let log = noting.then(|| Arc::new(ReadLog::default()));
        let snapshot = Snapshot::new(Arc::new(Main::default())).noting(log);
        let _ = Reader::new(&snapshot).unrecorded();
    }

    #[test]
    fn who_notes_nothing_may_look() {
        reads(false);
    }

    #[test]
    #[should_panic(expected = "reads past the notes")]
    fn who_notes_his_reads_finds_the_door_shut() {
        reads(true);
    }
}
