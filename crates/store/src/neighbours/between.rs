//! The edges between two nodes, searched in the sorted list of one.

use trimorph_base::{EdgeId, NodeId};

use super::Neighbours;
use super::list::Form;

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
            Form::Patch(patch) => {
                let first = patch.nodes.partition_point(|node| *node < neighbour);
                let equal = patch.nodes.iter().zip(&patch.edges).skip(first);
                equal.take_while(|(node, _)| **node == neighbour).for_each(|(_, edge)| visit(*edge));
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
