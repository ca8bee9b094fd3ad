//! Patterns of which a node is in a list of nodes that rows bring, against the interpreter: lists with a node
//! several times, empty lists, parts of lists, several lists, nodes of other labels, loops.

use trimorph_exec::Settings;
use trimorph_optimizer::Options;
use trimorph_store::Snapshot;

use super::ask::{agree_on, created, sorted_rows_and_plan};

fn graph() -> Snapshot {
    created(&[
        "UNWIND range(1, 12) AS n CREATE (:A {n: n, g: n % 3})",
        "UNWIND range(1, 3) AS n CREATE (:B {n: -n, g: n})",
        "UNWIND [[1, 2], [1, 3], [2, 3], [3, 4], [4, 1], [4, 4], [5, 6], [6, 7], [7, 5], [7, 8], [1, 2], [9, 1]] AS p MATCH (a:A {n: p[0]}), (b:A {n: p[1]}) CREATE (a)-[:T]->(b)",
        "MATCH (a:A), (b:B) WHERE a.g = b.g CREATE (a)-[:S]->(b)",
    ])
}

const LISTS: [&str; 9] = [
    "MATCH (a:A)-[:T]-(b) WITH a, collect(b) AS l",
    "MATCH (a:A)-[:T]-(b) WITH a, collect(DISTINCT b) AS l",
    "MATCH (a:A) OPTIONAL MATCH (a)-[:T]->(b) WITH a, collect(b) AS l",
    "MATCH (a:A)-[:T]-(b) WITH a, collect(b) AS k WITH a, [x IN k WHERE x.n > 2] AS l",
    "MATCH (a:A)-[:T]-(b) WITH a, b ORDER BY b.n WITH a, collect(b)[1..3] AS l",
    "MATCH (a:A)--(b) WITH a, collect(b) AS k WITH a, k AS l ORDER BY a.n LIMIT 5",
    "MATCH (b:A) WITH collect(b) AS l MATCH (a:A {n: 1})",
    "MATCH (b:A) WITH b ORDER BY b.n LIMIT 4 WITH collect(b) AS l, 1 AS one MATCH (a:A {n: one})",
    // Not only nodes.
    "MATCH (a:A)-[:T]->(b) WITH a, collect(b) + [1, null] AS l",
];

const PATTERNS: [&str; 11] = [
    "MATCH (x) WHERE x IN l RETURN a.n AS a, x.n AS x",
    "MATCH (x:B) WHERE x IN l RETURN a.n AS a, x.n AS x",
    "MATCH (x:A)-[:T]->(y) WHERE x IN l AND y IN l RETURN a.n AS a, x.n AS x, y.n AS y",
    "MATCH (x:A)-[:T]-(y:A) WHERE y IN l RETURN a.n AS a, x.n AS x, y.n AS y",
    "MATCH (x)-[:T]->(x) WHERE x IN l RETURN a.n AS a, count(*) AS n",
    "MATCH (x:A), (y:B) WHERE x IN l AND y IN l RETURN a.n AS a, count(*) AS n",
    "MATCH (x:A)-[:T]->(y) WHERE NOT x IN l AND y IN l RETURN a.n AS a, count(*) AS n",
    "MATCH (a)-[:T]->(x) WHERE x IN l RETURN a.n AS a, x.n AS x",
    "MATCH (x:A {n: 3})-[:T]-(y) WHERE y IN l RETURN a.n AS a, y.n AS y",
    "MATCH (x:A)-[:T*1..2]->(y) WHERE x IN l RETURN a.n AS a, count(y) AS n",
    "OPTIONAL MATCH (x:A)-[:S]->(y) WHERE x IN l RETURN a.n AS a, x.n AS x, y.n AS y",
];

#[test]
fn members_of_lists_are_found_as_by_comparing() {
    let snapshot = graph();
    let texts = LISTS.iter().flat_map(|l| PATTERNS.iter().map(move |p| format!("{l} {p}")));
    let rows = agree_on(texts, &snapshot);
    assert!(rows > 2_000, "{rows}");
}

#[test]
fn patterns_begin_at_lists() {
    let snapshot = graph();
    for (pattern, begins) in [(0, true), (2, true), (3, true), (7, false), (8, true)] {
        let text = format!("{} {}", LISTS[0], PATTERNS[pattern]);
        let (_, plan) = sorted_rows_and_plan(&text, &snapshot, Options::default(), Settings::default());
        assert_eq!(plan.contains("Unwind coll.distinct(l)"), begins, "{text}\n{plan}");
    }
    let text = format!("{} {}", LISTS[1], PATTERNS[0]);
    let (_, plan) = sorted_rows_and_plan(&text, &snapshot, Options::default(), Settings::default());
    assert!(plan.contains("Unwind l as x"), "{plan}");
}
