//! Edges that pass a condition, counted by the node that they lead to: takes a step back along edge tables,
//! gives the count of each node of a table.
//!
//! From its target an edge's properties lie anywhere, and each is a jump. Where the edges of many nodes are
//! asked for, all edges are gone through instead, from end to end as their sources have them, and those that
//! pass are added to the counts of their targets: a scan of the relation in the place of its index.
//!
//! Hot loop: the condition over vectors of edges that follow each other, then an addition for each that
//! passes.
//!
//! Source: access by index and by relation, Poseidon §6.

use trimorph_base::{NodeId, TableId};
use trimorph_store::access::AdjacencyRef;
use trimorph_store::neighbours::Neighbours;
use trimorph_vector::VECTOR_SIZE;

use super::node_counts::Counts;
use super::passing_edges::each_passing;
use crate::expr::Ex;
use crate::{Context, ExecError};

/// Whether all edges that a step follows from the nodes of a table are such: each is followed back from its
/// target, whatever its source.
pub(super) fn are_countable(along: &[AdjacencyRef]) -> bool {
    !along.is_empty() && along.iter().all(|a| !a.forward && !a.skip_loops && !a.check_table)
}

/// The counts of all nodes of `table`, by row: of its edges `along`, those that pass `predicate`, which looks
/// at their properties only, each as often as `weights` says of the node that it comes from.
///
/// **Cost**: a look at the properties of each edge, in order.
pub(super) fn counts_by_target<'s, 'w>(
    along: &[AdjacencyRef],
    predicate: &Ex,
    table: TableId,
    weights: &dyn Fn(TableId) -> Result<Option<&'w Counts>, ExecError>,
    cx: &Context<'s>,
) -> Result<Vec<u64>, ExecError> {
    let mut counts = vec![0; usize::try_from(cx.reader.rows(table)).unwrap_or(0)];
    for adjacency in along {
        let Some(info) = cx.reader.schema().edge_tables.get(adjacency.edge_table) else { continue };
        let lists = Neighbours::all(&cx.reader, adjacency.edge_table, true, info.source);
        let (rows, weights) = (cx.reader.rows(info.source), weights(info.source)?);
        for first in (0..rows).step_by(VECTOR_SIZE) {
            cx.check()?;
            // No more than a vector has.
            let count = (rows - first).min(VECTOR_SIZE as u64) as usize;
            each_passing(
                &lists,
                (NodeId::new(info.source, first), count),
                predicate,
                cx,
                &mut |place, node| {
                    if node.table() == table
                        && let Some(count) = counts.get_mut(usize::try_from(node.row()).unwrap_or(usize::MAX))
                    {
                        let weight = weights.map_or(1, |weights| weights.get(first + place as u64));
                        *count = u64::saturating_add(*count, weight);
                    }
                },
            )?;
        }
    }
    Ok(counts)
}
