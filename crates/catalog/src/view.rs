//! The view of a catalog that plans are made through: takes questions, gives answers, and notes what a plan
//! relies on.
//!
//! 1. What the schema has, it keeps: noted is what was not found, and what was taken as the whole.
//! 2. Every fact that was read is noted, whether it held or not.
//! 3. Statistics are for estimates: of them, only the rows of the tables that were looked at are noted, so
//!    that a plan is made anew when they have changed by much.
//!
//! There is no way to the facts but through methods that note them.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use trimorph_base::{EdgeTableId, LabelId, TableId};
use trimorph_types::LogicalType;

use crate::reliances::{EdgeTableRelied, FewEdges, LabelsAsked, read};
use crate::{
    Catalog, EdgeTableFacts, LabelsVary, NameKind, Names, PropertyStats, Reliances, StatementCounts,
    Statistics,
};

/// The edge tables of edge labels that were asked for.
type TablesByTypes = HashMap<Box<[Arc<str>]>, Arc<[EdgeTableId]>>;

/// A catalog, and what was relied on of it. Threads that make parts of one plan may share it.
#[derive(Debug)]
pub struct CatalogView<'c> {
    catalog: &'c Catalog,
    /// By node table, whether it was looked at.
    node_tables: Vec<AtomicBool>,
    /// By edge table, what was read of it.
    edge_tables: Vec<AtomicU8>,
    relied: Mutex<Reliances>,
    by_types: Mutex<TablesByTypes>,
    /// Of all predicates, about all nodes, once somebody has asked.
    all_statements: OnceLock<StatementCounts>,
}

fn lock<T>(noted: &Mutex<T>) -> MutexGuard<'_, T> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'c> CatalogView<'c> {
    /// Nothing is noted yet. **Cost**: a few bytes for each table.
    pub fn new(catalog: &'c Catalog) -> Self {
        let schema = &catalog.schema;
        let (nodes, edges) = (schema.node_tables.len(), schema.edge_tables.len());
        Self {
            catalog,
            node_tables: (0..nodes).map(|_| AtomicBool::new(false)).collect(),
            edge_tables: (0..edges).map(|_| AtomicU8::new(0)).collect(),
            relied: Mutex::new(Reliances::of_tables(nodes, edges)),
            by_types: Mutex::default(),
            all_statements: OnceLock::new(),
        }
    }

    /// What was relied on up to now.
    pub fn reliances(&self) -> Reliances {
        let statistics = self.catalog.estimated();
        let mut relied = lock(&self.relied).clone();
        let looked_at = self
            .catalog
            .schema
            .table_ids()
            .zip(&self.node_tables)
            .filter(|(_, seen)| seen.load(Ordering::Relaxed));
        relied.rows = looked_at.map(|(table, _)| (table, statistics.rows(table))).collect();
        for (table, read) in self.catalog.schema.edge_table_ids().zip(&self.edge_tables) {
            let read = read.load(Ordering::Relaxed);
            if read != 0 {
                let facts = self.facts(table).cloned().unwrap_or_default();
                let edges = statistics.edges(table);
                relied.edge_tables.push(EdgeTableRelied { table, read, facts, edges });
            }
        }
        relied
    }

    // Names.

    /// Whether something has this name.
    pub fn is_known(&self, kind: NameKind, name: &str) -> bool {
        let known = self.catalog.schema.names(kind).id(name).is_some();
        if !known {
            lock(&self.relied).unknown.insert((kind, name.into()));
        }
        known
    }

    /// All names of a kind.
    pub fn names(&self, kind: NameKind) -> &'c Names {
        let names = self.catalog.schema.names(kind);
        lock(&self.relied).name_counts.insert(kind, names.iter().len());
        names
    }

    // Node tables.

    /// How many node tables there are: all, to who takes it for that.
    pub fn node_table_count(&self) -> usize {
        lock(&self.relied).all_node_tables = true;
        self.node_tables.len()
    }

    /// All node tables.
    pub fn node_table_ids(&self) -> impl Iterator<Item = TableId> + use<> {
        self.node_table_count();
        self.catalog.schema.table_ids()
    }

    /// Whether there is a node table.
    pub fn has_node_tables(&self) -> bool {
        !self.node_tables.is_empty() || self.node_table_count() > 0
    }

    /// Whether so many different tables are all there are.
    pub fn are_all(&self, tables: usize) -> bool {
        tables == self.node_tables.len() && tables == self.node_table_count()
    }

    /// Whether a table is one of the catalog.
    pub fn has_node_table(&self, table: TableId) -> bool {
        (table.0 as usize) < self.node_tables.len()
    }

    /// The node tables whose label set `keep` accepts, by their ids, and those whose rows may have others
    /// that it accepts. What `keep` gives must be decided by what it asks.
    pub fn node_tables_where(&self, keep: impl Fn(&dyn Fn(&str) -> bool) -> bool) -> Vec<TableId> {
        // A table with none of the labels that are asked when all answers are no is like this one.
        let asked: RefCell<Vec<Arc<str>>> = RefCell::default();
        let others = keep(&|label| {
            asked.borrow_mut().push(label.into());
            false
        });
        lock(&self.relied).labels.insert(LabelsAsked { labels: asked.into_inner(), others });
        let varying = self.varying_where(&keep);
        let mut tables = self.catalog.schema.tables_where(keep);
        // Any of their rows may be accepted.
        if !varying.is_empty() {
            tables.extend(varying);
            tables.sort_unstable();
            tables.dedup();
        }
        for table in &tables {
            self.node_tables[table.0 as usize].store(true, Ordering::Relaxed);
        }
        tables
    }

    /// The node tables in which labels of rows may be others than the table's.
    pub fn varying(&self) -> Vec<TableId> {
        self.note_varying();
        self.catalog.varying().map(|(table, _)| table).collect()
    }

    /// Those of them in which rows may differ by a label that decides what `keep` gives: who decides by
    /// labels looks at rows there. What `keep` gives must be decided by what it asks.
    pub fn varying_where(&self, keep: impl Fn(&dyn Fn(&str) -> bool) -> bool) -> Vec<TableId> {
        self.note_varying();
        let schema = &self.catalog.schema;
        let may_differ = |(table, by): &(TableId, &LabelsVary)| {
            let differs = Cell::new(false);
            // As long as it asks for no label that differs, rows are answered as the table is.
            keep(&|label| {
                let id = schema.labels.id(label).and_then(|id| u16::try_from(id).ok());
                differs.set(differs.get() || id.is_some_and(|id| by.by(LabelId(id))));
                schema.has_label(*table, label)
            });
            differs.get()
        };
        self.catalog.varying().filter(may_differ).map(|(table, _)| table).collect()
    }

    fn note_varying(&self) {
        let mut relied = lock(&self.relied);
        let all = || self.catalog.varying().map(|(table, by)| (table, by.clone())).collect();
        relied.varying.get_or_insert_with(all);
    }

    /// Whether the label set of a table holds a label: it does for good, or never.
    pub fn has_label(&self, table: TableId, label: &str) -> bool {
        self.catalog.schema.has_label(table, label)
    }

    /// Whether a table has labels.
    pub fn has_labels(&self, table: TableId) -> bool {
        self.catalog.schema.node_tables.get(table.0 as usize).is_some_and(|info| !info.labels.is_empty())
    }

    /// The labels of a table: it has them for good.
    pub fn label_names(&self, table: TableId) -> Vec<Arc<str>> {
        self.catalog.schema.label_names(table)
    }

    /// Whether `name` is the key property of a table. A table without a key may get one: what was planned
    /// without it stays right. A key goes with a constraint that is dropped.
    pub fn is_key(&self, table: TableId, name: &str) -> bool {
        lock(&self.relied).definitions = Some(self.catalog.definitions.clone());
        let key = self.key(table);
        key.is_some() && key == self.catalog.schema.node_property(table, name)
    }

    /// Whether each node of a table has another value of `name`, which none lacks: the table's key.
    pub fn is_full_key(&self, table: TableId, name: &str) -> bool {
        if !self.is_key(table, name) {
            return false;
        }
        let is_full = self.catalog.has_all_keys(table);
        lock(&self.relied).full_keys.insert(table, is_full);
        is_full
    }

    /// Whether nodes of some tables are found by the values of a property: a definition is about them all.
    /// What is planned with an index is right without it.
    pub fn is_indexed(&self, tables: &[TableId], name: &str) -> bool {
        let definitions = &self.catalog.definitions;
        lock(&self.relied).definitions = Some(definitions.clone());
        if definitions.is_empty() {
            return false;
        }
        let schema = &self.catalog.schema;
        let Some(property) = schema.property_id(name) else { return false };
        // Of a table without the property no row is found, whatever is there.
        tables.iter().all(|table| {
            self.is_key(*table, name)
                || schema.node_property(*table, name).is_none()
                || self.catalog.indexes(*table).contains(&property)
        })
    }

    /// The names of properties by whose values together nodes of all of some tables are found.
    pub fn composite_indexes(&self, tables: &[TableId]) -> Vec<Vec<Arc<str>>> {
        let definitions = &self.catalog.definitions;
        lock(&self.relied).definitions = Some(definitions.clone());
        let Some((first, rest)) = tables.split_first() else { return Vec::new() };
        let schema = &self.catalog.schema;
        let mut all = self.catalog.composite_indexes(*first);
        all.retain(|one| rest.iter().all(|table| self.catalog.composite_indexes(*table).contains(one)));
        all.into_iter().map(|ids| ids.iter().map(|id| schema.property_name(*id)).collect()).collect()
    }

    /// Whether edges of some edge tables are found by the values of a property, likewise.
    pub fn is_edge_indexed(&self, tables: &[EdgeTableId], name: &str) -> bool {
        let definitions = &self.catalog.definitions;
        lock(&self.relied).definitions = Some(definitions.clone());
        if definitions.is_empty() {
            return false;
        }
        let schema = &self.catalog.schema;
        let Some(property) = schema.property_id(name) else { return false };
        tables.iter().all(|table| {
            schema.edge_property(*table, name).is_none()
                || self.catalog.edge_indexes(*table).contains(&property)
        })
    }

    /// Whether there is no index but those of keys.
    pub fn has_no_indexes(&self) -> bool {
        let definitions = &self.catalog.definitions;
        lock(&self.relied).definitions = Some(definitions.clone());
        definitions.is_empty()
    }

    /// Whether no two nodes with a label have the same value of a property.
    pub fn is_unique(&self, label: &str, name: &str) -> bool {
        let definitions = &self.catalog.definitions;
        lock(&self.relied).definitions = Some(definitions.clone());
        let schema = &self.catalog.schema;
        let ids = schema.labels.id(label).zip(schema.property_id(name));
        ids.is_some_and(|(label, property)| {
            definitions.iter().any(|one| {
                one.rule.is_unique()
                    && one.label().is_some_and(|own| usize::from(own.0) == label)
                    && one.properties == [property]
            })
        })
    }

    /// Place of the key property of a table, if it has one.
    pub fn key(&self, table: TableId) -> Option<usize> {
        self.catalog.schema.node_tables.get(table.0 as usize)?.key
    }

    // Columns.

    /// Columns of node tables: those of these names, or all; table by table, in their order.
    pub fn node_columns(&self, names: Option<&[Arc<str>]>) -> Vec<(TableId, usize)> {
        self.note_columns(names);
        let schema = &self.catalog.schema;
        let tables = schema.table_ids().zip(schema.node_tables.iter().map(|t| &t.properties));
        schema.columns(tables, names)
    }

    /// The same of edge tables.
    pub fn edge_columns(&self, names: Option<&[Arc<str>]>) -> Vec<(EdgeTableId, usize)> {
        self.note_columns(names);
        let schema = &self.catalog.schema;
        let tables = schema.edge_table_ids().zip(schema.edge_tables.iter().map(|t| &t.properties));
        schema.columns(tables, names)
    }

    fn note_columns(&self, names: Option<&[Arc<str>]>) {
        let mut relied = lock(&self.relied);
        let columns = &mut relied.columns;
        let mut note = |name: Option<&Arc<str>>| {
            let count = || self.catalog.schema.column_count(name.map(AsRef::as_ref));
            columns.entry(name.cloned()).or_insert_with(count);
        };
        match names {
            Some(names) => names.iter().for_each(|name| note(Some(name))),
            None => note(None),
        }
    }

    /// The type that a column of a node table is laid out for.
    pub fn column_type(&self, table: TableId, column: usize) -> Option<LogicalType> {
        let info = self.catalog.schema.node_tables.get(table.0 as usize)?;
        info.properties.get(column).map(|property| property.ty)
    }

    /// Whether all values in a column of a node table are of its type.
    pub fn has_one_type(&self, table: TableId, column: usize) -> bool {
        let one_type = self.catalog.one_type(table, column);
        lock(&self.relied).one_type.insert((table, column), one_type);
        one_type
    }

    /// The type of a column of an edge table: of all its values, or of most.
    pub fn edge_column_type(&self, table: EdgeTableId, column: usize) -> Option<LogicalType> {
        let info = self.catalog.schema.edge_tables.get(usize::from(table.0))?;
        info.properties.get(column).map(|property| property.ty)
    }

    /// Whether all values in a column of an edge table are of its type.
    pub fn has_one_edge_type(&self, table: EdgeTableId, column: usize) -> bool {
        let one_type = self.catalog.one_edge_type(table, column);
        lock(&self.relied).one_edge_type.insert((table, column), one_type);
        one_type
    }

    /// The names of the properties that edges of a table may have.
    pub fn edge_property_names(&self, table: EdgeTableId) -> Vec<Arc<str>> {
        self.note_columns(None);
        let schema = &self.catalog.schema;
        let info = schema.edge_tables.get(usize::from(table.0));
        info.into_iter().flat_map(|info| &info.properties).map(|own| schema.property_name(own.id)).collect()
    }

    // Edge tables.

    /// All edge tables.
    pub fn edge_table_ids(&self) -> impl Iterator<Item = EdgeTableId> + use<> {
        lock(&self.relied).all_edge_tables = true;
        self.catalog.schema.edge_table_ids()
    }

    /// The edge tables of these edge labels, or all; by their ids.
    pub fn edge_tables(&self, types: Option<&[Arc<str>]>) -> Arc<[EdgeTableId]> {
        // No list of labels is empty, so that the empty one can stand for all.
        if types.is_some_and(<[_]>::is_empty) {
            return Arc::new([]);
        }
        let key = types.unwrap_or_default();
        if let Some(known) = lock(&self.by_types).get(key) {
            return Arc::clone(known);
        }
        let found: Arc<[EdgeTableId]> = match types {
            None => self.edge_table_ids().collect(),
            Some(types) => {
                lock(&self.relied).types.push(types.into());
                let schema = &self.catalog.schema;
                schema.edge_table_ids().filter(|t| types.contains(&schema.type_name(*t))).collect()
            }
        };
        found.iter().for_each(|table| self.note(*table, read::ROWS));
        lock(&self.by_types).insert(key.into(), Arc::clone(&found));
        found
    }

    /// The source node table of an edge table.
    pub fn source(&self, table: EdgeTableId) -> TableId {
        self.catalog.schema.edge_tables.get(table.0 as usize).map_or(TableId(u16::MAX), |info| info.source)
    }

    /// The edge label of an edge table.
    pub fn type_name(&self, table: EdgeTableId) -> Arc<str> {
        self.catalog.schema.type_name(table)
    }

    /// The node tables that targets of an edge table can be in.
    pub fn targets(&self, table: EdgeTableId) -> impl Iterator<Item = TableId> + use<'c> {
        self.note(table, read::TARGETS);
        self.facts(table).into_iter().flat_map(|facts| &facts.targets).map(|target| target.table)
    }

    /// Whether no source of an edge table has more than one edge.
    pub fn is_single(&self, table: EdgeTableId) -> bool {
        self.note(table, read::SINGLE);
        self.facts(table).is_some_and(|facts| facts.single)
    }

    /// Whether no node of `target` has more than one edge of an edge table.
    pub fn is_single_into(&self, table: EdgeTableId, target: TableId) -> bool {
        self.note(table, read::SINGLE_INTO);
        let mut targets = self.facts(table).into_iter().flat_map(|facts| &facts.targets);
        targets.any(|known| known.table == target && known.single)
    }

    /// Whether an edge of an edge table may lead from a node to itself.
    pub fn may_have_loops(&self, table: EdgeTableId) -> bool {
        self.note(table, read::LOOPS);
        self.facts(table).is_none_or(|facts| facts.self_loops_max > 0)
    }

    /// Whether some edge tables have fewer edges than this together.
    pub fn have_fewer_edges(&self, tables: &[EdgeTableId], than: u64) -> bool {
        let few = self.catalog.have_fewer_edges(tables, than);
        lock(&self.relied).few_edges.insert(FewEdges { tables: tables.into(), than, few });
        few
    }

    fn facts(&self, table: EdgeTableId) -> Option<&'c EdgeTableFacts> {
        self.catalog.unrecorded_facts().edge_tables.get(table.0 as usize)
    }

    fn note(&self, table: EdgeTableId, what: u8) {
        if let Some(known) = self.edge_tables.get(table.0 as usize) {
            known.fetch_or(what, Ordering::Relaxed);
        }
    }

    // Estimates.

    /// What was counted: for estimates.
    pub fn statistics(&self) -> &'c Statistics {
        self.catalog.estimated()
    }

    /// How many statements of a predicate there are, or of all, about nodes of some tables, or of all: for
    /// estimates, and not noted.
    ///
    /// **Cost**: linear in the columns and edge tables of the predicate; all there are are counted once.
    pub fn statement_counts(&self, predicate: Option<&str>, tables: Option<&[TableId]>) -> StatementCounts {
        match (predicate, tables) {
            (None, None) => {
                *self.all_statements.get_or_init(|| StatementCounts::of(self.catalog, None, None))
            }
            _ => StatementCounts::of(self.catalog, predicate, tables),
        }
    }

    /// Whether objects of a predicate may be values of properties: for estimates, and not noted.
    pub fn may_have_literals(&self, predicate: &str) -> bool {
        let shape = self.catalog.statement_shape();
        shape.places(predicate).is_some_and(|places| !places.columns.is_empty())
    }

    /// Place of the column `name` of a node table: for estimates, and not noted.
    pub fn estimated_column(&self, table: TableId, name: &str) -> Option<usize> {
        self.catalog.schema.node_property(table, name)
    }

    /// Statistics of the column `name` of an edge table: for estimates, and not noted.
    pub fn estimated_edge_property(&self, table: EdgeTableId, name: &str) -> Option<&'c PropertyStats> {
        let column = self.catalog.schema.edge_property(table, name)?;
        self.catalog.estimated().edge_tables.get(table.0 as usize)?.properties.get(column)
    }

    /// Statistics of the column `name` of a node table: for estimates.
    pub fn estimated_property(&self, table: TableId, name: &str) -> Option<&'c PropertyStats> {
        let column = self.estimated_column(table, name)?;
        self.catalog.estimated().node_tables.get(table.0 as usize)?.properties.get(column)
    }
}
