//! Trails that must be longer than the graph has edges are planned as nothing; those that need every edge are
//! found.

use trimorph_exec::{Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

/// Five edges of type R in a row, one of type S beside them, and twelve nodes that are all joined by 132
/// edges of type T: they have more trails than can be walked.
const GRAPH: [&str; 3] = [
    "CREATE (:A {n: 0})-[:R]->(:A)-[:R]->(:A)-[:R]->(:A)-[:R]->(:A)-[:R]->(:A)-[:S]->(:B)",
    "UNWIND range(1, 12) AS i CREATE (:C {n: i})",
    "MATCH (a:C) MATCH (b:C) WHERE a.n <> b.n CREATE (a)-[:T]->(b)",
];

#[test]
fn trails_longer_than_the_edges_are_empty() {
    let mut graph = CreatedGraph::default();
    for statement in GRAPH {
        graph.execute(statement).unwrap();
    }
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    for (pattern, count, empty) in [
        ("(a)-[:R*5..]->(b)", 1, false),
        ("(a)-[:R*6..]->(b)", 0, true),
        ("(a)-[:R*5]-(b)", 2, false),
        ("(a)-[:R*6]-(b)", 0, true),
        ("(a)-[:R|S*6]-(b)", 2, false),
        ("(a)-[:R|S*7..]-(b)", 0, true),
        ("(a)-[:T*133..]->(b)", 0, true),
        ("(a {n: 0})-[:R]->(b)-[:T*4294967295..]-(c)", 0, true),
        ("(a)-[:Q*1..]->(b)", 0, true),
        ("(a:B)-[:Q*0..]->(b)", 1, false),
    ] {
        let bound = bind(&format!("MATCH {pattern} RETURN count(*)"), snapshot.catalog()).unwrap();
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let plan = trimorph_algebra::explain(&planned.plan, &planned.vars, &mut |_| String::new());
        assert_eq!(plan.contains("Empty"), empty, "{pattern}\n{plan}");
        let mut execution = Execution::start(&planned, snapshot.clone(), Settings::default()).unwrap();
        let rows = execution.next(|columns, _, cx| columns[0].value(0, &|id| cx.edge_value(id))).unwrap();
        assert!(matches!(rows, Some(Value::Int(n)) if n == count), "{pattern}: {rows:?}");
    }
}
