//! What a variable-length extend is told.

use std::sync::Arc;

use trimorph_algebra::VarExtendMode;
use trimorph_base::{NodeId, TableId};
use trimorph_store::access::{AdjacencyRef, EdgeAccess};

use crate::expr::Ex;

/// What a variable-length extend does.
#[derive(Clone, Debug)]
pub(crate) struct VarSpec {
    pub(crate) step: Arc<EdgeAccess>,
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) mode: VarExtendMode,
    /// Condition on each edge, compiled for the input's group 0 (flat) and the edge in slot 0 of group 1.
    pub(crate) each: Option<Ex>,
    /// Condition on each node, compiled for the same and the node in slot 1 of group 1.
    pub(crate) nodes: Option<Ex>,
    /// Condition on the whole of a shortest path to the node it must end at, compiled for the same and the
    /// list of edges in slot 0 of group 1.
    pub(crate) condition: Option<Ex>,
    /// With a condition on the whole, or in order of length: the steps against their direction.
    pub(crate) back: Option<Arc<VarSpec>>,
    /// Whether walks, which go one way, come to each node by one edge at most: each node is reached once but
    /// where a walk comes back to a node on it.
    pub(crate) reached_once: bool,
    /// The slot of the list of relationships that is walked along.
    pub(crate) along: Option<usize>,
    /// The slot of the node the walk must end at.
    pub(crate) into: Option<usize>,
    pub(crate) want_edges: bool,
    /// Whether the walk must know the ids of edges.
    pub(crate) needs_ids: bool,
    /// Edges are given from the last walked to the first.
    pub(crate) reversed: bool,
    pub(crate) from: usize,
    pub(crate) slots: usize,
    pub(crate) keep: Vec<usize>,
    /// Tables the last node may be in; none for all.
    pub(crate) to_tables: Option<Vec<TableId>>,
}

impl VarSpec {
    /// Whether every edge is walked in the same direction, from source to target or back.
    pub(crate) fn is_one_way(step: &EdgeAccess) -> bool {
        let mut all = step.by_table.iter().flatten();
        all.next().is_none_or(|first| all.all(|r| r.forward == first.forward))
    }

    /// Whether every node has one edge at most that is walked.
    pub(crate) fn has_one_each(step: &EdgeAccess) -> bool {
        let single =
            |refs: &Vec<AdjacencyRef>| refs.len() <= 1 && refs.iter().all(|r| r.single && !r.skip_loops);
        step.by_table.iter().all(single)
    }

    #[inline]
    pub(super) fn ends_well(&self, node: NodeId) -> bool {
        self.to_tables.as_ref().is_none_or(|ts| ts.contains(&node.table()))
    }
}
