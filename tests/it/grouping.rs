//! Aggregations with so many groups that the workers merge their tables in parts: the same answers on any
//! number of threads.

use trimorph_exec::{Execution, Settings};
use trimorph_optimizer::{Options, optimize};
use trimorph_store::Snapshot;
use trimorph_testkit::graphs::{CreatedGraph, LoadOptions};
use trimorph_testkit::queries::bind;
use trimorph_types::Value;

/// Nodes of two tables. Of each property many values, of some nodes none; integers in one table are floats in
/// the other.
const GRAPH: [&str; 2] = [
    "UNWIND range(1, 90000) AS i CREATE (:A {n: i, key: i % 80000, text: 'text ' + toString(i % 75000), few: i % 3})",
    "UNWIND range(1, 60000) AS i CREATE (:B {n: -i, key: toFloat(i % 55000), day: date('2000-01-01') + duration({days: i % 33000})})",
];

const QUERIES: [&str; 27] = [
    "MATCH (m) RETURN m.key, count(*)",
    "MATCH (m) RETURN m.text, count(*), sum(m.n), min(m.n), max(m.n)",
    "MATCH (m) RETURN m, m.few, count(m.text)",
    "MATCH (m) RETURN m.key, m.text, avg(m.n), size(tail(collect(m.n)))",
    "MATCH (m) RETURN m.key, m.few, m.day, count(DISTINCT m.n), count(DISTINCT m)",
    "MATCH (m:B) RETURN m.day, count(DISTINCT m.key), percentileDisc(m.n, 0.5)",
    "MATCH (m:A) RETURN m.key, count(DISTINCT m.text), max(m.text)",
    "MATCH (m) RETURN count(DISTINCT m), count(*), sum(m.n)",
    "MATCH (m) RETURN count(DISTINCT m.key), count(DISTINCT m.text), count(DISTINCT m.day), count(m.text)",
    "MATCH (m) RETURN count(DISTINCT m.few), min(m.day)",
    "MATCH (m:C) RETURN count(DISTINCT m), count(DISTINCT m.few)",
    "MATCH (m) WITH m.key AS k, count(*) AS n RETURN n, count(k)",
    "MATCH (m) RETURN m.few, min(m.text), max(m.text), min(m.n), max(m.n), min(m.day), max(CASE WHEN m.n % 7 = 0 THEN left(m.text, m.n % 9) END)",
    "MATCH (m) RETURN m.key, min(m.text), max(CASE WHEN m.n % 2 = 0 THEN m.text ELSE m.n END), min(reverse(m.text))",
    "MATCH (m) RETURN m.few, percentileCont(m.key, 0.3), percentileDisc(m.n, 0.9)",
    "MATCH (m) RETURN m.key, percentileCont(m.n, 0.5), percentileDisc(m.n * 0.5, 1.0), percentileDisc(DISTINCT m.few, 0.5)",
    // Different values of few groups and of many, side by side and far apart, and words of both forms.
    "MATCH (m) RETURN m.few, count(DISTINCT m.n), count(DISTINCT m.text), count(DISTINCT m)",
    "MATCH (m) RETURN m.few, count(DISTINCT m.n * 0.5), count(DISTINCT m.n * 1000003), count(DISTINCT m.key)",
    "MATCH (m) RETURN m.n % 10, count(DISTINCT CASE WHEN m.n % 3 = 0 THEN m.n * 1.0 WHEN m.n % 3 = 1 THEN m.text ELSE m.n END)",
    "MATCH (m) RETURN m.n % 5, count(DISTINCT CASE WHEN m.n < 0 THEN m.n + 0.5 ELSE m.n END), count(DISTINCT [m.few, m.text])",
    "MATCH (m) RETURN count(DISTINCT CASE WHEN m.n % 2 = 0 THEN m.n * 0.5 ELSE m.text END), count(DISTINCT m.n % 70000)",
    "MATCH (m) RETURN m.n % 20000, count(DISTINCT m.text), count(DISTINCT m.few), count(DISTINCT m.day)",
    // Words that lie far apart: one worker puts these into partitions too.
    "MATCH (m) RETURN m.key * 1000003, count(*), sum(m.n), avg(m.n), min(m.n), max(m.n), count(m.text), min(m.day)",
    "MATCH (m) RETURN CASE WHEN m.n % 5 = 0 THEN null ELSE m.key * 1000003 END, count(*), max(m.key)",
    "MATCH (m) WITH DISTINCT m.n * 1000003 AS k WHERE k % 2 = 0 RETURN count(*), min(k), max(k)",
    "MATCH (m) WITH m.key * 1000003 AS k, m UNWIND [1, 2, 2] AS i RETURN k, count(*), sum(i)",
    "MATCH (m:A) RETURN m.text, percentileDisc(m.n, 0), percentileCont(CASE WHEN m.n % 3 = 0 THEN null WHEN m.n % 1000 = 1 THEN m.n * 0.5 ELSE m.n END, 0.25)",
];

/// A value as text. Of equivalent keys, which one is seen first depends on the threads: 1 and 1.0 look the
/// same.
fn text(value: Value) -> String {
    match value {
        Value::Int(i) => format!("{:?}", i as f64),
        Value::Float(f) => format!("{f:?}"),
        other => format!("{other:?}"),
    }
}

/// The rows of a query as texts, sorted.
fn rows(snapshot: &Snapshot, query: &str, threads: usize) -> Vec<String> {
    let bound = bind(query, snapshot.catalog()).unwrap();
    let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
    let settings = Settings { threads, ..Settings::default() };
    let mut execution = Execution::start(&planned, snapshot.clone(), settings).unwrap();
    let mut rows = Vec::new();
    while let Some(mut batch) = execution
        .next(|columns, positions, cx| {
            let row = |p: &u32| {
                let cells = columns.iter().map(|c| text(c.value(*p as usize, &|id| cx.edge_value(id))));
                cells.collect::<Vec<_>>().join(", ")
            };
            positions.iter().map(row).collect::<Vec<_>>()
        })
        .unwrap()
    {
        rows.append(&mut batch);
    }
    rows.sort();
    rows
}

#[test]
fn many_groups_are_the_same_on_any_number_of_threads() {
    let mut graph = CreatedGraph::default();
    for statement in GRAPH {
        graph.execute(statement).unwrap();
    }
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    for query in QUERIES {
        let one = rows(&snapshot, query, 1);
        for threads in [2, 3] {
            let many = rows(&snapshot, query, threads);
            assert_eq!(one.len(), many.len(), "{query} on {threads} threads");
            let differ = one.iter().zip(&many).find(|(a, b)| a != b);
            assert_eq!(differ, None, "{query} on {threads} threads");
        }
    }
}

/// So many groups of words that lie far apart that one worker passes rows on to partitions: their numbers,
/// sums and extremes are those that the graph was made of; with little memory too.
#[test]
fn partitions_have_each_row_once() {
    let mut graph = CreatedGraph::default();
    for statement in GRAPH {
        graph.execute(statement).unwrap();
    }
    let snapshot = graph.model().snapshot(LoadOptions::default()).unwrap();
    let of_a = (1..=90_000i64).map(|i| (i % 80_000, i));
    let of_b = (1..=60_000i64).map(|i| (i % 55_000, -i));
    let mut expected = std::collections::HashMap::<i64, (u64, i64, i64, i64)>::new();
    for (key, n) in of_a.chain(of_b) {
        let of = expected.entry(key * 1_000_003).or_insert((0, 0, i64::MAX, i64::MIN));
        *of = (of.0 + 1, of.1 + n, of.2.min(n), of.3.max(n));
    }
    let row = |(key, (count, sum, least, most)): (&i64, &(u64, i64, i64, i64))| {
        let cells = [*key as f64, *count as f64, *sum as f64, *least as f64, *most as f64];
        cells.map(|cell| format!("{cell:?}")).join(", ")
    };
    let mut expected: Vec<String> = expected.iter().map(row).collect();
    expected.sort();
    let query = "MATCH (m) RETURN m.key * 1000003, count(*), sum(m.n), min(m.n), max(m.n)";
    for threads in [1, 2] {
        assert!(rows(&snapshot, query, threads) == expected, "on {threads} threads");
    }
}
