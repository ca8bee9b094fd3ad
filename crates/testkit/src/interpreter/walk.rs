//! Paths as values, from nodes and relationships.

use std::sync::Arc;

use trimorph_base::NodeId;
use trimorph_types::{Path, Relationship, Value};

/// A path that begins at `start`.
pub(super) struct Walk(Path);

impl Walk {
    pub(super) fn new(start: NodeId) -> Self {
        Self(Path { nodes: vec![start], relationships: Vec::new() })
    }

    fn here(&self) -> Option<NodeId> {
        self.0.nodes.last().copied()
    }

    /// Goes over one relationship; `false` if it does not touch the node reached.
    fn over(&mut self, relationship: Relationship) -> bool {
        let here = self.here();
        let next = if Some(relationship.start) == here { relationship.end } else { relationship.start };
        let touches = Some(relationship.start) == here || Some(relationship.end) == here;
        self.0.relationships.push(relationship);
        self.0.nodes.push(next);
        touches
    }

    /// Goes over all relationships, which must lead to `end`, in the order given or, where that leads astray,
    /// backwards.
    pub(super) fn over_all(&mut self, relationships: &[Relationship], end: NodeId) -> bool {
        let before = self.0.clone();
        if relationships.iter().all(|r| self.over(*r)) && self.here() == Some(end) {
            return true;
        }
        self.0 = before;
        relationships.iter().rev().all(|r| self.over(*r)) && self.here() == Some(end)
    }

    pub(super) fn value(self) -> Value {
        Value::Path(Arc::new(self.0))
    }
}

/// The relationships that an edge variable stands for: its own or those of its list.
pub(super) fn relationships(value: &Value) -> Option<Vec<Relationship>> {
    match value {
        Value::Relationship(relationship) => Some(vec![*relationship]),
        Value::List(items) => items.iter().map(|item| relationships(item)?.first().copied()).collect(),
        _ => None,
    }
}
