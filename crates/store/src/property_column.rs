//! The values of one property of the nodes of a table, by row, or of the edges of an edge table, by slot:
//! read as vectors, or asked against a condition as they are encoded.

use std::ops::Range;

use trimorph_base::{EdgeId, EdgeTableId, NodeId, TableId};
use trimorph_storage::EdgeTableView;
use trimorph_storage::column::{ColumnView, Comparison, Condition, ZONE_ROWS};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Nulls, Vector};

use crate::Reader;
use crate::asked_rows::AskedRows;
use crate::overlay::{self, Overlay};
use crate::recording::Recording;

/// The values of one property in one table.
#[derive(Clone, Copy)]
pub struct PropertyColumn<'r, 's> {
    column: &'r ColumnView<'s>,
    /// What makes slots of edges, where it is a property of edges.
    edges: Option<&'r EdgeTableView<'s>>,
    /// What the delta has of it, if something.
    overlay: Option<&'r Overlay<'s>>,
    /// Where it is noted what is read, and as what.
    noted: Option<(&'r Recording, Noted)>,
}

/// What reads of a column are noted as.
#[derive(Clone, Copy)]
enum Noted {
    Nodes(TableId, usize),
    Edges(EdgeTableId, usize),
}

impl Reader<'_> {
    /// The row of its edge table's columns at which the properties of an edge are.
    #[inline]
    pub fn edge_slot(&self, edge: EdgeId) -> u64 {
        let table = usize::from(edge.table().0);
        if self.has_edge_changes(table) { overlay::slot_of(edge) } else { self.edge_table(table).slot(edge) }
    }
}

impl<'r, 's> PropertyColumn<'r, 's> {
    /// A property of the nodes of `table`, by its place in the catalog.
    #[inline]
    pub fn of_nodes(table: TableId, column: usize, reader: &'r Reader<'s>) -> Self {
        Self {
            column: reader.node_column(table, column),
            edges: None,
            overlay: reader.node_overlay(table, column),
            noted: reader.recording().map(|to| (to, Noted::Nodes(table, column))),
        }
    }

    /// A property of the edges of an edge table, by its place in the catalog.
    #[inline]
    pub fn of_edges(table: usize, column: usize, reader: &'r Reader<'s>) -> Self {
        let edges = reader.edge_table(table);
        Self {
            column: reader.edge_column(table, column),
            edges: Some(edges),
            overlay: reader.edge_overlay(table, column),
            noted: reader.recording().map(|to| (to, Noted::Edges(edges.id, column))),
        }
    }

    /// The type of its values but exceptions.
    #[inline]
    pub fn logical_type(&self) -> LogicalType {
        self.column.logical_type()
    }

    /// The type of all its values, where it is known that none is of another one.
    pub fn certain_type(&self) -> Option<LogicalType> {
        if self.overlay.is_none() { self.column.one_type() } else { None }
    }

    /// The row at which the property of an edge is.
    #[inline]
    pub fn slot(&self, edge: EdgeId) -> u64 {
        // Columns of nodes are asked for no edge.
        match (self.edges, self.overlay) {
            // Who notes what he reads names edges.
            (Some(_), Some(_)) if self.noted.is_some() => overlay::slot_of(edge),
            (Some(edges), Some(overlay)) => overlay.slot(edge, edges),
            (Some(edges), None) => edges.slot(edge),
            (None, _) => u64::MAX,
        }
    }

    /// Gives the rows at which the properties of edges are, one after the other. **Cost**: in lists, an edge
    /// that follows the one before costs an addition.
    #[inline]
    pub fn slots(&self) -> impl FnMut(EdgeId) -> u64 + use<'r, 's> {
        // Edges of one page follow each other, in ids as in slots; a page has at least 4,096 ids.
        const PAGE_MASK: u64 = 0xfff;
        let column = *self;
        // Behind the last edge that main has of a page there is no slot of an edge of the delta.
        let are_slots = self.overlay.is_none() && self.edges.is_some_and(EdgeTableView::slots_follow_ids);
        let (mut last, mut slot) = (EdgeId(u64::MAX - 1), 0);
        move |edge| {
            let follows = are_slots && edge.0 == last.0 + 1 && edge.0 & PAGE_MASK != 0;
            slot = if follows { slot + 1 } else { column.slot(edge) };
            last = edge;
            slot
        }
    }

    /// The first of some rows that has a value, where that is known without reading values: their first row
    /// may have one where something was written, or where it is noted what is read.
    pub(crate) fn first_with_value(&self, rows: Range<u64>) -> Option<u64> {
        if self.overlay.is_some() || self.noted.is_some() {
            return (!rows.is_empty()).then_some(rows.start);
        }
        self.column.first_with_value(rows)
    }

    /// Whether `len` rows from `first` on are read as main has them.
    #[inline]
    pub(crate) fn is_clean(&self, first: u64, len: usize) -> bool {
        self.overlay.is_none_or(|overlay| overlay.is_clean(first, len))
    }

    /// The column with what was written to it, where something was to some of `len` rows from `first` on.
    #[inline]
    fn written(&self, first: u64, len: usize) -> Option<AskedRows<'r, 's>> {
        let overlay = self.overlay.filter(|overlay| !overlay.is_clean(first, len))?;
        Some(AskedRows { column: self.column, overlay })
    }

    /// The least and the largest value that the zone at `first` has in main, where that says something of
    /// `len` rows from there on: nothing was written to them.
    pub(crate) fn zone_range(
        &self,
        table: TableId,
        first: u64,
        len: usize,
        reader: &Reader<'_>,
    ) -> Option<(i64, i64)> {
        if let Some((to, _)) = self.noted {
            to.all_rows(table);
        }
        let is_main = self.is_clean(first, len) && !reader.has_node_changes(table);
        is_main.then(|| self.column.zone_range(first))?
    }

    /// The same; who reads notes by himself what he has found.
    pub(crate) fn unnoted(self) -> Self {
        Self { noted: None, ..self }
    }

    /// What the values of `len` rows from `first` on lie between, those of deleted rows too. `None` where
    /// that is not known without reading them, and where it is noted what is read.
    ///
    /// **Cost**: two loads a zone.
    pub fn bounds(&self, first: u64, len: usize) -> Option<(i64, i64)> {
        if self.noted.is_some() || !self.is_clean(first, len) {
            return None;
        }
        let zones = (first - first % ZONE_ROWS as u64..first + len as u64).step_by(ZONE_ROWS);
        zones.map(|zone| self.column.zone_range(zone)).reduce(|all, zone| {
            let ((low, high), (least, most)) = (all?, zone?);
            Some((low.min(least), high.max(most)))
        })?
    }

    /// Tells that a value was looked for in main, which cost what reading so many rows does.
    pub(crate) fn searched(&self, spent: u64) {
        self.column.searched(spent);
    }

    /// Notes that `len` rows from `first` on are read.
    #[inline(always)]
    fn note(&self, first: u64, len: u64) {
        if let Some((to, noted)) = self.noted {
            note(to, noted, first, len);
        }
    }

    /// The least and the largest that the rows of the zone at `first`, those without a value too, can have
    /// in main; none where it is not known.
    pub fn full_zone_range(&self, first: u64) -> Option<(i64, i64)> {
        self.note(first, ZONE_ROWS as u64);
        self.column.full_zone_range(first)
    }

    /// The values of `len` rows from `first` on.
    #[inline]
    pub fn scan(&self, first: u64, len: usize) -> Vector<'s> {
        self.note(first, len as u64);
        match self.overlay {
            Some(overlay) if !overlay.is_clean(first, len) => {
                overlay.scan(first, len, self.column, self.edges)
            }
            _ => self.column.scan(first, len),
        }
    }

    /// The numbers of characters of the texts of `len` rows from `first` on, where they are counted as they
    /// lie.
    pub fn scan_lengths(&self, first: u64, len: usize) -> Option<Vector<'s>> {
        if self.noted.is_some() || !self.is_clean(first, len) {
            return None;
        }
        self.column.scan_lengths(first, len)
    }

    /// Which of `len` rows from `first` on may contain a text, and whether all of these do, where that is
    /// found out as texts lie.
    pub fn scan_containing(&self, first: u64, len: usize, part: &str) -> Option<(Vec<u32>, bool)> {
        if self.noted.is_some() || !self.is_clean(first, len) {
            return None;
        }
        self.column.scan_containing(first, len, part)
    }

    /// Whether texts from a row on lie compressed, each by itself, so that comparing them as they lie costs
    /// less than taking them out.
    #[inline]
    pub fn has_compressed_texts(&self, first: u64) -> bool {
        self.column.has_compressed_texts(first)
    }

    /// The values of nodes, in their order.
    #[inline]
    pub fn gather_nodes(&self, nodes: &[NodeId]) -> Vector<'s> {
        if self.noted.is_some() {
            nodes.iter().for_each(|node| self.note(node.row(), 1));
        }
        match self.overlay {
            Some(overlay) => {
                let rows = nodes.iter().map(|node| node.row()).enumerate();
                overlay.gather(rows, nodes.len(), self.column, self.edges)
            }
            None => self.column.gather_rows(nodes),
        }
    }

    /// The values of the rows of `(position, row)` pairs in a vector of `len` positions; others are
    /// arbitrary.
    #[inline]
    pub fn gather(&self, rows: impl Iterator<Item = (usize, u64)>, len: usize) -> Vector<'s> {
        if self.noted.is_some() {
            let rows: Vec<(usize, u64)> = rows.collect();
            rows.iter().for_each(|(_, row)| self.note(*row, 1));
            return self.gather_unnoted(rows.into_iter(), len);
        }
        self.gather_unnoted(rows, len)
    }

    #[inline]
    fn gather_unnoted(&self, rows: impl Iterator<Item = (usize, u64)>, len: usize) -> Vector<'s> {
        match self.overlay {
            Some(overlay) => overlay.gather(rows, len, self.column, self.edges),
            None => self.column.gather(rows, len),
        }
    }

    /// The values of the edges at `positions` of `ids`, in a vector of `len` positions; others are arbitrary.
    pub fn gather_edges(&self, ids: &[EdgeId], positions: &[u32], len: usize) -> Vector<'s> {
        if let (Some(overlay), Some(edges), None) = (self.overlay, self.edges, self.noted) {
            return overlay.gather_edges(ids, positions, len, self.column, edges);
        }
        self.gather(positions.iter().map(|i| (*i as usize, self.slot(ids[*i as usize]))), len)
    }

    /// The value of one row.
    #[inline]
    pub fn value(&self, row: u64) -> Value {
        self.note(row, 1);
        match self.overlay {
            Some(overlay) => overlay.value(row, self.column, self.edges),
            None => self.column.value(row),
        }
    }

    /// The bytes of a row's value as main has them, with the number of their segment: within a segment equal
    /// bytes are equal values. None where the row has no value there, and where it has to be read.
    #[inline]
    pub(crate) fn stored_bytes(&self, row: u64) -> Option<(usize, &'s [u8])> {
        self.note(row, 1);
        if self.is_clean(row, 1) { self.column.stored_bytes(row) } else { None }
    }

    /// Whether a row has no value.
    #[inline]
    pub fn is_null(&self, row: u64) -> bool {
        self.note(row, 1);
        match self.overlay {
            Some(overlay) => overlay.is_null(row, self.column, self.edges),
            None => self.column.is_null(row),
        }
    }

    /// Tells whether rows have no value, one after the other: as [`Self::is_null`], which takes longer.
    pub fn null_test(&self) -> impl FnMut(u64) -> bool + use<'r, 's> {
        let (column, mut of_main) = (*self, self.column.null_test());
        let is_main = self.overlay.is_none() && self.noted.is_none();
        move |row| if is_main { of_main(row) } else { column.is_null(row) }
    }

    /// Which of `len` rows from `first` on have no value; `None` where rows must be asked one by one.
    pub fn scan_nulls(&self, first: u64, len: usize) -> Option<Nulls> {
        if self.noted.is_some() {
            return None;
        }
        match self.written(first, len) {
            Some(written) => written.scan_nulls(first, len),
            None => self.column.scan_nulls(first, len),
        }
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
        self.note(first, len as u64);
        match self.written(first, len) {
            Some(written) => written.count(comparison, condition, first, len),
            None => comparison.count(self.column, condition, first, len),
        }
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
        let end = ends.last().copied().unwrap_or(start);
        let len = usize::try_from(end.saturating_sub(start)).ok()?;
        self.note(start, len as u64);
        self.is_clean(start, len)
            .then(|| comparison.count_runs(self.column, condition, start, ends, counts))?
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
        // Who notes reads has the values of those rows taken out that he asks for.
        if self.noted.is_some() {
            return None;
        }
        match self.written(first, len) {
            Some(written) => written.select(comparison, condition, first, len, out),
            None => comparison.select(self.column, condition, first, len, out),
        }
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
        match self.overlay {
            _ if self.noted.is_some() => None,
            Some(overlay) => {
                let rows: Vec<(u32, u64)> = rows.collect();
                AskedRows { column: self.column, overlay }.select_at(comparison, condition, &rows, out)
            }
            None => comparison.select_at(self.column, condition, rows, out),
        }
    }
}

/// Edges are noted one by one where rows stand for them, else all.
#[cold]
fn note(to: &Recording, noted: Noted, first: u64, len: u64) {
    match noted {
        Noted::Nodes(table, column) => to.values(table, column, first, len),
        Noted::Edges(table, column) => match overlay::edge_of(table, first) {
            Some(edge) if len == 1 => to.edge_value(edge, column),
            _ => to.all_edge_values(table, column),
        },
    }
}
