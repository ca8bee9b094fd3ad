//! Statements between nodes as the edges of their tables, each once.
//!
//! 1. Of most predicates they go to their tables as they came, and are sorted where these are built.
//! 2. Where edges have properties, graphs or what is said of them, their order says which is which: those of
//!    each kind are sorted here.

use trimorph_base::{NodeId, TableId};
use trimorph_store::bulk::{ColumnBatch, ColumnData, NumberedEdges};
use trimorph_types::iri_names::{GRAPH, name_of};
use trimorph_types::{LogicalType, Value};

use super::further::LiteralEdges;
use super::gathered::Predicate;
use super::refused::Refused;
use super::rows::Tables;
use super::said::Sayings;

/// Edges that are handed over at once.
const BATCH_EDGES: usize = 1 << 16;

/// The edges of a predicate, by source table.
///
/// **Errors**: a relationship whose statement is not there.
pub(super) fn of_predicate(
    predicate: Predicate,
    further: LiteralEdges,
    tables: &Tables,
    graphs: &[Box<str>],
    sayings: &Sayings,
) -> Result<Vec<NumberedEdges>, Refused> {
    let name = name_of(&predicate.iri).into_owned();
    let reified = predicate.reified;
    let is_plain = reified.is_empty() && predicate.graphs_of_edges.is_empty();
    if is_plain && further.are_without_graph() {
        let mut plain = PlainEdges { name: &name, made: Vec::new(), place_of: vec![None; tables.len()] };
        let (mut from, mut to) = (Vec::with_capacity(BATCH_EDGES), Vec::with_capacity(BATCH_EDGES));
        let edges = predicate.edges.into_iter().map(|(subject, object)| (subject, tables.node(object)));
        let literals = further.each().map(|(subject, literal, _)| (subject, literal));
        for (subject, object) in edges.chain(literals) {
            from.push(tables.node(subject));
            to.push(object);
            if from.len() == BATCH_EDGES {
                plain.take(&mut from, &mut to);
            }
        }
        plain.take(&mut from, &mut to);
        return Ok(plain.made);
    }
    let mut edges: Vec<(u32, u32)> = Vec::with_capacity(predicate.edges.subjects.len());
    edges.extend(predicate.edges.into_iter());
    if !edges.is_sorted() {
        edges.sort_unstable();
    }
    edges.dedup();
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
    let mut ends: Vec<(NodeId, NodeId)> =
        edges.into_iter().map(|(from, to)| (tables.node(from), tables.node(to))).collect();
    ends.extend(further.each().filter(|of| of.2.is_none()).map(|(from, to, _)| (tables.node(from), to)));
    ends.sort_unstable_by_key(|(from, to)| (from.table(), from.row(), to.0));
    let mut made: Vec<(TableId, NumberedEdges)> = Vec::new();
    for own in ends.chunk_by(|a, b| a.0.table() == b.0.table()) {
        let edges = of_table(&mut made, &name, own[0].0.table());
        for batch in own.chunks(BATCH_EDGES) {
            let (from, to): (Vec<NodeId>, Vec<NodeId>) = batch.iter().copied().unzip();
            edges.append(&from, &to, &[], &[]);
        }
    }
    drop(ends);
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
    let graphs_of_edges = predicate.graphs_of_edges.into_runs().flatten();
    let of_nodes = predicate.graph_edges.into_iter().zip(graphs_of_edges);
    let of_nodes = of_nodes.map(|((from, to), graph)| (tables.node(from), tables.node(to), graph as u32));
    let of_literals = further.each().filter_map(|(from, to, graph)| Some((tables.node(from), to, graph?)));
    let mut in_graphs: Vec<(NodeId, NodeId, u32)> = of_nodes.chain(of_literals).collect();
    in_graphs.sort_unstable_by_key(|(from, to, graph)| (from.0, to.0, *graph));
    in_graphs.dedup();
    let property = [(GRAPH.to_owned(), LogicalType::Iri)];
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

/// Edges without properties, in any order, on their way to their tables.
struct PlainEdges<'n> {
    name: &'n str,
    made: Vec<NumberedEdges>,
    /// By source table.
    place_of: Vec<Option<usize>>,
}

impl PlainEdges<'_> {
    /// Takes edges, and leaves none.
    fn take(&mut self, from: &mut Vec<NodeId>, to: &mut Vec<NodeId>) {
        let mut at = 0;
        for own in from.chunk_by(|a, b| a.table() == b.table()) {
            let table = own[0].table();
            let place = *self.place_of[usize::from(table.0)].get_or_insert_with(|| {
                self.made.push(NumberedEdges::once(self.name, table));
                self.made.len() - 1
            });
            self.made[place].append(own, &to[at..at + own.len()], &[], &[]);
            at += own.len();
        }
        from.clear();
        to.clear();
    }
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
