//! Where statements of a predicate may be: a schema in, columns and edge tables by predicate out.

use std::collections::HashMap;
use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_catalog::Schema;
use trimorph_types::iri_names::{GRAPH, iri_of, is_hidden};

/// An edge table as statements.
#[derive(Clone, Debug)]
pub(super) struct EdgeShape {
    /// Its place in the catalog.
    pub(super) at: usize,
    pub(super) source: TableId,
    /// The column of the named graph, if it has one.
    pub(super) graph: Option<usize>,
}

/// The places of one predicate.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) columns: Vec<(TableId, usize)>,
    pub(super) edges: Vec<EdgeShape>,
}

/// Columns and edge tables by predicate.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    places: HashMap<Arc<str>, Places>,
    /// All predicates, in a fixed order.
    pub(super) predicates: Vec<Arc<str>>,
}

impl Shape {
    /// Of a schema. **Cost**: linear in its columns and edge tables.
    pub fn of(schema: &Schema) -> Self {
        let mut shape = Self::default();
        for (table, info) in schema.table_ids().zip(&schema.node_tables) {
            for (column, property) in info.properties.iter().enumerate() {
                let name = schema.property_name(property.id);
                if !is_hidden(&name) {
                    shape.of_predicate(&name).columns.push((table, column));
                }
            }
        }
        for (at, info) in schema.edge_tables.iter().enumerate() {
            let Some(name) = schema.types.name(usize::from(info.ty.0)) else { continue };
            let graph = info.properties.iter().position(|own| *schema.property_name(own.id) == *GRAPH);
            shape.of_predicate(name).edges.push(EdgeShape { at, source: info.source, graph });
        }
        shape
    }

    fn of_predicate(&mut self, name: &str) -> &mut Places {
        let iri: Arc<str> = iri_of(name).into();
        if !self.places.contains_key(&iri) {
            self.predicates.push(Arc::clone(&iri));
        }
        self.places.entry(iri).or_default()
    }

    pub(super) fn places(&self, predicate: &str) -> Option<&Places> {
        self.places.get(predicate)
    }
}
