//! Edges, and the nodes that they lead to, that pass a predicate: takes vectors of both, or the lists of
//! nodes that follow each other, gives those that do. The predicate is compiled for a group with the edge in
//! slot 0 and the node in slot 1.

use trimorph_base::NodeId;
use trimorph_store::neighbours::Neighbours;
use trimorph_vector::{Chunk, Edges, Nodes, Selection, VECTOR_SIZE, Values, Vector};

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

/// Calls `take` with each edge of `count` nodes from `first` on that passes a predicate which looks at its
/// properties only: the place of its node among these, and the node that it leads to. `lists` are read from
/// their sources, as whole as they are.
pub(super) fn each_passing<'s>(
    lists: &Neighbours<'_, 's>,
    (first, count): (NodeId, usize),
    predicate: &Ex,
    cx: &Context<'s>,
    take: &mut impl FnMut(usize, NodeId),
) -> Result<(), ExecError> {
    // The predicate does not look at nodes.
    let pass = |edges, len| select(predicate, edges, Nodes::Range(NodeId(0)), len, Selection::All, cx);
    if let Some(run) = lists.run(first.row(), count, true) {
        let (mut place, mut end) = (0, lists.degree(first.row()));
        for from in (0..run.len()).step_by(VECTOR_SIZE) {
            let len = (run.len() - from).min(VECTOR_SIZE);
            let passing = pass(lists.run_edges(run, from), len)?;
            let positions = (0..passing.count(len)).map(|k| passing.position(k));
            lists.run_nodes(run, from, len).for_each(positions, |at, node| {
                while (from + at) as u64 >= end && place + 1 < count {
                    place += 1;
                    end += lists.degree(first.row() + place as u64);
                }
                take(place, node);
            });
        }
        return Ok(());
    }
    // Lists that do not lie end to end are put together.
    let (mut nodes, mut edges, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for place in 0..count {
        let node = NodeId::new(first.table(), first.row() + place as u64);
        lists.append(node, &mut nodes, Some(&mut edges));
        places.resize(edges.len(), place);
        if edges.len() >= VECTOR_SIZE || place + 1 == count {
            let len = edges.len();
            let passing = pass(Edges::Ids(std::mem::take(&mut edges)), len)?;
            (0..passing.count(len)).map(|k| passing.position(k)).for_each(|at| take(places[at], nodes[at]));
            nodes.clear();
            places.clear();
        }
    }
    Ok(())
}
