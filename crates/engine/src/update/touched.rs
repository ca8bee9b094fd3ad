//! What a clause wrote that constraints may be about, and what a transaction has left to be asked when it
//! commits.

use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId, LabelId, SmallMap, TableId};
use trimorph_catalog::{Catalog, Definition, Definitions, Rule, Subject};

/// What a clause wrote that constraints may be about.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    came: SmallMap<TableId, Vec<u64>>,
    values: SmallMap<(TableId, usize), Vec<u64>>,
    labels: SmallMap<TableId, Vec<u64>>,
    edges_came: SmallMap<EdgeTableId, Vec<EdgeId>>,
    edge_values: SmallMap<(EdgeTableId, usize), Vec<EdgeId>>,
}

impl Touched {
    pub(super) fn came(&mut self, table: TableId, rows: &[u64]) {
        self.came.or_default(table).extend(rows);
    }

    pub(super) fn values(&mut self, table: TableId, column: usize, rows: &[u64]) {
        self.values.or_default((table, column)).extend(rows);
    }

    pub(super) fn labels(&mut self, table: TableId, rows: &[u64]) {
        self.labels.or_default(table).extend(rows);
    }

    pub(super) fn edges_came(&mut self, edges: &[EdgeId]) {
        edges.iter().for_each(|edge| self.edges_came.or_default(edge.table()).push(*edge));
    }

    pub(super) fn edge_values(&mut self, table: EdgeTableId, column: usize, edges: &[EdgeId]) {
        self.edge_values.or_default((table, column)).extend(edges);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.came.is_empty()
            && self.values.is_empty()
            && self.labels.is_empty()
            && self.edges_came.is_empty()
            && self.edge_values.is_empty()
    }

    /// The node tables that something was written to.
    pub(super) fn tables(&self) -> Vec<TableId> {
        let values = self.values.keys().map(|(table, _)| table);
        let mut tables: Vec<TableId> =
            self.came.keys().chain(values).chain(self.labels.keys()).copied().collect();
        tables.sort_unstable();
        tables.dedup();
        tables
    }

    /// The rows of a table that came, changed labels, or got values in some columns.
    pub(super) fn rows(&self, table: TableId, columns: &[Option<usize>]) -> Vec<u64> {
        let values = columns.iter().flatten().filter_map(|column| self.values.get(&(table, *column)));
        let all = [self.came.get(&table), self.labels.get(&table)].into_iter().flatten().chain(values);
        let mut rows: Vec<u64> = all.flatten().copied().collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// The edges of an edge table that came, or got values in some columns.
    pub(super) fn edges(&self, table: EdgeTableId, columns: &[Option<usize>]) -> Vec<EdgeId> {
        let values = columns.iter().flatten().filter_map(|column| self.edge_values.get(&(table, *column)));
        let all = self.edges_came.get(&table).into_iter().chain(values);
        let mut edges: Vec<EdgeId> = all.flatten().copied().collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }
}

/// What was written and lacks what a definition demands: looked at again at the commit.
#[derive(Debug, Default)]
pub(crate) struct Lacking {
    pub(super) nodes: SmallMap<TableId, Vec<u64>>,
    pub(super) edges: SmallMap<EdgeTableId, Vec<EdgeId>>,
}

impl Lacking {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.edges.is_empty()
    }
}

/// Whether a constraint may be about what is written to a node table: to one column, or rows that come and
/// labels. Most of what is written is nobody's business.
pub(super) fn concerns_nodes(catalog: &Catalog, table: TableId, column: Option<usize>) -> bool {
    let property = |column: usize| {
        let info = catalog.schema.node_tables.get(usize::from(table.0))?;
        info.properties.get(column).map(|property| property.id)
    };
    let is_its = |one: &Definition| {
        column.is_none_or(|column| property(column).is_some_and(|id| one.properties.contains(&id)))
    };
    constraints(catalog).any(|one| match one.subject {
        Subject::Label(label) => may_have(catalog, table, label) && is_its(one),
        Subject::Type(_) => false,
    })
}

/// The same of labels that come to nodes, or go: what a constraint says of nodes with other labels is true of
/// them as before.
pub(super) fn concerns_labels(catalog: &Catalog, labels: &[Arc<str>]) -> bool {
    constraints(catalog).any(|one| match one.subject {
        Subject::Label(label) => {
            let name = catalog.schema.labels.name(label.0.into());
            name.is_some_and(|name| labels.contains(name))
        }
        Subject::Type(_) => false,
    })
}

/// The same of an edge table: of one column, or edges that come.
pub(super) fn concerns_edges(catalog: &Catalog, table: EdgeTableId, column: Option<usize>) -> bool {
    let Some(info) = catalog.schema.edge_tables.get(usize::from(table.0)) else { return false };
    let property = |column: usize| info.properties.get(column).map(|property| property.id);
    let is_its = |one: &Definition| {
        column.is_none_or(|column| property(column).is_some_and(|id| one.properties.contains(&id)))
    };
    constraints(catalog).any(|one| one.subject == Subject::Type(info.ty) && is_its(one))
}

fn constraints(catalog: &Catalog) -> impl Iterator<Item = &Definition> {
    catalog.definitions.iter().map(AsRef::as_ref).filter(|one| one.rule != Rule::Index)
}

/// Whether rows of a node table may have a label.
fn may_have(catalog: &Catalog, table: TableId, label: LabelId) -> bool {
    let (at, facts) = (usize::from(table.0), catalog.unrecorded_facts());
    catalog.schema.node_tables.get(at).is_some_and(|info| info.labels.contains(&label))
        || facts.node_tables.get(at).is_some_and(|facts| facts.labels_vary.by(label))
}

/// Whether a constraint was made since a transaction began that is about tables it has written to: what it
/// wrote before was not asked.
pub(super) fn meets_new_constraint(
    before: &Definitions,
    catalog: &Catalog,
    (nodes, edges): &(Vec<TableId>, Vec<EdgeTableId>),
) -> bool {
    if before.is_same(&catalog.definitions) {
        return false;
    }
    let schema = &catalog.schema;
    let is_new = |one: &&Arc<Definition>| {
        one.rule != Rule::Index && before.get(&one.name).is_none_or(|old| !Arc::ptr_eq(old, one))
    };
    let concerns = |one: &Arc<Definition>| match one.subject {
        Subject::Label(label) => nodes.iter().any(|table| may_have(catalog, *table, label)),
        Subject::Type(ty) => edges
            .iter()
            .any(|table| schema.edge_tables.get(usize::from(table.0)).is_some_and(|info| info.ty == ty)),
    };
    catalog.definitions.iter().filter(is_new).any(concerns)
}
