//! The statements of a few named graphs that are edges: takes an edge table and the names, gives its edges in
//! these graphs, some at a time.
//!
//! 1. The index of `@graph` has the edges of a graph end to end: a pattern in one graph costs in proportion
//!    to that graph, whatever the others have.
//! 2. Behind the positions of main's index, at one more position, stand all that came since.
//! 3. Several graphs that are asked as one are gone through one after the other. An edge counts if no other
//!    between the same nodes stands before it, by graph, then by id: nobody has to remember what was given.
//!
//! Source: Virtuoso, "RDF Specifics" (the GS index); Poseidon §5 (graphs as meta-properties).

use std::ops::Range;
use std::sync::Arc;

use trimorph_base::{EdgeId, EdgeTableId};
use trimorph_catalog::EdgeShape;
use trimorph_types::{Relationship, Value};

use super::matching::{Graphs, Statements};
use crate::Wanted;
use crate::neighbours::Neighbours;

/// The edges of a table that are in one graph.
#[derive(Clone, Debug)]
pub(super) struct InGraph {
    pub(super) shape: EdgeShape,
    pub(super) graph: Arc<str>,
    table: EdgeTableId,
    column: usize,
    /// Their positions in main's index.
    positions: Range<u64>,
}

impl InGraph {
    fn wanted(&self) -> Wanted {
        Wanted::Equal(Value::Iri(Arc::clone(&self.graph)))
    }

    fn in_main(&self) -> u64 {
        self.positions.end - self.positions.start
    }
}

impl Statements<'_, '_> {
    /// The edges of a table graph by graph, where a few are asked and an index finds them.
    pub(super) fn in_graphs(&self, shape: &EdgeShape, graphs: &Graphs) -> Option<Vec<InGraph>> {
        let asked = match graphs {
            Graphs::Default | Graphs::Named(None) => return None,
            Graphs::One(graph) => std::slice::from_ref(graph),
            Graphs::Union(all) | Graphs::Named(Some(all)) => all,
        };
        let table = self.reader().schema().edge_table_ids().nth(shape.at)?;
        let column = shape.graph?;
        let mut found: Vec<InGraph> = Vec::new();
        for graph in asked {
            if found.iter().any(|known| known.graph == *graph) {
                continue;
            }
            let wanted = Wanted::Equal(Value::Iri(Arc::clone(graph)));
            let positions = self.reader().indexed_edges(table, column, &wanted)?;
            found.push(InGraph { shape: shape.clone(), graph: Arc::clone(graph), table, column, positions });
        }
        found.retain(|one| self.steps_in(one) > 0);
        Some(found)
    }

    /// How many positions are to be gone through: main's, and one for what came since.
    pub(super) fn steps_in(&self, place: &InGraph) -> u64 {
        place.in_main() + u64::from(self.reader().has_edge_changes(place.shape.at))
    }

    /// How many edges stand at `count` positions from `first` on, where that is known without a look at them.
    pub(super) fn count_in(
        &self,
        place: &InGraph,
        (first, count): (u64, u64),
        graphs: &Graphs,
    ) -> Option<u64> {
        let is_plain = !self.reader().has_edge_changes(place.shape.at) && !are_several(graphs);
        is_plain.then(|| place.in_main().saturating_sub(first).min(count))
    }

    /// The edges at `count` positions from `first` on.
    ///
    /// **Cost**: a search for the ends of each; a look at the edges between them where graphs are one.
    pub(super) fn edges_in(
        &self,
        place: &InGraph,
        (first, count): (u64, u64),
        graphs: &Graphs,
    ) -> Vec<Relationship> {
        let (wanted, reader) = (place.wanted(), self.reader());
        let Range { start, end } = place.positions;
        let (from, to) = (end.min(start + first), end.min(start.saturating_add(first).saturating_add(count)));
        let mut edges = Vec::new();
        reader.edges_at(place.table, place.column, &wanted, from..to, &mut edges);
        if first.saturating_add(count) > place.in_main() && reader.has_edge_changes(place.shape.at) {
            reader.edges_since(place.table, place.column, &wanted, &mut edges);
        }
        if let (Graphs::Union(all), true) = (graphs, are_several(graphs)) {
            edges.retain(|edge| self.is_first(place, edge, all));
        }
        edges
    }

    /// Whether no other edge in these graphs that is the same statement stands before one.
    fn is_first(&self, place: &InGraph, edge: &Relationship, graphs: &[Arc<str>]) -> bool {
        let lists = Neighbours::all(self.reader(), place.shape.at, true, edge.start.table());
        let mut others: Vec<EdgeId> = Vec::new();
        lists.between(edge.start, edge.end, true, |other| {
            if other != edge.id {
                others.push(other);
            }
        });
        let number = |name: &str| graphs.iter().position(|graph| **graph == *name);
        let own = (number(&place.graph), edge.id);
        others.into_iter().all(|other| {
            let graph = self.graph_of(&place.shape, other);
            match graph.and_then(|graph| number(&graph)) {
                Some(graph) => own < (Some(graph), other),
                None => true,
            }
        })
    }
}

/// Whether a statement may be in several of the graphs, and counts once.
pub(super) fn are_several(graphs: &Graphs) -> bool {
    matches!(graphs, Graphs::Union(all) if all.len() > 1)
}
