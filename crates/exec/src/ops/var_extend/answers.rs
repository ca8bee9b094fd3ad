//! What walks found: their ends, and their edges where these are wanted.

use trimorph_base::{Diagnostic, EdgeId, NodeId};
use trimorph_vector::{Edges, Lists, Values, Vector};

use super::steps::Steps;
use crate::charge::Charge;
use crate::{Context, ExecError};

/// Edges that the lists of a batch hold before it is full: walks may be as long as the graph is large.
const BATCH_EDGES: usize = 1 << 16;

/// Ends of walks, with their edges where these are wanted.
#[derive(Default)]
pub(super) struct Answers {
    pub(super) nodes: Vec<NodeId>,
    /// Where the edges of each end behind those of all before.
    ends: Vec<u32>,
    /// The edges of all walks, one after the other.
    edges: Vec<EdgeId>,
    /// Whether no more may come before these were looked at.
    pub(super) closed: bool,
    pub(super) held: Charge,
}

impl Answers {
    pub(super) fn holding(held: Charge) -> Self {
        Self { held, ..Self::default() }
    }

    #[inline]
    pub(super) fn is_full(&self, room: usize) -> bool {
        self.closed || self.nodes.len() >= room || self.edges.len() >= BATCH_EDGES
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
        steps.look(path.len(), cx)?;
        let first = self.edges.len();
        let bytes = (first + path.len()).saturating_mul(size_of::<EdgeId>());
        self.held.at_least(bytes.saturating_add(self.nodes.len() * size_of::<u64>()), cx)?;
        self.edges.extend(path);
        if steps.spec.reversed {
            self.edges[first..].reverse();
        }
        let end = u32::try_from(self.edges.len());
        self.ends.push(end.map_err(|_| Diagnostic::internal("a walk of more than 2^32 relationships"))?);
        Ok(())
    }

    /// The edges of each walk as a list.
    pub(super) fn take_lists<'s>(&mut self) -> Vector<'s> {
        let (ends, edges) = (std::mem::take(&mut self.ends), std::mem::take(&mut self.edges));
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let runs = starts.zip(&ends).map(|(start, end)| (start, end - start));
        // Every run ends within the edges.
        Lists::new(runs, Vector::new(Values::Edge(Edges::Ids(edges))))
            .map_or_else(Vector::empty, |lists| Vector::new(Values::List(lists)))
    }
}
