//! The statements of a predicate as they were read.

use super::literals::Literals;
/// The statements of one predicate.
pub(super) struct Predicate {
    pub(super) iri: Box<str>,
    /// Between nodes, in the default graph.
    pub(super) edges: Vec<(u32, u32)>,
    /// Of these, those that relationships of another database are, with the places of these: sorted.
    pub(super) reified: Vec<(u32, u32, u32)>,
    pub(super) literals: Literals,
    /// In named graphs: the graph's number stands beside.
    pub(super) graph_edges: Vec<(u32, u32, u32)>,
    pub(super) graph_literals: Literals,
    pub(super) graphs_of_literals: Vec<u32>,
}

impl Predicate {
    /// Without a statement.
    pub(super) fn new(iri: &str) -> Self {
        Self {
            iri: iri.into(),
            edges: Vec::new(),
            reified: Vec::new(),
            literals: Literals::default(),
            graph_edges: Vec::new(),
            graph_literals: Literals::default(),
            graphs_of_literals: Vec::new(),
        }
    }

    /// Bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.edges.capacity() * 8
            + self.literals.bytes()
            + self.graph_edges.capacity() * 12
            + self.graph_literals.bytes()
            + self.graphs_of_literals.capacity() * 4
    }
}
