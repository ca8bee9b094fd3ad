//! Statements between nodes, sorted and each once, as the edges of their tables.

use trimorph_base::{NodeId, TableId};
use trimorph_store::bulk::{BulkError, ColumnBatch, ColumnData, NumberedEdges};
use trimorph_types::iri_names::{GRAPH, name_of};
use trimorph_types::{Grouping, LogicalType, Value};

use super::columns::{Further, LiteralNodes};
use super::gathered::Predicate;
use super::refused::Refused;
use super::rows::Tables;
use super::said::Sayings;
use crate::LoadError;

/// Edges that are handed over at once.
const BATCH_EDGES: usize = 1 << 16;

/// The edges of a predicate, by source table.
///
/// **Errors**: a relationship whose statement is not there; a literal without a node, which is a bug.
pub(super) fn of_predicate(
    predicate: Predicate,
    further: Vec<Further>,
    (tables, literals): (&Tables, &LiteralNodes),
    graphs: &[Box<str>],
    sayings: &Sayings,
) -> Result<Vec<NumberedEdges>, Refused> {
    let name = name_of(&predicate.iri).into_owned();
    let mut edges = predicate.edges;
    if !edges.is_sorted() {
        edges.sort_unstable();
    }
    edges.dedup();
    let reified = predicate.reified;
    if !reified.is_empty() {
        // Each number is an edge of its own, in the place of the statement.
        let is_reified = |edge: &(u32, u32)| reified.binary_search_by(|own| (own.0, own.1).cmp(edge)).is_ok();
        let plain: Vec<(u32, u32)> = edges.iter().copied().filter(|edge| !is_reified(edge)).collect();
        let statements = reified.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).count();
        if plain.len() + statements != edges.len() {
            return Err(Refused::Unfit);
        }
        edges = plain;
    }
    // Terms of a table are as a rule in the order of its rows; where they are not, sorting again does it.
    let mut ends: Vec<(NodeId, NodeId)> =
        edges.into_iter().map(|(from, to)| (tables.node(from), tables.node(to))).collect();
    let mut in_graphs: Vec<(NodeId, NodeId, u32)> = Vec::new();
    for (from, to, graph) in predicate.graph_edges {
        in_graphs.push((tables.node(from), tables.node(to), graph));
    }
    for (from, value, graph) in further {
        let Some(to) = literals.get(&Grouping(value)).copied() else {
            let text = "a literal of the load has no node: this is a bug".to_owned();
            return Err(Refused::Failed(LoadError::Sink(BulkError::Declaration(text))));
        };
        match graph {
            None => ends.push((tables.node(from), to)),
            Some(graph) => in_graphs.push((tables.node(from), to, graph)),
        }
    }
    ends.sort_by_key(|(from, to)| (from.table(), from.row(), to.0));
    in_graphs.sort_unstable_by_key(|(from, to, graph)| (from.0, to.0, *graph));
    in_graphs.dedup();
    let mut made: Vec<(TableId, NumberedEdges)> = Vec::new();
    let property = [(GRAPH.to_owned(), LogicalType::Iri)];
    for own in ends.chunk_by(|a, b| a.0.table() == b.0.table()) {
        let edges = of_table(&mut made, &name, own[0].0.table());
        for batch in own.chunks(BATCH_EDGES) {
            let (from, to): (Vec<NodeId>, Vec<NodeId>) = batch.iter().copied().unzip();
            edges.append(&from, &to, &[], &[]);
        }
    }
    let mut said: Vec<(NodeId, NodeId, u32)> =
        reified.into_iter().map(|(from, to, place)| (tables.node(from), tables.node(to), place)).collect();
    said.sort_unstable_by_key(|(from, to, place)| (from.table(), from.row(), to.0, *place));
    for own in said.chunk_by(|a, b| a.0.table() == b.0.table()) {
        let edges = of_table(&mut made, &name, own[0].0.table());
        for batch in own.chunks(BATCH_EDGES) {
            let (from, to): (Vec<NodeId>, Vec<NodeId>) =
                batch.iter().map(|(from, to, _)| (*from, *to)).unzip();
            let places: Vec<u32> = batch.iter().map(|(_, _, place)| *place).collect();
            let (properties, columns) = sayings.columns(&places);
            edges.append(&from, &to, &properties, &columns);
        }
    }
    for own in in_graphs.chunk_by(|a, b| a.0.table() == b.0.table()) {
        let edges = of_table(&mut made, &name, own[0].0.table());
        for batch in own.chunks(BATCH_EDGES) {
            let (from, to): (Vec<NodeId>, Vec<NodeId>) =
                batch.iter().map(|(from, to, _)| (*from, *to)).unzip();
            let names = batch.iter().map(|(_, _, graph)| Value::iri(&*graphs[*graph as usize])).collect();
            let column = ColumnBatch { data: ColumnData::Values(names), nulls: None };
            edges.append(&from, &to, &property, &[column]);
        }
    }
    Ok(made.into_iter().map(|(_, edges)| edges).collect())
}

fn of_table<'m>(
    made: &'m mut Vec<(TableId, NumberedEdges)>,
    name: &str,
    table: TableId,
) -> &'m mut NumberedEdges {
    let place = made.iter().position(|(known, _)| *known == table).unwrap_or_else(|| {
        made.push((table, NumberedEdges::new(name, table)));
        made.len() - 1
    });
    &mut made[place].1
}
