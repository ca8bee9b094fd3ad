//! Where statements of a predicate may be: a schema in, columns and edge tables by predicate out, and the
//! edge tables whose edges have properties.

use std::collections::HashMap;
use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_catalog::Schema;
use trimorph_types::iri_names::{GRAPH, iri_of, is_hidden};
use trimorph_types::rdf;

/// An edge table as statements.
#[derive(Clone, Debug)]
pub(super) struct EdgeShape {
    /// Its place in the catalog.
    pub(super) at: usize,
    pub(super) source: TableId,
    /// The column of the named graph, if it has one.
    pub(super) graph: Option<usize>,
}

/// What the edges of a table say of themselves: an edge table with properties that are statements.
#[derive(Clone, Debug)]
pub(super) struct SaidShape {
    pub(super) edges: EdgeShape,
    /// The predicate of the edges themselves.
    pub(super) predicate: Arc<str>,
    /// The columns, by their predicates.
    pub(super) columns: Vec<(Arc<str>, usize)>,
}

/// The places of one predicate.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    pub(super) columns: Vec<(TableId, usize)>,
    pub(super) edges: Vec<EdgeShape>,
    /// Edge tables, by their places in [`Shape::said`], with the columns of properties of edges.
    pub(super) said: Vec<(usize, usize)>,
}

/// Columns and edge tables by predicate.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    places: HashMap<Arc<str>, Places>,
    pub(super) said: Vec<SaidShape>,
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
            let edges = EdgeShape { at, source: info.source, graph };
            shape.of_predicate(name).edges.push(edges.clone());
            let own = info.properties.iter().map(|own| schema.property_name(own.id)).enumerate();
            let visible = own.filter(|(_, name)| !is_hidden(name));
            let columns: Vec<_> = visible.map(|(column, name)| (iri_of(&name).into(), column)).collect();
            if columns.is_empty() {
                continue;
            }
            for (iri, column) in &columns {
                let said = shape.said.len();
                shape.of_iri(iri).said.push((said, *column));
            }
            shape.of_iri(&rdf::names::rdf::REIFIES.into());
            shape.said.push(SaidShape { edges, predicate: iri_of(name).into(), columns });
        }
        shape
    }

    fn of_predicate(&mut self, name: &str) -> &mut Places {
        self.of_iri(&iri_of(name).into())
    }

    fn of_iri(&mut self, iri: &Arc<str>) -> &mut Places {
        if !self.places.contains_key(iri) {
            self.predicates.push(Arc::clone(iri));
        }
        self.places.entry(Arc::clone(iri)).or_default()
    }

    pub(super) fn places(&self, predicate: &str) -> Option<&Places> {
        self.places.get(predicate)
    }
}
