//! What walks found: their ends, and their edges where these are wanted.

use trimorph_base::{EdgeId, NodeId};
use trimorph_types::Value;

use super::steps::Steps;
use crate::charge::Charge;
use crate::{Context, ExecError};

/// Edges that the lists of a batch hold before it is full: walks may be as long as the graph is large.
const BATCH_EDGES: usize = 1 << 16;

/// Ends of walks, with their edges where these are wanted.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) nodes: Vec<NodeId>,
    pub(super) lists: Vec<Value>,
    /// Edges in all lists.
    pub(super) edges: usize,
    /// Whether no more may come before these were looked at.
    pub(super) closed: bool,
    pub(super) held: Charge,
}

impl Answers {
    #[inline]
    pub(super) fn is_full(&self, room: usize) -> bool {
        self.closed || self.nodes.len() >= room || self.edges >= BATCH_EDGES
    }

    #[inline]
    pub(super) fn push<'s>(
        &mut self,
        node: NodeId,
        path: impl ExactSizeIterator<Item = EdgeId>,
        steps: &mut Steps<'s>,
        cx: &Context<'s>,
    ) -> Result<(), ExecError> {
        self.nodes.push(node);
        if !steps.spec.want_edges {
            return Ok(());
        }
        self.edges += path.len();
        self.held.at_least(self.edges.saturating_mul(size_of::<Value>()), cx)?;
        let mut list = Vec::with_capacity(path.len());
        for edge in path {
            steps.look(1, cx)?;
            list.push(cx.edge_value(edge));
        }
        if steps.spec.reversed {
            list.reverse();
        }
        self.lists.push(Value::list(list));
        Ok(())
    }
}
