//! Recording: what a transaction reads, noted at the one door as rows, values, lists and keys; asked at its
//! commit against what others wrote meanwhile.
//!
//! 1. A snapshot of a transaction that must be serializable has a log of reads; others have none, and noting
//!    costs them a test of a pointer.
//! 2. Each reader notes into a set of its own, without a lock, and leaves it to the log when it is dropped.
//! 3. What gives values of the store to others (`Neighbours`, `PropertyColumn`, look-ups, morsels) notes
//!    before it reads. The views behind these have a door of their own, `unrecorded`, which is shut
//!    to who notes.
//!
//! Invariant: a set says what was read or more, also where nothing was found.
//!
//! Source: Neumann and others 2015, §4; `docs/design/transactions.md`, "Read sets".

use std::cell::RefCell;
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use trimorph_base::{EdgeId, EdgeTableId, NodeId, TableId};
use trimorph_catalog::{Catalog, PropertyInfo, Reliances};
use trimorph_delta::hash_of_value;
use trimorph_mvcc::{ReadRange, ReadSet};
use trimorph_types::{LogicalType, Value};

use crate::Wanted;

/// What all readers of a transaction have read, and what its plans took for certain.
#[derive(Debug, Default)]
pub struct ReadLog {
    reads: Mutex<ReadSet>,
    plans: Mutex<Vec<Arc<Reliances>>>,
    /// Whether all properties of something were read, whatever their names.
    all_properties: AtomicBool,
}

/// Plans that are kept apart; statements that come again rely on the same.
const PLANS_MAX: usize = 256;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReadLog {
    /// A plan was made.
    pub fn plan(&self, reliances: &Arc<Reliances>) {
        let mut plans = lock(&self.plans);
        if !plans.iter().any(|known| Arc::ptr_eq(known, reliances) || known == reliances) {
            plans.push(Arc::clone(reliances));
        }
    }

    /// What was read until now by readers that are gone, and what plans took from the catalog, which was
    /// `before` when the transaction began, that is no longer so `now`: all that a new table, column or fact
    /// tells of counts as read.
    pub fn reads_since(&self, before: &Catalog, now: &Catalog) -> ReadSet {
        let mut reads = lock(&self.reads).clone();
        let plans = lock(&self.plans);
        let plans = Plans { all: &plans, all_properties: self.all_properties.load(Ordering::Relaxed) };
        plans.note_nodes(before, now, &mut reads);
        plans.note_edges(before, now, &mut reads);
        reads
    }
}

/// What plans took for certain.
struct Plans<'p> {
    all: &'p [Arc<Reliances>],
    all_properties: bool,
}

impl Plans<'_> {
    /// Whether one of them would have to be made anew, as `concerns` says; where they are too many, whatever
    /// it says.
    fn any(&self, concerns: impl Fn(&Reliances) -> bool) -> bool {
        self.all.len() > PLANS_MAX || self.all.iter().any(|plan| concerns(plan))
    }

    fn note_nodes(&self, before: &Catalog, now: &Catalog, reads: &mut ReadSet) {
        // What is as it was may have been otherwise in between.
        let may_be_news = before.facts_restored != now.facts_restored;
        for table in now.schema.table_ids() {
            let at = usize::from(table.0);
            let facts = |catalog: &Catalog| catalog.unrecorded_facts().node_tables.get(at).cloned();
            let is = facts(now).unwrap_or_default();
            let Some(was) = facts(before) else {
                if self.any(|plan| plan.concerns_node_table(table, now)) {
                    reads.nodes_of(table).rows.insert_all();
                }
                continue;
            };
            let is_news = was.labels_vary != is.labels_vary || may_be_news;
            if is_news && self.any(|plan| plan.concerns_labels(table, &is.labels_vary)) {
                reads.nodes_of(table).rows.insert_all();
            }
            let Some(info) = now.schema.node_tables.get(at) else { continue };
            if was.keyless != is.keyless && self.any(|plan| plan.concerns_keys(table)) {
                info.key.into_iter().for_each(|key| {
                    reads.nodes_of(table).columns.or_default(key).insert_all();
                });
            }
            for (column, property) in info.properties.iter().enumerate() {
                let name = now.schema.property_name(property.id);
                let is_changed = match was.one_type.get(column) {
                    None => self.all_properties || self.any(|plan| plan.concerns_property(&name)),
                    Some(one) if !may_be_news && Some(one) == is.one_type.get(column) => false,
                    Some(_) if is.one_type.get(column) == Some(&true) || !tells_types(property) => false,
                    Some(_) => self.any(|plan| plan.concerns_type(table, column)),
                };
                if is_changed {
                    reads.nodes_of(table).columns.or_default(column).insert_all();
                }
            }
        }
    }

    fn note_edges(&self, before: &Catalog, now: &Catalog, reads: &mut ReadSet) {
        let may_be_news = before.facts_restored != now.facts_restored;
        for table in now.schema.edge_table_ids() {
            let at = usize::from(table.0);
            if self.any(|plan| plan.concerns_edge_table(table, now)) {
                reads.edges_of(table).forward.insert_all();
            }
            let known = before.schema.edge_tables.get(at).map_or(0, |info| info.properties.len());
            let Some(info) = now.schema.edge_tables.get(at) else { continue };
            let (was, is) = (types_of_edges(before, at), types_of_edges(now, at));
            for (column, property) in info.properties.iter().enumerate() {
                let is_changed = if column < known {
                    tells_types(property)
                        && (may_be_news || was.get(column) != is.get(column))
                        && is.get(column) == Some(&false)
                        && self.any(|plan| plan.concerns_edge_type(table, column))
                } else {
                    let name = now.schema.property_name(property.id);
                    self.all_properties || self.any(|plan| plan.concerns_property(&name))
                };
                if is_changed {
                    reads.edges_of(table).columns.or_default(column).insert_all();
                }
            }
        }
    }
}

/// Of the columns of an edge table, whether all values are of their types.
fn types_of_edges(catalog: &Catalog, table: usize) -> &[bool] {
    catalog.unrecorded_facts().edge_tables.get(table).map_or(&[], |facts| &facts.one_type)
}

/// Whether that all values are of the type of a column can be true: of general ones nobody relies on it.
fn tells_types(property: &PropertyInfo) -> bool {
    property.ty != LogicalType::Any
}

/// The integer by which a value is found in ranges of its column, as columns have it; none of other values.
pub fn integer_of(value: &Value) -> Option<i64> {
    let nanos = |seconds: i64, nanos: u32| seconds.checked_mul(1_000_000_000)?.checked_add(nanos.into());
    match value {
        Value::Int(i) => Some(*i),
        Value::Date(date) => Some(date.days),
        Value::LocalTime(time) => Some(time.nanos),
        Value::LocalDateTime(moment) => nanos(moment.seconds, moment.nanos),
        Value::DateTime(moment) => nanos(moment.seconds, moment.nanos),
        _ => None,
    }
}

/// The number by which reads of an indexed column, and writes to it, are told.
pub fn index_number(table: TableId, column: usize) -> u64 {
    (column as u64 + 1) << 16 | u64::from(table.0)
}

/// The same of edges.
pub fn edge_index_number(table: EdgeTableId, column: usize) -> u64 {
    1 << 63 | (column as u64 + 1) << 16 | u64::from(table.0)
}

/// What one reader has read.
#[derive(Debug)]
pub(crate) struct Recording {
    log: Arc<ReadLog>,
    own: RefCell<ReadSet>,
}

impl Recording {
    pub(crate) fn new(log: &Arc<ReadLog>) -> Self {
        Self { log: Arc::clone(log), own: RefCell::default() }
    }

    fn note(&self, note: impl FnOnce(&mut ReadSet)) {
        // Nothing below notes again.
        if let Ok(mut own) = self.own.try_borrow_mut() {
            note(&mut own);
        }
    }

    /// Whether rows are there, and their labels.
    pub(crate) fn rows(&self, first: NodeId, len: u64) {
        self.note(|reads| reads.nodes_of(first.table()).rows.insert_run(first.row(), len));
    }

    /// Which rows a table has, and their labels.
    pub(crate) fn all_rows(&self, table: TableId) {
        self.note(|reads| reads.nodes_of(table).rows.insert_all());
    }

    /// Rows of a table were looked for by a value, an integer as the column has it.
    pub(crate) fn range(&self, table: TableId, range: ReadRange) {
        self.note(|reads| reads.nodes_of(table).range(range));
    }

    /// Values of a column of nodes.
    pub(crate) fn values(&self, table: TableId, column: usize, first: u64, len: u64) {
        self.note(|reads| {
            reads.nodes_of(table).columns.or_default(column).insert_run(first, len);
        });
    }

    /// Rows of a table were looked for by a value of an indexed column.
    pub(crate) fn wanted(&self, table: TableId, column: usize, wanted: &Wanted) {
        let bound = |bound: &Bound<Value>, open: i64| match bound {
            Bound::Unbounded => Some(open),
            Bound::Included(value) | Bound::Excluded(value) => integer_of(value),
        };
        let range = match wanted {
            // The same instant, or time, may be written with another zone.
            Wanted::Equal(value @ Value::DateTime(_)) => integer_of(value).map(|at| (at, at)),
            Wanted::Equal(Value::Time(_)) | Wanted::Prefix(_) => None,
            Wanted::Equal(value) | Wanted::Same(value) => {
                return self.hash_wanted(table, column, hash_of_value(value));
            }
            Wanted::Between(low, high) => bound(low, i64::MIN).zip(bound(high, i64::MAX)),
        };
        match range {
            Some((low, high)) => self.range(table, ReadRange { column, low, high }),
            None => self.note(|reads| {
                reads.nodes_of(table).columns.or_default(column).insert_all();
            }),
        }
    }

    /// The same by the hash of a value that is no moment.
    pub(crate) fn hash_wanted(&self, table: TableId, column: usize, hash: u64) {
        self.note(|reads| reads.key(index_number(table, column), hash));
    }

    /// Rows of tables were looked for by the hash of a value of an indexed column each.
    pub(crate) fn hash_wanted_in_all(&self, indexes: &Arc<[u64]>, hash: u64) {
        self.note(|reads| reads.key_in_all(indexes, hash));
    }

    /// Edges of a table were looked for by a value of an indexed column.
    pub(crate) fn wanted_edges(&self, table: EdgeTableId, column: usize, wanted: &Wanted) {
        match wanted {
            // The same instant, or time, may be written with another zone.
            Wanted::Equal(value) if !matches!(value, Value::DateTime(_) | Value::Time(_)) => {
                self.note(|reads| reads.key(edge_index_number(table, column), hash_of_value(value)));
            }
            // Who makes an edge with a value writes the value.
            _ => self.all_edge_values(table, column),
        }
    }

    /// The value of a column of edges.
    pub(crate) fn edge_value(&self, edge: EdgeId, column: usize) {
        self.note(|reads| {
            reads.edges_of(edge.table()).columns.or_default(column).insert(edge.place());
        });
    }

    /// All values of a column of edges.
    pub(crate) fn all_edge_values(&self, table: EdgeTableId, column: usize) {
        self.note(|reads| reads.edges_of(table).columns.or_default(column).insert_all());
    }

    /// Lists of `len` nodes along an edge table.
    pub(crate) fn lists(&self, table: EdgeTableId, forward: bool, first: NodeId, len: u64) {
        self.note(|reads| {
            let reads = reads.edges_of(table);
            let rows = match forward {
                true => &mut reads.forward,
                false => reads.backward.or_default(first.table()),
            };
            rows.insert_run(first.row(), len);
        });
    }

    /// All properties of something, whatever their names.
    pub(crate) fn all_properties(&self) {
        self.log.all_properties.store(true, Ordering::Relaxed);
    }

    /// A key of a node table was looked up.
    pub(crate) fn key(&self, table: TableId, hash: Option<u64>) {
        if let Some(hash) = hash {
            self.note(|reads| reads.key(u64::from(table.0), hash));
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let own = std::mem::take(&mut *self.own.borrow_mut());
        lock(&self.log.reads).merge(own);
    }
}
