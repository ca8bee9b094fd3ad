//! Reader: a snapshot as one thread sees it, table by table as they are needed.
//!
//! What it touches of a database in files comes into memory and stays there as long as the reader has it
//! pinned. A piece that cannot be had reads as nothing: whoever gives results away asks
//! [`Reader::failure`] first.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId, NodeId, TableId};
use trimorph_catalog::{Catalog, Schema};
use trimorph_delta::{Direction, EdgeDelta, MarkedEdges, Marks, NodeDelta};
use trimorph_mvcc::Inside;
use trimorph_storage::column::ColumnView;
use trimorph_storage::{
    DatabaseError, EdgeTable, EdgeTableView, KeyIndexView, Main, NodeTable, ValueIndexView,
};
use trimorph_types::{Relationship, Value};
use trimorph_vfs::Pins;

use crate::name_columns::NameColumns;
use crate::overlay::Overlay;
use crate::recording::Recording;
use crate::views::{EdgeViews, NodeViews, Tables};
use crate::{Moment, Snapshot};

/// Reads a snapshot.
pub struct Reader<'s> {
    main: &'s Main,
    changes: Option<Changes<'s>>,
    nodes: Tables<NodeViews<'s>>,
    edges: Tables<EdgeViews<'s>>,
    pins: Arc<Pins<'s>>,
    /// What is read, where somebody will ask.
    recording: Option<Recording>,
    after_deletion: bool,
    /// The columns of names, once one was looked for.
    pub(crate) name_columns: OnceCell<NameColumns>,
}

/// What the snapshot sees of the delta.
struct Changes<'s> {
    moment: &'s Moment,
    /// What it finds in the delta is not used for other things meanwhile; none while nobody reads, and where
    /// its transaction sees to that.
    inside: Cell<Option<Inside>>,
}

impl<'s> Reader<'s> {
    /// Nothing is read yet.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self::with(snapshot, snapshot.pins())
    }

    /// A reader for another thread that works for this one: what it pins is left to this one, and so is what
    /// could not be read.
    pub fn following(snapshot: &'s Snapshot, leader: &Arc<Pins<'s>>) -> Self {
        Self::with(snapshot, Pins::following(leader))
    }

    fn with(snapshot: &'s Snapshot, pins: Pins<'s>) -> Self {
        let main = snapshot.main();
        Self {
            main,
            changes: snapshot.moment().map(|moment| Changes { moment, inside: Cell::new(moment.enter()) }),
            nodes: Tables::new(main.node_tables.len()),
            edges: Tables::new(main.edge_tables.len()),
            pins: Arc::new(pins),
            recording: snapshot.read_log().map(Recording::new),
            after_deletion: snapshot.is_after_deletion(),
            name_columns: OnceCell::new(),
        }
    }

    /// Nothing is read until [`Self::enter`]: what it has found in the delta may be used for other things,
    /// and nobody holds on to it.
    pub fn leave(&self) {
        if let Some(changes) = &self.changes {
            changes.inside.take();
        }
    }

    /// It is about to read again, after [`Self::leave`]. **Cost**: some 30 ns where there is a delta.
    pub fn enter(&self) {
        if let Some(changes) = &self.changes {
            changes.inside.set(changes.moment.enter());
        }
    }

    /// Whether it sees changes of an edge table, or notes what is read: if not, all there is is main's, in
    /// both directions. An edge that came or went left its mark at its source.
    #[inline]
    pub(crate) fn is_written_along(&self, table: usize) -> bool {
        self.recording.is_some() || self.has_edge_changes(table)
    }

    /// Whether what a statement has found may be deleted by its own transaction.
    #[inline(always)]
    pub fn is_after_deletion(&self) -> bool {
        self.after_deletion
    }

    /// Whether reads are noted one by one: then reading much to find little costs conflicts.
    pub fn notes_reads(&self) -> bool {
        self.recording.is_some()
    }

    /// Where reads are noted, if they are.
    #[inline(always)]
    pub(crate) fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// What it has pinned.
    pub fn pins(&self) -> &Arc<Pins<'s>> {
        &self.pins
    }

    /// What could not be read, if anything: then nothing that was read may be given away. **Cost**: one load.
    #[inline(always)]
    pub fn failure(&self) -> Option<DatabaseError> {
        self.pins.failure().map(DatabaseError::from)
    }

    /// Pieces that were read from files because of this reader.
    pub fn pieces_read(&self) -> u64 {
        self.pins.pieces_read()
    }

    /// Whether there is nothing to let go and nothing failed. **Cost**: two loads.
    #[inline(always)]
    pub fn is_well(&self) -> bool {
        !self.pins.are_many() && !self.pins.has_failed()
    }

    /// Lets everything go that was touched, if it is much and may: then what was read are copies.
    #[inline]
    pub fn let_go(&self) {
        if self.pins.are_many() {
            self.release();
        }
    }

    #[cold]
    fn release(&self) {
        self.nodes.made().for_each(NodeViews::forget);
        self.edges.made().for_each(EdgeViews::forget);
        self.pins.release();
    }

    /// The views of a node table.
    #[inline(always)]
    fn node_views(&self, table: TableId) -> Option<&NodeViews<'s>> {
        let main = self.main.node_tables.get(usize::from(table.0))?;
        Some(self.nodes.of(usize::from(table.0), || NodeViews::of(main, self.changes.is_some())))
    }

    /// The views of an edge table.
    #[inline(always)]
    fn edge_views(&self, table: usize) -> Option<&EdgeViews<'s>> {
        let main = self.main.edge_tables.get(table)?;
        Some(self.edges.of(table, || EdgeViews::of(main, self.changes.is_some())))
    }

    /// Schema, facts, statistics.
    pub fn catalog(&self) -> &'s Arc<Catalog> {
        &self.main.catalog
    }

    /// Names and tables.
    pub fn schema(&self) -> &'s Schema {
        &self.main.catalog.schema
    }

    /// One past the last row of a node table. Not all rows before need be there: [`Self::existing`].
    pub fn rows(&self, table: TableId) -> u64 {
        let main = self.main.node_tables[table.0 as usize].rows;
        self.node_changes(table).map_or(main, |delta| delta.rows_end().max(main))
    }

    /// The rows that main has of a table.
    pub(crate) fn rows_of_main(&self, table: TableId) -> u64 {
        self.main.node_tables.get(table.0 as usize).map_or(0, |table| table.rows)
    }

    /// What was changed of a node table, if anything ever was.
    pub(crate) fn node_changes(&self, table: TableId) -> Option<&Arc<NodeDelta>> {
        let changes = self.changes.as_ref()?;
        let known = &self.node_views(table)?.changes;
        known.get_or_init(|| changes.moment.delta().changed_nodes(table)).as_ref()
    }

    /// What is seen of the delta, if there is one.
    pub(crate) fn moment(&self) -> Option<&'s Moment> {
        self.changes.as_ref().map(|changes| changes.moment)
    }

    /// The key index of a node table, if it has one.
    pub(crate) fn key_index(&self, table: TableId) -> Option<&KeyIndexView<'s>> {
        let index = self.main.node_tables[table.0 as usize].key_index.as_ref()?;
        Some(self.node_views(table)?.key_index.get_or_init(|| Box::new(index.view(&self.pins))))
    }

    /// The main version.
    pub(crate) fn main(&self) -> &'s Main {
        self.main
    }

    /// A node table of main.
    pub(crate) fn main_table(&self, table: TableId) -> Option<&'s NodeTable> {
        self.main.node_tables.get(usize::from(table.0)).map(|table| &**table)
    }

    /// The index of the values of a column of main, if it has one.
    pub(crate) fn value_index(&self, table: TableId, column: usize) -> Option<&ValueIndexView<'s>> {
        let indexes = &self.main_table(table)?.value_indexes;
        let (place, (_, index)) = indexes.iter().enumerate().find(|(_, (of, _))| *of == column)?;
        let cell = self.node_views(table)?.value_indexes.get(place)?;
        Some(cell.get_or_init(|| Box::new(index.view(&self.pins))))
    }

    /// The index of the values of several columns of main together, if there is one.
    pub(crate) fn composite_index(&self, table: TableId, columns: &[usize]) -> Option<&ValueIndexView<'s>> {
        let indexes = &self.main_table(table)?.composite_indexes;
        let (place, (_, index)) = indexes.iter().enumerate().find(|(_, (of, _))| of == columns)?;
        let cell = self.node_views(table)?.composite_indexes.get(place)?;
        Some(cell.get_or_init(|| Box::new(index.view(&self.pins))))
    }

    /// An edge table of main.
    pub(crate) fn main_edges(&self, table: EdgeTableId) -> Option<&'s EdgeTable> {
        self.main.edge_tables.get(usize::from(table.0)).map(|table| &**table)
    }

    /// The index of the values of a column of edges of main, if it has one.
    pub(crate) fn edge_value_index(&self, table: EdgeTableId, column: usize) -> Option<&ValueIndexView<'s>> {
        let indexes = &self.main_edges(table)?.value_indexes;
        let (place, (_, index)) = indexes.iter().enumerate().find(|(_, (of, _))| *of == column)?;
        let cell = self.edge_views(usize::from(table.0))?.value_indexes.get(place)?;
        Some(cell.get_or_init(|| Box::new(index.view(&self.pins))))
    }

    /// The values of edges of a table that were written since the last merge, if any were.
    pub(crate) fn edge_values_written(&self, table: EdgeTableId) -> Option<Arc<EdgeDelta>> {
        self.changes.as_ref()?.moment.delta().changed_edges(table)
    }

    /// Whether nodes of a table were ever written since the last merge.
    pub fn has_node_changes(&self, table: TableId) -> bool {
        self.node_changes(table).is_some()
    }

    /// The same, for who goes on without the table where it was not: nothing of it is opened.
    pub(crate) fn is_written(&self, table: TableId) -> bool {
        let Some(changes) = &self.changes else { return false };
        let known = self.nodes.get(usize::from(table.0)).and_then(|views| views.changes.get());
        known.map_or_else(|| changes.moment.delta().changed_nodes(table).is_some(), Option::is_some)
    }

    /// The positions of those of `len` rows from `first` on that are there; none where all are.
    ///
    /// **Cost**: a look-up for each zone where none came or went.
    pub fn existing(&self, first: NodeId, len: usize) -> Option<Vec<u32>> {
        if let Some(recording) = &self.recording {
            recording.rows(first, len as u64);
        }
        self.existing_unnoted(first, len)
    }

    pub(crate) fn existing_unnoted(&self, first: NodeId, len: usize) -> Option<Vec<u32>> {
        let (table, row) = (first.table(), first.row());
        let end = row + len as u64;
        let (rows, missing) = (self.main.node_tables[table.0 as usize].rows, self.missing(table));
        let clean =
            |delta: &Arc<NodeDelta>| end <= rows && delta.clean_run(row, len as u64, None) == len as u64;
        let changes = self.node_changes(table).filter(|delta| !clean(delta));
        // Rows beyond main's may have been cleaned since they were counted: they were undone, then.
        if changes.is_none() && end <= rows {
            return missing?.null_positions(row, len);
        }
        let reading = self.moment().map(Moment::reading);
        let changes = changes.zip(reading.as_ref());
        if changes.is_some_and(|(changes, reading)| changes.have_all_come(row, len, reading)) {
            return None;
        }
        let in_main = rows.saturating_sub(row).min(len as u64) as usize;
        let of_main = missing.and_then(|missing| missing.null_positions(row, in_main));
        let mut there = vec![of_main.is_none(); in_main];
        of_main.into_iter().flatten().for_each(|i| there[i as usize] = true);
        there.resize(len, false);
        let told = changes.map(|(changes, reading)| changes.came_or_went(row, len, reading));
        told.into_iter().flatten().for_each(|(i, is_there)| there[i as usize] = is_there);
        let there: Vec<u32> = (0u32..).zip(there).filter(|(_, is_there)| *is_there).map(|(i, _)| i).collect();
        (there.len() < len).then_some(there)
    }

    /// The rows of a node table that nobody has in main have a value here; none where all are somebody's.
    pub(crate) fn missing(&self, table: TableId) -> Option<&ColumnView<'s>> {
        let column = self.main.node_tables.get(table.0 as usize)?.missing.as_ref()?;
        let cell = &self.node_views(table)?.missing;
        Some(cell.get_or_init(|| Box::new(ColumnView::pinned(column, &self.pins))))
    }

    /// The labels that main has of rows with others than their table's.
    pub(crate) fn main_labels(&self, table: TableId) -> Option<&ColumnView<'s>> {
        let column = self.main.node_tables.get(table.0 as usize)?.labels.as_ref()?;
        let cell = &self.node_views(table)?.labels;
        Some(cell.get_or_init(|| Box::new(ColumnView::pinned(column, &self.pins))))
    }

    /// What the delta has of a column of nodes.
    #[inline]
    pub(crate) fn node_overlay(&self, table: TableId, column: usize) -> Option<&Overlay<'s>> {
        let changes = self.changes.as_ref()?;
        let delta = self.node_changes(table)?;
        let cell = self.node_views(table)?.overlays.get(column)?;
        let overlay = cell.get_or_init(|| {
            let is_merged = !self.node_column(table, column).is_empty();
            Box::new(Overlay::Nodes {
                delta: Arc::clone(delta),
                column: column as u32,
                rows: if is_merged { self.main.node_tables[table.0 as usize].rows } else { 0 },
                reading: changes.moment.reading(),
            })
        });
        Some(overlay)
    }

    /// Whether edges of an edge table, or their properties, were written since the last merge.
    #[inline]
    pub fn has_edge_changes(&self, table: usize) -> bool {
        let Some(changes) = &self.changes else { return false };
        let Some(views) = self.edge_views(table) else { return false };
        *views.is_changed.get_or_init(|| {
            let id = self.main.edge_tables[table].id;
            let delta = changes.moment.delta();
            let source = self.main.edge_tables[table].source;
            // Who notes what he reads names edges, not slots.
            self.recording.is_some()
                || delta.changed_edges(id).is_some()
                || changes.moment.topology().marks(source, id, Direction::Forward).is_some()
        })
    }

    /// The edges of a table of which properties were written; none where none were.
    #[inline]
    pub(crate) fn marked_edges(&self, table: usize) -> Option<&MarkedEdges> {
        let changes = self.changes.as_ref()?;
        let find = || {
            let id = self.main.edge_tables[table].id;
            changes.moment.delta().changed_edges(id).map(|edges| edges.marked())
        };
        self.edge_views(table)?.marked.get_or_init(find).as_ref()
    }

    /// What the delta has of a column of edges.
    #[inline]
    pub(crate) fn edge_overlay(&self, table: usize, column: usize) -> Option<&Overlay<'s>> {
        if !self.has_edge_changes(table) {
            return None;
        }
        let changes = self.changes.as_ref()?;
        let cell = self.edge_views(table)?.overlays.get(column)?;
        let overlay = cell.get_or_init(|| {
            let id = self.main.edge_tables[table].id;
            Box::new(Overlay::Edges {
                delta: changes.moment.delta().changed_edges(id).map(|edges| {
                    let marked = edges.marked();
                    (edges, marked)
                }),
                column: column as u32,
                table: id,
                reading: changes.moment.reading(),
            })
        });
        Some(overlay)
    }

    /// Whether edges of an edge table may lead to nodes of a table. Who notes what he reads asks each list.
    pub(crate) fn may_lead_to(&self, edges: usize, table: TableId) -> bool {
        self.recording.is_some()
            || self.main.edge_tables[edges].backward.iter().any(|(own, _)| *own == table)
            || self.list_changes(edges, false, table).is_some()
    }

    /// The lists along an edge table that changes touched, and what sees them; none where none were.
    #[inline]
    pub(crate) fn list_changes(
        &self,
        table: usize,
        forward: bool,
        from: TableId,
    ) -> Option<(&'s Moment, &Marks)> {
        let changes = self.changes.as_ref()?;
        let known = self.edge_views(table)?;
        let find = |direction| {
            let id = self.main.edge_tables[table].id;
            changes.moment.topology().marks(from, id, direction)
        };
        let marks = if forward {
            // All sources are in one table.
            known.forward.get_or_init(|| find(Direction::Forward))
        } else {
            match known.backward.iter().find(|(of, _)| *of == from) {
                Some((_, marks)) => marks,
                None => &known.backward.push_get(Box::new((from, find(Direction::Backward)))).1,
            }
        };
        Some((changes.moment, marks.as_ref()?))
    }

    /// A node property column, by its place in the catalog.
    #[inline]
    pub(crate) fn node_column(&self, table: TableId, column: usize) -> &ColumnView<'s> {
        let main = &self.main.node_tables[usize::from(table.0)];
        let views = self.nodes.of(usize::from(table.0), || NodeViews::of(main, self.changes.is_some()));
        views.columns[column].get_or_init(|| Box::new(ColumnView::pinned(&main.columns[column], &self.pins)))
    }

    /// An edge property column, by its place in the catalog; rows are slots.
    #[inline]
    pub(crate) fn edge_column(&self, table: usize, column: usize) -> &ColumnView<'s> {
        let main = &self.main.edge_tables[table];
        let views = self.edges.of(table, || EdgeViews::of(main, self.changes.is_some()));
        views.columns[column].get_or_init(|| Box::new(ColumnView::pinned(&main.columns[column], &self.pins)))
    }

    /// The topology of an edge table.
    #[inline]
    pub(crate) fn edge_table(&self, table: usize) -> &EdgeTableView<'s> {
        let main = &self.main.edge_tables[table];
        let views = self.edges.of(table, || EdgeViews::of(main, self.changes.is_some()));
        views.topology.get_or_init(|| Box::new(main.view(&self.pins)))
    }

    /// Whether this id is of a node of the snapshot.
    pub fn node_exists(&self, node: NodeId) -> bool {
        if let Some(recording) = &self.recording {
            recording.rows(node, 1);
        }
        let Some(table) = self.main.node_tables.get(node.table().0 as usize) else { return false };
        let changed = self.changes.as_ref().and_then(|changes| {
            self.node_changes(node.table())?.is_there(node.row(), &changes.moment.reading())
        });
        let in_main = || {
            node.row() < table.rows
                && self.missing(node.table()).is_none_or(|missing| missing.is_null(node.row()))
        };
        node.is_node() && changed.unwrap_or_else(in_main)
    }

    /// The edge with its ends, also where it was deleted; null if there was never such an edge.
    pub fn relationship(&self, id: EdgeId) -> Value {
        let table = id.table().0 as usize;
        if table >= self.main.edge_tables.len() || !id.is_edge() {
            return Value::Null;
        }
        let new = || {
            let moment = &self.changes.as_ref()?.moment;
            moment.topology().ends(id, &moment.reading())
        };
        // What the delta has is newer: a log may tell of an edge that went, and of another one in its place.
        match new().or_else(|| self.edge_table(table).ends(id)) {
            Some((start, end)) => Value::Relationship(Relationship { id, start, end }),
            None => Value::Null,
        }
    }

    /// Whether this id is of an edge of the snapshot.
    pub fn edge_exists(&self, id: EdgeId) -> bool {
        self.existing_edge(id).is_some()
    }

    /// The edge with its ends, if it is of the snapshot.
    pub fn existing_edge(&self, id: EdgeId) -> Option<Relationship> {
        let table = id.table().0 as usize;
        if table >= self.main.edge_tables.len() || !id.is_edge() {
            return None;
        }
        let changes = self.changes.as_ref().map(|changes| (changes.moment, changes.moment.reading()));
        let told = changes.as_ref().map(|(moment, reading)| {
            let topology = moment.topology();
            (topology.ends(id, reading), topology.is_there(id, reading))
        });
        let (of_delta, is_there) = told.unwrap_or_default();
        let of_main = if is_there.is_none() { self.edge_table(table).ends(id) } else { None };
        if let (Some(recording), Some((start, _))) = (&self.recording, of_delta.or(of_main)) {
            recording.lists(id.table(), true, start, 1);
        }
        let (start, end) = match is_there {
            Some(false) => None,
            Some(true) => of_delta,
            None => of_main,
        }?;
        Some(Relationship { id, start, end })
    }
}
