//! Reader: a snapshot as one thread sees it, table by table as they are needed.
//!
//! What it touches of a database in files comes into memory and stays there as long as the reader has it
//! pinned. A piece that cannot be had reads as nothing: whoever gives results away asks
//! [`Reader::failure`] first.

use std::cell::OnceCell;
use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_catalog::{Catalog, Schema};
use trimorph_storage::column::ColumnView;
use trimorph_storage::{DatabaseError, EdgeTableView, KeyIndexView, Main};
use trimorph_types::{Map, Relationship, Value};
use trimorph_vector::Vector;
use trimorph_vfs::Pins;

use crate::Snapshot;

/// Reads a snapshot.
pub struct Reader<'s> {
    main: &'s Main,
    node_columns: Vec<Vec<OnceCell<Box<ColumnView<'s>>>>>,
    key_indexes: Vec<OnceCell<Box<KeyIndexView<'s>>>>,
    edge_columns: Vec<Vec<OnceCell<Box<ColumnView<'s>>>>>,
    edges: Vec<OnceCell<Box<EdgeTableView<'s>>>>,
    pins: Arc<Pins<'s>>,
}

fn cells<T>(count: usize) -> Vec<OnceCell<T>> {
    (0..count).map(|_| OnceCell::new()).collect()
}

impl<'s> Reader<'s> {
    /// Nothing is read yet. **Cost**: a few words per column of the catalog.
    pub fn new(snapshot: &'s Snapshot) -> Self {
        Self::with(snapshot, Pins::new(snapshot.pinned_bytes_max()))
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
            node_columns: main.node_tables.iter().map(|t| cells(t.columns.len())).collect(),
            key_indexes: cells(main.node_tables.len()),
            edge_columns: main.edge_tables.iter().map(|t| cells(t.columns.len())).collect(),
            edges: cells(main.edge_tables.len()),
            pins: Arc::new(pins),
        }
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
        let columns = self.node_columns.iter().chain(&self.edge_columns).flatten();
        columns.filter_map(OnceCell::get).for_each(|column| column.forget());
        self.key_indexes.iter().filter_map(OnceCell::get).for_each(|index| index.forget());
        self.edges.iter().filter_map(OnceCell::get).for_each(|table| table.forget());
        self.pins.release();
    }

    /// Schema, facts, statistics.
    pub fn catalog(&self) -> &'s Arc<Catalog> {
        &self.main.catalog
    }

    /// Names and tables.
    pub fn schema(&self) -> &'s Schema {
        &self.main.catalog.schema
    }

    /// Rows of a node table.
    pub fn rows(&self, table: TableId) -> u64 {
        self.main.node_tables[table.0 as usize].rows
    }

    /// A node property column, by its place in the catalog.
    #[inline]
    pub fn node_column(&self, table: TableId, column: usize) -> &ColumnView<'s> {
        self.node_columns[table.0 as usize][column].get_or_init(|| {
            let column = &self.main.node_tables[table.0 as usize].columns[column];
            Box::new(ColumnView::pinned(column, &self.pins))
        })
    }

    /// An edge property column, by its place in the catalog; rows are slots.
    #[inline]
    pub fn edge_column(&self, table: usize, column: usize) -> &ColumnView<'s> {
        self.edge_columns[table][column].get_or_init(|| {
            Box::new(ColumnView::pinned(&self.main.edge_tables[table].columns[column], &self.pins))
        })
    }

    /// The topology of an edge table.
    #[inline]
    pub fn edge_table(&self, table: usize) -> &EdgeTableView<'s> {
        self.edges[table].get_or_init(|| Box::new(self.main.edge_tables[table].view(&self.pins)))
    }

    /// The row of `table` whose key property is `key`. `None` also where the table has no key.
    ///
    /// **Cost**: one probe of the hash index.
    pub fn find_key(&self, table: TableId, key: &Value) -> Option<u64> {
        let index = self.main.node_tables[table.0 as usize].key_index.as_ref()?;
        let index = self.key_indexes[table.0 as usize].get_or_init(|| Box::new(index.view(&self.pins)));
        let column = self.schema().node_tables[table.0 as usize].key?;
        index.find(key, self.node_column(table, column))
    }

    /// The same for the keys at `positions` of a vector: a row of `table` each, or [`NO_ROW`]; none at all
    /// where the table has no key.
    ///
    /// **Cost**: as many probes, whose cache misses are waited for together.
    ///
    /// [`NO_ROW`]: crate::NO_ROW
    pub fn find_keys(&self, table: TableId, keys: &Vector<'_>, positions: &[u32], rows: &mut Vec<u32>) {
        rows.clear();
        let Some(index) = self.main.node_tables[table.0 as usize].key_index.as_ref() else { return };
        let index = self.key_indexes[table.0 as usize].get_or_init(|| Box::new(index.view(&self.pins)));
        if let Some(column) = self.schema().node_tables[table.0 as usize].key {
            index.find_all(keys, positions, self.node_column(table, column), rows);
        }
    }

    /// Whether this id is of a node of the snapshot.
    pub fn node_exists(&self, node: NodeId) -> bool {
        self.main.node_tables.get(node.table().0 as usize).is_some_and(|t| node.row() < t.rows)
            && node.is_node()
    }

    /// The edge with its ends; null if there is no such edge.
    pub fn relationship(&self, id: EdgeId) -> Value {
        let table = id.table().0 as usize;
        if table >= self.edges.len() || !id.is_edge() {
            return Value::Null;
        }
        match self.edge_table(table).ends(id) {
            Some((start, end)) => Value::Relationship(Relationship { id, start, end }),
            None => Value::Null,
        }
    }

    /// A property of a node; null if it has none of that name.
    pub fn node_property(&self, node: NodeId, name: &str) -> Value {
        match self.schema().node_property(node.table(), name) {
            Some(column) if node.is_node() => self.node_column(node.table(), column).value(node.row()),
            _ => Value::Null,
        }
    }

    /// A property of an edge; null if it has none of that name.
    pub fn edge_property(&self, edge: EdgeId, name: &str) -> Value {
        match self.schema().edge_property(edge.table(), name) {
            Some(column) if edge.is_edge() => {
                let table = edge.table().0 as usize;
                self.edge_column(table, column).value(self.edge_table(table).slot(edge))
            }
            _ => Value::Null,
        }
    }

    /// All properties of a node.
    pub fn node_properties(&self, node: NodeId) -> Map {
        let table = self.schema().node_tables.get(node.table().0 as usize);
        let Some(info) = table.filter(|_| node.is_node()) else { return Map::new() };
        (info.properties.iter().enumerate())
            .map(|(i, p)| {
                (self.schema().property_name(p.id), self.node_column(node.table(), i).value(node.row()))
            })
            .filter(|(_, v)| !v.is_null())
            .collect()
    }

    /// All properties of an edge.
    pub fn edge_properties(&self, edge: EdgeId) -> Map {
        let table = edge.table().0 as usize;
        let Some(info) = self.schema().edge_tables.get(table).filter(|_| edge.is_edge()) else {
            return Map::new();
        };
        let slot = self.edge_table(table).slot(edge);
        (info.properties.iter().enumerate())
            .map(|(i, p)| (self.schema().property_name(p.id), self.edge_column(table, i).value(slot)))
            .filter(|(_, v)| !v.is_null())
            .collect()
    }
}
