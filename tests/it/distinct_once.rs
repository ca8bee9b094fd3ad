//! Several aggregates of the different values of one expression: the same answers as the interpreter's, with
//! values of several types, nulls, no rows and no keys.

use std::collections::BTreeMap;

use trimorph_algebra::Plan;
use trimorph_exec::Settings;
use trimorph_functions::Clock;
use trimorph_optimizer::{Options, optimize};
use trimorph_testkit::compare::{Comparison, compare};
use trimorph_testkit::interpreter::{Graph, run_on};
use trimorph_testkit::queries::bind;

use super::ask::{ask, created};

/// Queries, and how many groupings their plans have.
const QUERIES: &[(&str, usize)] = &[
    (
        "MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.n) AS c, sum(DISTINCT a.n) AS s, avg(DISTINCT a.n) AS m",
        2,
    ),
    (
        "MATCH (a:A) RETURN count(DISTINCT a.n) AS c, sum(DISTINCT a.n) AS s, count(*) AS n, count(a.n) AS o, min(a.k) AS w",
        2,
    ),
    (
        "MATCH (a:A) RETURN a.k % 2 AS k, count(DISTINCT a.n + 1) AS c, stDev(DISTINCT a.n + 1) AS s, max(DISTINCT a.n + 1) AS x, min(DISTINCT a.t) AS t",
        2,
    ),
    (
        "MATCH (a:A) RETURN a.k AS k, percentileDisc(DISTINCT a.n, 0.5) AS p, percentileCont(DISTINCT a.n, 0.2) AS q, max(a.t) AS t",
        2,
    ),
    (
        "MATCH (a:None) RETURN count(DISTINCT a.n) AS c, sum(DISTINCT a.n) AS s, avg(DISTINCT a.n) AS m, count(*) AS n, max(a.n) AS x",
        2,
    ),
    ("MATCH (a:None) RETURN a.k AS k, count(DISTINCT a.n) AS c, sum(DISTINCT a.n) AS s", 2),
    ("UNWIND [1, 1.0, 2, null, 2, -0.0, 0] AS x RETURN count(DISTINCT x) AS c, sum(DISTINCT x) AS s", 2),
    (
        "MATCH (a:A) WITH a.k AS k, a.n AS n RETURN k, count(DISTINCT n) AS c, sum(DISTINCT n) AS s, n % 2 AS o",
        2,
    ),
    // Maps and lists of given entries.
    ("MATCH (a:A) RETURN count(DISTINCT [a.n, a.t]) AS c", 2),
    ("MATCH (a:A) RETURN a.k AS k, count(DISTINCT {n: a.n, t: a.t}) AS c, count(*) AS all, max(a.n) AS m", 2),
    ("MATCH (a:A) RETURN a.k AS k, count(DISTINCT [a.k, a.n]) AS c", 2),
    ("MATCH (a:A) RETURN a.k AS k, a.n AS n, count(DISTINCT [a.k, a.n]) AS c", 2),
    ("MATCH (a:None) RETURN count(DISTINCT [a.n, a.t]) AS c, count(*) AS n", 2),
    ("MATCH (a:A)-[:T]->(b) RETURN a, count(DISTINCT [b.n, b.t]) AS c", 2),
    ("UNWIND [1, 1.0, null] AS x UNWIND [2, null] AS y RETURN count(DISTINCT [x, [y]]) AS c", 2),
    ("MATCH (a:A) RETURN count(DISTINCT [a.n, a.t]) AS c, count(DISTINCT [a.n, a.k]) AS d", 1),
    ("MATCH (a:A) RETURN count(DISTINCT [a.n, a.t]) AS c, sum(a.n) AS d", 1),
    // What is counted besides is not made of parts.
    ("MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.n) AS c, sum(DISTINCT a.n) AS s, sum(a.n) AS all", 1),
    ("MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.n) AS c, sum(DISTINCT a.k) AS s", 1),
    ("MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.n) AS c, max(DISTINCT a.n) AS s", 1),
    ("MATCH (a:A) RETURN a.n AS k, count(DISTINCT a.n) AS c, sum(DISTINCT a.n) AS s", 1),
    (
        "MATCH (a:A) RETURN a.k AS k, count(DISTINCT a.n) AS c, size(tail(collect(DISTINCT a.n))) AS l, sum(DISTINCT a.n) AS s",
        1,
    ),
    ("MATCH (a:A)-[:T]->(b) RETURN a, count(DISTINCT b.n) AS c, sum(DISTINCT b.n) AS s", 1),
];

#[test]
fn different_values_that_several_aggregates_take_are_told_apart_once() {
    let snapshot = created(&[
        "UNWIND range(1, 400) AS x CREATE (:A {k: x % 7, n: x % 31, t: toString(x % 5)})",
        "UNWIND [1.0, 1.5, -2, null] AS x CREATE (:A {k: 3, n: x}), (:A {n: x, t: 'z'})",
        "MATCH (a:A {k: 3}), (b:A {k: 4}) WHERE a.n < b.n CREATE (a)-[:T]->(b)",
    ]);
    let graph = Graph::read(&snapshot);
    for (text, groupings) in QUERIES {
        let bound = bind(text, snapshot.catalog()).unwrap();
        let now = Clock { seconds: 0, nanos: 0 };
        let expected = run_on(&bound, &graph, &BTreeMap::new(), now, 200_000_000).unwrap();
        for (vector_size, threads) in [(2_048, 1), (3, 1), (17, 3)] {
            let settings = Settings { vector_size, threads, patient: threads == 1, ..Settings::default() };
            let found = ask(text, &snapshot, settings).unwrap();
            let how = format!("{text}\nvectors of {vector_size}, {threads} threads");
            // Deviations and means of parts depend on their order in the last place.
            let comparison = Comparison { tolerance: 1e-12, ..Comparison::default() };
            compare(&expected, &found, &comparison).unwrap_or_else(|d| panic!("{how}\n{d}"));
        }
        let planned = optimize(bound, snapshot.catalog(), None, Options::default()).unwrap();
        let (mut left, mut found) = (vec![&planned.plan], 0);
        while let Some(plan) = left.pop() {
            found += usize::from(matches!(plan, Plan::Aggregate { .. }));
            left.extend(plan.children());
        }
        assert_eq!(found, *groupings, "{text}");
    }
}
