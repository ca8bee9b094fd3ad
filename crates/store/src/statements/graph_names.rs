//! The named graph that an edge is in: takes edges, gives names.
//!
//! Graphs are few, edges many, and taking a name out of a column costs ten times as much as finding the bytes
//! that it is stored as: each name is taken out once for a segment of the column.

use std::ops::ControlFlow;
use std::sync::Arc;

use trimorph_base::EdgeId;
use trimorph_catalog::EdgeShape;
use trimorph_types::Value;

use super::matching::Statements;
use crate::PropertyColumn;
use crate::neighbours::Neighbours;

/// Names that are remembered of a segment; there may be as many graphs as edges.
const NAMES_MAX: usize = 4_096;

impl<'r, 's> Statements<'r, 's> {
    /// The graph of an edge; none for the default graph.
    pub(super) fn graph_of(&self, shape: &EdgeShape, edge: EdgeId) -> Option<Arc<str>> {
        let column = PropertyColumn::of_edges(shape.at, shape.graph?, self.reader());
        self.graph_at(shape.at, &column, column.slot(edge))
    }

    /// The graph of the edge at a slot of its table's column of graphs. What is no name is none.
    pub(super) fn graph_at(&self, at: usize, column: &PropertyColumn<'r, 's>, slot: u64) -> Option<Arc<str>> {
        let name = || match column.value(slot) {
            Value::Iri(graph) => Some(graph),
            _ => None,
        };
        let Some((segment, bytes)) = column.stored_bytes(slot) else { return name() };
        let mut tables = self.known.graphs.borrow_mut();
        let names = tables.entry(at).or_default().entry(segment).or_default();
        if let Some(known) = names.get(bytes) {
            return known.clone();
        }
        if names.len() >= NAMES_MAX {
            names.clear();
        }
        let name = name();
        names.insert(bytes.into(), name.clone());
        name
    }

    /// The names of the graphs that statements are in.
    ///
    /// **Cost**: a look at each edge of tables with named graphs.
    pub fn graph_names(&self) -> Vec<Arc<str>> {
        let mut names = std::collections::BTreeSet::new();
        for iri in &self.shape().predicates {
            for shape in self.shape().places(iri).into_iter().flat_map(|places| &places.edges) {
                if shape.graph.is_none() {
                    continue;
                }
                let lists = Neighbours::all(self.reader(), shape.at, true, shape.source);
                let _ = self.each_node(shape.source, &mut |node| {
                    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
                    lists.append(node, &mut nodes, Some(&mut edges));
                    names.extend(edges.into_iter().filter_map(|edge| self.graph_of(shape, edge)));
                    ControlFlow::Continue(())
                });
            }
        }
        names.into_iter().collect()
    }
}
