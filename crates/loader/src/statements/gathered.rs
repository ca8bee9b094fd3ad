//! The statements of a predicate as they were read.

use trimorph_store::bulk::PackedNumbers;

use super::literals::Literals;

/// Two terms each: subjects and objects, or subjects and classes.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) subjects: PackedNumbers,
    pub(super) objects: PackedNumbers,
}

impl Pairs {
    #[inline]
    pub(super) fn push(&mut self, subject: u32, object: u32) {
        self.subjects.push(subject.into());
        self.objects.push(object.into());
    }

    /// All of them, in the order in which they came.
    pub(super) fn into_iter(self) -> impl Iterator<Item = (u32, u32)> {
        let runs = self.subjects.into_runs().zip(self.objects.into_runs());
        runs.flat_map(|(subjects, objects)| {
            subjects.into_iter().zip(objects).map(|(subject, object)| (subject as u32, object as u32))
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.subjects.bytes() + self.objects.bytes()
    }
}

/// The statements of one predicate.
pub(super) struct Predicate {
    pub(super) iri: Box<str>,
    /// Between nodes, in the default graph.
    pub(super) edges: Pairs,
    /// Of these, those that relationships of another database are, with the places of these: sorted.
    pub(super) reified: Vec<(u32, u32, u32)>,
    pub(super) literals: Literals,
    /// In named graphs: the graph's number stands beside.
    pub(super) graph_edges: Pairs,
    pub(super) graphs_of_edges: PackedNumbers,
    pub(super) graph_literals: Literals,
    pub(super) graphs_of_literals: PackedNumbers,
}

impl Predicate {
    /// Without a statement.
    pub(super) fn new(iri: &str) -> Self {
        Self {
            iri: iri.into(),
            edges: Pairs::default(),
            reified: Vec::new(),
            literals: Literals::default(),
            graph_edges: Pairs::default(),
            graphs_of_edges: PackedNumbers::default(),
            graph_literals: Literals::default(),
            graphs_of_literals: PackedNumbers::default(),
        }
    }

    /// Bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.edges.bytes()
            + self.literals.bytes()
            + self.graph_edges.bytes()
            + self.graphs_of_edges.bytes()
            + self.graph_literals.bytes()
            + self.graphs_of_literals.bytes()
    }
}
