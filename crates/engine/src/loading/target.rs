//! The database as a load sees it: which nodes have keys; which tables, rows and positions the load is given;
//! and whether what others committed meanwhile meets it.
//!
//! A key space of the load has the nodes of the label sets that the load gives it, and of the label of its
//! name, by their key properties.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use trimorph_base::{EdgeTableId, LabelId, NodeId, PAGE_ROWS, PropertyId, TableId, TypeId};
use trimorph_catalog::{Definition, EdgeTableFacts, PropertyInfo};
use trimorph_delta::{Commits, KeyDelta};
use trimorph_mvcc::{Changes, LoadChanges};
use trimorph_store::bulk::{Beside, BulkError, ColumnData, EdgePart, LoadPart, NodePart, NodeSpec, TakeEnds};
use trimorph_store::{ColumnView, Main, NO_ROW, Pins, Reader, Snapshot, edge_index_number, index_number};
use trimorph_types::{LogicalType, Value};
use trimorph_vector::Vector;

use super::touched::NodeBits;
use crate::Error;
use crate::shared::Shared;
use crate::update::free_positions;

/// Nodes of a table by the values of a column.
struct KnownTable {
    table: TableId,
    column: usize,
    /// Where the column has no index: made at the first look.
    scanned: Arc<OnceLock<HashMap<Key, u64>>>,
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Int(i64),
    Text(Box<str>),
}

impl Key {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Int(key) => Some(Self::Int(*key)),
            Value::String(key) => Some(Self::Text((**key).into())),
            _ => None,
        }
    }
}

/// What the load was given, to be taken back if it fails.
#[derive(Default)]
struct Given {
    rows: Vec<(TableId, Range<u64>)>,
    positions: Vec<(EdgeTableId, u64, u64)>,
    /// Sources and targets of edges, by edge table.
    ends: BTreeMap<EdgeTableId, (NodeBits, NodeBits)>,
    stays: bool,
}

/// The database as a load sees it.
pub(super) struct Target<'s> {
    shared: &'s Shared,
    snapshot: Snapshot,
    spaces: Mutex<HashMap<String, Vec<Arc<KnownTable>>>>,
    /// Nodes that were found by their keys.
    found: Mutex<NodeBits>,
    given: Mutex<Given>,
    failure: Mutex<Option<Error>>,
}

/// The property that stands for the key of a label that has none.
const ID: &str = "id";

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The hashes of the new keys of tables, sorted.
pub(super) type KeyHashes = BTreeMap<(TableId, usize), Vec<u64>>;

impl<'s> Target<'s> {
    pub(super) fn new(shared: &'s Shared, snapshot: Snapshot) -> Self {
        Self {
            shared,
            snapshot,
            spaces: Mutex::default(),
            found: Mutex::default(),
            given: Mutex::default(),
            failure: Mutex::default(),
        }
    }

    /// What the database could not do.
    pub(super) fn failure(&self) -> Option<Error> {
        lock(&self.failure).take()
    }

    /// The load is published: what it was given is its own.
    pub(super) fn stays(&self) {
        lock(&self.given).stays = true;
    }

    fn fails(&self, error: Error) -> BulkError {
        let text = error.to_string();
        lock(&self.failure).get_or_insert(error);
        BulkError::Declaration(text)
    }

    /// The tables of a key space.
    fn tables_of(&self, space: &str) -> Vec<Arc<KnownTable>> {
        let mut spaces = lock(&self.spaces);
        let known = spaces.entry(space.to_owned()).or_default();
        let schema = self.snapshot.schema();
        for table in schema.table_ids().filter(|table| schema.has_label(*table, space)) {
            let key =
                schema.node_tables[usize::from(table.0)].key.or_else(|| schema.node_property(table, ID));
            let is_new = known.iter().all(|one| one.table != table);
            if let Some(column) = key.filter(|_| is_new) {
                known.push(Arc::new(KnownTable { table, column, scanned: Arc::default() }));
            }
        }
        known.clone()
    }

    /// Looks keys up in one table.
    fn find_in(
        &self,
        known: &KnownTable,
        keys: &ColumnData,
        found: &mut [Option<NodeId>],
    ) -> Result<(), Error> {
        let reader = Reader::new(&self.snapshot);
        let info = &self.snapshot.schema().node_tables[usize::from(known.table.0)];
        if info.key == Some(known.column) {
            let count = u32::try_from(keys.len()).unwrap_or(u32::MAX);
            let vector = vector_of(keys);
            let mut rows = Vec::new();
            reader.find_keys(known.table, &vector, &(0..count).collect::<Vec<u32>>(), &mut rows);
            for (found, row) in found.iter_mut().zip(rows) {
                if row != NO_ROW {
                    *found = Some(NodeId::new(known.table, row.into()));
                }
            }
        } else {
            let scanned = known.scanned.get_or_init(|| {
                let column = trimorph_store::PropertyColumn::of_nodes(known.table, known.column, &reader);
                let nodes = (0..self.snapshot.rows(known.table)).map(|row| NodeId::new(known.table, row));
                let there = nodes.filter(|node| reader.node_exists(*node)).map(|node| node.row());
                there.filter_map(|row| Some((Key::of(&column.value(row))?, row))).collect()
            });
            let vector = vector_of(keys);
            for (i, found) in found.iter_mut().enumerate() {
                let key = Key::of(&vector.value(i, &|_| Value::Null));
                if let Some(row) = key.and_then(|key| scanned.get(&key)) {
                    *found = Some(NodeId::new(known.table, *row));
                }
            }
        }
        reader.failure().map_or(Ok(()), |error| Err(error.into()))
    }

    /// What the load changes, for those who are about to commit, and its new keys.
    pub(super) fn changes(&self, new: &Main, parts: &[LoadPart]) -> Result<(Changes, KeyHashes), Error> {
        let mut changes = Changes::default();
        let mut load = LoadChanges { ends: lock(&self.found).row_sets(), ..LoadChanges::default() };
        let mut hashes = KeyHashes::new();
        let (base, mut any_keys) = (self.shared.base(), BTreeSet::new());
        for (at, part) in parts.iter().enumerate() {
            let (nodes, info) = (&new.node_tables[at], &new.catalog.schema.node_tables[at]);
            let LoadPart::Nodes { table, first } = *part else { continue };
            if nodes.rows == 0 {
                continue;
            }
            let of = changes.nodes_of(table);
            of.came.insert_run(first, nodes.rows);
            for property in &info.properties {
                let name = new.catalog.schema.property_name(property.id);
                if let Some(column) = base.schema().node_property(table, &name) {
                    of.values.or_default(column).insert(None);
                    any_keys.insert(index_number(table, column));
                }
            }
            let Some(key) = info.key else { continue };
            let name = new.catalog.schema.property_name(info.properties[key].id);
            let Some(column) = base.schema().node_property(table, &name) else { continue };
            let pins = Arc::<Pins<'_>>::default();
            let view = ColumnView::pinned(&nodes.columns[key], &pins);
            let mut own: Vec<u64> =
                (0..nodes.rows).filter_map(|row| KeyDelta::hash_of(&view.value(row))).collect();
            if let Some(error) = pins.failure() {
                return Err(trimorph_store::DatabaseError::from(error).into());
            }
            own.sort_unstable();
            match base.schema().node_tables[usize::from(table.0)].key {
                Some(known) if known == column => changes.keys.insert(table.0.into(), own.clone()),
                // What others write there has keys too.
                _ => drop(load.unindexed.insert((table, column))),
            }
            hashes.insert((table, column), own);
        }
        for (table, (sources, targets)) in &lock(&self.given).ends {
            let of = changes.edges_of(*table);
            sources.row_sets().values().for_each(|rows| of.sources.merge(rows));
            of.targets = targets.row_sets();
            // Who looked for edges by an index may have missed those of the load.
            let info = base.schema().edge_tables.get(usize::from(table.0));
            for column in 0..info.map_or(0, |info| info.properties.len()) {
                of.columns.or_default(column).insert_all();
                any_keys.insert(edge_index_number(*table, column));
            }
        }
        changes.any_keys = any_keys;
        changes.load = Some(load);
        Ok((changes, hashes))
    }

    /// Who overlaps with the load and writes what a constraint is about may violate it with the load's rows.
    pub(super) fn watch(&self, definition: &Definition, changes: &mut Changes) {
        if !definition.rule.is_unique() {
            return;
        }
        let base = self.shared.base();
        let schema = &base.schema();
        let Some(label) = definition.label() else {
            let of_type: Vec<EdgeTableId> = (schema.edge_table_ids().zip(&schema.edge_tables))
                .filter(|(_, info)| definition.edge_type() == Some(info.ty))
                .map(|(table, _)| table)
                .collect();
            let is_loaded = of_type.iter().any(|table| changes.edges.contains_key(table));
            let Some(load) = changes.load.as_mut().filter(|_| is_loaded) else { return };
            for table in of_type {
                let info = &schema.edge_tables[usize::from(table.0)];
                for (column, property) in info.properties.iter().enumerate() {
                    if definition.properties.contains(&property.id) {
                        load.unindexed_edges.insert((table, column));
                    }
                }
            }
            return;
        };
        let loaded: Vec<TableId> = changes.nodes.keys().copied().collect();
        let has = |table: TableId| {
            schema.node_tables.get(usize::from(table.0)).is_some_and(|info| info.labels.contains(&label))
        };
        let Some(load) = changes.load.as_mut() else { return };
        if !loaded.into_iter().any(has) {
            return;
        }
        for table in schema.table_ids() {
            let info = &schema.node_tables[usize::from(table.0)];
            for (column, property) in info.properties.iter().enumerate() {
                if definition.properties.contains(&property.id) {
                    load.unindexed.insert((table, column));
                }
            }
        }
    }

    /// Whether what was committed since the load began, or since what it was put into, meets it.
    ///
    /// **Errors**: a conflict.
    pub(super) fn meet(
        &self,
        began: Commits,
        merged: Commits,
        hashes: &KeyHashes,
        changes: &Changes,
    ) -> Result<(), Error> {
        let conflict = |what: &str| {
            let text = format!("another transaction has {what} while the load was at work; load again");
            Err(Error::Conflict(text))
        };
        let delta = &self.shared.live.delta;
        let found = lock(&self.found);
        let mut tables: BTreeMap<TableId, Vec<usize>> = BTreeMap::new();
        for known in lock(&self.spaces).values().flatten() {
            tables.entry(known.table).or_default().push(known.column);
        }
        hashes.keys().for_each(|(table, column)| tables.entry(*table).or_default().push(*column));
        for (table, columns) in tables {
            let Some(nodes) = delta.nodes(table) else { continue };
            let written = nodes.written(began);
            if written.went.iter().any(|row| found.contains(table, *row)) {
                return conflict("deleted a node that the load found");
            }
            for column in columns {
                let (mut is_met, own) = (false, hashes.get(&(table, column)));
                nodes.values(column as u32, 0..nodes.rows_end(), began, &mut |row, value| {
                    let hash = KeyDelta::hash_of(&value);
                    let is_new = own.zip(hash).is_some_and(|(own, hash)| own.binary_search(&hash).is_ok());
                    is_met |= is_new || found.contains(table, row);
                });
                if is_met {
                    return conflict("written a key of the load");
                }
            }
        }
        for (table, column) in changes.load.iter().flat_map(|load| &load.unindexed) {
            let Some(nodes) = delta.nodes(*table) else { continue };
            let is_key = hashes.contains_key(&(*table, *column));
            if !is_key && nodes.written(merged).columns.contains_key(&(*column as u32)) {
                return conflict("written what a constraint is about");
            }
        }
        let watched = changes.load.iter().flat_map(|load| &load.unindexed_edges);
        let watched: BTreeSet<EdgeTableId> = watched.map(|(table, _)| *table).collect();
        if !watched.is_empty() {
            let written = delta.edges_written(merged);
            let is_met = |table| written.get(table).is_some_and(|written| !written.changed.is_empty());
            if watched.iter().any(is_met) {
                return conflict("written what a constraint is about");
            }
        }
        Ok(())
    }

    /// Nodes that others made in tables that have a key since now: they have theirs.
    pub(super) fn note_keys(&self) {
        let base = self.shared.base();
        for (table, _) in &lock(&self.given).rows {
            let key = base.schema().node_tables.get(usize::from(table.0)).and_then(|info| info.key);
            if let (Some(key), Some(nodes)) = (key, self.shared.live.delta.nodes(*table)) {
                nodes.note_keys(key as u32, &self.shared.live.delta.keys_to_write(*table));
            }
        }
    }

    /// Makes the tables and columns of node parts that are missing.
    fn node_tables(&self, parts: &[NodePart]) -> Result<Vec<TableId>, Error> {
        self.shared.change_schema(|main| {
            let mut tables = Vec::with_capacity(parts.len());
            for part in parts {
                let schema = &main.catalog.schema;
                let table = schema.table_ids().find(|table| {
                    let own = schema.label_names(*table);
                    own.len() == part.labels.len()
                        && own.iter().all(|label| part.labels.iter().any(|l| **l == **label))
                });
                let table = match table {
                    Some(table) => table,
                    None if main.node_tables.len() > usize::from(u16::MAX) => {
                        let text = "there are 65,536 different label sets; no more are possible";
                        return Err(Error::Storage(text.to_owned()));
                    }
                    None => {
                        let names = &mut Arc::make_mut(&mut main.catalog).schema.labels;
                        // The number of names is looked at before this is published.
                        let ids =
                            part.labels.iter().map(|label| LabelId(names.intern(label) as u16)).collect();
                        main.add_node_table(ids)
                    }
                };
                for (name, ty) in &part.properties {
                    if main.catalog.schema.node_property(table, name).is_none() {
                        let id = Arc::make_mut(&mut main.catalog).schema.properties.intern(name);
                        main.add_node_column(table, PropertyInfo { id: PropertyId(id as u32), ty: *ty });
                    }
                }
                tables.push(table);
            }
            Ok(tables)
        })
    }

    /// The edge table of a part, and whether it was made now; `pages` gives pages of sources that others may
    /// write to, and the edges that each gets.
    fn edge_table(
        &self,
        part: &EdgePart,
        pages: &dyn Fn() -> BTreeMap<u64, u64>,
    ) -> Result<(EdgeTableId, bool), Error> {
        self.shared.change_schema(|main| {
            let schema = &main.catalog.schema;
            let found = schema.edge_table_ids().find(|table| {
                schema.edge_tables[usize::from(table.0)].source == part.source
                    && *schema.type_name(*table) == *part.label
            });
            let (table, is_new) = match found {
                Some(table) => (table, false),
                None if main.edge_tables.len() > usize::from(u16::MAX) => {
                    let text = "there are 65,536 relationship types by node table; no more are possible";
                    return Err(Error::Storage(text.to_owned()));
                }
                None => {
                    let types = &mut Arc::make_mut(&mut main.catalog).schema.types;
                    let ty = TypeId(types.intern(&part.label) as u16);
                    let table = main.add_edge_table(ty, part.source);
                    // Who writes to it says that these do not hold any more.
                    let facts = EdgeTableFacts { single: true, ..EdgeTableFacts::default() };
                    Arc::make_mut(&mut main.catalog).facts_mut().edge_tables[usize::from(table.0)] = facts;
                    let positions = self.shared.live.delta.positions(table);
                    // Before anybody else can take one. A vertex column has them by row.
                    for (page, edges) in pages() {
                        positions.restore(page, edges.max(PAGE_ROWS));
                    }
                    (table, true)
                }
            };
            for (name, ty) in &part.properties {
                if main.catalog.schema.edge_property(table, name).is_none() {
                    let id = Arc::make_mut(&mut main.catalog).schema.properties.intern(name);
                    main.add_edge_column(table, PropertyInfo { id: PropertyId(id as u32), ty: *ty });
                }
            }
            Ok((table, is_new))
        })
    }

    /// Whether all rows of a node's page are the load's: others have none there that may get edges.
    fn has_page(rows: &[(TableId, Range<u64>)], node: NodeId) -> bool {
        let first = node.row() / PAGE_ROWS * PAGE_ROWS;
        let is_within = |rows: &Range<u64>| rows.start <= first && first + PAGE_ROWS <= rows.end;
        rows.iter().any(|(table, rows)| *table == node.table() && is_within(rows))
    }
}

/// Keys as a vector.
fn vector_of(keys: &ColumnData) -> Vector<'static> {
    match keys {
        ColumnData::Int(keys) => Vector::new(trimorph_vector::Values::Int(keys.clone())),
        ColumnData::String { bytes, ends } => {
            let start = |i: usize| if i == 0 { 0 } else { ends[i - 1] as usize };
            let text =
                |i: usize| bytes.get(start(i)..ends[i] as usize).and_then(|t| std::str::from_utf8(t).ok());
            let values =
                (0..ends.len()).map(|i| text(i).map_or(Value::Null, |text| Value::String(text.into())));
            Vector::new(trimorph_vector::Values::Any(values.collect()))
        }
        _ => Vector::new(trimorph_vector::Values::Any(vec![Value::Null; keys.len()])),
    }
}

impl Beside for Target<'_> {
    fn first_table(&self) -> usize {
        self.snapshot.schema().node_tables.len()
    }

    fn declare(&self, spec: &NodeSpec) {
        let (Some(space), Some(key)) = (&spec.key_space, &spec.key_property) else { return };
        let schema = self.snapshot.schema();
        for table in schema.table_ids() {
            let own = schema.label_names(table);
            let is_same =
                own.len() == spec.labels.len() && own.iter().all(|l| spec.labels.iter().any(|o| **o == **l));
            if let Some(column) = schema.node_property(table, key).filter(|_| is_same) {
                let known = KnownTable { table, column, scanned: Arc::default() };
                lock(&self.spaces).entry(space.clone()).or_default().push(Arc::new(known));
            }
        }
    }

    fn key_type(&self, space: &str) -> Option<LogicalType> {
        let known = self.tables_of(space).into_iter().next()?;
        let info = &self.snapshot.schema().node_tables[usize::from(known.table.0)];
        Some(info.properties.get(known.column)?.ty)
    }

    fn find(&self, space: &str, keys: &ColumnData) -> Option<Vec<Option<NodeId>>> {
        let tables = self.tables_of(space);
        if tables.is_empty() {
            return None;
        }
        let mut found = vec![None; keys.len()];
        for known in &tables {
            if let Err(error) = self.find_in(known, keys, &mut found) {
                self.fails(error);
                return None;
            }
        }
        let mut bits = lock(&self.found);
        found.iter().flatten().for_each(|node| bits.insert(*node));
        Some(found)
    }

    fn check(&self) -> Result<(), BulkError> {
        match &*lock(&self.failure) {
            Some(error) => Err(BulkError::Declaration(error.to_string())),
            None => Ok(()),
        }
    }

    fn place_nodes(&self, parts: &[NodePart]) -> Result<Vec<(TableId, u64)>, BulkError> {
        let tables = self.node_tables(parts).map_err(|error| self.fails(error))?;
        let mut given = lock(&self.given);
        let place = |(table, part): (TableId, &NodePart)| {
            let nodes = self.shared.nodes_to_write(table);
            let first = nodes.reserve(part.rows);
            given.rows.push((table, first..first + part.rows));
            (table, first)
        };
        Ok(tables.into_iter().zip(parts).map(place).collect())
    }

    fn place_edges(
        &self,
        part: &EdgePart,
        edges: &dyn Fn(&mut TakeEnds<'_>),
    ) -> Result<(EdgeTableId, Option<Vec<u64>>), BulkError> {
        let mut given = lock(&self.given);
        let given = &mut *given;
        let rows = &given.rows;
        let pages = || {
            let mut pages: BTreeMap<u64, u64> = BTreeMap::new();
            let mut last = (0, 0u64);
            edges(&mut |source, _| {
                if !Self::has_page(rows, NodeId::new(part.source, source)) {
                    let page = source / PAGE_ROWS;
                    if last.0 != page {
                        *pages.entry(last.0).or_default() += last.1;
                        last = (page, 0);
                    }
                    last.1 += 1;
                }
            });
            *pages.entry(last.0).or_default() += last.1;
            pages.retain(|_, edges| *edges > 0);
            pages
        };
        let (table, is_new) = self.edge_table(part, &pages).map_err(|error| self.fails(error))?;
        let base = self.shared.base();
        let reader = Reader::new(&base);
        let view = reader.edge_positions(table);
        let positions = self.shared.live.delta.positions(table);
        let (sources, targets) = given.ends.entry(table).or_default();
        let mut taken = Vec::new();
        edges(&mut |source, target| {
            sources.insert(NodeId::new(part.source, source));
            targets.insert(target);
            if !is_new {
                let page = source / PAGE_ROWS;
                let wanted = view.is_single().then_some(source % PAGE_ROWS);
                let free = || free_positions(&reader, view, page);
                // What could not be read is told below.
                if let Some(position) = positions.take(page, wanted, free) {
                    given.positions.push((table, page, position));
                    taken.push(position);
                }
            }
        });
        if let Some(error) = reader.failure() {
            return Err(self.fails(error.into()));
        }
        Ok((table, (!is_new).then_some(taken)))
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        let given = std::mem::take(&mut *lock(&self.given));
        if given.stays {
            return;
        }
        let delta = &self.shared.live.delta;
        for (table, rows) in given.rows {
            if let Some(nodes) = delta.nodes(table) {
                nodes.give_back_rows(rows);
            }
        }
        for (table, page, position) in given.positions {
            delta.positions(table).give_back(page, position);
        }
    }
}
