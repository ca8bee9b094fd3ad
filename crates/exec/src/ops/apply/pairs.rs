//! Rows that share a node, and differ in another one that the subplan finds: the subplan is run for each
//! shared node once, and what it finds is looked up among the pairs that rows have.
//!
//! `MATCH (a)-[:KNOWS]-(b) RETURN COUNT { (a)<-[:HAS_CREATOR]-()-[:REPLY_OF]->()-[:HAS_CREATOR]->(b) }` walks
//! the replies of `a` once, not once for each `b`.
//!
//! Hot loop: one look into a small hash table for each row of the subplan, most of which find nothing.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use trimorph_base::NodeId;
use trimorph_vector::Group;

/// The pairs of the rows that go through the subplan at once.
#[derive(Default)]
pub(super) struct Pairs {
    /// The number of each pair: of its shared node, and its other node.
    numbers: FxHashMap<(u32, NodeId), u32>,
    /// The number of each row's pair; none where one of its nodes is null.
    of_rows: Vec<Option<u32>>,
}

impl Pairs {
    /// Takes the pairs of rows; gives the shared nodes, each once, which are numbered as they come.
    pub(super) fn take(&mut self, group: &Group<'_>, slots: (usize, usize), rows: &[u32]) -> Vec<NodeId> {
        let (shared, other) = (&group.vectors[slots.0], &group.vectors[slots.1]);
        let (mut ids, mut number_of) = (Vec::new(), FxHashMap::<NodeId, u32>::default());
        // Rows of one node mostly come together.
        let mut last: Option<(NodeId, u32)> = None;
        self.numbers.clear();
        self.of_rows.clear();
        for row in rows.iter().map(|row| *row as usize) {
            let (Some(node), Some(other)) = (shared.node(row), other.node(row)) else {
                self.of_rows.push(None);
                continue;
            };
            let number = match last {
                Some((known, number)) if known == node => number,
                _ => match number_of.entry(node) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        ids.push(node);
                        *new.insert(ids.len() as u32 - 1)
                    }
                },
            };
            last = Some((node, number));
            let next = self.numbers.len() as u32;
            self.of_rows.push(Some(*self.numbers.entry((number, other)).or_insert(next)));
        }
        ids
    }

    /// How many different pairs there are.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The pair that a row of the subplan is of, if rows have it: the number of its shared node, and the node
    /// that was found.
    #[inline]
    pub(super) fn find(&self, number: u32, found: Option<NodeId>) -> Option<u32> {
        self.numbers.get(&(number, found?)).copied()
    }

    /// What is known of pairs, for each row.
    pub(super) fn for_rows<T: Copy + Default>(&self, of_pairs: &[T]) -> Vec<T> {
        let of = |pair: &Option<u32>| pair.and_then(|pair| of_pairs.get(pair as usize)).copied();
        self.of_rows.iter().map(|pair| of(pair).unwrap_or_default()).collect()
    }
}
