//! The catalog of one main version: schema, facts and statistics, each by the ids of tables; definitions.

use std::sync::Arc;

use trimorph_base::{EdgeTableId, LabelId, PropertyId, TableId};
use trimorph_types::iri_names::ANY_LABEL;

use crate::statement_shape::ShapeCell;
use crate::{
    Definitions, EdgeTableFacts, EdgeTableInfo, EdgeTableStats, Facts, LabelsVary, NodeTableFacts,
    NodeTableInfo, NodeTableStats, Schema, StatementShape, Statistics,
};

/// The catalog of one main version. What plans a query gets a [`crate::CatalogView`] of it.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Names and tables.
    pub schema: Schema,
    /// Counts, for estimates.
    pub statistics: Statistics,
    /// The same with what was written since, where that is so much that it would mislead plans to leave it
    /// out; in memory only.
    pub estimates: Option<Arc<Statistics>>,
    /// Indexes and constraints that were asked for.
    pub definitions: Definitions,
    /// How often facts became true again beside those who are at work; in memory only.
    pub facts_restored: u64,
    facts: Facts,
    shape: ShapeCell,
}

/// What is known of an edge table.
pub type KnownEdgeTable = (EdgeTableInfo, EdgeTableFacts, EdgeTableStats);

impl Catalog {
    /// Adds a node table; its id is the next one.
    pub fn add_node_table(&mut self, info: NodeTableInfo, facts: NodeTableFacts, stats: NodeTableStats) {
        self.schema.node_tables.push(info);
        self.facts.node_tables.push(facts);
        self.count(|statistics| statistics.node_tables.push(stats.clone()));
    }

    /// Adds an edge table; its id is the next one.
    pub fn add_edge_table(&mut self, (info, facts, stats): KnownEdgeTable) {
        self.schema.edge_tables.push(info);
        self.facts.edge_tables.push(facts);
        self.count(|statistics| statistics.edge_tables.push(stats.clone()));
    }

    /// Changes what was counted, with what was written since and without.
    pub fn count(&mut self, change: impl Fn(&mut Statistics)) {
        if let Some(estimates) = &mut self.estimates {
            change(Arc::make_mut(estimates));
        }
        change(&mut self.statistics);
    }

    /// Where statements of RDF may be.
    ///
    /// **Cost**: linear in columns and edge tables the first time, then in tables.
    pub fn statement_shape(&self) -> Arc<StatementShape> {
        self.shape.of(&self.schema)
    }

    /// What plans are estimated by.
    pub fn estimated(&self) -> &Statistics {
        self.estimates.as_deref().unwrap_or(&self.statistics)
    }

    /// The facts, for what writes and describes main versions. A plan must not be made of these: nobody would
    /// know that it was. It reads them through a [`crate::CatalogView`].
    pub fn unrecorded_facts(&self) -> &Facts {
        &self.facts
    }

    /// The facts, for what makes the next main version.
    pub fn facts_mut(&mut self) -> &mut Facts {
        &mut self.facts
    }

    /// Whether all values in a column of a node table are of its type.
    pub(crate) fn one_type(&self, table: TableId, column: usize) -> bool {
        let facts = self.facts.node_tables.get(table.0 as usize);
        facts.and_then(|facts| facts.one_type.get(column)).is_some_and(|one| *one)
    }

    /// The same of an edge table.
    pub(crate) fn one_edge_type(&self, table: EdgeTableId, column: usize) -> bool {
        let facts = self.facts.edge_tables.get(usize::from(table.0));
        facts.and_then(|facts| facts.one_type.get(column)).is_some_and(|one| *one)
    }

    /// Whether each row of a node table has the table's key.
    pub(crate) fn has_all_keys(&self, table: TableId) -> bool {
        let facts = self.facts.node_tables.get(usize::from(table.0));
        facts.is_some_and(|facts| !facts.keyless)
    }

    /// Whether rows of a node table may have a label, or an index with it is one of all nodes.
    fn labels_of_rows(&self, table: usize, info: &NodeTableInfo) -> impl Fn(LabelId) -> bool {
        let vary = self.facts.node_tables.get(table).map_or(&LabelsVary::Any, |facts| &facts.labels_vary);
        let any = self.schema.labels.id(ANY_LABEL);
        move |label| vary.by(label) || info.labels.contains(&label) || any == Some(usize::from(label.0))
    }

    /// The properties by whose values rows of a node table are to be found: the first of each definition that
    /// is about rows of the table.
    pub fn indexes(&self, table: TableId) -> Vec<PropertyId> {
        let at = usize::from(table.0);
        let Some(info) = self.schema.node_tables.get(at) else { return Vec::new() };
        let labels = self.labels_of_rows(at, info);
        let mut properties: Vec<PropertyId> = Vec::new();
        for one in self.definitions.iter().filter(|one| one.rule.is_indexed()) {
            let is_about = one.label().is_some_and(&labels);
            if let (true, Some(first)) = (is_about, one.properties.first())
                && !properties.contains(first)
            {
                properties.push(*first);
            }
        }
        properties
    }

    /// The properties by whose values together rows of a node table are to be found: those of each definition
    /// with several that is about rows of the table.
    pub fn composite_indexes(&self, table: TableId) -> Vec<&[PropertyId]> {
        let at = usize::from(table.0);
        let Some(info) = self.schema.node_tables.get(at) else { return Vec::new() };
        let labels = self.labels_of_rows(at, info);
        let mut all: Vec<&[PropertyId]> = Vec::new();
        for one in self.definitions.iter().filter(|one| one.rule.is_indexed() && one.properties.len() > 1) {
            if one.label().is_some_and(&labels) && !all.contains(&&*one.properties) {
                all.push(&one.properties);
            }
        }
        all
    }

    /// The properties by whose values edges of an edge table are to be found, likewise.
    pub fn edge_indexes(&self, table: EdgeTableId) -> Vec<PropertyId> {
        let Some(info) = self.schema.edge_tables.get(usize::from(table.0)) else { return Vec::new() };
        let mut properties: Vec<PropertyId> = Vec::new();
        for one in self.definitions.iter().filter(|one| one.rule.is_indexed()) {
            if let (true, Some(first)) = (one.edge_type() == Some(info.ty), one.properties.first())
                && !properties.contains(first)
            {
                properties.push(*first);
            }
        }
        properties
    }

    /// The node tables in which labels of rows may be others than the table's, and by which.
    pub(crate) fn varying(&self) -> impl Iterator<Item = (TableId, &LabelsVary)> {
        let facts = self.schema.table_ids().zip(&self.facts.node_tables);
        facts
            .filter(|(_, facts)| facts.labels_vary.do_vary())
            .map(|(table, facts)| (table, &facts.labels_vary))
    }

    /// Whether some edge tables have fewer edges than this together.
    pub(crate) fn have_fewer_edges(&self, tables: &[EdgeTableId], than: u64) -> bool {
        let facts = |table: &EdgeTableId| self.facts.edge_tables.get(table.0 as usize);
        let most = |facts: Option<&EdgeTableFacts>| facts.map_or(u64::MAX, |facts| facts.edges_max);
        tables.iter().map(|table| most(facts(table))).fold(0, u64::saturating_add) < than
    }
}
