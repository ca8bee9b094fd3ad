//! The one way from nodes to their edges: every question it answers against the plain edges of the graph, as
//! loaded and after segments were rewritten.

use std::collections::BTreeMap;

use trimorph_base::{EdgeId, NodeId, Random, TableId};
use trimorph_store::access::{AdjacencyRef, EdgeAccess};
use trimorph_store::neighbours::{NeighbourList, Neighbours};
use trimorph_store::{Condition, PropertyColumn, Reader, Snapshot};
use trimorph_testkit::graphs::{LoadOptions, RandomGraph, random_graph, rewritten, segmented_graph};
use trimorph_testkit::interpreter::Graph;
use trimorph_types::{LogicalType, Value};
use trimorph_vector::{Edges, Nodes};

/// The edges of a graph as a step sees them: by node walked from and by edge table and direction, sorted by
/// neighbour and then as lists have parallel edges.
type Seen = BTreeMap<(NodeId, usize, bool), Vec<(NodeId, EdgeId)>>;

fn seen(graph: &Graph) -> Seen {
    let mut seen = Seen::new();
    for edge in &graph.edges {
        let table = usize::from(edge.id.table().0);
        seen.entry((edge.start, table, true)).or_default().push((edge.end, edge.id));
        seen.entry((edge.end, table, false)).or_default().push((edge.start, edge.id));
    }
    seen.values_mut().for_each(|edges| edges.sort_by_key(|(neighbour, _)| *neighbour));
    seen
}

struct Door<'r, 's> {
    reader: &'r Reader<'s>,
    graph: &'r Graph,
    seen: &'r Seen,
    /// How often each way of reading in bulk was possible.
    bulk: BTreeMap<&'static str, usize>,
}

fn sorted(edges: impl IntoIterator<Item = (NodeId, EdgeId)>) -> Vec<(NodeId, EdgeId)> {
    let mut edges: Vec<_> = edges.into_iter().collect();
    edges.sort();
    edges
}

impl<'r, 's> Door<'r, 's> {
    /// The edges of `node` along an adjacency of a step, those that count.
    fn expected(&self, step: &EdgeAccess, adjacency: &AdjacencyRef, node: NodeId) -> Vec<(NodeId, EdgeId)> {
        let all = self.seen.get(&(node, adjacency.edge_table, adjacency.forward)).into_iter().flatten();
        let wanted = |n: NodeId| {
            step.to_tables.as_ref().is_none_or(|ts| ts.contains(&n.table()) || !adjacency.check_table)
        };
        all.filter(|(n, _)| wanted(*n) && !(adjacency.skip_loops && *n == node)).copied().collect()
    }

    fn rows(&self, table: TableId) -> u64 {
        self.reader.rows(table)
    }

    fn check_step(&mut self, step: &EdgeAccess, random: &mut Random) {
        for table in self.reader.schema().table_ids() {
            let adjacencies = &step.by_table[usize::from(table.0)];
            assert_eq!(step.one(table, self.reader).is_some(), adjacencies.len() == 1);
            for (neighbours, adjacency) in step.neighbours(table, self.reader).zip(adjacencies) {
                assert_eq!(neighbours.edge_table(), adjacency.edge_table);
                for row in 0..self.rows(table) {
                    let node = NodeId::new(table, row);
                    let expected = self.expected(step, adjacency, node);
                    self.check_list(&neighbours.list(node), &expected);
                    self.check_single(&neighbours, node, &expected);
                    self.check_between(&neighbours, node, &expected, random);
                }
                self.check_rows(step, &neighbours, adjacency, table, random);
            }
            for row in 0..self.rows(table) {
                let node = NodeId::new(table, row);
                let mut found = Vec::new();
                step.lists(node, self.reader).for_each(|list| list.append(&mut found, None));
                let expected = adjacencies.iter().flat_map(|a| self.expected(step, a, node)).map(|(n, _)| n);
                assert_eq!(found, expected.collect::<Vec<_>>(), "{node:?}");
            }
        }
    }

    fn check_list(&mut self, list: &NeighbourList<'_, '_>, expected: &[(NodeId, EdgeId)]) {
        // What was there before stays.
        let (mut nodes, mut edges) = (vec![NodeId(5)], vec![EdgeId(6), EdgeId(7)]);
        list.append(&mut nodes, Some(&mut edges));
        assert_eq!((nodes[0], &edges[..2]), (NodeId(5), &[EdgeId(6), EdgeId(7)][..]));
        let found: Vec<_> = nodes[1..].iter().copied().zip(edges[2..].iter().copied()).collect();
        assert_eq!(nodes.len() + 1, edges.len());
        assert!(found.is_sorted_by_key(|(node, _)| *node));
        assert_eq!(sorted(found.iter().copied()), sorted(expected.iter().copied()));
        assert!(list.len() >= found.len());
        assert_eq!(list.count(), found.len());
        for want_edges in [false, true] {
            let place = list.in_place(want_edges);
            assert_eq!((place.len, place.edges.is_some()), (list.len(), want_edges));
            let positions = place.selection.to_vec(place.len);
            let nodes: Vec<NodeId> = positions.iter().map(|i| place.nodes.id(*i as usize)).collect();
            assert!(nodes.iter().eq(found.iter().map(|(node, _)| node)));
            if let Some(edges) = place.edges {
                assert!(positions.iter().map(|i| edges.id(*i as usize)).eq(found.iter().map(|(_, id)| *id)));
                let form =
                    if matches!(edges, Edges::Run(_)) { "edges that follow each other" } else { "ids" };
                *self.bulk.entry(form).or_default() += 1;
            }
        }
    }

    fn check_single(&self, neighbours: &Neighbours<'_, '_>, node: NodeId, expected: &[(NodeId, EdgeId)]) {
        if expected.len() <= 1 && neighbours.degree(node.row()) == expected.len() as u64 {
            assert_eq!(neighbours.single(node), expected.first().map(|(n, _)| *n));
            assert_eq!(neighbours.single_node(node), expected.first().map(|(n, _)| *n));
            assert_eq!(neighbours.single_edge(node), expected.first().copied());
        }
    }

    fn check_between(
        &self,
        neighbours: &Neighbours<'_, '_>,
        node: NodeId,
        expected: &[(NodeId, EdgeId)],
        random: &mut Random,
    ) {
        let mut others: Vec<NodeId> = expected.iter().map(|(n, _)| *n).collect();
        others.push(node);
        others.extend((0..3).map(|_| random.pick(&self.graph.nodes).id));
        // Mostly ascending, and now and then back.
        others.sort();
        if random.chance(30) {
            others.reverse();
        }
        for other in others {
            let edges = sorted(expected.iter().copied().filter(|(n, _)| *n == other));
            if !neighbours.is_plain() && edges.is_empty() {
                // An edge that ends in a table that is not wanted is never asked for.
                continue;
            }
            let mut found = Vec::new();
            neighbours.between(node, other, true, |edge| found.push((other, edge)));
            assert_eq!(sorted(found), edges, "between {node:?} and {other:?}");
            let mut count = 0;
            neighbours.between(node, other, false, |_| count += 1);
            assert_eq!(count, edges.len());
        }
    }

    /// What is read of consecutive rows at once.
    fn check_rows(
        &mut self,
        step: &EdgeAccess,
        neighbours: &Neighbours<'_, '_>,
        adjacency: &AdjacencyRef,
        table: TableId,
        random: &mut Random,
    ) {
        let rows = self.rows(table);
        if rows == 0 {
            return;
        }
        let first = random.below(usize::try_from(rows).unwrap()) as u64;
        let len = 1 + random.below(usize::try_from(rows - first).unwrap());
        let nodes: Vec<NodeId> = (first..first + len as u64).map(|row| NodeId::new(table, row)).collect();
        let expected: Vec<_> = nodes.iter().map(|n| self.expected(step, adjacency, *n)).collect();
        let positions: Vec<u32> = (0u32..).take(len).filter(|_| random.chance(70)).collect();
        let mut out = vec![NodeId(0); len];
        let kept = neighbours.singles(&Nodes::Range(nodes[0]), &positions, &mut out);
        for p in &positions {
            let (degree, edges) = (neighbours.degree(nodes[*p as usize].row()), &expected[*p as usize]);
            if degree == edges.len() as u64 && degree <= 1 {
                assert_eq!(kept.contains(p), degree == 1);
                assert!(degree == 0 || out[*p as usize] == edges[0].0);
            }
        }
        if !neighbours.is_plain() {
            assert!(neighbours.run(first, len, false).is_none());
            return;
        }
        let degrees: Vec<u64> = expected.iter().map(|edges| edges.len() as u64).collect();
        assert!(degrees.iter().zip(&nodes).all(|(d, n)| neighbours.degree(n.row()) == *d));
        assert_eq!(neighbours.degrees(first, len as u64), degrees.iter().sum::<u64>());
        for factor in [3, u64::MAX / 2] {
            let mut out = vec![factor; len];
            neighbours.multiply_degrees(first, &mut out);
            assert!(out.iter().zip(&degrees).all(|(o, d)| *o == factor.saturating_mul(*d)));
        }
        let weights: Vec<u64> = (0..self.graph.nodes.len() as u64).map(|row| row * 7).collect();
        let sum = |edges: &Vec<(NodeId, EdgeId)>| edges.iter().map(|(n, _)| n.row() * 7).sum::<u64>();
        for (node, edges) in nodes.iter().zip(&expected) {
            assert_eq!(neighbours.list(*node).sum_weights(&weights), Some(sum(edges)));
        }
        let narrow: Vec<u32> = weights.iter().map(|weight| u32::try_from(*weight).unwrap()).collect();
        for factor in [0, 3, u64::MAX / 2] {
            let (mut out, mut same) = (vec![factor; len], vec![factor; len]);
            neighbours.multiply_sums(first, &weights, &mut out);
            neighbours.multiply_sums(first, &narrow, &mut same);
            assert_eq!(out, same);
            assert!(out.iter().zip(&expected).all(|(o, edges)| *o == factor.saturating_mul(sum(edges))));
        }
        self.check_run(neighbours, first, &expected, random);
        for (column, property) in
            self.reader.schema().edge_tables[adjacency.edge_table].properties.iter().enumerate()
        {
            let column = PropertyColumn::of_edges(adjacency.edge_table, column, self.reader);
            if property.ty == LogicalType::Int {
                let name = self.reader.schema().property_name(property.id);
                self.check_passing(neighbours, (column, &name), &nodes, &expected, random);
            }
        }
    }

    fn check_run(
        &mut self,
        neighbours: &Neighbours<'_, '_>,
        first: u64,
        expected: &[Vec<(NodeId, EdgeId)>],
        random: &mut Random,
    ) {
        let all: Vec<(NodeId, EdgeId)> = expected.iter().flatten().copied().collect();
        for want_edges in [false, true] {
            let Some(run) = neighbours.run(first, expected.len(), want_edges) else { continue };
            *self.bulk.entry(if want_edges { "runs with edges" } else { "runs" }).or_default() += 1;
            assert_eq!(run.len(), all.len());
            let from = random.below(all.len() + 1);
            let len = random.below(all.len() - from + 1);
            let nodes = neighbours.run_nodes(run, from, len);
            let edges = want_edges.then(|| neighbours.run_edges(run, from));
            for (i, (node, id)) in all[from..from + len].iter().enumerate() {
                assert_eq!(nodes.id(i), *node);
                assert!(edges.as_ref().is_none_or(|edges| edges.id(i) == *id));
            }
        }
        let mut starts = vec![0; expected.len() + 1];
        if neighbours.slots(first, &mut starts).is_some() {
            *self.bulk.entry("slots").or_default() += 1;
            let slots = all.iter().map(|(_, id)| self.reader.edge_slot(*id));
            assert!(slots.eq(starts[0]..starts[expected.len()]));
            let degrees = expected.iter().map(|edges| edges.len() as u64);
            assert!(starts.windows(2).map(|pair| pair[1] - pair[0]).eq(degrees));
        }
    }

    fn check_passing(
        &mut self,
        neighbours: &Neighbours<'_, '_>,
        (column, name): (PropertyColumn<'_, '_>, &str),
        nodes: &[NodeId],
        expected: &[Vec<(NodeId, EdgeId)>],
        random: &mut Random,
    ) {
        let first = nodes[0].row();
        let (low, high) = (random.between(-1000, 0), random.between(0, 1000));
        let condition = Condition::Range(low, high);
        let passes = |id: &EdgeId| {
            let value = self.graph.edge(*id).unwrap().properties.get(name).cloned();
            matches!(value, Some(Value::Int(v)) if (low..=high).contains(&v))
        };
        let counts: Vec<u64> =
            expected.iter().map(|edges| edges.iter().filter(|(_, id)| passes(id)).count() as u64).collect();
        let table = expected.iter().flatten().next().map(|(_, id)| id.table());
        let mut slots = column.slots();
        for (_, id) in expected.iter().flatten() {
            assert_eq!((slots(*id), Some(id.table())), (column.slot(*id), table));
        }
        if let Some(count) = neighbours.count_passing(column, &condition, first, expected.len() as u64) {
            *self.bulk.entry("edges that pass, in all").or_default() += 1;
            assert_eq!(count, counts.iter().sum::<u64>());
        }
        let mut added = vec![5; expected.len()];
        if neighbours.add_passing(column, &condition, first, &mut added).is_some() {
            *self.bulk.entry("edges that pass, by row").or_default() += 1;
            assert!(added.iter().zip(&counts).all(|(added, count)| *added == 5 + count));
        }
        for (node, count) in nodes.iter().zip(&counts) {
            if let Some(found) = neighbours.list(*node).count_passing(column, &condition) {
                *self.bulk.entry("edges that pass, of a list").or_default() += 1;
                assert_eq!(found, *count);
            }
        }
    }
}

/// Checks all kinds of steps over a snapshot.
fn check(snapshot: &Snapshot, random: &mut Random, bulk: &mut BTreeMap<&'static str, usize>) {
    let reader = Reader::new(snapshot);
    let graph = Graph::read(snapshot);
    let (catalog, seen) = (snapshot.schema(), seen(&graph));
    let mut door = Door { reader: &reader, graph: &graph, seen: &seen, bulk: std::mem::take(bulk) };
    let tables: Vec<TableId> = catalog.table_ids().collect();
    let mut types: Vec<Vec<String>> =
        catalog.edge_table_ids().map(|t| vec![catalog.type_name(t).to_string()]).collect();
    types.push(Vec::new());
    for types in types {
        for (out, back) in [(true, false), (false, true), (true, true)] {
            let wanted = [*random.pick(&tables)];
            for to_tables in [None, Some(&wanted[..])] {
                let patterns = EdgeAccess::patterns(&types, out, back, to_tables, true, 1.0);
                door.check_step(&EdgeAccess::of(patterns, &reader), random);
            }
        }
    }
    *bulk = door.bulk;
}

#[test]
fn neighbours_are_those_of_the_graph() {
    let (mut loaded, mut changed) = (BTreeMap::new(), BTreeMap::new());
    for seed in 0..60 {
        println!("graph seed {seed}");
        let model = random_graph(seed, RandomGraph::default());
        if model.nodes.is_empty() {
            continue;
        }
        let random = &mut Random::new(seed);
        check(&model.snapshot(LoadOptions::default()).unwrap(), random, &mut loaded);
        check(&rewritten(model.load(LoadOptions::default()).unwrap(), seed).unwrap(), random, &mut changed);
    }
    println!("read in bulk, as loaded: {loaded:?}");
    println!("read in bulk, rewritten: {changed:?}");
    let ways = ["runs", "runs with edges", "slots", "edges that follow each other", "ids"];
    for way in ways.iter().chain(&["edges that pass, in all", "edges that pass, by row"]) {
        assert!(loaded.contains_key(way), "{way}");
    }
    // What was changed has positions of its own: neighbours still lie end to end, edges do not.
    assert!(changed.contains_key("runs") && changed.contains_key("ids"));
}

/// Rows asked for at once lie in several segments.
#[test]
fn neighbours_in_several_segments_are_those_of_the_graph() {
    println!("segmented graph seed 10");
    let options = LoadOptions { segment_edges: 1, ..LoadOptions::default() };
    let model = segmented_graph(10, 2 * 2048 + 77);
    let (random, mut bulk) = (&mut Random::new(10), BTreeMap::new());
    check(&model.snapshot(options).unwrap(), random, &mut bulk);
    check(&rewritten(model.load(options).unwrap(), 10).unwrap(), random, &mut bulk);
    println!("read in bulk: {bulk:?}");
}
