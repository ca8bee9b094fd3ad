//! What a statement did to the graph, counted.

use std::fmt;

/// What a statement did, counted as it was done: a node that comes and goes within one statement is counted
/// twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SideEffects {
    /// Nodes that came.
    pub nodes_created: u64,
    /// Nodes that went.
    pub nodes_deleted: u64,
    /// Relationships that came.
    pub relationships_created: u64,
    /// Relationships that went.
    pub relationships_deleted: u64,
    /// Properties that got a value.
    pub properties_set: u64,
    /// Properties that were set to null, or removed, whether they had a value or not.
    pub properties_removed: u64,
    /// Labels that nodes got, each node's by itself.
    pub labels_added: u64,
    /// Labels that nodes lost.
    pub labels_removed: u64,
    /// Indexes that were made.
    pub indexes_added: u64,
    /// Indexes that were dropped.
    pub indexes_removed: u64,
    /// Constraints that were made.
    pub constraints_added: u64,
    /// Constraints that were dropped.
    pub constraints_removed: u64,
}

impl SideEffects {
    /// The counts by their names.
    pub fn rows(&self) -> [(&'static str, u64); 12] {
        [
            ("nodes_created", self.nodes_created),
            ("nodes_deleted", self.nodes_deleted),
            ("relationships_created", self.relationships_created),
            ("relationships_deleted", self.relationships_deleted),
            ("properties_set", self.properties_set),
            ("properties_removed", self.properties_removed),
            ("labels_added", self.labels_added),
            ("labels_removed", self.labels_removed),
            ("indexes_added", self.indexes_added),
            ("indexes_removed", self.indexes_removed),
            ("constraints_added", self.constraints_added),
            ("constraints_removed", self.constraints_removed),
        ]
    }

    /// Both together.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            nodes_created: self.nodes_created + other.nodes_created,
            nodes_deleted: self.nodes_deleted + other.nodes_deleted,
            relationships_created: self.relationships_created + other.relationships_created,
            relationships_deleted: self.relationships_deleted + other.relationships_deleted,
            properties_set: self.properties_set + other.properties_set,
            properties_removed: self.properties_removed + other.properties_removed,
            labels_added: self.labels_added + other.labels_added,
            labels_removed: self.labels_removed + other.labels_removed,
            indexes_added: self.indexes_added + other.indexes_added,
            indexes_removed: self.indexes_removed + other.indexes_removed,
            constraints_added: self.constraints_added + other.constraints_added,
            constraints_removed: self.constraints_removed + other.constraints_removed,
        }
    }

    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for SideEffects {
    /// `created 2 nodes, set 1 property`; empty where nothing was done.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("created", self.nodes_created, "node", "nodes"),
            ("deleted", self.nodes_deleted, "node", "nodes"),
            ("created", self.relationships_created, "relationship", "relationships"),
            ("deleted", self.relationships_deleted, "relationship", "relationships"),
            ("set", self.properties_set, "property", "properties"),
            ("removed", self.properties_removed, "property", "properties"),
            ("added", self.labels_added, "label", "labels"),
            ("removed", self.labels_removed, "label", "labels"),
            ("made", self.indexes_added, "index", "indexes"),
            ("dropped", self.indexes_removed, "index", "indexes"),
            ("made", self.constraints_added, "constraint", "constraints"),
            ("dropped", self.constraints_removed, "constraint", "constraints"),
        ];
        let mut before = "";
        for (verb, count, one, many) in parts.into_iter().filter(|(_, count, ..)| *count > 0) {
            write!(f, "{before}{verb} {count} {}", if count == 1 { one } else { many })?;
            before = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_told_in_words() {
        let effects = SideEffects { nodes_created: 2, properties_set: 1, ..SideEffects::default() };
        assert_eq!(effects.to_string(), "created 2 nodes, set 1 property");
        assert_eq!(SideEffects::default().to_string(), "");
    }
}
