//! The literals that no column holds, further ones of a node and those in named graphs, as nodes that stand
//! for them.
//!
//! They stay where they were read to; a node is known by the first literal that it stands for, and the index
//! of nodes by their values makes values of these when it asks.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use trimorph_base::{NodeId, TableId};
use trimorph_store::bulk::{BulkError, PackedNumbers};
use trimorph_types::{Grouping, LogicalType, Value, rdf};

use super::gathered::Predicate;
use super::literals::Literals;

/// The literals of a predicate that no column holds.
#[derive(Default)]
pub(super) struct Further {
    literals: Literals,
    /// Which of these.
    places: PackedNumbers,
    /// All of these.
    in_graphs: Literals,
    graphs: PackedNumbers,
}

impl Further {
    /// Of literals those in these places, and of a predicate those in named graphs.
    pub(super) fn new(literals: Literals, places: PackedNumbers, predicate: &mut Predicate) -> Self {
        let literals = if places.is_empty() { Literals::default() } else { literals };
        let in_graphs = std::mem::take(&mut predicate.graph_literals);
        Self { literals, places, in_graphs, graphs: std::mem::take(&mut predicate.graphs_of_literals) }
    }

    fn len(&self) -> usize {
        self.places.len() + self.in_graphs.len()
    }

    fn value(&self, i: usize) -> Value {
        rdf::normalise(match i.checked_sub(self.places.len()) {
            None => self.literals.value(self.places.get(i) as usize),
            Some(i) => self.in_graphs.value(i),
        })
    }

    /// Whether none is in a named graph.
    pub(super) fn are_without_graph(&self) -> bool {
        self.in_graphs.len() == 0
    }

    /// The subject of each, and its graph.
    fn subjects(&self) -> impl Iterator<Item = (u32, Option<u32>)> + '_ {
        let without = (0..self.places.len()).map(|i| self.literals.subject(self.places.get(i) as usize));
        let within = (0..self.in_graphs.len()).map(|i| self.in_graphs.subject(i));
        let graphs = (0..self.in_graphs.len()).map(|i| Some(self.graphs.get(i) as u32));
        without.map(|subject| (subject, None)).chain(within.zip(graphs))
    }
}

/// Nodes that stand for literals.
pub(super) struct LiteralNodes {
    /// Predicate and place of the first literal of each.
    firsts: Vec<(u32, u32)>,
    /// By predicate, the row of each literal's node.
    rows: Vec<PackedNumbers>,
    /// How many have each type.
    types: HashMap<LogicalType, u64>,
}

impl LiteralNodes {
    /// One for each value.
    ///
    /// **Errors**: more of them than rows.
    pub(super) fn of(all: &[(Predicate, Further)]) -> Result<Self, BulkError> {
        let hasher = RandomState::default();
        let mut nodes = Self { firsts: Vec::new(), rows: Vec::new(), types: HashMap::new() };
        let mut index: HashTable<u32> = HashTable::new();
        for (predicate, (_, further)) in (0..).zip(all) {
            let mut rows = PackedNumbers::default();
            for i in 0..further.len() {
                let own = Grouping(further.value(i));
                let hash = hasher.hash_one(&own);
                let known = index.find(hash, |node| Grouping(nodes.value(all, *node as usize)) == own);
                let node = match known {
                    Some(node) => *node,
                    None => {
                        let most = || BulkError::TooLarge("more literals than rows of a table".to_owned());
                        let next = u32::try_from(nodes.firsts.len()).map_err(|_| most())?;
                        nodes.firsts.push((predicate, i as u32));
                        *nodes.types.entry(own.0.logical_type()).or_default() += 1;
                        index.insert_unique(hash, next, |node| {
                            hasher.hash_one(Grouping(nodes.value(all, *node as usize)))
                        });
                        next
                    }
                };
                rows.push(node.into());
            }
            nodes.rows.push(rows);
        }
        Ok(nodes)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.firsts.len()
    }

    /// What a node stands for, of the same literals as ever.
    pub(super) fn value(&self, all: &[(Predicate, Further)], node: usize) -> Value {
        let (predicate, place) = self.firsts[node];
        all[predicate as usize].1.value(place as usize)
    }

    /// The type that most have.
    pub(super) fn most_frequent(&self) -> LogicalType {
        let most = self.types.iter().max_by_key(|(ty, count)| (**count, **ty as u8));
        most.map_or(LogicalType::Any, |(ty, _)| *ty)
    }

    /// The literals of each predicate, as edges to these nodes, which are in a table.
    pub(super) fn into_edges(
        self,
        all: Vec<(Predicate, Further)>,
        table: TableId,
    ) -> Vec<(Predicate, LiteralEdges)> {
        let edges = all.into_iter().zip(self.rows);
        edges.map(|((predicate, further), rows)| (predicate, LiteralEdges { further, rows, table })).collect()
    }
}

/// The literals of a predicate that no column holds, as edges.
pub(super) struct LiteralEdges {
    further: Further,
    rows: PackedNumbers,
    table: TableId,
}

impl LiteralEdges {
    /// Whether none is in a named graph.
    pub(super) fn are_without_graph(&self) -> bool {
        self.further.are_without_graph()
    }

    /// Subject, node of the literal, and graph.
    pub(super) fn each(&self) -> impl Iterator<Item = (u32, NodeId, Option<u32>)> + '_ {
        self.further.subjects().enumerate().map(|(i, (subject, graph))| {
            (subject, NodeId::new(self.table, self.rows.get(i).cast_unsigned()), graph)
        })
    }
}
