//! Where statements of RDF may be: a schema in; columns and edge tables out, by predicate and by the node
//! table of the subject, and the edge tables whose edges have properties.
//!
//! It is made once for a schema. A schema only grows, so that its size tells whether it is still the same.
//!
//! Source: Virtuoso, "RDF Specifics" (the directories SP and OP); `docs/design/one-graph.md`.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use trimorph_base::TableId;
use trimorph_types::iri_names::{GRAPH, iri_of, is_hidden};
use trimorph_types::rdf;

use crate::Schema;

/// An edge table as statements.
#[derive(Clone, Debug)]
pub struct EdgeShape {
    /// Its place in the catalog.
    pub at: usize,
    /// The node table of its sources.
    pub source: TableId,
    /// The column of the named graph, if it has one.
    pub graph: Option<usize>,
}

/// What the edges of a table say of themselves: an edge table with properties that are statements.
#[derive(Clone, Debug)]
pub struct SaidShape {
    /// The edge table.
    pub edges: EdgeShape,
    /// The predicate of the edges themselves.
    pub predicate: Arc<str>,
    /// The columns, by their predicates.
    pub columns: Vec<(Arc<str>, usize)>,
}

/// The places of one predicate.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Columns of node tables.
    pub columns: Vec<(TableId, usize)>,
    /// Edge tables.
    pub edges: Vec<EdgeShape>,
    /// Edge tables, by their places in [`StatementShape::said`], with the columns of properties of edges.
    pub said: Vec<(usize, usize)>,
    /// By node table of the subject, the place in [`StatementShape::of_table`].
    own: FxHashMap<TableId, usize>,
}

/// Where the statements of one predicate about nodes of one table are.
#[derive(Clone, Debug)]
pub struct OwnPlaces {
    /// The predicate.
    pub predicate: Arc<str>,
    /// Columns of the node table.
    pub columns: Vec<usize>,
    /// Edge tables from it.
    pub edges: Vec<EdgeShape>,
}

/// Columns and edge tables by predicate and by node table.
#[derive(Clone, Debug, Default)]
pub struct StatementShape {
    places: FxHashMap<Arc<str>, Places>,
    /// By node table, in the order of predicates.
    by_table: Vec<Vec<OwnPlaces>>,
    /// By node table and column, the place among those of the table.
    of_columns: Vec<Vec<Option<u32>>>,
    /// By edge table, the predicate of its edges.
    of_edges: Vec<Option<(Arc<str>, EdgeShape)>>,
    /// The edge tables whose edges say something.
    pub said: Vec<SaidShape>,
    /// All predicates, in a fixed order.
    pub predicates: Vec<Arc<str>>,
}

impl StatementShape {
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
        shape.by_table = by_table(&shape, schema.node_tables.len());
        shape.of_columns = schema.node_tables.iter().map(|info| vec![None; info.properties.len()]).collect();
        shape.of_edges = vec![None; schema.edge_tables.len()];
        for ((table, of), columns) in schema.table_ids().zip(&shape.by_table).zip(&mut shape.of_columns) {
            for (at, own) in of.iter().enumerate() {
                if let Some(places) = shape.places.get_mut(&own.predicate) {
                    places.own.insert(table, at);
                }
                own.columns.iter().for_each(|column| columns[*column] = u32::try_from(at).ok());
                for edges in &own.edges {
                    shape.of_edges[edges.at] = Some((Arc::clone(&own.predicate), edges.clone()));
                }
            }
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

    /// Where statements of a predicate are; none where nothing has it.
    pub fn places(&self, predicate: &str) -> Option<&Places> {
        self.places.get(predicate)
    }

    /// Where statements of a predicate about nodes of a table are; none where no node has it.
    pub fn own(&self, table: TableId, predicate: &str) -> Option<&OwnPlaces> {
        self.of_table(table).get(*self.places.get(predicate)?.own.get(&table)?)
    }

    /// Where statements of a column's predicate about nodes of its table are; none where it is hidden.
    pub fn of_column(&self, table: TableId, column: usize) -> Option<&OwnPlaces> {
        let at = (*self.of_columns.get(usize::from(table.0))?.get(column)?)?;
        self.of_table(table).get(at as usize)
    }

    /// The predicate of the edges of an edge table, by its place in the catalog.
    pub fn of_edges(&self, at: usize) -> Option<(&Arc<str>, &EdgeShape)> {
        self.of_edges.get(at)?.as_ref().map(|(predicate, edges)| (predicate, edges))
    }

    /// Where statements about nodes of a table are, a predicate each.
    pub fn of_table(&self, table: TableId) -> &[OwnPlaces] {
        self.by_table.get(usize::from(table.0)).map_or(&[], Vec::as_slice)
    }
}

fn by_table(shape: &StatementShape, tables: usize) -> Vec<Vec<OwnPlaces>> {
    let mut all: Vec<Vec<OwnPlaces>> = vec![Vec::new(); tables];
    for predicate in &shape.predicates {
        let Some(places) = shape.places(predicate) else { continue };
        let mut own = |table: TableId, put: &mut dyn FnMut(&mut OwnPlaces)| {
            let Some(of) = all.get_mut(usize::from(table.0)) else { return };
            if of.last().is_none_or(|last| !Arc::ptr_eq(&last.predicate, predicate)) {
                let predicate = Arc::clone(predicate);
                of.push(OwnPlaces { predicate, columns: Vec::new(), edges: Vec::new() });
            }
            if let Some(last) = of.last_mut() {
                put(last);
            }
        };
        for (table, column) in &places.columns {
            own(*table, &mut |of| of.columns.push(*column));
        }
        for edges in &places.edges {
            own(edges.source, &mut |of| of.edges.push(edges.clone()));
        }
    }
    all
}

/// The shape of a schema, made when somebody asks for it.
#[derive(Default)]
pub(crate) struct ShapeCell(Mutex<Option<(Size, Arc<StatementShape>)>>);

/// Node tables, edge tables, and the columns of both.
type Size = [usize; 4];

fn size_of(schema: &Schema) -> Size {
    let nodes = schema.node_tables.iter().map(|table| table.properties.len()).sum();
    let edges = schema.edge_tables.iter().map(|table| table.properties.len()).sum();
    [schema.node_tables.len(), schema.edge_tables.len(), nodes, edges]
}

impl ShapeCell {
    /// The shape of a schema, which is that of last time, or has grown.
    pub(crate) fn of(&self, schema: &Schema) -> Arc<StatementShape> {
        let size = size_of(schema);
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*held {
            Some((own, shape)) if *own == size => Arc::clone(shape),
            _ => {
                let shape = Arc::new(StatementShape::of(schema));
                *held = Some((size, Arc::clone(&shape)));
                shape
            }
        }
    }
}

impl Clone for ShapeCell {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }
}

impl std::fmt::Debug for ShapeCell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ShapeCell")
    }
}
