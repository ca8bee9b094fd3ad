//! How many statements of RDF there are, by predicate: for estimates, and nothing else. Takes the statistics
//! of the columns and edge tables that statements are in; gives how many a pattern finds, by what is given.
//!
//! Literals and nodes are thought to be spread evenly over the statements of their predicate.
//!
//! Source: Neumann, Moerkotte 2011 (cardinalities of triple patterns), without the sets of characteristics.

use trimorph_base::TableId;
use trimorph_types::rdf;

use crate::{Catalog, Places};

/// Statements of one predicate, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StatementCounts {
    /// How many there are.
    pub all: f64,
    /// Nodes that a subject of them may be, those that have none included.
    pub subjects: f64,
    /// Different objects.
    pub objects: f64,
}

impl StatementCounts {
    /// Of a predicate, or of all, about nodes of some tables, or of all.
    ///
    /// **Cost**: linear in the columns and edge tables of the predicate.
    pub(crate) fn of(catalog: &Catalog, predicate: Option<&str>, tables: Option<&[TableId]>) -> Self {
        let (shape, known) = (catalog.statement_shape(), catalog.estimated());
        let is_asked = |table: TableId| tables.is_none_or(|tables| tables.contains(&table));
        let mut counts = Self::default();
        let all = shape.predicates.iter().filter(|_| predicate.is_none()).map(|iri| &**iri);
        for places in predicate.into_iter().chain(all).filter_map(|iri| shape.places(iri)) {
            counts.add(catalog, places, &is_asked);
        }
        if predicate.is_none_or(|one| one == rdf::names::rdf::TYPE) {
            // A row has the labels of its table; of others nothing is counted here.
            let tables = known.table_ids().zip(&catalog.schema.node_tables);
            for (table, info) in tables.filter(|(table, _)| is_asked(*table)) {
                counts.all += known.rows(table) as f64 * info.labels.len() as f64;
            }
            counts.objects += catalog.schema.labels.iter().count() as f64;
        }
        let rows = known.table_ids().filter(|table| is_asked(*table)).map(|table| known.rows(table));
        counts.subjects = rows.sum::<u64>() as f64;
        counts
    }

    fn add(&mut self, catalog: &Catalog, places: &Places, is_asked: &dyn Fn(TableId) -> bool) {
        let known = catalog.estimated();
        for (table, column) in places.columns.iter().filter(|(table, _)| is_asked(*table)) {
            let Some(stats) = known.node_tables.get(usize::from(table.0)) else { continue };
            let Some(column) = stats.properties.get(*column) else { continue };
            self.all += stats.rows.saturating_sub(column.nulls) as f64;
            self.objects += column.distinct as f64;
        }
        for edges in places.edges.iter().filter(|edges| is_asked(edges.source)) {
            let Some(stats) = known.edge_tables.get(edges.at) else { continue };
            self.all += stats.forward.edges as f64;
            self.objects += stats.backward.iter().map(|(_, into)| into.nonempty).sum::<u64>() as f64;
        }
    }

    /// How many statements are found for each row that gives a subject, or an object.
    pub fn found(&self, subject: bool, object: bool) -> f64 {
        let by_subject = if subject { self.subjects.max(1.0) } else { 1.0 };
        let by_object = if object { self.objects.max(1.0) } else { 1.0 };
        self.all / by_subject / by_object
    }
}
