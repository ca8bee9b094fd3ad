//! The edges of a pattern that are not planned yet, by the nodes at their ends.

use std::collections::HashMap;

use trimorph_algebra::{EdgePattern, VarId};

/// The edges of a pattern, by place; those planned are gone.
#[derive(Default)]
pub(super) struct OpenEdges {
    items: Vec<Option<EdgePattern>>,
    at: HashMap<VarId, Vec<usize>>,
    count: usize,
}

impl OpenEdges {
    pub(super) fn new(edges: Vec<EdgePattern>) -> Self {
        let mut at: HashMap<VarId, Vec<usize>> = HashMap::new();
        for (place, edge) in edges.iter().enumerate() {
            at.entry(edge.from).or_default().push(place);
            if edge.to != edge.from {
                at.entry(edge.to).or_default().push(place);
            }
        }
        Self { count: edges.len(), items: edges.into_iter().map(Some).collect(), at }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &EdgePattern)> {
        self.items.iter().enumerate().filter_map(|(place, e)| Some((place, e.as_ref()?)))
    }

    /// Those with an end at a node, in order.
    pub(super) fn at(&self, node: VarId) -> impl Iterator<Item = (usize, &EdgePattern)> {
        let places = self.at.get(&node).into_iter().flatten();
        places.filter_map(|place| Some((*place, self.items[*place].as_ref()?)))
    }

    /// The places of those with an end at one of these nodes that `wanted` accepts, in order.
    pub(super) fn touching(&self, nodes: &[VarId], wanted: impl Fn(&EdgePattern) -> bool) -> Vec<usize> {
        let mut places: Vec<usize> = (nodes.iter().flat_map(|n| self.at(*n)))
            .filter(|(_, edge)| wanted(edge))
            .map(|(place, _)| place)
            .collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    pub(super) fn get(&self, place: usize) -> Option<&EdgePattern> {
        self.items.get(place)?.as_ref()
    }

    /// Takes one out.
    pub(super) fn take(&mut self, place: usize) -> Option<EdgePattern> {
        let edge = self.items.get_mut(place)?.take();
        self.count -= usize::from(edge.is_some());
        edge
    }
}
