//! Edges that pass a condition, counted by the node that they lead to: takes a step back along edge tables,
//! or both ways, gives the count of each node of a table.
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

/// Whether all edges that a step follows from the nodes of a table can be found from their sources, and some
/// have to be: those that lead to these nodes.
pub(super) fn are_countable(along: &[AdjacencyRef]) -> bool {
    along.iter().any(|a| !a.forward) && along.iter().all(|a| !a.check_table)
}

/// The counts of all nodes of `table`, by row: of its edges `along`, those that pass `predicate`, which looks
/// at their properties only, each as often as `weights` says of the node at its other end.
///
/// **Cost**: a look at the properties of each edge, in order; once for edges that are followed both ways.
pub(super) fn counts_by_target<'s, 'w>(
    along: &[AdjacencyRef],
    predicate: &Ex,
    table: TableId,
    weights: &dyn Fn(TableId) -> Result<Option<&'w Counts>, ExecError>,
    cx: &Context<'s>,
) -> Result<Vec<u64>, ExecError> {
    let mut counts = vec![0; usize::try_from(cx.reader.rows(table)).unwrap_or(0)];
    let mut add = |row: u64, weight: u64| {
        if let Some(count) = counts.get_mut(usize::try_from(row).unwrap_or(usize::MAX)) {
            *count = u64::saturating_add(*count, weight);
        }
    };
    for (at, adjacency) in along.iter().enumerate() {
        let of_table = |a: &&AdjacencyRef| a.edge_table == adjacency.edge_table;
        if along[..at].iter().any(|before| of_table(&before)) {
            continue;
        }
        let Some(info) = cx.reader.schema().edge_tables.get(adjacency.edge_table) else { continue };
        let out = along.iter().filter(of_table).find(|a| a.forward);
        let back = along.iter().filter(of_table).find(|a| !a.forward);
        let lists = Neighbours::all(&cx.reader, adjacency.edge_table, true, info.source);
        let (rows, of_sources) = (cx.reader.rows(info.source), weights(info.source)?);
        let mut failed = None;
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
                    let source = NodeId::new(info.source, first + place as u64);
                    if out.is_some() {
                        match weights(node.table()) {
                            Ok(of_targets) => add(source.row(), of_targets.map_or(1, |w| w.get(node.row()))),
                            Err(error) => failed = Some(error),
                        }
                    }
                    if let Some(back) = back
                        && node.table() == table
                        && !(back.skip_loops && node == source)
                    {
                        add(node.row(), of_sources.map_or(1, |w| w.get(source.row())));
                    }
                },
            )?;
            if let Some(error) = failed.take() {
                return Err(error);
            }
        }
    }
    Ok(counts)
}
