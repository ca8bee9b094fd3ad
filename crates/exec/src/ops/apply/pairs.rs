//! Rows that share a node, and differ in another one that the subplan finds, or in a value that equals one
//! it computes: the subplan is run for each shared node once, and what it finds is looked up among the pairs
//! that rows have.
//!
//! `MATCH (a)-[:KNOWS]-(b) RETURN COUNT { (a)<-[:HAS_CREATOR]-()-[:REPLY_OF]->()-[:HAS_CREATOR]->(b) }` walks
//! the replies of `a` once, not once for each `b`; `UNWIND range(1, 12) AS month … WHERE NOT EXISTS {
//! (a)<-[:HAS_CREATOR]-(m) WHERE m.creationDate.month = month }` the messages of `a` once, not for each
//! month.
//!
//! Hot loop: one look into a small hash table for each row of the subplan, most of which find nothing.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use trimorph_base::NodeId;
use trimorph_vector::{Group, Values, Vector};

use crate::keys::{KeyTable, NO_NUMBER};
use crate::ops::hash_join::{joins_nothing, may_join_nothing};

/// What rows and those of the subplan have in common besides the shared node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// The input's slot, and the subplan's.
    pub(crate) of_rows: usize,
    pub(crate) found: usize,
    /// Whether these are values, which must be equal, and no nodes.
    pub(crate) by_value: bool,
}

/// The pairs of the rows that go through the subplan at once.
#[derive(Default)]
pub(super) struct Pairs<'s> {
    /// The number of each pair of nodes: of the shared one, by its number, and the other.
    nodes: FxHashMap<(u32, NodeId), u32>,
    /// The same of shared nodes and values.
    values: KeyTable<'s>,
    /// The number of each row's pair; none where the node is null, or the other one, or equals nothing.
    of_rows: Vec<Option<u32>>,
    /// How many different pairs there are.
    len: usize,
}

/// Nodes that are numbered as they come.
#[derive(Default)]
struct Numbered {
    ids: Vec<NodeId>,
    numbers: FxHashMap<NodeId, u32>,
    /// Rows of one node mostly come together.
    last: Option<(NodeId, u32)>,
}

impl Numbered {
    #[inline]
    fn number(&mut self, node: NodeId) -> u32 {
        let number = match self.last {
            Some((known, number)) if known == node => number,
            _ => match self.numbers.entry(node) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    self.ids.push(node);
                    *new.insert(self.ids.len() as u32 - 1)
                }
            },
        };
        self.last = Some((node, number));
        number
    }
}

impl<'s> Pairs<'s> {
    /// Takes the pairs of rows; gives the shared nodes, each once, which are numbered as they come.
    pub(super) fn take(
        &mut self,
        group: &Group<'s>,
        (shared, pair): (usize, Pair),
        rows: &[u32],
    ) -> Vec<NodeId> {
        let (shared, other) = (&group.vectors[shared], &group.vectors[pair.of_rows]);
        let mut numbered = Numbered::default();
        self.of_rows.clear();
        if pair.by_value {
            self.take_values(group.len, shared, other, rows, &mut numbered);
            return numbered.ids;
        }
        self.nodes.clear();
        for row in rows.iter().map(|row| *row as usize) {
            let (Some(node), Some(other)) = (shared.node(row), other.node(row)) else {
                self.of_rows.push(None);
                continue;
            };
            let next = self.nodes.len() as u32;
            self.of_rows.push(Some(*self.nodes.entry((numbered.number(node), other)).or_insert(next)));
        }
        self.len = self.nodes.len();
        numbered.ids
    }

    fn take_values(
        &mut self,
        len: usize,
        shared: &Vector<'s>,
        other: &Vector<'s>,
        rows: &[u32],
        numbered: &mut Numbered,
    ) {
        let asks_each = may_join_nothing(other);
        let (mut of_nodes, mut positions) = (vec![0; len], Vec::with_capacity(rows.len()));
        for row in rows {
            let node = shared.node(*row as usize);
            let node = node.filter(|_| !asks_each || !joins_nothing(other, *row as usize));
            self.of_rows.push(node.map(|_| 0));
            if let Some(node) = node {
                of_nodes[*row as usize] = i64::from(numbered.number(node));
                positions.push(*row);
            }
        }
        let of_nodes = Vector::new(Values::Int(of_nodes));
        let mut numbers = Vec::with_capacity(positions.len());
        self.values = KeyTable::default();
        self.values.number_all(&[&of_nodes, other], &positions, &mut numbers, &mut Vec::new());
        for (pair, number) in self.of_rows.iter_mut().flatten().zip(numbers) {
            *pair = number;
        }
        self.len = self.values.len();
    }

    /// How many different pairs there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The pair that each row of the subplan is of, of those that are of one: the number of its shared node,
    /// and what was found.
    pub(super) fn find(&self, group: &Group<'s>, number: Option<usize>, pair: Pair) -> Vec<(u32, u32)> {
        let found = &group.vectors[pair.found];
        let numbers = number.map(|slot| &group.vectors[slot]);
        if pair.by_value {
            return self.find_values(group, numbers, found);
        }
        let numbers = match numbers.map(|numbers| &numbers.values) {
            Some(Values::Int(numbers)) => Some(numbers),
            _ => None,
        };
        let number = |p: u32| numbers.map_or(Some(0), |n| u32::try_from(n[p as usize]).ok());
        let pair = |p: u32| self.nodes.get(&(number(p)?, found.node(p as usize)?)).copied();
        group.positions().into_iter().filter_map(|p| Some((pair(p)?, p))).collect()
    }

    fn find_values(
        &self,
        group: &Group<'s>,
        numbers: Option<&Vector<'s>>,
        found: &Vector<'s>,
    ) -> Vec<(u32, u32)> {
        let mut positions = group.positions();
        if may_join_nothing(found) {
            positions.retain(|p| !joins_nothing(found, *p as usize));
        }
        // Rows that come one at a time are of the first node.
        let first = || Vector::new(Values::Int(vec![0; group.len]));
        let mut pairs = Vec::with_capacity(positions.len());
        match numbers {
            Some(numbers) => self.values.find_all(&[numbers, found], &positions, &mut pairs),
            None => self.values.find_all(&[&first(), found], &positions, &mut pairs),
        }
        let pairs = pairs.into_iter().zip(positions);
        pairs.filter(|(pair, _)| *pair != NO_NUMBER).collect()
    }

    /// What is known of pairs, for each row.
    pub(super) fn for_rows<T: Copy + Default>(&self, of_pairs: &[T]) -> Vec<T> {
        let of = |pair: &Option<u32>| pair.and_then(|pair| of_pairs.get(pair as usize)).copied();
        self.of_rows.iter().map(|pair| of(pair).unwrap_or_default()).collect()
    }
}
