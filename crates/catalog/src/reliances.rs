//! What a plan relied on of the catalog it was made for: asked of a later one, says whether the plan is still
//! right, and worth keeping.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use trimorph_base::{EdgeTableId, TableId};

use crate::{Catalog, Definitions, EdgeTableFacts, LabelsVary, NameKind};

/// What can be read of an edge table, a bit each.
pub(crate) mod read {
    /// How many edges there are, about.
    pub(crate) const ROWS: u8 = 1;
    pub(crate) const TARGETS: u8 = 1 << 1;
    pub(crate) const SINGLE: u8 = 1 << 2;
    pub(crate) const SINGLE_INTO: u8 = 1 << 3;
    pub(crate) const LOOPS: u8 = 1 << 4;
}

/// Rows below which a table is small, whatever it was before; one order of joins is as good as another there.
/// A vector's length, not measured.
const ROWS_MIN: u64 = 1_024;
/// By how much the rows of a table may change before a plan is made anew. Not measured.
const DRIFT_MAX: u64 = 4;

/// Whether a table has so many rows more or less that a plan may be another one.
pub fn has_drifted(before: u64, now: u64) -> bool {
    let (before, now) = (before.max(ROWS_MIN), now.max(ROWS_MIN));
    before.max(now) / DRIFT_MAX >= before.min(now)
}

/// The labels that were asked of a table, and whether one that has none of them was accepted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct LabelsAsked {
    pub(crate) labels: Vec<Arc<str>>,
    pub(crate) others: bool,
}

/// What was read of an edge table.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct EdgeTableRelied {
    pub(crate) table: EdgeTableId,
    pub(crate) read: u8,
    pub(crate) facts: EdgeTableFacts,
    pub(crate) edges: u64,
}

/// Whether some edge tables had fewer edges together than this.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct FewEdges {
    pub(crate) tables: Box<[EdgeTableId]>,
    pub(crate) than: u64,
    pub(crate) few: bool,
}

/// What a plan relied on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reliances {
    /// Tables there were.
    pub(crate) node_table_count: usize,
    pub(crate) edge_table_count: usize,
    /// Whether these were taken as all there are.
    pub(crate) all_node_tables: bool,
    pub(crate) all_edge_tables: bool,
    /// Names that nothing had.
    pub(crate) unknown: BTreeSet<(NameKind, Arc<str>)>,
    /// How many names there were, where all were looked at.
    pub(crate) name_counts: BTreeMap<NameKind, usize>,
    pub(crate) labels: BTreeSet<LabelsAsked>,
    /// The tables whose labels vary, and by which, where labels were asked for.
    pub(crate) varying: Option<BTreeMap<TableId, LabelsVary>>,
    pub(crate) types: Vec<Box<[Arc<str>]>>,
    /// How many columns had a name, or how many there were.
    pub(crate) columns: BTreeMap<Option<Arc<str>>, usize>,
    pub(crate) one_type: BTreeMap<(TableId, usize), bool>,
    /// Whether each row of a table had the key.
    pub(crate) full_keys: BTreeMap<TableId, bool>,
    pub(crate) one_edge_type: BTreeMap<(EdgeTableId, usize), bool>,
    pub(crate) few_edges: BTreeSet<FewEdges>,
    pub(crate) edge_tables: Vec<EdgeTableRelied>,
    /// Rows of the node tables that were looked at, about.
    pub(crate) rows: Vec<(TableId, u64)>,
    /// Indexes and constraints, where they were asked for.
    pub(crate) definitions: Option<Definitions>,
}

impl Reliances {
    pub(crate) fn of_tables(node_table_count: usize, edge_table_count: usize) -> Self {
        Self { node_table_count, edge_table_count, ..Self::default() }
    }

    /// Whether all of it is true of `catalog` too, a later one of the same database, and the tables have
    /// about as many rows as they had.
    ///
    /// **Cost**: a look at each thing relied on; at all columns if properties are read.
    pub fn hold_in(&self, catalog: &Catalog) -> bool {
        self.names_hold(catalog)
            && self.node_tables_hold(catalog)
            && self.edge_tables_hold(catalog)
            && !self.have_drifted(catalog)
            && self.definitions.as_ref().is_none_or(|known| known.is_same(&catalog.definitions))
    }

    /// Whether it would have looked at a node table that has come since.
    pub fn concerns_node_table(&self, table: TableId, catalog: &Catalog) -> bool {
        let has = |label: &Arc<str>| catalog.schema.has_label(table, label);
        let asked = |asked: &LabelsAsked| asked.others || asked.labels.iter().any(has);
        usize::from(table.0) >= self.node_table_count
            && (self.all_node_tables || self.labels.iter().any(asked))
    }

    /// Whether it took for certain that the labels of a node table's rows differ from the table's by fewer
    /// labels than they do now.
    pub fn concerns_labels(&self, table: TableId, now: &LabelsVary) -> bool {
        let known =
            |varying: &BTreeMap<TableId, LabelsVary>| varying.get(&table).cloned().unwrap_or_default();
        self.varying.as_ref().is_some_and(|varying| !known(varying).covers(now))
    }

    /// Whether it took for certain that no table has a column of this name that has come since, or what its
    /// type is.
    pub fn concerns_property(&self, name: &Arc<str>) -> bool {
        self.columns.contains_key(&None) || self.columns.contains_key(&Some(Arc::clone(name)))
    }

    /// Whether it took for certain that all values of a column are of its type.
    pub fn concerns_type(&self, table: TableId, column: usize) -> bool {
        self.one_type.get(&(table, column)).is_some_and(|one| *one)
    }

    /// The same of a column of an edge table.
    pub fn concerns_edge_type(&self, table: EdgeTableId, column: usize) -> bool {
        self.one_edge_type.get(&(table, column)).is_some_and(|one| *one)
    }

    /// Whether it took for certain that each row of a node table has the key.
    pub fn concerns_keys(&self, table: TableId) -> bool {
        self.full_keys.get(&table).is_some_and(|full| *full)
    }

    /// Whether it would have looked at an edge table that has come since, or took something of one for
    /// certain that is so no more.
    pub fn concerns_edge_table(&self, table: EdgeTableId, catalog: &Catalog) -> bool {
        let is_new = usize::from(table.0) >= self.edge_table_count;
        let name = catalog.schema.type_name(table);
        let asked = || self.types.iter().any(|types| types.contains(&name));
        let relied = self.edge_tables.iter().filter(|relied| relied.table == table);
        let few = self.few_edges.iter().filter(|few| few.tables.contains(&table));
        (is_new && (self.all_edge_tables || asked()))
            || relied.into_iter().any(|relied| !relied.holds_in(catalog))
            || few.into_iter().any(|few| catalog.have_fewer_edges(&few.tables, few.than) != few.few)
    }

    fn names_hold(&self, catalog: &Catalog) -> bool {
        let schema = &catalog.schema;
        self.unknown.iter().all(|(kind, name)| schema.names(*kind).id(name).is_none())
            && self.name_counts.iter().all(|(kind, count)| schema.names(*kind).iter().len() == *count)
            && self.columns.iter().all(|(name, count)| schema.column_count(name.as_deref()) == *count)
    }

    fn node_tables_hold(&self, catalog: &Catalog) -> bool {
        let schema = &catalog.schema;
        let count = schema.node_tables.len();
        let mut new = schema.table_ids().skip(self.node_table_count);
        count >= self.node_table_count
            && (count == self.node_table_count || !self.all_node_tables)
            && new.all(|table| {
                let has = |label: &Arc<str>| schema.has_label(table, label);
                self.labels.iter().all(|asked| !asked.others && !asked.labels.iter().any(has))
            })
            && (self.varying.as_ref())
                .is_none_or(|varying| varying.iter().map(|(table, by)| (*table, by)).eq(catalog.varying()))
            && self.one_type.iter().all(|((table, column), was)| catalog.one_type(*table, *column) == *was)
            && self.full_keys.iter().all(|(table, was)| catalog.has_all_keys(*table) == *was)
    }

    fn edge_tables_hold(&self, catalog: &Catalog) -> bool {
        let schema = &catalog.schema;
        let count = schema.edge_tables.len();
        let mut new = schema.edge_table_ids().skip(self.edge_table_count);
        count >= self.edge_table_count
            && (count == self.edge_table_count || !self.all_edge_tables)
            && new.all(|table| {
                let name = schema.type_name(table);
                !self.types.iter().any(|types| types.contains(&name))
            })
            && self.edge_tables.iter().all(|relied| relied.holds_in(catalog))
            && self
                .one_edge_type
                .iter()
                .all(|((table, column), was)| catalog.one_edge_type(*table, *column) == *was)
            && self.few_edges.iter().all(|f| catalog.have_fewer_edges(&f.tables, f.than) == f.few)
    }

    fn have_drifted(&self, catalog: &Catalog) -> bool {
        let statistics = catalog.estimated();
        self.rows.iter().any(|(table, rows)| has_drifted(*rows, statistics.rows(*table)))
            || self.edge_tables.iter().any(|e| has_drifted(e.edges, statistics.edges(e.table)))
    }
}

impl EdgeTableRelied {
    fn holds_in(&self, catalog: &Catalog) -> bool {
        let Some(now) = catalog.unrecorded_facts().edge_tables.get(self.table.0 as usize) else {
            return false;
        };
        let was = &self.facts;
        let read = |what: u8| self.read & what != 0;
        let targets_hold = || {
            let (was, now) = (was.targets.iter(), now.targets.iter());
            was.map(|t| t.table).eq(now.map(|t| t.table))
        };
        let singles_hold = || was.targets.iter().all(|target| now.targets.contains(target));
        (!read(read::TARGETS) || targets_hold())
            && (!read(read::SINGLE) || was.single == now.single)
            && (!read(read::SINGLE_INTO) || singles_hold())
            && (!read(read::LOOPS) || (was.self_loops_max > 0) == (now.self_loops_max > 0))
    }
}
