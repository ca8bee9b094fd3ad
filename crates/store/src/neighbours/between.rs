//! The edges between two nodes: searched in the sorted list of one, or met on a walk along it.

use trimorph_base::{EdgeId, NodeId};

use super::list::Form;
use super::{NeighbourList, Neighbours};

impl Neighbours<'_, '_> {
    /// Calls `visit` on each edge between `node`, of the table walked from, and `neighbour`; without
    /// `want_edge`, on as many ids of no meaning.
    ///
    /// **Cost**: a binary search.
    #[inline]
    pub fn between(&self, node: NodeId, neighbour: NodeId, want_edge: bool, mut visit: impl FnMut(EdgeId)) {
        if self.skip_loops && node == neighbour {
            return;
        }
        let list = self.list(node);
        match list.form {
            Form::None => {}
            Form::One(column, only) => {
                if only == neighbour {
                    visit(if want_edge { list.id_of_one(column, only) } else { EdgeId(0) });
                }
            }
            Form::List(csr, places) => {
                let first = csr.lower_bound(places, neighbour);
                let equal = (first..places.len).take_while(|i| csr.node(places, *i) == neighbour);
                for (ordinal, i) in equal.enumerate() {
                    visit(if want_edge { list.id_in_list(csr, places, i, ordinal) } else { EdgeId(0) });
                }
            }
        }
    }
}

/// A walk along one list, for neighbours that mostly ascend.
#[derive(Clone, Copy)]
pub struct Walk<'r, 's> {
    list: NeighbourList<'r, 's>,
    /// The place in the list that the walk came to.
    at: usize,
}

impl<'r, 's> NeighbourList<'r, 's> {
    /// Starts a walk at the first edge.
    #[inline]
    pub fn walk(self) -> Walk<'r, 's> {
        Walk { list: self, at: 0 }
    }
}

impl Walk<'_, '_> {
    /// The number of edges to `neighbour`.
    #[inline]
    pub fn count(&mut self, neighbour: NodeId) -> u64 {
        if !self.list.along.counts(self.list.node, neighbour) {
            return 0;
        }
        match self.list.form {
            Form::None => 0,
            Form::One(_, only) => u64::from(only == neighbour),
            Form::List(csr, places) => {
                if self.at > 0 && csr.node(places, self.at - 1) >= neighbour {
                    self.at = csr.lower_bound(places, neighbour);
                }
                while self.at < places.len && csr.node(places, self.at) < neighbour {
                    self.at += 1;
                }
                let mut end = self.at;
                while end < places.len && csr.node(places, end) == neighbour {
                    end += 1;
                }
                (end - self.at) as u64
            }
        }
    }
}
