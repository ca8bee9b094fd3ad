//! Walking adjacency in place: takes nodes and an adjacency to visit, gives neighbours, ids of edges,
//! degrees. Operators and access patterns read edges through this module only.
//!
//! ```text
//! mod        an adjacency resolved for a reader
//! patch      a list that changes touched, put together from main and the delta
//! ahead      such lists of many nodes, found some at a time
//! list       the edges of one node along one adjacency: appended to a batch, or as vectors in place
//! single     the neighbour where nodes have one at most: of one node, or of a vector of nodes
//! run        the lists of consecutive rows end to end, as vectors
//! degrees    how many edges consecutive rows have
//! passing    how many edges pass a condition on one property, compared as they are encoded
//! between    the edges between two nodes
//! ```
//!
//! What form the edges of a node have (lists, a vertex column) is told apart in these files, each time by a
//! `match` that names all forms: a form more does not compile before it is handled everywhere. Every question
//! is answered for every form; only what is read in bulk may answer "not this way" (`None`), and the caller
//! then asks for each node.
//!
//! Source: GF-CL §4.1.2, §6.2.

mod ahead;
mod between;
mod degrees;
mod list;
mod passing;
mod patch;
mod run;
mod single;

use std::ops::Range;

use trimorph_base::{NodeId, PAGE_ROWS, TableId};
use trimorph_delta::{Direction, MarkedEdges, Marks};
use trimorph_storage::EdgeTableView;
use trimorph_storage::adjacency::AdjacencyView;

use crate::access::{AdjacencyRef, EdgeAccess};
use crate::{Moment, Reader};

pub use ahead::ListsAhead;
pub use list::{InPlace, NeighbourList};
pub use patch::RunChanges;
pub use run::Run;

/// One adjacency, resolved for a reader.
#[derive(Clone, Copy)]
pub struct Neighbours<'r, 's> {
    forward: bool,
    skip_loops: bool,
    /// The only table neighbours are in, if it is known to be one.
    target: Option<TableId>,
    table: &'r EdgeTableView<'s>,
    /// None where no edge of the table has an end in the node table walked from.
    view: Option<&'r AdjacencyView<'s>>,
    /// Tables that neighbours must be in, where the adjacency has others too.
    wanted: Option<&'r [TableId]>,
    /// The node table walked from.
    from: TableId,
    /// Where changes touched lists, and what sees them.
    changes: Option<(&'s Moment, &'r Marks)>,
    /// The reader, where it sees changes of the edge table or notes what is read: where it does not, one test
    /// says so, and a list is main's (walks of three steps took 1.16 of the time with a test for each).
    written: Option<&'r Reader<'s>>,
}

impl AdjacencyRef {
    /// Resolves the adjacency. Neighbours of any table are given.
    #[inline]
    pub fn neighbours<'r, 's>(&self, reader: &'r Reader<'s>) -> Neighbours<'r, 's> {
        let neighbours = Neighbours::of(reader, self.edge_table, self.forward, self.from);
        Neighbours { skip_loops: self.skip_loops, target: self.target, ..neighbours }
    }
}

impl EdgeAccess {
    /// The adjacencies that nodes of `table` visit, resolved.
    #[inline]
    pub fn neighbours<'r, 's>(
        &'r self,
        table: TableId,
        reader: &'r Reader<'s>,
    ) -> impl ExactSizeIterator<Item = Neighbours<'r, 's>> {
        let adjacencies = self.by_table.get(table.0 as usize).map_or(&[][..], Vec::as_slice);
        adjacencies.iter().map(move |adjacency| Neighbours {
            wanted: self.to_tables.as_deref().filter(|_| adjacency.check_table),
            ..adjacency.neighbours(reader)
        })
    }

    /// The one adjacency that nodes of `table` visit, if it is one.
    #[inline]
    pub fn one<'r, 's>(&'r self, table: TableId, reader: &'r Reader<'s>) -> Option<Neighbours<'r, 's>> {
        let mut all = self.neighbours(table, reader);
        if all.len() == 1 { all.next() } else { None }
    }

    /// The lists of a node, one for each adjacency.
    #[inline]
    pub fn lists<'r, 's>(
        &'r self,
        node: NodeId,
        reader: &'r Reader<'s>,
    ) -> impl ExactSizeIterator<Item = NeighbourList<'r, 's>> {
        self.neighbours(node.table(), reader).map(move |neighbours| neighbours.list(node))
    }
}

impl<'r, 's> Neighbours<'r, 's> {
    /// All edges of a table, by its place in the catalog, from its sources or back from its targets in
    /// `from`.
    pub fn all(reader: &'r Reader<'s>, table: usize, forward: bool, from: TableId) -> Self {
        Self::of(reader, table, forward, from)
    }

    /// All edges of a table, from its sources or back from its targets in `from`.
    #[inline]
    pub(crate) fn of(reader: &'r Reader<'s>, table: usize, forward: bool, from: TableId) -> Self {
        let written = reader.is_written_along(table).then_some(reader);
        let changes = written.and_then(|reader| reader.list_changes(table, forward, from));
        let table = reader.edge_table(table);
        let view = if forward { Some(&table.forward) } else { table.backward(from) };
        Self { forward, skip_loops: false, target: None, table, view, wanted: None, from, changes, written }
    }

    /// Notes that lists of `count` rows from `first` on are read.
    #[inline(always)]
    fn note(&self, first: u64, count: u64) {
        if let Some(recording) = self.written.and_then(Reader::recording) {
            recording.lists(self.table.id, self.forward, NodeId::new(self.from, first), count);
        }
    }

    /// Whether edges or properties of edges were written: what lies end to end in main is not all then.
    #[inline]
    fn has_changes(&self) -> bool {
        self.written.is_some_and(|reader| reader.has_edge_changes(self.edge_table()))
    }

    /// Whether edges of `count` rows from `first` on, or their properties, were written: if not, what lies
    /// end to end in main is all there is of them. Asked of sources.
    fn are_written(&self, first: u64, count: u64) -> bool {
        let Some(reader) = self.written else { return false };
        // Who notes what he reads names edges, not slots.
        if reader.notes_reads() || self.are_changed(first, count) {
            return true;
        }
        let Some(marked) = reader.marked_edges(self.edge_table()) else { return false };
        self.table.places_of_rows(first, count).is_none_or(|places| marked.meet(places))
    }

    /// Whether changes touched lists of `count` rows from `first` on, or of rows near them.
    #[inline]
    pub(super) fn are_changed(&self, first: u64, count: u64) -> bool {
        self.changes.is_some_and(|(_, marks)| marks.meet(first, count))
    }

    /// Runs, some of them empty, of those of `count` rows from `first` on that `first_other` does not find:
    /// it is given where to look from, and how many rows. One that it finds follows each run but the last,
    /// which ends with the rows.
    fn runs_between(
        first: u64,
        count: u64,
        mut first_other: impl FnMut(u64, u64) -> Option<u64>,
    ) -> impl Iterator<Item = Range<u64>> {
        let end = first + count;
        let mut next = Some(first);
        std::iter::from_fn(move || {
            let start = next?;
            let other = if start < end { first_other(start, end - start) } else { None };
            next = other.map(|row| row + 1);
            Some(start..other.unwrap_or(end))
        })
    }

    /// The first of `count` rows from `first` on whose list changes touched.
    fn first_changed(&self, first: u64, count: u64) -> Option<u64> {
        self.changes.and_then(|(_, marks)| marks.first(first, count))
    }

    /// The same for a source whose edges, or those near them, were written: see [`Self::are_written`].
    fn first_written(&self, first: u64, count: u64, marked: Option<&MarkedEdges>) -> Option<u64> {
        let changed = self.first_changed(first, count);
        let Some(marked) = marked else { return changed };
        let end = changed.unwrap_or(first + count);
        let mut row = first;
        while row < end {
            // Edges of rows of a page lie beside each other.
            if self.table.places_of_rows(row, 1).is_none_or(|places| marked.meet(places)) {
                return Some(row);
            }
            row = (row / PAGE_ROWS + 1) * PAGE_ROWS;
        }
        changed
    }

    /// The direction, as the delta has it.
    #[inline]
    fn direction(&self) -> Direction {
        if self.forward { Direction::Forward } else { Direction::Backward }
    }

    /// The edge table.
    #[inline]
    pub fn edge_table(&self) -> usize {
        usize::from(self.table.id.0)
    }

    /// The table that all neighbours are in, if it is known to be one.
    #[inline]
    pub fn target(&self) -> Option<TableId> {
        self.target
    }

    /// Whether every edge counts: none is left out for its end.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.wanted.is_none() && !self.skip_loops
    }

    /// Whether the edge from `node` to `neighbour` counts.
    #[inline]
    fn counts(&self, node: NodeId, neighbour: NodeId) -> bool {
        self.wanted.is_none_or(|tables| tables.contains(&neighbour.table()))
            && !(self.skip_loops && neighbour == node)
    }
}
