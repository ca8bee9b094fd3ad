//! Edges, and the nodes that they lead to, that pass a predicate: takes vectors of both, gives positions. The
//! predicate is compiled for a group with the edge in slot 0 and the node in slot 1.

use trimorph_vector::{Chunk, Edges, Nodes, Selection, Values, Vector};

use crate::expr::{Ex, filter};
use crate::{Context, ExecError};

const EDGE_SLOT: usize = 0;
const NODE_SLOT: usize = 1;

/// The positions of some edges, and the nodes that they lead to, that pass a predicate.
pub(super) fn select<'s>(
    predicate: &Ex,
    edges: Edges<'s>,
    nodes: Nodes<'static>,
    len: usize,
    selection: Selection,
    cx: &Context<'s>,
) -> Result<Selection, ExecError> {
    let mut chunk = Chunk::with_slots(&[2]);
    let group = &mut chunk.groups[0];
    group.reset(len);
    group.selection = selection;
    group.vectors[EDGE_SLOT] = Vector::new(Values::Edge(edges));
    group.vectors[NODE_SLOT] = Vector::new(Values::Node(nodes));
    filter(predicate, &mut chunk, 0, cx)?;
    Ok(std::mem::take(&mut chunk.groups[0].selection))
}
