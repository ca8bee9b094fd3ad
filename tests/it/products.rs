//! A product of which nothing is wanted is counted, not enumerated: 10^13 rows have an answer, in rows and in groups.

use std::sync::Arc;

use trimorph_exec::{Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

#[test]
fn products_are_counted() {
    let mut graph = CreatedGraph::default();
    graph.execute("UNWIND range(1, 22000) AS i CREATE (:A {n: i, k: i % 2})").unwrap();
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    for (query, expected) in [
        ("MATCH (a:A), (b:A), (c:A) RETURN count(*)", 22_000i64.pow(3)),
        ("MATCH (a:A {n: 1}), (b:A), (c:A) RETURN sum(a.n)", 22_000i64.pow(2)),
        ("MATCH (a:A), (b:A) WITH a.k AS k, count(*) AS n RETURN sum(n)", 22_000i64.pow(2)),
        ("MATCH (a:A), (b:A), (c:A) WITH a.k AS k SKIP 10000000000000 LIMIT 5 RETURN count(k)", 5),
        ("MATCH (a:A), (b:A) WHERE a.k = b.k RETURN count(*)", 22_000i64.pow(2) / 2),
    ] {
        let bound = bind(query, snapshot.catalog()).unwrap();
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let mut execution =
            Execution::start(Arc::new(planned), snapshot.clone(), Settings::default()).unwrap();
        let answer = execution.next(|columns, _, cx| columns[0].value(0, &|id| cx.edge_value(id))).unwrap();
        assert!(matches!(answer, Some(Value::Int(n)) if n == expected), "{query}: {answer:?}");
    }
}
