//! Walks that are as long as the graph is large, and as many as no memory holds: answered, over budget, or
//! cancelled; never an abort.

use std::time::Duration;

use trimorph_base::{MemoryBudget, NodeId, TableId};
use trimorph_exec::{ExecError, Execution, Settings};
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::graphs::{EdgeRow, EdgeRows, LoadOptions, Model, NodeRows, RandomGraph, random_graph};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

const CHAIN: usize = 200_000;

/// Nodes `V` with `id` from 0 on, and edges `E` between them.
pub(crate) fn graph(edges: impl Iterator<Item = (usize, usize)>) -> Snapshot {
    let edges: Vec<(usize, usize)> = edges.collect();
    let nodes = edges.iter().map(|(from, to)| from.max(to) + 1).max().unwrap_or(0);
    let id = |row: usize| NodeId::new(TableId(0), row as u64);
    let model = Model {
        nodes: vec![NodeRows {
            labels: vec!["V".into()],
            key_space: Some("v".into()),
            key_property: Some("id".into()),
            keys: (0..nodes).map(|row| Value::Int(row as i64)).collect(),
            properties: Vec::new(),
            rows: vec![Vec::new(); nodes],
        }],
        edges: vec![EdgeRows {
            label: "E".into(),
            from_space: "v".into(),
            to_space: "v".into(),
            properties: Vec::new(),
            rows: (edges.iter())
                .map(|(from, to)| EdgeRow { from: id(*from), to: id(*to), values: Vec::new() })
                .collect(),
        }],
    };
    model.snapshot(LoadOptions::default()).unwrap()
}

fn chain() -> Snapshot {
    graph((1..CHAIN).map(|to| (to - 1, to)))
}

/// From node 0 to node `3 * n`, two ways through each of `n` diamonds in a row.
fn diamonds(n: usize) -> Snapshot {
    graph((0..n).map(|i| 3 * i).flat_map(|i| [(i, i + 1), (i, i + 2), (i + 1, i + 3), (i + 2, i + 3)]))
}

fn run(text: &str, snapshot: &Snapshot, settings: Settings) -> Result<Vec<Vec<Value>>, ExecError> {
    let bound = bind(text, snapshot.catalog()).unwrap();
    let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
    let mut execution = Execution::start(&planned, snapshot.clone(), settings)?;
    let mut rows = Vec::new();
    while let Some(mut batch) = execution.next(|columns, positions, cx| {
        let cell = |c: &&trimorph_vector::Vector<'_>, p: usize| c.value(p, &|id| cx.edge_value(id));
        positions.iter().map(|p| columns.iter().map(|c| cell(c, *p as usize)).collect()).collect::<Vec<_>>()
    })? {
        rows.append(&mut batch);
    }
    Ok(rows)
}

/// Runs within `mebibytes`, and sees to it that everything is given back.
fn run_within(mebibytes: usize, text: &str, snapshot: &Snapshot) -> Result<Vec<Vec<Value>>, ExecError> {
    let budget = MemoryBudget::new(mebibytes << 20, None);
    let rows = run(text, snapshot, Settings { budget: budget.clone(), ..Settings::default() });
    assert_eq!(budget.used_bytes(), 0, "{text}");
    rows
}

fn ints(rows: &[Vec<Value>]) -> Vec<i64> {
    rows.iter().map(|row| if let Value::Int(n) = &row[0] { *n } else { panic!("{row:?}") }).collect()
}

#[test]
fn a_shortest_path_may_be_as_long_as_the_graph() {
    let chain = chain();
    let last = CHAIN - 1;
    for name in ["shortestPath", "allShortestPaths"] {
        for arrow in ["->", "-"] {
            let text = format!(
                "MATCH (a:V {{id: 0}}), (b:V {{id: {last}}}), p = {name}((a)-[:E*]{arrow}(b)) RETURN length(p)"
            );
            assert_eq!(ints(&run_within(128, &text, &chain).unwrap()), [last as i64], "{text}");
            assert!(matches!(run_within(1, &text, &chain), Err(ExecError::Memory(_))), "{text}");
        }
    }
    // Ends that nobody named come as they are reached: a LIMIT keeps the walk short.
    let text = "MATCH (a:V {id: 0}), p = shortestPath((a)-[:E*]->(b)) RETURN length(p) LIMIT 4";
    assert_eq!(ints(&run_within(8, text, &chain).unwrap()), [1, 2, 3, 4]);
}

#[test]
fn shortest_paths_may_be_too_many_to_hold() {
    let ends =
        |n: usize| format!("MATCH p = allShortestPaths((a:V {{id: 0}})-[:E*]->(b:V {{id: {}}}))", 3 * n);
    // 2^40 paths.
    let many = diamonds(40);
    let some = run_within(8, &format!("{} RETURN length(p), p LIMIT 5", ends(40)), &many).unwrap();
    assert_eq!(ints(&some), [80; 5]);
    let shown: std::collections::BTreeSet<String> = some.iter().map(|row| format!("{:?}", row[1])).collect();
    assert_eq!(shown.len(), 5);
    cancelled(&format!("{} RETURN count(p)", ends(40)), &many);
    let few = diamonds(10);
    let text = format!("{} WITH DISTINCT relationships(p) AS r RETURN count(r), max(size(r))", ends(10));
    let rows = run_within(8, &text, &few).unwrap();
    assert!(matches!(rows[0][..], [Value::Int(1024), Value::Int(20)]), "{rows:?}");
}

#[test]
fn lists_of_long_trails_come_in_small_batches() {
    let chain = chain();
    let text = "MATCH p = (a:V {id: 0})-[:E*]->(b) RETURN length(p) LIMIT 3000";
    assert_eq!(ints(&run_within(64, text, &chain).unwrap()), (1..=3000).collect::<Vec<i64>>());
    let text = "MATCH p = (a:V {id: 0})-[:E*150000..]->(b) RETURN length(p) LIMIT 20";
    assert_eq!(ints(&run_within(64, text, &chain).unwrap()), (150_000..150_020).collect::<Vec<i64>>());
    assert!(matches!(run_within(4, text, &chain), Err(ExecError::Memory(_))));
}

/// The query would run for ages; it ends when it is told to.
fn cancelled(text: &str, snapshot: &Snapshot) {
    let settings = Settings::default();
    let token = settings.cancel.clone();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            token.cancel();
        });
        assert_eq!(run(text, snapshot, settings).unwrap_err(), ExecError::Cancelled, "{text}");
    });
}

#[test]
fn walks_without_an_answer_are_cancelled() {
    let clique = graph((0..12).flat_map(|i| (0..12).filter(move |j| *j != i).map(move |j| (i, j))));
    for arrow in ["->", "-"] {
        cancelled(&format!("MATCH (a:V)-[:E*132]{arrow}(b:V {{id: 11}}) RETURN count(*)"), &clique);
        cancelled(
            &format!("MATCH (a:V)-[:E*]{arrow}(b) WITH rand() AS never WHERE never < 0 RETURN count(*)"),
            &clique,
        );
    }
    // Path after path is asked in vain.
    let ends = "(a:V {id: 0})-[:E*]->(b:V {id: 11})";
    let never = "EXISTS { MATCH (x:V) WHERE x IN nodes(p) AND x.id < 0 }";
    for name in ["shortestPath", "allShortestPaths"] {
        cancelled(&format!("MATCH p = {name}({ends}) WHERE {never} RETURN count(p)"), &clique);
    }
}

fn agrees(text: &str, snapshot: &Snapshot, graph: &Graph) -> bool {
    let bound = bind(text, snapshot.catalog()).unwrap();
    let Ok(expected) = run_on(&bound, graph, &Default::default(), Clock::now(), 3_000_000) else {
        return false;
    };
    for vector_size in [2, 1024] {
        let rows = run(text, snapshot, Settings { vector_size, ..Settings::default() }).unwrap();
        compare(&expected, &rows, &Comparison::default()).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
    true
}

#[test]
fn edges_repeat_neither_far_from_the_start() {
    // Forty edges to three nodes with loops of one, two and three edges, two of them side by side.
    let knot = [(40, 41), (41, 40), (40, 42), (41, 42), (42, 41), (42, 41), (42, 42)];
    let snapshot = graph((0..40).map(|i| (i, i + 1)).chain(knot));
    let graph = Graph::read(&snapshot);
    for (start, pattern) in [(0, "(a)-[:E*]->(b)"), (0, "(a)-[:E*]-(b)"), (20, "(a)-[r:E*]->(b)")] {
        // The interpreter walks from every node that an earlier MATCH did not fix.
        let text = format!("MATCH (a:V {{id: {start}}}) MATCH {pattern} RETURN b.id, count(*)");
        assert!(agrees(&text, &snapshot, &graph), "{text}");
    }
}

#[test]
fn shortest_paths_are_those_of_the_interpreter() {
    let mut agreed = 0;
    for seed in 0..40 {
        let snapshot = random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
        let graph = Graph::read(&snapshot);
        for pattern in ["((a)-[*..4]->(b))", "((a)-[*..3]-(b))", "((a)<-[*0..3]-(b))"] {
            let ends = "MATCH (a), (b) WHERE id(a) <> id(b)";
            for text in [
                format!("{ends} MATCH p = allShortestPaths{pattern} RETURN relationships(p)"),
                format!("{ends} MATCH p = shortestPath{pattern} RETURN a, b, length(p)"),
            ] {
                agreed += usize::from(agrees(&text, &snapshot, &graph));
            }
        }
    }
    println!("{agreed} agree");
    assert!(agreed > 100);
}

#[test]
fn shortest_paths_that_meet_a_subquery_are_those_of_the_interpreter() {
    let mut agreed = 0;
    for seed in 0..12 {
        let snapshot = random_graph(seed, RandomGraph::default()).snapshot(LoadOptions::default()).unwrap();
        let graph = Graph::read(&snapshot);
        for pattern in ["((a)-[*..4]->(b))", "((a)-[*..3]-(b))", "((a)<-[*0..3]-(b))"] {
            let ends = "MATCH (a), (b) WHERE id(a) <> id(b) AND (id(a) + id(b)) % 5 = 0";
            let met = "COUNT { MATCH (x)-->() WHERE x IN nodes(p) } > 3 AND NOT EXISTS { MATCH (x)<--() WHERE x IN nodes(p) AND id(x) % 3 = 0 }";
            for text in [
                format!("{ends} MATCH p = allShortestPaths{pattern} WHERE {met} RETURN relationships(p)"),
                format!("{ends} OPTIONAL MATCH p = shortestPath{pattern} WHERE {met} RETURN a, b, length(p)"),
            ] {
                agreed += usize::from(agrees(&text, &snapshot, &graph));
            }
        }
    }
    println!("{agreed} agree");
    assert!(agreed > 20);
}

/// In the clique longer trails are without end: the search stops with the length that has answers. On many
/// threads each has its own.
#[test]
fn a_search_in_order_of_length_ends_where_it_has_answers() {
    let clique = graph((0..12).flat_map(|i| (0..12).filter(move |j| *j != i).map(move |j| (i, j))));
    let met = "COUNT { MATCH (x:V) WHERE x IN nodes(p) AND x.id < 4 } = 3";
    for vector_size in [1, 4, 1024] {
        for (name, count) in [("shortestPath", 1), ("allShortestPaths", 6)] {
            let text = format!(
                "UNWIND [1, 2] AS i MATCH p = {name}((a:V {{id: 0}})-[:E*]->(b:V {{id: 11}})) WHERE {met} RETURN i, count(*), max(length(p)) ORDER BY i"
            );
            let rows = run(&text, &clique, Settings { vector_size, ..Settings::default() }).unwrap();
            let expected = [1, 2].map(|i| [i, count, 3].map(Value::Int).to_vec());
            assert_eq!(format!("{rows:?}"), format!("{expected:?}"), "{text}");
        }
    }
    let tree = graph((1..600).flat_map(|i| [(i, i / 2), (i, i - 1)]));
    let met = "EXISTS { MATCH (x:V) WHERE x IN nodes(p) AND x.id % 7 = 5 }";
    let text = format!(
        "MATCH (a:V), (b:V {{id: 0}}) MATCH p = allShortestPaths((a)-[:E*]->(b)) WHERE {met} RETURN a.id, count(*), min(length(p)) ORDER BY a.id"
    );
    let one = run(&text, &tree, Settings { threads: 1, ..Settings::default() }).unwrap();
    assert!(one.len() > 500, "{}", one.len());
    for threads in [2, 4] {
        let many = run(&text, &tree, Settings { threads, ..Settings::default() }).unwrap();
        assert_eq!(format!("{many:?}"), format!("{one:?}"), "{threads} threads");
    }
}
